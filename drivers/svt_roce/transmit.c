// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transmit: a train becomes skbs and goes to IP. Its packets share an skb, which UDP segmentation
 * offload cuts where the netdev cannot carry it whole: at a physical device, not on a veth, a
 * bridge or loopback (`ip link set NETDEV gso_max_segs 1` has each packet sent alone). All that it
 * puts into a packet is known before, and the ICRC, which covers lengths and the identification of
 * IPv4, is of each packet as it will be on the wire. The UDP checksum is left to the netdev, or to
 * others that can spare it. Payload is copied: a program may change it at any time, and a packet
 * with a wrong ICRC would be lost, again and again. Runs with BH off in an RCU read section, on
 * several CPUs at a time also for one flow.
 */
#include <linux/bvec.h>
#include <linux/highmem.h>
#include <linux/local_lock.h>
#include <linux/net.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/udp.h>

#include "flow.h"
#include "gid_table.h"
#include "icrc.h"
#include "namespace.h"
#include "roce.h"
#include "route.h"
#include "seal.h"
#include "transmit.h"

/* More than one flow may have in flight, in pieces of 32 KiB */
#define PAGES	12

/* Where the packets of shared skbs are, one behind the other */
struct page_ring {
	local_lock_t lock; /* from the search for room until it is taken; then the skb has it */
	struct page_frag pages[PAGES]; /* each is used again when the packets on it are gone */
	unsigned int current_page;
};

static DEFINE_PER_CPU(struct page_ring, page_rings) = { .lock = INIT_LOCAL_LOCK(lock) };

/* Payload from this length on is copied and put into the ICRC in one pass */
#define ONE_PASS	512

struct shipment {
	const struct svt_train *train;
	struct bvec_iter at; /* next byte of payload */
	bool vector;
	const struct roce_path *path;
	struct dst_entry *dst;
	struct sock *sk; /* owns the packets */
	u16 ip_id; /* of the first IPv4 packet */
	union roce_headers headers; /* of the next skb */
	struct roce_masked masked; /* of the next packet */
};

/* The count of pad bytes is in bits 4 and 5 of the second byte of the BTH */
static unsigned int pad_length(const u8 *bth)
{
	return bth[1] >> 4 & 3;
}

static const u8 *bth_of(const struct svt_train *train, unsigned int index)
{
	return train->headers + index * train->header_length;
}

static unsigned int payload_of(const struct svt_train *train, unsigned int index)
{
	return index == train->packets - 1 ? train->last_length : train->payload_length;
}

/* From the BTH to the end of the ICRC */
static unsigned int packet_length(const struct svt_train *train, unsigned int index)
{
	return train->header_length + payload_of(train, index) +
	       pad_length(bth_of(train, index)) + ROCE_ICRC_LENGTH;
}

/* The next @length bytes of payload go to @to, and to @crc if there is one */
static void put_payload(struct shipment *shipment, struct roce_crc *crc, u8 *to,
			unsigned int length)
{
	const struct bio_vec *payload = shipment->train->payload.bvec;

	while (length) {
		struct bio_vec piece = bvec_iter_bvec(payload, shipment->at);
		unsigned int part = min(piece.bv_len, length);
		void *from = bvec_kmap_local(&piece);

		if (crc)
			roce_crc_copy(crc, to, from, part);
		else
			memcpy(to, from, part);
		kunmap_local(from);
		bvec_iter_advance(payload, &shipment->at, part);
		to += part;
		length -= part;
	}
}

/* Payload and pad of a packet, and its ICRC, in one pass */
static __le32 put_long(struct shipment *shipment, const u8 *bth, u8 *p, unsigned int payload)
{
	unsigned int header_length = shipment->train->header_length;
	struct roce_crc crc;

	roce_icrc_begin(&crc, shipment->vector, &shipment->masked, shipment->path->ipv6, bth);
	if (header_length > IB_BTH_BYTES)
		roce_crc_update(&crc, bth + IB_BTH_BYTES, header_length - IB_BTH_BYTES);
	put_payload(shipment, &crc, p, payload);
	p += payload;
	if (pad_length(bth)) {
		memset(p, 0, pad_length(bth));
		roce_crc_update(&crc, p, pad_length(bth));
	}
	return roce_icrc_end(&crc);
}

/* The same for payload that is in one page, with only a BTH in front of it; else false */
static bool put_one_page(struct shipment *shipment, const u8 *bth, u8 *p, unsigned int payload,
			 __le32 *icrc)
{
	const struct bio_vec *bvec = shipment->train->payload.bvec;
	struct bio_vec piece = bvec_iter_bvec(bvec, shipment->at);
	void *from;

	if (piece.bv_len < payload || shipment->train->header_length > IB_BTH_BYTES ||
	    pad_length(bth))
		return false;
	from = bvec_kmap_local(&piece);
	*icrc = roce_icrc(shipment->vector, &shipment->masked, shipment->path->ipv6, bth, p, from,
			  payload);
	kunmap_local(from);
	bvec_iter_advance(bvec, &shipment->at, payload);
	return true;
}

/* Write a packet to @to, which has packet_length() */
static void put_packet(struct shipment *shipment, unsigned int index, u8 *to)
{
	const struct svt_train *train = shipment->train;
	unsigned int header_length = train->header_length, payload = payload_of(train, index);
	const u8 *bth = bth_of(train, index);
	unsigned int covered = header_length + payload + pad_length(bth);
	union roce_headers *masked = &shipment->masked.headers;
	bool ipv6 = shipment->path->ipv6;
	u8 *p = to + header_length;
	__le32 icrc;

	roce_headers_set_length(masked, ipv6, covered + ROCE_ICRC_LENGTH);
	if (!ipv6)
		masked->ip4.id = htons(shipment->ip_id + index);
	memcpy(to, bth, header_length);
	if (payload < ONE_PASS) {
		put_payload(shipment, NULL, p, payload);
		memset(p + payload, 0, pad_length(bth));
		icrc = roce_icrc(shipment->vector, &shipment->masked, ipv6, to, NULL,
				 to + IB_BTH_BYTES, covered - IB_BTH_BYTES);
	} else if (!put_one_page(shipment, bth, p, payload, &icrc)) {
		icrc = put_long(shipment, bth, p, payload);
	}
	memcpy(to + covered, &icrc, sizeof(icrc));
}

/* An skb with room for the headers of lower layers and @length bytes behind them */
static struct sk_buff *alloc_packets(struct shipment *shipment, unsigned int length)
{
	struct dst_entry *dst = shipment->dst;
	unsigned int room = LL_RESERVED_SPACE(dst->dev) + dst->header_len;
	unsigned int front = roce_headers_length(shipment->path->ipv6);
	struct sk_buff *skb;

	skb = alloc_skb(room + front + length, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, room);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, front - sizeof(struct udphdr));
	skb_put(skb, front);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	return skb;
}

/* Pages of this CPU with room for @length bytes in one piece; NULL when there is no memory */
static struct page_frag *find_room(unsigned int length)
{
	struct page_ring *ring = this_cpu_ptr(&page_rings);
	struct page_frag *pages = &ring->pages[ring->current_page];

	if (pages->page && pages->size - pages->offset >= length)
		return pages;
	ring->current_page = (ring->current_page + 1) % PAGES;
	pages = &ring->pages[ring->current_page];
	if (!skb_page_frag_refill(length, pages, GFP_ATOMIC | __GFP_NOWARN) ||
	    pages->size - pages->offset < length)
		return NULL;
	roce_own_page(pages->page);
	return pages;
}

/* @length bytes of @pages, where there is room, go to the end of @skb. NULL: it has too many */
static u8 *add_piece(struct sk_buff *skb, struct page_frag *pages, unsigned int length)
{
	int count = skb_shinfo(skb)->nr_frags;
	u8 *piece;

	piece = page_address(pages->page) + pages->offset;
	if (skb_can_coalesce(skb, count, pages->page, pages->offset)) {
		skb_frag_size_add(&skb_shinfo(skb)->frags[count - 1], length);
	} else if (count < MAX_SKB_FRAGS) {
		get_page(pages->page);
		skb_fill_page_desc(skb, count, pages->page, pages->offset, length);
	} else {
		return NULL;
	}
	pages->offset += length;
	skb->len += length;
	skb->data_len += length;
	skb->truesize += length;
	return piece;
}

/* The lower headers, when all packets are in @skb; @first is its first one */
static void put_headers(struct shipment *shipment, struct sk_buff *skb, unsigned int first)
{
	union roce_headers *headers = &shipment->headers;
	bool ipv6 = shipment->path->ipv6;
	unsigned int front = roce_headers_length(ipv6);
	unsigned int udp_length = skb->len - front + sizeof(struct udphdr);

	roce_headers_set_length(headers, ipv6, skb->len - front);
	if (ipv6) {
		headers->udp6.check = ~csum_ipv6_magic(&headers->ip6.saddr, &headers->ip6.daddr,
						       udp_length, IPPROTO_UDP, 0);
	} else {
		headers->ip4.id = htons(shipment->ip_id + first);
		headers->udp4.check = ~csum_tcpudp_magic(headers->ip4.saddr, headers->ip4.daddr,
							 udp_length, IPPROTO_UDP, 0);
	}
	memcpy(skb_network_header(skb), headers, front);
}

/* Filters of the control group that the QP's maker is in look for the socket */
static int local_out(struct shipment *shipment, struct sk_buff *skb)
{
	struct net *net = dev_net(shipment->dst->dev);

#if IS_ENABLED(CONFIG_IPV6)
	if (shipment->path->ipv6)
		return ip6_local_out(net, shipment->sk, skb);
#endif
	return ip_local_out(net, shipment->sk, skb);
}

/* Return: 0 when @skb is on its way, else it is lost */
static int send_skb(struct shipment *shipment, struct sk_buff *skb)
{
	int ret;

	skb->priority = rdma_ah_get_sl(&shipment->train->path->ah_attr);
	skb_dst_set_noref(skb, shipment->dst);
	skb_set_owner_w(skb, shipment->sk);
	ret = local_out(shipment, skb);
	return net_xmit_eval(ret);
}

static void count_drops(struct svt_device *dev, unsigned int packets)
{
	while (packets--)
		svt_count_drop(dev, true);
}

static int send_packet(struct shipment *shipment, unsigned int index)
{
	unsigned int length = packet_length(shipment->train, index);
	struct sk_buff *skb = alloc_packets(shipment, length);

	if (!skb) {
		bvec_iter_advance(shipment->train->payload.bvec, &shipment->at,
				  payload_of(shipment->train, index));
		return -ENOMEM;
	}
	shipment->vector = roce_crc_enter();
	put_packet(shipment, index, skb_put(skb, length));
	roce_crc_leave(shipment->vector);
	put_headers(shipment, skb, index);
	return send_skb(shipment, skb);
}

/*
 * A piece at the end of @skb for packets from @from to *@next - 1, with room for the seal in front
 * of the first. NULL: no memory, or @skb has too many pieces.
 */
static u8 *take_room(const struct svt_train *train, struct sk_buff *skb, unsigned int from,
		     unsigned int to, unsigned int *next)
{
	unsigned int length = packet_length(train, from);
	unsigned int seal = skb_shinfo(skb)->nr_frags ? 0 : ROCE_SEAL_BYTES;
	struct page_frag *pages;
	u8 *piece = NULL;

	*next = from;
	local_lock_nested_bh(&page_rings.lock);
	pages = find_room(seal + length);
	if (pages) {
		pages->offset += seal;
		*next = min(from + (pages->size - pages->offset) / length, to);
		piece = add_piece(skb, pages, (*next - from - 1) * length +
					      packet_length(train, *next - 1));
	}
	local_unlock_nested_bh(&page_rings.lock);
	return piece;
}

/* As many packets from @from on as one piece has room for. Return: the next, or @from: none fits */
static unsigned int put_piece(struct shipment *shipment, struct sk_buff *skb, unsigned int from,
			      unsigned int to)
{
	unsigned int length = packet_length(shipment->train, from), next;
	bool first = !skb_shinfo(skb)->nr_frags;
	u8 *at = take_room(shipment->train, skb, from, to, &next);

	if (!at)
		return from;
	if (first)
		roce_seal(at, &shipment->headers, shipment->path->ipv6);
	shipment->vector = roce_crc_enter();
	for (; from < next; from++, at += length)
		put_packet(shipment, from, at);
	roce_crc_leave(shipment->vector);
	return next;
}

static bool put_packets(struct shipment *shipment, struct sk_buff *skb, unsigned int from,
			unsigned int to)
{
	unsigned int next;

	for (; from < to; from = next) {
		next = put_piece(shipment, skb, from, to);
		if (next == from)
			return false;
	}
	return true;
}

/* Packets @from to @to - 1 in one skb; all have one length but for a shorter last */
static struct sk_buff *merge_packets(struct shipment *shipment, unsigned int from, unsigned int to)
{
	struct sk_buff *skb = alloc_packets(shipment, 0);

	if (!skb)
		return NULL;
	if (!put_packets(shipment, skb, from, to)) {
		kfree_skb(skb);
		return NULL;
	}
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
	skb_shinfo(skb)->gso_size = packet_length(shipment->train, from);
	skb_shinfo(skb)->gso_segs = to - from;
	put_headers(shipment, skb, from);
	return skb;
}

static unsigned int send_apart(struct shipment *shipment, unsigned int from, unsigned int to)
{
	unsigned int lost = 0;

	for (; from < to; from++)
		lost += send_packet(shipment, from) != 0;
	return lost;
}

static unsigned int send_merged(struct shipment *shipment, unsigned int from, unsigned int to)
{
	struct bvec_iter at = shipment->at;
	struct sk_buff *skb = merge_packets(shipment, from, to);

	if (skb)
		return send_skb(shipment, skb) ? to - from : 0;
	shipment->at = at;
	return send_apart(shipment, from, to);
}

/* How many packets may share an skb. IPsec would have to encrypt each by itself */
static unsigned int most_merged(const struct shipment *shipment)
{
	return dst_xfrm(shipment->dst) ? 1 : READ_ONCE(shipment->dst->dev->gso_max_segs);
}

static void send_train(struct svt_device *dev, struct shipment *shipment)
{
	unsigned int packets = shipment->train->packets, most = most_merged(shipment);
	unsigned int from, to;

	for (from = 0; from < packets; from = to) {
		to = min(from + max(most, 1U), packets);
		count_drops(dev, to - from > 1 ? send_merged(shipment, from, to) :
						 send_apart(shipment, from, to));
	}
}

/* Not while a tap looks at loopback's packets, nor until those that it saw have arrived */
static bool is_local(struct svt_train *train, const struct dst_entry *dst)
{
	struct roce_device *peer;

	if (train->on_wire || !(dst->dev->flags & IFF_LOOPBACK) || dev_nit_active(dst->dev) ||
	    !roce_flow_is_empty(to_roce_flow(train->flow)))
		return false;
	peer = roce_find_owner(roce_net(dev_net(dst->dev)), &train->path->dgid);
	train->peer = peer ? &peer->svt : NULL;
	return peer;
}

/* svt_backend_ops.xmit. BH off, in an RCU read section */
int roce_xmit(struct svt_device *dev, struct svt_train *train)
{
	struct roce_flow *flow = to_roce_flow(train->flow);
	struct shipment shipment = {
		.train = train,
		.at = { .bi_size = iov_iter_count(&train->payload) },
		.sk = flow->sk,
	};

	shipment.dst = roce_route_get(train->path, flow->sk->sk_uid);
	if (!shipment.dst) {
		count_drops(dev, train->packets);
		return 0;
	}
	if (is_local(train, shipment.dst))
		return SVT_XMIT_LOCAL;
	if (!roce_flow_has_room(flow))
		return -EAGAIN;
	shipment.path = to_roce_path(train->path);
	shipment.headers = shipment.path->headers;
	if (!shipment.path->ipv6)
		shipment.ip_id = atomic_fetch_add(train->packets, &flow->ip_id);
	roce_icrc_mask(&shipment.masked, &shipment.headers);
	send_train(dev, &shipment);
	return 0;
}

/* Nothing is sent any more */
void roce_transmit_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct page_ring *ring = per_cpu_ptr(&page_rings, cpu);
		unsigned int i;

		for (i = 0; i < PAGES; i++)
			if (ring->pages[i].page)
				put_page(ring->pages[i].page);
	}
}
