// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast: a group of InfiniBand is one of IP that the netdev joins.
 *
 * The netdev itself is a member, not a socket, which could be in 20 groups only. That makes the
 * kernel announce the membership, tell the hardware the MAC address, and accept the packets; the
 * sockets get what the netdev accepts. RTNL protects the memberships of a netdev.
 */
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>

#include "device.h"
#include "multicast.h"

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

/**
 * roce_multicast() - svt_backend_ops.multicast
 * @dev: the device
 * @gid: of the group; an IPv4 group is mapped into IPv6
 * @join: or leave
 *
 * Context: may sleep; RTNL not held.
 * Return: 0, -EINVAL when @gid is no group, or another negative errno.
 */
int roce_multicast(struct svt_device *dev, const union ib_gid *gid, bool join)
{
	const struct in6_addr *address = (const struct in6_addr *)gid->raw;
	const struct roce_device *device = to_roce_device(dev);
	struct net_device *netdev = device->netdev;
	bool ipv4 = ipv6_addr_v4mapped(address);
	__be32 group = address->s6_addr32[3];
	int ret;

	if (ipv4 ? !ipv4_is_multicast(group) : !ipv6_addr_is_multicast(address))
		return -EINVAL;

	rtnl_lock();
	/* One that moved left its groups behind, and the device is on its way out */
	if (!net_eq(dev_net(netdev), device->net))
		ret = join ? -ENODEV : 0;
	else if (ipv4)
		ret = change_ipv4(netdev, group, join);
	else
		ret = change_ipv6(netdev, address, join);
	rtnl_unlock();
	return ret;
}
