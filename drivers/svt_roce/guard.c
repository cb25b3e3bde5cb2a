// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Drops what others of this host send in the name of a QP. A receiver knows its peer by the address
 * that a packet comes from, and any process may send UDP datagrams from that; only this host can
 * tell who sends. The hook is behind the last translation of addresses, because containers may be
 * given the address of the host, and in front of fragmentation. Only the sockets of flows, and
 * those opened with CAP_NET_RAW, may send to the port of RoCE from an address to another by which a
 * QP is connected. Else the port is one like others: a server may answer a client that has it.
 */
#include <linux/capability.h>
#include <linux/netfilter.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <rdma/svt.h>

#include "address.h"
#include "flow.h"
#include "gid_table.h"
#include "guard.h"
#include "namespace.h"
#include "roce.h"

static int find_udp_ipv4(const struct sk_buff *skb)
{
	const struct iphdr *ip = ip_hdr(skb);

	if (ip->protocol != IPPROTO_UDP || ip->frag_off & htons(IP_OFFSET))
		return -ENOENT;
	return skb_network_offset(skb) + ip_hdrlen(skb);
}

/* Return: the offset of the header of that type behind extension headers, or -ENOENT */
static int find_behind_ipv6(const struct sk_buff *skb, int type)
{
	unsigned int offset = 0;

	if (!IS_ENABLED(CONFIG_IPV6) || !ipv6_ext_hdr(ipv6_hdr(skb)->nexthdr) ||
	    ipv6_find_hdr(skb, &offset, type, NULL, NULL) < 0)
		return -ENOENT;
	return offset;
}

static int find_udp_ipv6(const struct sk_buff *skb)
{
	if (ipv6_hdr(skb)->nexthdr == IPPROTO_UDP)
		return skb_network_offset(skb) + sizeof(struct ipv6hdr);
	return find_behind_ipv6(skb, IPPROTO_UDP);
}

/* Only the first fragment has the ports; without it the rest is nothing */
static bool is_for_roce(const struct sk_buff *skb, bool ipv6)
{
	int offset = ipv6 ? find_udp_ipv6(skb) : find_udp_ipv4(skb);
	const struct udphdr *udp;
	struct udphdr buffer;

	if (offset < 0)
		return false;
	udp = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	return udp && udp->dest == htons(ROCE_V2_UDP_DPORT);
}

/*
 * By the credentials of its file, which go along when a program passes it on. A closed socket is
 * nobody's. One that the kernel made for itself may carry what a process says, as for AF_RXRPC. One
 * of another namespace says nothing in this one.
 */
static bool is_privileged(struct sock *sk, const struct net *net)
{
	bool privileged = false;

	if (!sk || !sk_fullsock(sk) || !net_eq(sock_net(sk), net))
		return false;
	/* Against sock_orphan(), which comes before the end of the file */
	read_lock_bh(&sk->sk_callback_lock);
	if (sk->sk_socket && sk->sk_socket->file)
		privileged = file_ns_capable(sk->sk_socket->file, net->user_ns, CAP_NET_RAW);
	read_unlock_bh(&sk->sk_callback_lock);
	return privileged;
}

/* Whichever end is here. A routing header, which RoCE has not, hides the destination */
static bool is_of_peers(const struct sk_buff *skb, const struct net *net, bool ipv6,
			const union ib_gid *from, const union ib_gid *to)
{
	if (svt_has_peer(net, from, to) || svt_has_peer(net, to, from))
		return true;
	return ipv6 && find_behind_ipv6(skb, NEXTHDR_ROUTING) >= 0 &&
	       roce_find_owner(roce_net(net), from);
}

/* There may be no device with one of the addresses any more */
static void count(const struct net *net, const union ib_gid *from, const union ib_gid *to)
{
	const struct roce_net *rnet = roce_net(net);
	struct roce_device *device = roce_find_owner(rnet, from) ?: roce_find_owner(rnet, to);

	if (device)
		svt_count_forgery(&device->svt);
}

/*
 * An address of a peer is no source of this host. But over IPv6 any process may have it
 * (IPV6_FREEBIND), and so could tell a QP of this host that it is its peer.
 */
static noinline bool is_forgery(struct sock *sk, const struct sk_buff *skb, struct net *net,
				bool ipv6)
{
	union ib_gid from, to;

	roce_read_source(skb, &from);
	roce_read_destination(skb, &to);
	if (!is_of_peers(skb, net, ipv6, &from, &to) || is_privileged(sk, net))
		return false;
	count(net, &from, &to);
	return true;
}

/* nf_hookfn of POST_ROUTING. state->sk may encapsulate what another socket sends */
unsigned int roce_guard(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct sock *sk = state->sk ?: skb->sk;
	bool ipv6 = state->pf == NFPROTO_IPV6;

	/* The first test tells our own packets, which are most where speed matters */
	if (roce_is_flow(sk) || !is_for_roce(skb, ipv6))
		return NF_ACCEPT;
	return is_forgery(sk, skb, state->net, ipv6) ? NF_DROP : NF_ACCEPT;
}
