/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The headers in front of the BTH; offload makes those of packets behind the first in an skb */
#ifndef ROCE_HEADERS_H
#define ROCE_HEADERS_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/string.h>
#include <linux/udp.h>

/* IP without options, and UDP */
union roce_headers {
	struct {
		struct iphdr ip4;
		struct udphdr udp4;
	};
	struct {
		struct ipv6hdr ip6;
		struct udphdr udp6;
	};
};

static inline unsigned int roce_headers_length(bool ipv6)
{
	return ipv6 ? sizeof(struct ipv6hdr) + sizeof(struct udphdr) :
		      sizeof(struct iphdr) + sizeof(struct udphdr);
}

/* @length: bytes behind the UDP header */
static inline void roce_headers_set_length(union roce_headers *headers, bool ipv6,
					   unsigned int length)
{
	__be16 udp_length = htons(sizeof(struct udphdr) + length);

	if (ipv6) {
		headers->ip6.payload_len = udp_length;
		headers->udp6.len = udp_length;
	} else {
		headers->ip4.tot_len = htons(sizeof(struct iphdr) + sizeof(struct udphdr) + length);
		headers->udp4.len = udp_length;
	}
}

#endif
