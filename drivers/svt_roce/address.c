// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The addresses of a packet, whose network header is set, as GIDs: IPv4 is mapped into IPv6 */
#include <net/ip.h>
#include <net/ipv6.h>

#include "address.h"

void roce_read_destination(const struct sk_buff *skb, union ib_gid *gid)
{
	if (ip_hdr(skb)->version == 6)
		memcpy(gid->raw, &ipv6_hdr(skb)->daddr, sizeof(gid->raw));
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, (struct in6_addr *)gid->raw);
}

void roce_read_source(const struct sk_buff *skb, union ib_gid *gid)
{
	if (ip_hdr(skb)->version == 6)
		memcpy(gid->raw, &ipv6_hdr(skb)->saddr, sizeof(gid->raw));
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, (struct in6_addr *)gid->raw);
}
