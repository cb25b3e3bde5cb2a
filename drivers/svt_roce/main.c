// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_roce: RoCEv2 over UDP on any Ethernet netdev, a backend of svt. This file loads and unloads
 * the module, and answers `rdma link add NAME type svt netdev NETDEV`.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <rdma/rdma_netlink.h>

#include "device.h"
#include "netdev.h"
#include "pernet.h"
#include "transmit.h"

static struct rdma_link_ops roce_link_ops = {
	.type = "svt",
	.newlink = roce_create,
};

static int __init roce_init(void)
{
	int ret;

	ret = roce_namespace_init();
	if (ret)
		return ret;
	ret = roce_netdev_init();
	if (ret)
		goto exit_namespace;
	rdma_link_register(&roce_link_ops);
	return 0;

exit_namespace:
	roce_namespace_exit();
	return ret;
}

/*
 * First no device can come, then all go, and a grace period passes. Flows' sockets may outlive this
 * in packets in flight, but lead nowhere back here, see flow.c.
 */
static void __exit roce_exit(void)
{
	rdma_link_unregister(&roce_link_ops);
	roce_netdev_exit();
	roce_namespace_exit();
	svt_backend_exit();
	roce_transmit_exit();
}

module_init(roce_init);
module_exit(roce_exit);

MODULE_DESCRIPTION("Software Verbs Transport: RoCEv2 over UDP");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(SVT_VERSION);
MODULE_ALIAS_RDMA_LINK("svt");
