// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive: UDP hands over a packet, its device is found, it is checked, the core gets it.
 *
 * Runs in softirq. The list of devices is read under RCU, and the core is called inside of that
 * section, which is what roce_release() waits for.
 */
#include <linux/rculist.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "icrc.h"
#include "namespace.h"
#include "receive.h"

/* The least that UDP may carry */
#define MIN_LENGTH	(sizeof(struct udphdr) + IB_BTH_BYTES + ROCE_ICRC_LENGTH)

static bool is_ipv6(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 6;
}

static void read_destination(const struct sk_buff *skb, union ib_gid *gid)
{
	if (is_ipv6(skb))
		memcpy(gid->raw, &ipv6_hdr(skb)->daddr, sizeof(gid->raw));
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, (struct in6_addr *)gid->raw);
}

static void read_source(const struct sk_buff *skb, union ib_gid *gid)
{
	if (is_ipv6(skb))
		memcpy(gid->raw, &ipv6_hdr(skb)->saddr, sizeof(gid->raw));
	else
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, (struct in6_addr *)gid->raw);
}

static bool is_multicast(const struct sk_buff *skb)
{
	return is_ipv6(skb) ? ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr) :
			      ipv4_is_multicast(ip_hdr(skb)->daddr);
}

static bool owns_gid(struct roce_device *device, const union ib_gid *gid)
{
	const struct ib_gid_attr *attr;

	attr = rdma_find_gid_by_port(&device->svt.ibdev, gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

/*
 * Whether @device takes a packet that came from another netdev than its own: one above it (a VLAN,
 * a bond, a VRF), or loopback, where all devices of the namespace meet.
 */
static bool is_for(struct roce_device *device, const struct sk_buff *skb, const union ib_gid *gid)
{
	if (skb->dev->flags & IFF_LOOPBACK)
		return owns_gid(device, gid);
	return netdev_has_upper_dev_all_rcu(device->netdev, skb->dev) &&
	       (is_multicast(skb) || owns_gid(device, gid));
}

static bool is_ready(const struct roce_device *device)
{
	/* Pairs with the release in roce_start(): what the core set up is seen */
	return smp_load_acquire(&device->ready);
}

static struct roce_device *find_device(const struct roce_net *rnet, const struct sk_buff *skb)
{
	struct roce_device *device;
	union ib_gid gid;

	if (!(skb->dev->flags & IFF_LOOPBACK))
		list_for_each_entry_rcu(device, &rnet->devices, node)
			if (device->netdev == skb->dev)
				return is_ready(device) ? device : NULL;

	read_destination(skb, &gid);
	list_for_each_entry_rcu(device, &rnet->devices, node)
		if (is_ready(device) && is_for(device, skb, &gid))
			return device;
	return NULL;
}

/*
 * Lengths must agree, and the IP header be of its least length, because the ICRC covers it so.
 * UDP has trimmed the skb to its own length already.
 */
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

/**
 * roce_receive() - encap_rcv of the sockets
 * @sk: of the namespace
 * @skb: begins with the UDP header, whose checksum was good
 *
 * Context: softirq.
 * Return: 0; @skb is consumed.
 */
int roce_receive(struct sock *sk, struct sk_buff *skb)
{
	struct roce_device *device;
	struct svt_rx_cb *cb;

	rcu_read_lock();
	device = find_device(roce_net(sock_net(sk)), skb);
	if (!device) {
		kfree_skb(skb);
		goto unlock;
	}
	if (!is_well_formed(skb) || !pskb_may_pull(skb, sizeof(struct udphdr) + IB_BTH_BYTES) ||
	    !roce_icrc_ok(skb)) {
		svt_count_drop(&device->svt, false);
		kfree_skb(skb);
		goto unlock;
	}

	/* The core may keep it for a while; nothing in it shall keep anything else */
	skb_orphan(skb);
	skb_dst_drop(skb);
	nf_reset_ct(skb);
	skb->dev = NULL;

	cb = svt_rx_cb(skb);
	cb->offset = sizeof(struct udphdr);
	cb->length = skb->len - sizeof(struct udphdr);
	cb->stride = cb->length;
	cb->trailer = ROCE_ICRC_LENGTH;
	svt_receive(&device->svt, skb);
unlock:
	rcu_read_unlock();
	return 0;
}

/**
 * roce_rx_address() - svt_backend_ops.rx_address
 * @dev: the device
 * @skb: as roce_receive() handed it on
 * @address: to be filled
 *
 * Context: any.
 */
void roce_rx_address(struct svt_device *dev, const struct sk_buff *skb,
		     struct svt_rx_address *address)
{
	memset(address, 0, sizeof(*address));
	read_source(skb, &address->sgid);
	read_destination(skb, &address->dgid);
	if (is_ipv6(skb))
		memcpy(&address->grh.ibgrh, ipv6_hdr(skb), sizeof(struct ipv6hdr));
	else
		address->grh.roce4grh = *ip_hdr(skb);
	address->sl = skb->priority & 7;
}
