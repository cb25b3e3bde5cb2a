// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The module svt: does nothing until a backend registers a device.
 */
#include <linux/module.h>

#include "verbs/verbs.h"

static int __init svt_init(void)
{
	svt_stats_init();
	return 0;
}

/* Backends, who use our symbols, are gone, and with them all devices */
static void __exit svt_exit(void)
{
}

module_init(svt_init);
module_exit(svt_exit);

MODULE_DESCRIPTION("Software Verbs Transport: InfiniBand verbs and transport in software");
MODULE_LICENSE("Dual BSD/GPL");
