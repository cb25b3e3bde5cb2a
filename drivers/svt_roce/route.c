// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Paths: the headers of their packets, made once, and the route, looked up for the first packet and
 * again when the kernel says that it is no longer good. Requester and responder of a QP send over
 * one path at the same time and read the route under RCU. The one that finds it stale publishes
 * another by xchg and frees the old one. A released dst lives until the end of the RCU read
 * section, so packets need no reference to it. All this is in the namespace of the source GID's
 * netdev, which may be a container's. It may end before the path, and no dst may outlive it: each
 * route is on a list there.
 */
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/inet_dscp.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "gid_table.h"
#include "namespace.h"
#include "roce.h"
#include "route.h"

/* Protects roce_net.routes, and that roce_route.dst becomes NULL; interrupts may be off outside */
static DEFINE_SPINLOCK(routes_lock);

/* Of an address that says nothing about it */
#define ROCE_HOP_LIMIT	64

static struct in6_addr *gid_address(const union ib_gid *gid)
{
	return (struct in6_addr *)gid->raw;
}

static u8 hop_limit(const struct ib_global_route *grh)
{
	return grh->hop_limit ?: ROCE_HOP_LIMIT;
}

static void fill_udp(struct udphdr *udp, const struct svt_path *path)
{
	u32 label = rdma_ah_read_grh(&path->ah_attr)->flow_label ?:
		    path->entropy & IB_GRH_FLOWLABEL_MASK;

	udp->source = htons(rdma_flow_label_to_udp_sport(label));
	udp->dest = htons(ROCE_V2_UDP_DPORT);
}

static void fill_ipv4(union roce_headers *headers, const struct svt_path *path)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&path->ah_attr);
	struct iphdr *ip = &headers->ip4;

	ip->version = IPVERSION;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = grh->traffic_class;
	ip->frag_off = htons(IP_DF);
	ip->ttl = hop_limit(grh);
	ip->protocol = IPPROTO_UDP;
	ip->saddr = gid_address(&path->sgid)->s6_addr32[3];
	ip->daddr = gid_address(&path->dgid)->s6_addr32[3];
	fill_udp(&headers->udp4, path);
}

static void fill_ipv6(union roce_headers *headers, const struct svt_path *path)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&path->ah_attr);
	struct ipv6hdr *ip = &headers->ip6;

	ip6_flow_hdr(ip, grh->traffic_class, htonl(grh->flow_label));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = hop_limit(grh);
	ip->saddr = *gid_address(&path->sgid);
	ip->daddr = *gid_address(&path->dgid);
	fill_udp(&headers->udp6, path);
}

/* Return: false: the source GID has no netdev now, or the device does not receive where that is */
static bool find_source(const struct roce_device *device, struct svt_path *path)
{
	struct net_device *netdev;
	struct roce_net *rnet;
	bool found;

	rcu_read_lock();
	netdev = rdma_read_gid_attr_ndev_rcu(path->ah_attr.grh.sgid_attr);
	rnet = IS_ERR(netdev) ? NULL : roce_net(dev_net(netdev));
	found = rnet && roce_gid_works(device, rnet, &path->sgid, netdev->ifindex);
	if (found) {
		path->netns = rnet->number;
		path->ifindex = netdev->ifindex;
		if (!net_eq(rnet->net, device->net))
			WRITE_ONCE(rnet->had_guests, true);
		/* Pairs with the barrier in roce_net_pre_exit(), before find_route() looks */
		smp_mb();
	}
	rcu_read_unlock();
	return found;
}

/*
 * svt_backend_ops.path_init. The GID loses its netdev for good when its address is removed; the
 * same address again makes another GID. So the netdev is looked up now, and kept by its index: the
 * path works whenever the address is there. Return: -EINVAL: source and destination are not of one
 * version of IP, or the source address was just removed.
 */
int roce_path_init(struct svt_device *dev, struct svt_path *path)
{
	const struct ib_gid_attr *attr = path->ah_attr.grh.sgid_attr;
	struct roce_path *priv = to_roce_path(path);
	bool ipv4;

	if (!attr || attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;
	ipv4 = ipv6_addr_v4mapped(gid_address(&path->sgid));
	if (ipv4 != ipv6_addr_v4mapped(gid_address(&path->dgid)))
		return -EINVAL;
	if (!find_source(to_roce_device(dev), path))
		return -EINVAL;

	RCU_INIT_POINTER(priv->route, NULL);
	memset(&priv->headers, 0, sizeof(priv->headers));
	priv->ipv6 = !ipv4;
	if (ipv4)
		fill_ipv4(&priv->headers, path);
	else
		fill_ipv6(&priv->headers, path);
	return 0;
}

/* It is on no list any more, and nobody finds its dst */
static void let_go(struct roce_route *route)
{
	struct dst_entry *dst = route->dst;

	lockdep_assert_held(&routes_lock);
	/* Pairs with the read in roce_route_get() */
	WRITE_ONCE(route->dst, NULL);
	list_del_init(&route->node);
	dst_release(dst);
}

static void free_route(struct roce_route *route)
{
	unsigned long flags;

	if (!route)
		return;
	spin_lock_irqsave(&routes_lock, flags);
	let_go(route);
	spin_unlock_irqrestore(&routes_lock, flags);
	kfree_rcu(route, rcu);
}

/* roce_netns_find() does not find @rnet any more */
void roce_routes_leave(struct roce_net *rnet)
{
	struct roce_route *route, *next;

	/* Senders that found it before have put their routes on the list by then */
	synchronize_rcu();
	spin_lock_irq(&routes_lock);
	list_for_each_entry_safe(route, next, &rnet->routes, node)
		let_go(route);
	spin_unlock_irq(&routes_lock);
}

/* svt_backend_ops.path_release. Any context */
void roce_path_release(struct svt_device *dev, struct svt_path *path)
{
	free_route(unrcu_pointer(xchg(&to_roce_path(path)->route, NULL)));
}

/*
 * Such as a blackhole: with a netdev given, ip_route_output_flow() takes what the table refuses for
 * a neighbour. A group is on the netdev, whatever the table says. @flow is a copy, which changes.
 */
static bool is_forbidden(struct net *net, struct flowi4 flow)
{
	struct fib_result result;
	int ret;

	if (ipv4_is_multicast(flow.daddr))
		return false;
	ret = fib_lookup(net, &flow, &result, FIB_LOOKUP_NOREF);
	return ret && ret != -ENETUNREACH;
}

/* This host is reached through loopback, others only through the netdev of the source address */
static struct dst_entry *find_ipv4(struct net *net, struct net_device *netdev,
				   const struct roce_path *path, kuid_t uid)
{
	const struct iphdr *ip = &path->headers.ip4;
	int ifindex = netdev->ifindex;
	struct rtable *route;
	struct flowi4 flow;

	if (inet_addr_type_dev_table(net, netdev, ip->daddr) == RTN_LOCAL)
		ifindex = l3mdev_master_ifindex_rcu(netdev);
	flowi4_init_output(&flow, ifindex, 0, ip->tos & INET_DSCP_MASK, RT_SCOPE_UNIVERSE,
			   IPPROTO_UDP, 0, ip->daddr, ip->saddr, path->headers.udp4.dest,
			   path->headers.udp4.source, uid);
	if (is_forbidden(net, flow))
		return NULL;
	route = ip_route_output_flow(net, &flow, NULL);
	if (IS_ERR(route))
		return NULL;
	if (route->rt_flags & RTCF_BROADCAST) {
		ip_rt_put(route);
		return NULL;
	}
	return &route->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static bool leads_through(const struct dst_entry *dst, struct net_device *netdev)
{
	return dst->dev == netdev || dst->dev->flags & IFF_LOOPBACK ||
	       dst->dev->ifindex == l3mdev_master_ifindex_rcu(netdev);
}

static struct dst_entry *find_ipv6(struct net *net, struct net_device *netdev,
				   const struct roce_path *path, kuid_t uid, u32 *cookie)
{
	const struct ipv6hdr *ip = &path->headers.ip6;
	struct flowi6 flow = {
		.flowi6_oif = netdev->ifindex,
		.flowi6_proto = IPPROTO_UDP,
		.flowlabel = ip6_flowinfo(ip),
		.saddr = ip->saddr,
		.daddr = ip->daddr,
		.fl6_sport = path->headers.udp6.source,
		.fl6_dport = path->headers.udp6.dest,
		.flowi6_uid = uid,
	};
	struct dst_entry *dst;

	/* Switched off by ipv6.disable=1, it has none of its tables */
	if (!ipv6_mod_enabled())
		return NULL;
	/* IPv4 has no route for a source address that is not there (any more), IPv6 would have */
	if (!ipv6_dev_find(net, &ip->saddr, netdev))
		return NULL;
	dst = ip6_dst_lookup_flow(net, NULL, &flow, NULL);
	if (IS_ERR(dst))
		return NULL;
	/* For IPv6 the netdev asked for is a wish only */
	if (dst->error || !leads_through(dst, netdev)) {
		dst_release(dst);
		return NULL;
	}
	*cookie = rt6_get_cookie(dst_rt6_info(dst));
	return dst;
}
#else
static struct dst_entry *find_ipv6(struct net *net, struct net_device *netdev,
				   const struct roce_path *path, kuid_t uid, u32 *cookie)
{
	return NULL;
}
#endif

static struct dst_entry *find_dst(struct net *net, struct svt_path *path, kuid_t uid, u32 *cookie)
{
	const struct roce_path *priv = to_roce_path(path);
	struct net_device *netdev = dev_get_by_index_rcu(net, path->ifindex);

	if (!netdev)
		return NULL;
	return priv->ipv6 ? find_ipv6(net, netdev, priv, uid, cookie) :
			    find_ipv4(net, netdev, priv, uid);
}

static struct roce_route *find_route(struct svt_path *path, kuid_t uid)
{
	struct roce_net *rnet = roce_netns_find(path->netns);
	struct roce_route *route;
	unsigned long flags;

	if (!rnet)
		return NULL;
	route = kzalloc(sizeof(*route), GFP_ATOMIC | __GFP_NOWARN);
	if (!route)
		return NULL;
	route->dst = find_dst(rnet->net, path, uid, &route->cookie);
	if (!route->dst) {
		kfree(route);
		return NULL;
	}
	spin_lock_irqsave(&routes_lock, flags);
	list_add(&route->node, &rnet->routes);
	spin_unlock_irqrestore(&routes_lock, flags);
	return route;
}

/*
 * BH off, in an RCU read section, to the end of which the result is good. NULL: no route now. A
 * route found for @uid, for rules that ask, serves all users of the path.
 */
struct dst_entry *roce_route_get(struct svt_path *path, kuid_t uid)
{
	struct roce_path *priv = to_roce_path(path);
	struct roce_route *route = rcu_dereference(priv->route);
	/* Pairs with the write in let_go() */
	struct dst_entry *dst = route ? READ_ONCE(route->dst) : NULL;

	if (likely(dst) && likely(dst_check(dst, route->cookie)))
		return dst;

	route = find_route(path, uid);
	/* Read before others can see the route, replace it and free it */
	dst = route ? route->dst : NULL;
	free_route(unrcu_pointer(xchg(&priv->route, RCU_INITIALIZER(route))));
	return dst;
}
