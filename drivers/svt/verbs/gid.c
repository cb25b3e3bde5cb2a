// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * GIDs. ib_core has the table; a backend that wants to know which there are is told.
 */
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <rdma/ib_cache.h>

#include "verbs.h"

/**
 * svt_add_gid - ib_device_ops.add_gid
 * @attr: GID, with its netdev
 * @context: the backend's
 *
 * Context: may sleep; RTNL may be held.
 * Return: 0, or what the backend returns.
 */
int svt_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct svt_device *dev = to_svt_device(attr->device);

	return dev->ops->add_gid ? dev->ops->add_gid(dev, attr, context) : 0;
}

/**
 * svt_del_gid - ib_device_ops.del_gid
 * @attr: GID
 * @context: the backend's
 *
 * Context: may sleep; RTNL may be held.
 * Return: 0.
 */
int svt_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct svt_device *dev = to_svt_device(attr->device);

	if (dev->ops->del_gid)
		dev->ops->del_gid(dev, attr, context);
	return 0;
}

/**
 * svt_gid_net - where packets from a GID leave from
 * @attr: of a device
 *
 * That need not be the namespace of a process that uses it, who may have every capability in one of
 * its own making.
 *
 * Context: RCU read section, to the end of which the namespace stays.
 * Return: the namespace of the netdev, or NULL: it was just removed.
 */
struct net *svt_gid_net(const struct ib_gid_attr *attr)
{
	struct net_device *netdev = rdma_read_gid_attr_ndev_rcu(attr);

	return IS_ERR(netdev) ? NULL : dev_net(netdev);
}

/**
 * svt_gid_check_caller - may the calling process use a GID?
 * @attr: of a device that the process may use
 *
 * Only one of a netdev in its own network namespace. In exclusive mode the namespace of the device
 * stands for that of the netdev, which may be in another one; ib_core tells the mode only by who
 * may see a device: here two namespaces would have to.
 *
 * Context: process.
 * Return: 0 or -EPERM.
 */
int svt_gid_check_caller(const struct ib_gid_attr *attr)
{
	struct net *net;
	int ret = 0;

	rcu_read_lock();
	net = svt_gid_net(attr);
	if (net && !net_eq(net, current->nsproxy->net_ns) &&
	    rdma_dev_access_netns(attr->device, net))
		ret = -EPERM;
	rcu_read_unlock();
	return ret;
}
