// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast: a group of InfiniBand is one of IP that the netdev joins, not a socket, which could be
 * in 20 groups only. So the kernel announces the membership, tells the hardware the MAC address and
 * accepts the packets, which the sockets get. RTNL protects the memberships.
 *
 * In another namespace than the device's, each netdev with a GID of the device is a member. GIDs
 * may come and go, so members are listed, until the netdev goes: another may get its index.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>

#include "gid_table.h"
#include "multicast.h"
#include "namespace.h"
#include "roce.h"

/* A netdev of another namespace joined a group for a device */
struct membership {
	struct list_head node;
	const struct roce_device *device;
	union ib_gid gid;
	u32 netns; /* as svt_path.netns */
	u32 ifindex;
};

/* Under RTNL */
static LIST_HEAD(memberships);

/* Joining does not say when there was no memory for it */
static bool is_member(const struct in_device *in_dev, __be32 group)
{
	const struct ip_mc_list *entry;

	for (entry = rtnl_dereference(in_dev->mc_list); entry;
	     entry = rtnl_dereference(entry->next_rcu))
		if (entry->multiaddr == group)
			return true;
	return false;
}

static int change_ipv4(struct net_device *netdev, __be32 group, bool join)
{
	struct in_device *in_dev = __in_dev_get_rtnl(netdev);

	/* A netdev that lost its IPv4 configuration lost the membership, too */
	if (!in_dev)
		return join ? -ENODEV : 0;
	if (!join) {
		ip_mc_dec_group(in_dev, group);
		return 0;
	}
	ip_mc_inc_group(in_dev, group);
	return is_member(in_dev, group) ? 0 : -ENOMEM;
}

#if IS_ENABLED(CONFIG_IPV6)
static int change_ipv6(struct net_device *netdev, const struct in6_addr *group, bool join)
{
	if (join)
		return ipv6_dev_mc_inc(netdev, group);
	ipv6_dev_mc_dec(netdev, group);
	return 0;
}
#else
static int change_ipv6(struct net_device *netdev, const struct in6_addr *group, bool join)
{
	return -EAFNOSUPPORT;
}
#endif

static int change(struct net_device *netdev, const union ib_gid *gid, bool join)
{
	const struct in6_addr *address = (const struct in6_addr *)gid->raw;

	if (ipv6_addr_v4mapped(address))
		return change_ipv4(netdev, address->s6_addr32[3], join);
	return change_ipv6(netdev, address, join);
}

/* @netdev: NULL when it has gone */
static void leave_one(struct membership *entry, struct net_device *netdev)
{
	ASSERT_RTNL();
	if (netdev)
		change(netdev, &entry->gid, false);
	list_del(&entry->node);
	kfree(entry);
}

/* In @net: NULL when that has ended, and its netdevs with it */
static void leave(const struct roce_device *device, struct net *net, const union ib_gid *gid,
		  u32 netns)
{
	struct membership *entry, *next;
	struct net_device *netdev;

	ASSERT_RTNL();
	list_for_each_entry_safe(entry, next, &memberships, node) {
		if (entry->device != device || entry->netns != netns ||
		    memcmp(&entry->gid, gid, sizeof(*gid)))
			continue;
		netdev = net ? __dev_get_by_index(net, entry->ifindex) : NULL;
		leave_one(entry, netdev);
	}
}

static int join_one(const struct roce_device *device, struct net_device *netdev,
		    const union ib_gid *gid, u32 netns)
{
	struct membership *entry = kzalloc(sizeof(*entry), SVT_GFP_CHARGED);
	int ret;

	if (!entry)
		return -ENOMEM;
	ret = change(netdev, gid, true);
	if (ret) {
		kfree(entry);
		return ret;
	}
	entry->device = device;
	entry->gid = *gid;
	entry->netns = netns;
	entry->ifindex = netdev->ifindex;
	list_add(&entry->node, &memberships);
	return 0;
}

static int join(const struct roce_device *device, struct net *net, const union ib_gid *gid,
		u32 netns)
{
	struct net_device *netdev;
	int ret = -ENODEV;
	u32 ifindex = 0;

	ASSERT_RTNL();
	while (roce_gid_next(device, roce_net(net), &ifindex)) {
		netdev = __dev_get_by_index(net, ifindex);
		if (!netdev)
			continue;
		ret = join_one(device, netdev, gid, netns);
		if (ret)
			break;
	}
	if (ret)
		leave(device, net, gid, netns);
	return ret;
}

static int change_guest(const struct roce_device *device, const union ib_gid *gid, u32 netns,
			bool is_join)
{
	struct net *net = roce_netns_get(netns);
	int ret = 0;

	rtnl_lock();
	if (!is_join)
		leave(device, net, gid, netns);
	else if (net)
		ret = join(device, net, gid, netns);
	else
		ret = -ENODEV;
	rtnl_unlock();
	if (net)
		put_net(net);
	return ret;
}

/* @netdev is unregistered or leaves its namespace, or the module goes */
void roce_multicast_leave(struct net_device *netdev)
{
	const u32 netns = roce_net(dev_net(netdev))->number;
	struct membership *entry, *next;

	ASSERT_RTNL();
	list_for_each_entry_safe(entry, next, &memberships, node)
		if (entry->netns == netns && entry->ifindex == netdev->ifindex)
			leave_one(entry, netdev);
}

/* One that moved left its groups behind, and the device is on its way out */
static int change_own(struct roce_device *device, const union ib_gid *gid, bool is_join)
{
	int ret = is_join ? -ENODEV : 0;

	rtnl_lock();
	if (net_eq(dev_net(device->netdev), device->net))
		ret = change(device->netdev, gid, is_join);
	rtnl_unlock();
	return ret;
}

static bool is_group(const union ib_gid *gid)
{
	const struct in6_addr *address = (const struct in6_addr *)gid->raw;

	return ipv6_addr_v4mapped(address) ? ipv4_is_multicast(address->s6_addr32[3]) :
					     ipv6_addr_is_multicast(address);
}

/*
 * svt_backend_ops.listen. RTNL is not held. -EINVAL: @gid is no group; -ENODEV: no netdev to join
 */
int roce_multicast(struct svt_device *dev, const union ib_gid *gid, u32 netns, bool join)
{
	struct roce_device *device = to_roce_device(dev);

	if (!is_group(gid))
		return -EINVAL;
	return netns == roce_net(device->net)->number ? change_own(device, gid, join) :
							change_guest(device, gid, netns, join);
}
