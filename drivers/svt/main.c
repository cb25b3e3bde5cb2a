// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module svt: does nothing until a backend registers a device.
 */
#include <linux/module.h>

#include "queue/cq.h"
#include "transport/qp/peers.h"
#include "transport/qp/train.h"
#include "verbs/verbs.h"

static int __init svt_init(void)
{
	int ret = svt_callers_init();

	if (ret)
		return ret;
	svt_stats_init();
	ret = svt_builders_init();
	if (ret)
		goto exit_callers;
	ret = svt_peers_init();
	if (!ret)
		return 0;

	svt_builders_exit();
exit_callers:
	svt_callers_exit();
	return ret;
}

/*
 * Backends use our symbols, so they and their devices are gone. But unregistration of the last
 * device may still run in our code: ib_unregister_driver() waits for it.
 */
static void __exit svt_exit(void)
{
	ib_unregister_driver(SVT_DRIVER_ID);
	svt_peers_exit();
	svt_builders_exit();
	svt_callers_exit();
}

module_init(svt_init);
module_exit(svt_exit);

MODULE_DESCRIPTION("Software Verbs Transport: InfiniBand verbs and transport in software");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(SVT_VERSION);
