// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: address handles, slots, and the 40 bytes in front of what is received.
 *
 * RoCE v2 (annex A17): over IPv6 the area holds the IPv6 header, over IPv4 its last 20 bytes
 * hold the IPv4 header, and the first 20 mean nothing.  The hop limit is not compared: for
 * unicast the kernel's RDMA core takes it from the route.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <string.h>

#include "res.h"
#include "udlink.h"

#define UDP_BTH_DETH	(8 + 12 + 8)
#define IMM_LEN		4
#define ICRC_LEN	4

void ud_defaults(struct test *t, struct link_opts *o)
{
	link_defaults(t, o, IBV_QPT_UD);
}

struct ibv_ah *ud_ah(struct ud *u, u8 traffic_class)
{
	struct ibv_ah_attr attr;

	qpattr_ah(&attr, &u->l->path.peer.gid, u->t->dev->gid_index, 64);
	attr.grh.traffic_class = traffic_class;
	return res_ah(u->t, &attr);
}

struct ud *ud_open(struct test *t, const struct link_opts *o, u32 slots)
{
	struct ud *u = res_alloc(t, sizeof(*u));

	u->t = t;
	u->mtu = dev_mtu_bytes(t->run->mtu);
	u->b = buf_new(t, (size_t)slots * UD_SLOT, ACCESS_ALL);
	u->l = link_open(t, o);
	u->ah = ud_ah(u, 0);
	return u;
}

struct ud *ud_open_plain(struct test *t, u32 slots)
{
	struct link_opts o;

	ud_defaults(t, &o);
	return ud_open(t, &o, slots);
}

struct ibv_send_wr ud_wr(struct ud *u, u64 id, struct ibv_sge *sge, u32 len)
{
	struct ibv_send_wr wr;

	*sge = buf_sge(u->b, id * UD_SLOT, len);
	pattern_fill(u->b->p + id * UD_SLOT, len, u->t->key + id, 0);
	wr = wr_make(IBV_WR_SEND, id, sge, 1);
	wr.wr.ud.ah = u->ah;
	wr.wr.ud.remote_qpn = u->l->path.peer.qpn;
	wr.wr.ud.remote_qkey = u->l->path.qkey;
	return wr;
}

void ud_send(struct ud *u, u64 id, u32 len)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = ud_wr(u, id, &sge, len);

	link_post(u->l, &wr);
	cq_expect_ok(u->t, u->l->scq, id, IBV_WC_SEND);
}

void ud_recv(struct ud *u, u64 id, u32 off, u32 len)
{
	struct ibv_sge sge = buf_sge(u->b, id * UD_SLOT + off, GRH_LEN + len);

	memset(u->b->p + id * UD_SLOT, GUARD_BYTE, UD_SLOT);
	link_recv(u->l, id, &sge, 1);
}

static u32 ip_payload(const struct grh_want *want)
{
	return UDP_BTH_DETH + (want->imm ? IMM_LEN : 0) + (want->len + 3) / 4 * 4 + ICRC_LEN;
}

static void v4_check(struct test *t, const u8 *grh, const union ibv_gid *sgid,
		     const struct grh_want *want)
{
	struct iphdr ip;

	memcpy(&ip, grh + 20, sizeof(ip));
	if (ip.version != 4 || ip.ihl != 5 || ip.protocol != IPPROTO_UDP)
		test_fail(t, "no IPv4 header in the GRH area");
	if (memcmp(&ip.saddr, sgid->raw + 12, 4))
		test_fail(t, "the source address in the GRH area is %#x", ntohl(ip.saddr));
	if (memcmp(&ip.daddr, t->dev->gid.raw + 12, 4))
		test_fail(t, "the destination address in the GRH area is %#x", ntohl(ip.daddr));
	if (ntohs(ip.tot_len) != sizeof(ip) + ip_payload(want))
		test_fail(t, "the length in the GRH area is %u, expected %zu", ntohs(ip.tot_len),
			  sizeof(ip) + ip_payload(want));
	if (!ip.ttl)
		test_fail(t, "the TTL in the GRH area is 0");
	if ((ip.tos ^ want->traffic_class) & 0xfc)
		test_fail(t, "the TOS in the GRH area is %#x, sent with %#x", ip.tos,
			  want->traffic_class);
}

static void v6_check(struct test *t, const u8 *grh, const union ibv_gid *sgid,
		     const struct grh_want *want)
{
	struct ip6_hdr ip;
	u32 flow;

	memcpy(&ip, grh, sizeof(ip));
	flow = ntohl(ip.ip6_flow);
	if (flow >> 28 != 6 || ip.ip6_nxt != IPPROTO_UDP)
		test_fail(t, "no IPv6 header in the GRH area");
	if (memcmp(&ip.ip6_src, sgid, 16))
		test_fail(t, "the source address in the GRH area is wrong");
	if (memcmp(&ip.ip6_dst, &t->dev->gid, 16))
		test_fail(t, "the destination address in the GRH area is wrong");
	if (ntohs(ip.ip6_plen) != ip_payload(want))
		test_fail(t, "the length in the GRH area is %u, expected %u", ntohs(ip.ip6_plen),
			  ip_payload(want));
	if (!ip.ip6_hlim)
		test_fail(t, "the hop limit in the GRH area is 0");
	if ((flow >> 20 ^ want->traffic_class) & 0xfc)
		test_fail(t, "the traffic class in the GRH area is %#x, sent with %#x",
			  flow >> 20 & 0xff, want->traffic_class);
}

void grh_check(struct test *t, const u8 *grh, const union ibv_gid *sgid,
	       const struct grh_want *want)
{
	if (t->dev->gid_v4)
		v4_check(t, grh, sgid, want);
	else
		v6_check(t, grh, sgid, want);
}

void ud_check(struct ud *u, const struct ibv_wc *wc, u64 id, u32 off, u64 msg,
	      const struct grh_want *want)
{
	u8 *slot = u->b->p + id * UD_SLOT;
	struct test *t = u->t;

	wc_check(t, wc, id, IBV_WC_SUCCESS);
	if (wc->opcode != IBV_WC_RECV || !(wc->wc_flags & IBV_WC_GRH))
		test_fail(t, "received with opcode %d, flags %#x", wc->opcode, wc->wc_flags);
	if (wc->byte_len != GRH_LEN + want->len)
		test_fail(t, "%u bytes received, expected 40 and %u", wc->byte_len, want->len);
	if (wc->qp_num != u->l->qp->qp_num || wc->src_qp != u->l->path.peer.qpn)
		test_fail(t, "received on QP %#x from QP %#x", wc->qp_num, wc->src_qp);
	if (!(wc->wc_flags & IBV_WC_WITH_IMM) != !want->imm)
		test_fail(t, "received with flags %#x", wc->wc_flags);
	guard_check(t, slot, off, "before the GRH");
	grh_check(t, slot + off, &u->l->path.peer.gid, want);
	pattern_check(t, slot + off + GRH_LEN, want->len, t->key + msg, "datagram");
	guard_check(t, slot + off + GRH_LEN + want->len, UD_SLOT - off - GRH_LEN - want->len,
		    "after the datagram");
}

void ud_expect(struct ud *u, u64 id, u32 off, u64 msg, const struct grh_want *want)
{
	struct ibv_wc wc;

	cq_next(u->t, u->l->rcq, &wc);
	ud_check(u, &wc, id, off, msg, want);
}
