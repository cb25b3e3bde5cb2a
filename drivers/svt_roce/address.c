// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The addresses of a packet as GIDs.
 */
#include <net/ip.h>
#include <net/ipv6.h>

#include "address.h"

/**
 * roce_read_destination() - where a packet goes to
 * @skb: has its network header
 * @gid: written; an IPv4 address is mapped into IPv6
 *
 * Context: any.
 */
void roce_read_destination(const struct sk_buff *skb, union ib_gid *gid)
{
	if (ip_hdr(skb)->version == 6)
		memcpy(gid->raw, &ipv6_hdr(skb)->daddr, sizeof(gid->raw));
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, (struct in6_addr *)gid->raw);
}

/**
 * roce_read_source() - where a packet comes from
 * @skb: has its network header
 * @gid: written; an IPv4 address is mapped into IPv6
 *
 * Context: any.
 */
void roce_read_source(const struct sk_buff *skb, union ib_gid *gid)
{
	if (ip_hdr(skb)->version == 6)
		memcpy(gid->raw, &ipv6_hdr(skb)->saddr, sizeof(gid->raw));
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, (struct in6_addr *)gid->raw);
}
