// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transmit: a train becomes skbs and goes to IP.
 *
 * put_packet() makes a packet at the end of an skb, send_train() says how packets share skbs: one
 * each. All headers are complete before the ICRC is computed, because it covers the lengths and
 * the identification of IPv4; ip_local_out() leaves these as they are. The UDP checksum is left
 * to the netdev, or to whoever can still spare it.
 *
 * Runs with BH off in an RCU read section, on several CPUs at a time also for one flow.
 */
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <net/udp.h>

#include "flow.h"
#include "icrc.h"
#include "route.h"
#include "transmit.h"

/**
 * struct shipment - a train on its way out
 * @train: as the core gave it; its payload is consumed
 * @path: where it goes
 * @dst: the route
 * @sk: owns the packets
 * @ip_id: identification of the next IPv4 packet
 */
struct shipment {
	struct svt_train *train;
	const struct roce_path *path;
	struct dst_entry *dst;
	struct sock *sk;
	u16 ip_id;
};

static unsigned int headers_length(const struct roce_path *path)
{
	return path->ipv6 ? sizeof(struct ipv6hdr) + sizeof(struct udphdr) :
			    sizeof(struct iphdr) + sizeof(struct udphdr);
}

/* The count of pad bytes is in bits 4 and 5 of the second byte of the BTH */
static unsigned int pad_length(const u8 *bth)
{
	return bth[1] >> 4 & 3;
}

static void put_ipv4(struct shipment *shipment, u8 *packet, unsigned int length)
{
	union roce_headers *headers = (union roce_headers *)packet;
	struct iphdr *ip = &headers->ip4;
	struct udphdr *udp = &headers->udp4;
	unsigned int udp_length = length - sizeof(*ip);

	memcpy(packet, &shipment->path->headers, sizeof(*ip) + sizeof(*udp));
	ip->tot_len = htons(length);
	ip->id = htons(shipment->ip_id++);
	udp->len = htons(udp_length);
	udp->check = ~csum_tcpudp_magic(ip->saddr, ip->daddr, udp_length, IPPROTO_UDP, 0);
}

static void put_ipv6(struct shipment *shipment, u8 *packet, unsigned int length)
{
	union roce_headers *headers = (union roce_headers *)packet;
	struct ipv6hdr *ip = &headers->ip6;
	struct udphdr *udp = &headers->udp6;
	unsigned int udp_length = length - sizeof(*ip);

	memcpy(packet, &shipment->path->headers, sizeof(*ip) + sizeof(*udp));
	ip->payload_len = htons(udp_length);
	udp->len = htons(udp_length);
	udp->check = ~csum_ipv6_magic(&ip->saddr, &ip->daddr, udp_length, IPPROTO_UDP, 0);
}

/*
 * Append a packet with @payload bytes to @skb, which has the room.
 * Return: false when the payload could not be read.
 */
static bool put_packet(struct shipment *shipment, struct sk_buff *skb, const u8 *bth,
		       unsigned int payload)
{
	struct svt_train *train = shipment->train;
	unsigned int front = headers_length(shipment->path);
	unsigned int pad = pad_length(bth);
	unsigned int length = front + train->header_length + payload + pad;
	u8 *packet = skb_put(skb, length + ROCE_ICRC_LENGTH);
	u8 *p = packet + front;
	__le32 icrc;

	memcpy(p, bth, train->header_length);
	p += train->header_length;
	if (copy_from_iter(p, payload, &train->payload) != payload)
		return false;
	p += payload;
	memset(p, 0, pad);
	p += pad;

	if (shipment->path->ipv6)
		put_ipv6(shipment, packet, length + ROCE_ICRC_LENGTH);
	else
		put_ipv4(shipment, packet, length + ROCE_ICRC_LENGTH);
	icrc = roce_icrc(packet, length);
	memcpy(p, &icrc, sizeof(icrc));
	return true;
}

static struct sk_buff *alloc_packets(struct shipment *shipment, unsigned int length)
{
	struct dst_entry *dst = shipment->dst;
	unsigned int room = LL_RESERVED_SPACE(dst->dev) + dst->header_len;
	struct sk_buff *skb;

	skb = alloc_skb(room + length, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, room);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, headers_length(shipment->path) - sizeof(struct udphdr));
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
	return skb;
}

/* No socket besides the owner: what is sent to a multicast group is heard here, too */
static int local_out(struct shipment *shipment, struct sk_buff *skb)
{
	struct net *net = sock_net(shipment->sk);

#if IS_ENABLED(CONFIG_IPV6)
	if (shipment->path->ipv6)
		return ip6_local_out(net, NULL, skb);
#endif
	return ip_local_out(net, NULL, skb);
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

static int send_packet(struct shipment *shipment, unsigned int index)
{
	struct svt_train *train = shipment->train;
	const u8 *bth = train->headers + index * train->header_length;
	bool last = index == train->packets - 1;
	unsigned int payload = last ? train->last_length : train->payload_length;
	unsigned int length = headers_length(shipment->path) + train->header_length + payload +
			      pad_length(bth) + ROCE_ICRC_LENGTH;
	struct sk_buff *skb;

	skb = alloc_packets(shipment, length);
	if (!skb) {
		iov_iter_advance(&train->payload, payload);
		return -ENOMEM;
	}
	if (!put_packet(shipment, skb, bth, payload)) {
		kfree_skb(skb);
		return -EFAULT;
	}
	return send_skb(shipment, skb);
}

static void count_drops(struct svt_device *dev, unsigned int packets)
{
	while (packets--)
		svt_count_drop(dev, true);
}

static void send_train(struct svt_device *dev, struct shipment *shipment)
{
	unsigned int i;

	for (i = 0; i < shipment->train->packets; i++)
		if (send_packet(shipment, i))
			count_drops(dev, 1);
}

/**
 * roce_xmit() - svt_backend_ops.xmit
 * @dev: the device
 * @train: to be sent
 *
 * Context: BH off, in an RCU read section.
 * Return: 0 or -EAGAIN, see the operation.
 */
int roce_xmit(struct svt_device *dev, struct svt_train *train)
{
	struct roce_flow *flow = to_roce_flow(train->flow);
	struct shipment shipment = {
		.train = train,
		.path = to_roce_path(train->path),
		.sk = flow->sk,
	};

	if (!roce_flow_has_room(flow))
		return -EAGAIN;

	shipment.dst = roce_route_get(dev, train->path);
	if (!shipment.dst) {
		count_drops(dev, train->packets);
		return 0;
	}
	shipment.ip_id = atomic_fetch_add(train->packets, &flow->ip_id);
	send_train(dev, &shipment);
	return 0;
}
