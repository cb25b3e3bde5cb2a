// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* GIDs. ib_core has the table; a backend with the operations is told of changes. */
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <rdma/ib_cache.h>

#include "verbs.h"

/* ib_device_ops.add_gid; RTNL may be held */
int svt_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct svt_device *dev = to_svt_device(attr->device);

	return dev->ops->add_gid ? dev->ops->add_gid(dev, attr, context) : 0;
}

/* ib_device_ops.del_gid; RTNL may be held */
int svt_del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct svt_device *dev = to_svt_device(attr->device);

	if (dev->ops->del_gid)
		dev->ops->del_gid(dev, attr, context);
	return 0;
}

/*
 * In an RCU read section, to the end of which the namespace stays. It need not be that of the
 * process, which may have every capability in its own. NULL: the netdev was just removed.
 */
struct net *svt_gid_net(const struct ib_gid_attr *attr)
{
	struct net_device *netdev = rdma_read_gid_attr_ndev_rcu(attr);

	return IS_ERR(netdev) ? NULL : dev_net(netdev);
}

/*
 * In process context. A process may use only GIDs of netdevs in its own namespace. In exclusive
 * mode the namespace of the device counts instead; the netdev may be in another one. ib_core shows
 * the mode only by which namespaces may see a device: in shared mode both may.
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
