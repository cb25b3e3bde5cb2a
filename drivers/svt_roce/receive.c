// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive: an skb comes in, its device is found, its packets are checked, the core gets them. A
 * hook of netfilter takes it behind the firewall and in front of UDP, which would cut an skb of
 * many packets (udp_unexpected_gso()). The hook leaves to the socket all but plain packets, and the
 * first of a connection, which conntrack has to confirm. It does not look at UDP's checksum: the
 * ICRC covers the same. A packet belongs to the device that has its destination as a GID on the
 * netdev that it came by: another VLAN, say, is another wire. Runs in softirq; the core is called
 * in the RCU read section of devices and GIDs, which roce_release() waits for.
 */
#include <linux/filter.h>
#include <linux/netfilter.h>
#include <linux/rculist.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/sock.h>
#include <net/xfrm.h>

#include "address.h"
#include "gid_table.h"
#include "headers.h"
#include "icrc.h"
#include "namespace.h"
#include "receive.h"
#include "roce.h"
#include "seal.h"

/* svt_rx_address.packet_type: UDP in IP of that version */
#define PACKET_IPV6	9
#define PACKET_IPV4	10

/* Packets of up to that many bytes are worth a copy into one piece */
#define GATHERED	256

#define MIN_LENGTH	(sizeof(struct udphdr) + IB_BTH_BYTES + ROCE_ICRC_LENGTH)

static bool is_ipv6(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 6;
}

static bool is_multicast(const struct sk_buff *skb)
{
	return is_ipv6(skb) ? ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr) :
			      ipv4_is_multicast(ip_hdr(skb)->daddr);
}

/* Where a packet came in: as in svt_rx_cb, and vlan_id as in roce_gid */
struct arrival {
	struct roce_device *device;
	u32 netns;
	u32 ifindex;
	u16 vlan_id;
	bool built; /* svt_rx_cb.one_train */
};

/* Below a VRF, if it is in one: IP gives it the VRF's netdev */
static u32 entered_by(const struct sk_buff *skb)
{
	int port = is_ipv6(skb) ? inet6_sdif(skb) : inet_sdif(skb);

	return port ?: skb->dev->ifindex;
}

/* Sent to itself by this host, or within a VRF of it: it may be for any netdev there */
static bool is_looped(const struct sk_buff *skb)
{
	return skb->dev->flags & IFF_LOOPBACK ||
	       (netif_is_l3_master(skb->dev) && entered_by(skb) == skb->dev->ifindex);
}

static const struct roce_gid *find_gid(const struct roce_net *rnet, const struct sk_buff *skb,
				       bool looped)
{
	u32 ifindex = skb->dev->ifindex;
	const struct roce_gid *entry;
	union ib_gid gid;

	roce_read_destination(skb, &gid);
	if (looped)
		return roce_gid_in(rnet, &gid, netif_is_l3_master(skb->dev) ? ifindex : 0);
	entry = roce_gid_at(rnet, &gid, entered_by(skb));
	/* The netdev of a VRF may have an address itself */
	return entry ?: roce_gid_at(rnet, &gid, ifindex);
}

/* The device of the netdev that it came in by, whomever it is for */
static struct roce_device *find_listener(const struct roce_net *rnet, const struct sk_buff *skb)
{
	u32 ifindex = entered_by(skb);
	const struct roce_gid *entry;
	struct roce_device *device;

	list_for_each_entry_rcu(device, &rnet->devices, node)
		if (device->ifindex == ifindex)
			return device;
	entry = roce_gid_on(rnet, ifindex);
	return entry ? entry->device : NULL;
}

static bool find_arrival(const struct roce_net *rnet, const struct sk_buff *skb,
			 struct arrival *arrival)
{
	bool looped = is_looped(skb);
	const struct roce_gid *entry;

	*arrival = (struct arrival) { .netns = rnet->number, .vlan_id = U16_MAX };
	if (is_multicast(skb)) {
		arrival->device = find_listener(rnet, skb);
	} else {
		entry = find_gid(rnet, skb, looped);
		if (!entry)
			return false;
		arrival->device = entry->device;
		arrival->ifindex = looped ? 0 : entry->ifindex;
		arrival->vlan_id = entry->vlan_id;
	}
	return arrival->device && roce_is_ready(arrival->device);
}

/* @skb begins with the UDP header. The ICRC covers an IP header of the least length only */
static bool is_well_formed(struct sk_buff *skb)
{
	unsigned int ip_length = is_ipv6(skb) ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);

	if (skb->len < MIN_LENGTH || ntohs(udp_hdr(skb)->len) != skb->len)
		return false;
	if (skb_transport_header(skb) - skb_network_header(skb) != ip_length)
		return false;
	if (is_ipv6(skb))
		return ntohs(ipv6_hdr(skb)->payload_len) == skb->len;
	return ntohs(ip_hdr(skb)->tot_len) == skb->len + ip_length;
}

/* A host counts the identification of IPv4 up with @index, or leaves it as it is (RFC 6864) */
static bool is_whole(struct sk_buff *skb, bool vector, struct roce_masked *masked,
		     unsigned int index, unsigned int offset, unsigned int length)
{
	bool ipv6 = is_ipv6(skb);

	roce_headers_set_length(&masked->headers, ipv6, length);
	if (!ipv6)
		masked->headers.ip4.id = htons(ntohs(ip_hdr(skb)->id) + index);
	if (roce_icrc_ok(skb, vector, masked, ipv6, offset, length))
		return true;
	if (ipv6 || !index)
		return false;
	masked->headers.ip4.id = ip_hdr(skb)->id;
	return roce_icrc_ok(skb, vector, masked, ipv6, offset, length);
}

/* Packets of @stride bytes from @from to @to are whole. NULL: there was no memory for them */
static void hand_over(const struct arrival *arrival, struct sk_buff *skb, unsigned int from,
		      unsigned int to, unsigned int stride)
{
	if (!skb) {
		svt_count_drop(&arrival->device->svt, false);
		return;
	}
	*svt_rx_cb(skb) = (struct svt_rx_cb) {
		.offset = from, .length = to - from, .stride = stride,
		.trailer = ROCE_ICRC_LENGTH, .one_train = arrival->built,
		.netns = arrival->netns, .ifindex = arrival->ifindex,
		.tagged = arrival->vlan_id != U16_MAX, .vlan_id = arrival->vlan_id,
	};
	svt_receive(&arrival->device->svt, skb);
}

static void mask_headers(const struct sk_buff *skb, struct roce_masked *masked)
{
	union roce_headers headers = {};

	memcpy(&headers, skb_network_header(skb), roce_headers_length(is_ipv6(skb)));
	roce_icrc_mask(masked, &headers);
}

/*
 * What this host built is whole, but a rule may have translated its addresses: it names a QP to
 * which its sender is not connected. The seal tells. Segmentation leaves none: then the ICRC of the
 * last packet does, which is the shortest.
 */
static bool has_its_addresses(struct sk_buff *skb, unsigned int stride)
{
	unsigned int begin = sizeof(struct udphdr), index, at;
	struct roce_masked masked;
	bool vector, whole;

	if (roce_is_sealed(skb, is_ipv6(skb)))
		return true;
	index = (skb->len - begin - 1) / stride;
	at = begin + index * stride;
	mask_headers(skb, &masked);
	vector = roce_crc_enter();
	whole = is_whole(skb, vector, &masked, index, at, skb->len - at);
	roce_crc_leave(vector);
	return whole;
}

/*
 * Offload may have merged good packets with those of anybody: only the bad ones are dropped. The
 * vector unit is left before the core, which may sleep on a real-time kernel.
 */
static void check_packets(const struct arrival *arrival, struct sk_buff *skb, unsigned int stride)
{
	unsigned int begin = sizeof(struct udphdr), end = skb->len, index, from, at, next;
	struct roce_masked masked;
	bool vector;

	mask_headers(skb, &masked);
	vector = roce_crc_enter();
	for (index = 0, from = at = begin; at < end; index++, at = next) {
		next = min(at + stride, end);
		if (is_whole(skb, vector, &masked, index, at, next - at))
			continue;
		roce_crc_leave(vector);
		svt_count_drop(&arrival->device->svt, false);
		if (from < at)
			hand_over(arrival, skb_clone(skb, GFP_ATOMIC), from, at, stride);
		from = next;
		vector = roce_crc_enter();
	}
	roce_crc_leave(vector);
	if (from < end)
		hand_over(arrival, skb, from, end, stride);
	else
		kfree_skb(skb);
}

/*
 * GRO leaves each packet in a fragment or an skb of its own, to which each reader walks from the
 * first one. Short ones are so many that a copy costs less. @skb begins with the UDP header.
 */
void roce_gather(struct sk_buff *skb, unsigned int stride)
{
	if (skb_is_gso(skb) && stride <= GATHERED)
		skb_linearize(skb);
}

/* @skb begins with the UDP header, and is consumed */
static void receive(struct arrival *arrival, struct sk_buff *skb)
{
	unsigned int front = sizeof(struct udphdr), stride;

	if (!is_well_formed(skb)) {
		svt_count_drop(&arrival->device->svt, false);
		kfree_skb(skb);
		return;
	}
	/* The core may keep it for a while; nothing in it shall keep anything else */
	skb_orphan(skb);
	skb_dst_drop(skb);
	secpath_reset(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;
	stride = skb_is_gso(skb) ? skb_shinfo(skb)->gso_size : skb->len - front;
	arrival->built = roce_built(skb) && has_its_addresses(skb, stride);
	if (arrival->built) {
		hand_over(arrival, skb, front, skb->len, stride);
	} else {
		roce_gather(skb, stride);
		check_packets(arrival, skb, stride);
	}
}

/* For nobody here; the device of the netdev that it came in by counts it */
static void drop(const struct roce_net *rnet, struct sk_buff *skb)
{
	struct roce_device *device = find_listener(rnet, skb);

	if (device && roce_is_ready(device))
		svt_count_drop(&device->svt, false);
	kfree_skb(skb);
}

/* encap_rcv: @skb begins with the UDP header, whose checksum was good, and is consumed */
int roce_receive(struct sock *sk, struct sk_buff *skb)
{
	const struct roce_net *rnet = roce_net(sock_net(sk));
	struct arrival arrival;

	rcu_read_lock();
	if (find_arrival(rnet, skb, &arrival))
		receive(&arrival, skb);
	else
		drop(rnet, skb);
	rcu_read_unlock();
	return 0;
}

/* Without options, which the ICRC does not know, and for the port of RoCE */
static bool is_plain(struct sk_buff *skb, bool ipv6)
{
	if (!pskb_may_pull(skb, roce_headers_length(ipv6)))
		return false;
	if (ipv6 ? ipv6_hdr(skb)->nexthdr != IPPROTO_UDP :
		   ip_hdr(skb)->protocol != IPPROTO_UDP || ip_hdr(skb)->ihl != 5)
		return false;
	if (skb_is_gso(skb) && !(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
		return false;
	return udp_hdr(skb)->dest == htons(ROCE_V2_UDP_DPORT);
}

/* Conntrack confirms what goes the whole way, and may come behind us */
static bool is_unconfirmed(const struct sk_buff *skb)
{
	enum ip_conntrack_info info;
	struct nf_conn *ct = nf_ct_get(skb, &info);

	return ct && !nf_ct_is_confirmed(ct);
}

/* UDP, behind us, would check IPsec policies (/proc/net/xfrm_stat) and filters of the socket */
static bool is_allowed(const struct roce_net *rnet, struct sk_buff *skb, bool ipv6)
{
	struct sock *sk = rcu_dereference(rnet->sk[ipv6]);
	bool allowed = ipv6 ? xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb) :
			      xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb);

	return allowed && sk && !sk_filter(sk, skb);
}

/* nf_hookfn of LOCAL_IN. Fragments were put together. NF_DROP: ours, but a policy forbids it */
unsigned int roce_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct roce_net *rnet = roce_net(state->net);
	bool ipv6 = state->pf == NFPROTO_IPV6;
	struct arrival arrival;

	if (!is_plain(skb, ipv6) || is_unconfirmed(skb))
		return NF_ACCEPT;
	if (!find_arrival(rnet, skb, &arrival))
		return NF_ACCEPT;
	if (!is_allowed(rnet, skb, ipv6)) {
		svt_count_drop(&arrival.device->svt, false);
		return NF_DROP;
	}
	skb_pull(skb, skb_network_header_len(skb));
	receive(&arrival, skb);
	return NF_STOLEN;
}

/* Of one packet, not of all that GRO or the sender merged with it. @length: without UDP header */
static void set_length(struct svt_rx_address *address, u32 length)
{
	struct iphdr *ip = &address->grh.roce4grh;

	length += sizeof(struct udphdr);
	if (address->packet_type == PACKET_IPV6) {
		address->grh.ibgrh.paylen = htons(length);
		return;
	}
	ip->tot_len = htons(sizeof(*ip) + length);
	ip_send_check(ip);
}

/* svt_backend_ops.rx_address. @length: from the BTH to the end of the ICRC */
void roce_rx_address(struct svt_device *dev, const struct sk_buff *skb, u32 length,
		     struct svt_rx_address *address)
{
	memset(address, 0, sizeof(*address));
	roce_read_source(skb, &address->sgid);
	roce_read_destination(skb, &address->dgid);
	if (is_ipv6(skb)) {
		memcpy(&address->grh.ibgrh, ipv6_hdr(skb), sizeof(struct ipv6hdr));
		address->packet_type = PACKET_IPV6;
	} else {
		address->grh.roce4grh = *ip_hdr(skb);
		address->packet_type = PACKET_IPV4;
	}
	if (skb_is_gso(skb))
		set_length(address, length);
	address->sl = skb->priority & 7;
}
