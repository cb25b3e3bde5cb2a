// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A packet on this wire: 40 bytes of network header, as the receiver of a datagram is to find them
 * (IPv6, or 20 bytes of nothing and an IPv4 header: IBTA annex A17), and what the core gave. There
 * is no UDP header and no ICRC. The network header counts them all the same, so that a program sees
 * what it would on a network.
 */
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_verbs.h>

#include "packet.h"

#define HOP_LIMIT	64
#define SPARED		(sizeof(struct udphdr) + 4)

static const struct in6_addr *address_of(const union ib_gid *gid)
{
	return (const struct in6_addr *)gid->raw;
}

static union rdma_network_hdr *network_header(const struct sk_buff *skb)
{
	return (union rdma_network_hdr *)skb_network_header(skb);
}

static void fill_ipv4(struct iphdr *ip, const struct svt_path *path, unsigned int length)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&path->ah_attr);

	*ip = (struct iphdr){
		.version = IPVERSION,
		.ihl = sizeof(*ip) / 4,
		.tos = grh->traffic_class,
		.tot_len = htons(sizeof(*ip) + SPARED + length),
		.ttl = grh->hop_limit ?: HOP_LIMIT,
		.protocol = IPPROTO_UDP,
		.saddr = address_of(&path->sgid)->s6_addr32[3],
		.daddr = address_of(&path->dgid)->s6_addr32[3],
	};
	ip->check = ip_fast_csum(ip, ip->ihl);
}

static void fill_ipv6(struct ib_grh *header, const struct svt_path *path, unsigned int length)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(&path->ah_attr);

	*header = (struct ib_grh){
		.version_tclass_flow = htonl(6 << 28 | grh->traffic_class << 20 |
					     grh->flow_label),
		.paylen = htons(SPARED + length),
		.next_hdr = IPPROTO_UDP,
		.hop_limit = grh->hop_limit ?: HOP_LIMIT,
		.sgid = path->sgid,
		.dgid = path->dgid,
	};
}

/* The payload iterator stands at this packet's payload. Return: for svt_receive(), or NULL */
struct sk_buff *loop_make_packet(struct svt_train *train, unsigned int index)
{
	const u8 *header = train->headers + index * train->header_length;
	bool last = index == train->packets - 1;
	unsigned int payload = last ? train->last_length : train->payload_length;
	unsigned int pad = header[1] >> 4 & 3; /* as the BTH has it */
	unsigned int length = train->header_length + payload + pad;
	struct sk_buff *skb = alloc_skb(sizeof(union rdma_network_hdr) + length, GFP_ATOMIC);

	if (!skb)
		return NULL;
	skb_reset_network_header(skb);
	skb_put_zero(skb, sizeof(union rdma_network_hdr));
	if (ipv6_addr_v4mapped(address_of(&train->path->sgid)))
		fill_ipv4(&network_header(skb)->roce4grh, train->path, length);
	else
		fill_ipv6(&network_header(skb)->ibgrh, train->path, length);
	skb_put_data(skb, header, train->header_length);
	if (copy_from_iter(skb_put(skb, payload), payload, &train->payload) != payload) {
		kfree_skb(skb);
		return NULL;
	}
	skb_put_zero(skb, pad);
	skb_pull(skb, sizeof(union rdma_network_hdr));
	*svt_rx_cb(skb) = (struct svt_rx_cb){ .length = length, .stride = length };
	return skb;
}

/* svt_backend_ops.rx_address. There is one packet in @skb, so that @length is not needed */
void loop_rx_address(struct svt_device *dev, const struct sk_buff *skb, u32 length,
		     struct svt_rx_address *address)
{
	const union rdma_network_hdr *header = network_header(skb);

	*address = (struct svt_rx_address){ .grh = *header };
	/* The first byte is the version of IPv6, or nothing */
	if (skb_network_header(skb)[0]) {
		address->sgid = header->ibgrh.sgid;
		address->dgid = header->ibgrh.dgid;
		return;
	}
	ipv6_addr_set_v4mapped(header->roce4grh.saddr, (struct in6_addr *)address->sgid.raw);
	ipv6_addr_set_v4mapped(header->roce4grh.daddr, (struct in6_addr *)address->dgid.raw);
}
