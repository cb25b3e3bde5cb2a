// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet frames of raw packet QPs, in both directions. A frame is sent through the qdisc of the
 * device's netdev, charged to the flow of its QP. One that a flow rule of the same device is for
 * comes back through the netdev's receive queue, as where a NIC's ports are a switch.
 *
 * A hook of netfilter at the netdev's ingress takes frames, while there are flow rules. It stands
 * behind tc, taps and nftables, but in front of VLANs, bridges and bonds, whose receive handler
 * excludes another one; and it can keep a frame from them. Offload may have merged frames, left the
 * checksum to others and put the VLAN tag beside: this is undone, so that a program sees what was
 * on the wire. The hook runs in softirq, in an RCU read section, which roce_release() waits for.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netfilter.h>
#include <linux/netfilter_netdev.h>
#include <linux/rtnetlink.h>
#include <net/ip.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/sock.h>
#include <net/udp.h>

#include "flow.h"
#include "frame.h"
#include "roce.h"

/* Bytes of a frame that are in one piece; what is longer is on pages behind them */
#define LINEAR	2048

static void set_headers(struct sk_buff *skb)
{
	const struct ethhdr *ethernet = (const struct ethhdr *)skb->data;
	unsigned int at = ETH_HLEN;

	skb->protocol = ethernet->h_proto;
	if (!eth_proto_is_802_3(skb->protocol))
		skb->protocol = htons(ETH_P_802_2);
	if (eth_type_vlan(skb->protocol) && skb_headlen(skb) >= VLAN_ETH_HLEN)
		at = VLAN_ETH_HLEN;
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, at);
}

/* Bytes behind the IP packet that @skb begins with: frames have a shortest length */
static unsigned int padding_of(struct sk_buff *skb)
{
	unsigned int length = skb->len;

	if (skb->protocol == htons(ETH_P_IP) && pskb_may_pull(skb, sizeof(struct iphdr)))
		length = ntohs(ip_hdr(skb)->tot_len);
	else if (skb->protocol == htons(ETH_P_IPV6) && pskb_may_pull(skb, sizeof(struct ipv6hdr)))
		length = sizeof(struct ipv6hdr) + ntohs(ipv6_hdr(skb)->payload_len);
	return length < skb->len ? skb->len - length : 0;
}

/* A netdev would sum the padding as well. @skb is in one piece */
static void sum_without_padding(struct sk_buff *skb, unsigned int padding)
{
	__skb_trim(skb, skb->len - padding);
	if (!skb_checksum_setup(skb, true))
		skb_checksum_help(skb);
	skb->ip_summed = CHECKSUM_NONE;
	__skb_put(skb, padding);
}

/* TCP's or UDP's, if it can be told where that is: by the netdev */
static void begin_transport_checksum(struct sk_buff *skb)
{
	unsigned int padding = padding_of(skb);

	if (!padding && skb_checksum_setup(skb, true))
		skb->ip_summed = CHECKSUM_NONE;
	else if (padding && !skb_is_nonlinear(skb))
		sum_without_padding(skb, padding);
}

static void begin_checksums(struct sk_buff *skb)
{
	unsigned int at = skb_network_offset(skb);
	__be16 outer = skb->protocol;

	memcpy(&skb->protocol, skb->data + at - sizeof(skb->protocol), sizeof(skb->protocol));
	__skb_pull(skb, at);
	if (skb->protocol == htons(ETH_P_IP) && pskb_may_pull(skb, sizeof(struct iphdr)) &&
	    ip_hdr(skb)->ihl >= 5 && pskb_may_pull(skb, ip_hdrlen(skb)))
		ip_send_check(ip_hdr(skb));
	begin_transport_checksum(skb);
	__skb_push(skb, at);
	skb->protocol = outer;
}

static struct sk_buff *build_frame(struct net_device *netdev, const struct svt_frame *frame)
{
	unsigned int length = frame->length, linear = min_t(unsigned int, length, LINEAR);
	struct iov_iter payload = frame->bytes;
	struct sk_buff *skb;
	int ret;

	skb = alloc_skb_with_frags(LL_RESERVED_SPACE(netdev) + linear + netdev->needed_tailroom,
				   length - linear, PAGE_ALLOC_COSTLY_ORDER, &ret,
				   GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, LL_RESERVED_SPACE(netdev));
	skb_put(skb, linear);
	skb->data_len = length - linear;
	skb->len = length;
	if (skb_copy_datagram_from_iter(skb, 0, &payload, length)) {
		kfree_skb(skb);
		return NULL;
	}
	skb->dev = netdev;
	set_headers(skb);
	if (frame->checksum)
		begin_checksums(skb);
	return skb;
}

/* To the receive queue of the netdev that it would have left by. Return: is it on its way? */
static bool come_back(struct sk_buff *skb)
{
	if (!(skb->dev->flags & IFF_UP)) {
		kfree_skb(skb);
		return false;
	}
	skb->protocol = eth_type_trans(skb, skb->dev);
	return netif_rx(skb) == NET_RX_SUCCESS;
}

static bool come_back_copy(const struct sk_buff *skb)
{
	/* Whole: the netdev may change headers of what it sends */
	struct sk_buff *copy = skb_copy(skb, GFP_ATOMIC | __GFP_NOWARN);

	return copy && come_back(copy);
}

static bool send_away(struct sk_buff *skb)
{
	int ret = dev_queue_xmit(skb);

	return !net_xmit_eval(ret);
}

/* Not once the netdev has moved; one that begins to is down until this RCU read section ends */
static bool at_home(const struct roce_device *device)
{
	return net_eq(dev_net(device->netdev), device->net);
}

static int send_frame(struct svt_device *dev, const struct svt_frame *frame)
{
	struct roce_device *device = to_roce_device(dev);
	struct roce_flow *flow = to_roce_flow(frame->flow);
	enum svt_steering steering;
	struct sk_buff *skb;
	bool sent = true;

	if (!roce_flow_has_room(flow))
		return -EAGAIN;
	skb = at_home(device) ? build_frame(device->netdev, frame) : NULL;
	if (!skb) {
		svt_count_drop(dev, true);
		return 0;
	}
	skb_set_owner_w(skb, flow->sk);
	steering = svt_steer(dev, skb->data, min_t(u32, skb_headlen(skb), SVT_STEER_BYTES), true);
	if (steering == SVT_STEER_COPY)
		sent = come_back_copy(skb);
	sent &= steering == SVT_STEER_TAKE ? come_back(skb) : send_away(skb);
	if (!sent)
		svt_count_drop(dev, true);
	return 0;
}

/* Nobody vouches that the checksum's place is in @skb */
static bool finish_checksum(struct sk_buff *skb)
{
	int start;

	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return true;
	start = skb_checksum_start_offset(skb);
	return start >= 0 && pskb_may_pull(skb, start + skb->csum_offset + sizeof(__sum16)) &&
	       !skb_csum_hwoffload_help(skb, 0);
}

/* One frame, which is consumed */
static void receive_one(struct roce_device *device, struct sk_buff *skb, bool checked)
{
	if (!finish_checksum(skb)) {
		svt_count_drop(&device->svt, false);
		kfree_skb(skb);
		return;
	}
	if (skb_vlan_tag_present(skb)) {
		skb = __vlan_hwaccel_push_inside(skb);
		if (!skb) {
			svt_count_drop(&device->svt, false);
			return;
		}
	}
	skb->dev = NULL;
	*svt_rx_cb(skb) = (struct svt_rx_cb) { .checked = checked };
	svt_receive_frame(&device->svt, skb);
}

/*
 * @skb is consumed. Segmentation takes a sum that nobody vouches for as a fault of ours: it is made
 * anew, too. Segmentation also writes to headers, which a copy shares.
 */
static struct sk_buff *take_apart(struct sk_buff *skb)
{
	struct sk_buff *segments;

	if (skb->ip_summed == CHECKSUM_NONE)
		skb->ip_summed = CHECKSUM_UNNECESSARY;
	segments = skb_cow_head(skb, 0) ? NULL : __skb_gso_segment(skb, NETIF_F_SG, false);
	if (IS_ERR_OR_NULL(segments)) {
		kfree_skb(skb);
		return NULL;
	}
	consume_skb(skb);
	return segments;
}

/* @skb begins behind the Ethernet header, and is consumed */
static void receive_frames(struct roce_device *device, struct sk_buff *skb)
{
	bool checked = skb->ip_summed == CHECKSUM_UNNECESSARY ||
		       skb->ip_summed == CHECKSUM_PARTIAL;
	struct sk_buff *segment, *next;

	__skb_push(skb, ETH_HLEN);
	/* The core may keep it for a while; nothing in it shall keep anything else */
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb_ext_reset(skb);
	if (skb_is_gso(skb))
		skb = take_apart(skb);
	if (!skb)
		svt_count_drop(&device->svt, false);
	skb_list_walk_safe(skb, segment, next) {
		skb_mark_not_on_list(segment);
		receive_one(device, segment, checked);
	}
}

/* The beginning of the frame as it was on the wire. Return: how many bytes */
static u32 read_header(const struct sk_buff *skb, u8 *to)
{
	const u8 *mac = skb_mac_header(skb);
	u32 at = 2 * ETH_ALEN, length;

	memcpy(to, mac, at);
	if (skb_vlan_tag_present(skb)) {
		const struct vlan_hdr tag = { htons(skb_vlan_tag_get(skb)), 0 };

		memcpy(to + at, &skb->vlan_proto, sizeof(__be16));
		memcpy(to + at + sizeof(__be16), &tag.h_vlan_TCI, sizeof(__be16));
		at += VLAN_HLEN;
	}
	memcpy(to + at, mac + 2 * ETH_ALEN, sizeof(__be16));
	at += sizeof(__be16);
	length = min_t(u32, skb->len, SVT_STEER_BYTES - at);
	return skb_copy_bits(skb, 0, to + at, length) ? at : at + length;
}

static unsigned int frame_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct roce_device *device = priv;
	u8 header[SVT_STEER_BYTES];
	enum svt_steering steering;
	struct sk_buff *ours;

	if (!at_home(device) || !skb_mac_header_was_set(skb) ||
	    skb->data - skb_mac_header(skb) != ETH_HLEN)
		return NF_ACCEPT;
	steering = svt_steer(&device->svt, header, read_header(skb, header), false);
	if (steering == SVT_STEER_PASS)
		return NF_ACCEPT;
	ours = steering == SVT_STEER_COPY ? skb_clone(skb, GFP_ATOMIC) :
					    skb_share_check(skb, GFP_ATOMIC);
	if (ours)
		receive_frames(device, ours);
	else
		svt_count_drop(&device->svt, false);
	return steering == SVT_STEER_COPY ? NF_ACCEPT : NF_STOLEN;
}

/* A NIC has to let frames for other addresses in, too: which, the rules say */
static int begin_frames(struct roce_device *device)
{
	struct net_device *netdev = device->netdev;
	int ret;

	ASSERT_RTNL();
	if (netdev->reg_state != NETREG_REGISTERED || !net_eq(dev_net(netdev), device->net))
		return -ENODEV;
	device->frames = (struct nf_hook_ops) {
		.hook = frame_hook,
		.dev = netdev,
		.priv = device,
		.pf = NFPROTO_NETDEV,
		.hooknum = NF_NETDEV_INGRESS,
		.priority = INT_MAX,
	};
	ret = nf_register_net_hook(device->net, &device->frames);
	if (ret)
		return ret;
	ret = dev_set_promiscuity(netdev, 1);
	if (ret)
		nf_unregister_net_hook(device->net, &device->frames);
	return ret;
}

/* A netdev that moved has taken the hook along. Frames may still be on their way through it */
static void end_frames(struct roce_device *device)
{
	ASSERT_RTNL();
	nf_unregister_net_hook(dev_net(device->netdev), &device->frames);
	if (device->netdev->reg_state == NETREG_REGISTERED)
		dev_set_promiscuity(device->netdev, -1);
}

/* -ENODEV: the netdev is gone; -EOPNOTSUPP: the kernel has no ingress hooks */
static int listen(struct svt_device *dev, bool begin)
{
	struct roce_device *device = to_roce_device(dev);
	int ret = 0;

	rtnl_lock();
	if (begin)
		ret = begin_frames(device);
	else
		end_frames(device);
	rtnl_unlock();
	return ret;
}

const struct svt_frame_ops roce_frame_ops = {
	.listen = listen,
	.xmit = send_frame,
};
