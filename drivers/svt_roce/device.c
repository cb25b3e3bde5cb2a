// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device's life, from `rdma link add` to release(). A device is on the list of its namespace
 * before it is registered, so that the netdev notifier cannot miss it. If the netdev is
 * unregistered in between, the notifier leaves a mark (gone) and roce_create() undoes its work.
 * Once registered, a device may be unregistered at any time by netlink, by the notifier or by the
 * end of its namespace; ib_core serialises these.
 */
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/netdev_lock.h>

#include "device.h"
#include "flow.h"
#include "frame.h"
#include "gid.h"
#include "namespace.h"
#include "link.h"
#include "multicast.h"
#include "receive.h"
#include "roce.h"
#include "route.h"
#include "socket.h"
#include "transmit.h"

static void let_go(struct roce_device *device)
{
	roce_sockets_put(device->net);
	netdev_put(device->netdev, &device->tracker);
}

/* A second call does nothing. The list is left last: roce_namespace_exit() waits for those in it */
static void roce_release(struct svt_device *dev)
{
	struct roce_device *device = to_roce_device(dev);
	struct roce_net *rnet = roce_net(device->net);

	if (!device->listed)
		return;

	WRITE_ONCE(device->ready, false);
	/* Pairs with the RCU read section of roce_receive(): the core gets no packet hereafter */
	synchronize_rcu();
	let_go(device);

	spin_lock_bh(&rnet->lock);
	device->listed = false;
	list_del_rcu(&device->node);
	spin_unlock_bh(&rnet->lock);
}

static const struct svt_backend_ops roce_ops = {
	.owner = THIS_MODULE,
	.name = "svt",
	.path_init = roce_path_init,
	.path_release = roce_path_release,
	.flow_open = roce_flow_open,
	.flow_close = roce_flow_close,
	.xmit = roce_xmit,
	.rx_address = roce_rx_address,
	.add_gid = roce_add_gid,
	.del_gid = roce_del_gid,
	.listen = roce_multicast,
	.release = roce_release,
	.frames = &roce_frame_ops,
};

static const struct ib_device_ops roce_ib_ops = {
	.enable_driver = roce_enable,
};

static struct roce_device *find_by_netdev(struct roce_net *rnet, const struct net_device *netdev)
{
	struct roce_device *device;

	lockdep_assert_held(&rnet->lock);
	list_for_each_entry(device, &rnet->devices, node)
		if (device->netdev == netdev)
			return device;
	return NULL;
}

/* RTNL keeps @netdev in its namespace. Return: registered until ib_device_put(), or NULL */
struct roce_device *roce_device_get(const struct net_device *netdev)
{
	struct roce_net *rnet = roce_net(dev_net(netdev));
	struct roce_device *device;

	ASSERT_RTNL();
	spin_lock_bh(&rnet->lock);
	device = find_by_netdev(rnet, netdev);
	if (device && !ib_device_try_get(&device->svt.ibdev))
		device = NULL;
	spin_unlock_bh(&rnet->lock);
	return device;
}

/* A work item unregisters it; roce_start() sees the mark if it is not registered yet */
void roce_device_gone(const struct net_device *netdev)
{
	struct roce_net *rnet = roce_net(dev_net(netdev));
	struct roce_device *device;
	bool registered = false;

	ASSERT_RTNL();
	spin_lock_bh(&rnet->lock);
	device = find_by_netdev(rnet, netdev);
	if (device) {
		device->gone = true;
		registered = ib_device_try_get(&device->svt.ibdev);
	}
	spin_unlock_bh(&rnet->lock);

	if (registered) {
		ib_unregister_device_queued(&device->svt.ibdev);
		ib_device_put(&device->svt.ibdev);
	}
}

/* The netdev may be going or moving while netlink holds it; RTNL settles that */
static int enlist(struct roce_device *device)
{
	struct roce_net *rnet = roce_net(device->net);
	int ret = 0;

	rtnl_lock();
	spin_lock_bh(&rnet->lock);
	if (device->netdev->reg_state != NETREG_REGISTERED ||
	    !net_eq(dev_net(device->netdev), device->net))
		ret = -ENODEV;
	else if (find_by_netdev(rnet, device->netdev))
		ret = -EEXIST;
	else
		list_add_tail_rcu(&device->node, &rnet->devices);
	device->listed = !ret;
	spin_unlock_bh(&rnet->lock);
	rtnl_unlock();
	return ret;
}

/* newlink() has no other way to say why */
static void say_refused(const struct net_device *netdev, const char *reason)
{
	if (net_ratelimit())
		netdev_err(netdev, "svt: %s\n", reason);
}

static void say_no_sockets(const struct net_device *netdev, int error)
{
	if (!net_ratelimit())
		return;
	if (error == -EADDRINUSE)
		netdev_err(netdev, "svt: UDP port %u is in use in this network namespace: unload rdma_rxe, or end the program that ss -nulp shows\n",
			   ROCE_V2_UDP_DPORT);
	else
		netdev_err(netdev, "svt: cannot open UDP port %u: %pe\n", ROCE_V2_UDP_DPORT,
			   ERR_PTR(error));
}

static int roce_prepare(struct roce_device *device, struct net_device *netdev)
{
	int ret;

	device->netdev = netdev;
	device->ifindex = netdev->ifindex;
	ret = roce_sockets_get(device->net);
	if (ret) {
		say_no_sockets(netdev, ret);
		return ret;
	}
	netdev_hold(netdev, &device->tracker, GFP_KERNEL);
	ret = enlist(device);
	if (ret == -EEXIST)
		say_refused(netdev, "it has a device already, which rdma link shows");
	if (ret)
		let_go(device);
	return ret;
}

static bool has_address(const struct net_device *netdev)
{
	const struct in_device *in_dev = __in_dev_get_rtnl(netdev);
	const struct inet6_dev *in6_dev = IS_ENABLED(CONFIG_IPV6) ? __in6_dev_get(netdev) : NULL;

	return (in_dev && rcu_access_pointer(in_dev->ifa_list)) ||
	       (in6_dev && !list_empty(&in6_dev->addr_list));
}

/* That is no error: ib_core makes GIDs of addresses as they come */
static void say_no_address(const struct net_device *netdev, const struct ib_device *ibdev)
{
	if (!has_address(netdev) && net_ratelimit())
		netdev_notice(netdev, "svt: it has no IP address yet: until it has, nobody can reach %s\n",
			      dev_name(&ibdev->dev));
}

/* The caller holds the memory of @device, not its registration, which may have ended already */
static int roce_start(struct roce_device *device)
{
	struct ib_device *ibdev = &device->svt.ibdev;
	struct roce_net *rnet;
	bool gone;

	if (!ib_device_try_get(ibdev))
		return 0;

	rnet = roce_net(device->net);
	rtnl_lock();
	spin_lock_bh(&rnet->lock);
	gone = device->gone;
	spin_unlock_bh(&rnet->lock);
	if (!gone) {
		/* Pairs with the acquire in roce_is_ready(): the core is set up */
		smp_store_release(&device->ready, true);
		netdev_lock_ops(device->netdev);
		roce_update_link(device);
		netdev_unlock_ops(device->netdev);
		say_no_address(device->netdev, ibdev);
	}
	rtnl_unlock();

	if (gone) {
		ib_unregister_device_and_put(ibdev);
		return -ENODEV;
	}
	ib_device_put(ibdev);
	return 0;
}

/* ib_core takes a VLAN's addresses for GIDs of the device below: one on the VLAN would have none */
static bool is_fit(const struct net_device *netdev)
{
	if (netdev->type != ARPHRD_ETHER && netdev->type != ARPHRD_LOOPBACK)
		say_refused(netdev, "neither Ethernet nor loopback");
	else if (is_vlan_dev(netdev))
		say_refused(netdev, "add the device to the netdev below: it serves its VLANs");
	else
		return true;
	return false;
}

/*
 * RTNL is not held, @netdev is. Return: -EEXIST: @netdev has a device, or @name is taken;
 * -EOPNOTSUPP: @netdev is of another kind; -EADDRINUSE: UDP port 4791 is not free in its namespace.
 */
int roce_create(const char *name, struct net_device *netdev)
{
	struct net *net = dev_net(netdev);
	struct roce_device *device;
	struct svt_device *dev;
	int ret;

	if (!is_fit(netdev))
		return -EOPNOTSUPP;

	dev = svt_alloc_device(sizeof(*device), net);
	if (!dev)
		return -ENOMEM;

	device = to_roce_device(dev);
	device->net = net;
	ib_set_device_ops(&dev->ibdev, &roce_ib_ops);
	ret = roce_prepare(device, netdev);
	if (ret)
		goto dealloc;

	/* A registered device may be gone before the next line; its memory shall not */
	get_device(&device->svt.ibdev.dev);
	ret = svt_register_device(&device->svt, &roce_ops, netdev, name);
	if (ret == -EEXIST)
		say_refused(netdev, "another RDMA device has that name");
	if (ret) {
		roce_release(&device->svt);
		put_device(&device->svt.ibdev.dev);
		goto dealloc;
	}
	ret = roce_start(device);
	put_device(&device->svt.ibdev.dev);
	return ret;

dealloc:
	ib_dealloc_device(&device->svt.ibdev);
	return ret;
}
