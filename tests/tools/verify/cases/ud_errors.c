// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UD: what is dropped, what is refused, and multicast.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "res.h"
#include "tables.h"
#include "udlink.h"

#define MCAST_QPN	0xffffff

static void need_clean_wire(struct test *t)
{
	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
}

static void send_with_qkey(struct ud *u, u64 id, u32 qkey)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr = ud_wr(u, id, &sge, 64);

	wr.wr.ud.remote_qkey = qkey;
	link_post(u->l, &wr);
	cq_expect_ok(u->t, u->l->scq, id, IBV_WC_SEND);
}

/* A datagram with another Q_Key is dropped and takes no receive request. */
static void run_qkey(struct test *t)
{
	struct grh_want want = { .len = 64 };
	struct ud *u;

	need_clean_wire(t);
	u = ud_open_plain(t, 4);
	if (!t->client)
		ud_recv(u, 0, 0, 64);
	test_sync(t);
	if (t->client) {
		send_with_qkey(u, 1, u->l->path.qkey ^ 1);
		clock_sleep_ms(clock_scaled_ms(QUIET_MS));
		send_with_qkey(u, 2, u->l->path.qkey);
	} else {
		ud_expect(u, 0, 0, 2, &want);
	}
}

/* With the high bit set in the request, the Q_Key of the sending QP goes out (IBTA 10.2.5). */
static void run_qkey_high(struct test *t)
{
	struct grh_want want = { .len = 64 };
	struct ud *u;

	need_clean_wire(t);
	u = ud_open_plain(t, 4);
	if (!t->client)
		ud_recv(u, 0, 0, 64);
	test_sync(t);
	if (t->client)
		send_with_qkey(u, 1, 0x80012345);
	else
		ud_expect(u, 0, 0, 1, &want);
}

/* No receive request: dropped.  The next one is received. */
static void run_no_recv(struct test *t)
{
	struct grh_want want = { .len = 64 };
	struct ud *u;

	need_clean_wire(t);
	u = ud_open_plain(t, 4);
	if (t->client) {
		ud_send(u, 1, 64);
		clock_sleep_ms(clock_scaled_ms(QUIET_MS));
	}
	test_sync(t);
	if (!t->client)
		ud_recv(u, 0, 0, 64);
	test_sync(t);
	if (t->client)
		ud_send(u, 2, 64);
	else
		ud_expect(u, 0, 0, 2, &want);
}

/* More than the path MTU: the post is refused, or the completion has an error. */
static void run_too_long(struct test *t)
{
	struct ud *u = ud_open_plain(t, 2);
	u32 max = dev_mtu_bytes(t->dev->port.active_mtu);
	struct ibv_send_wr wr, *bad;
	struct ibv_sge sge;
	struct ibv_wc wc;

	wr = ud_wr(u, 0, &sge, max + 1);
	if (ibv_post_send(u->l->qp, &wr, &bad))
		return;
	cq_next(t, u->l->scq, &wc);
	if (wc.status != IBV_WC_LOC_LEN_ERR && wc.status != IBV_WC_LOC_QP_OP_ERR)
		test_fail(t, "a datagram of %u bytes ends with `%s'", max + 1,
			  ibv_wc_status_str(wc.status));
}

/* A local error stops the send queue alone; receiving goes on; RTS takes it up again. */
static void run_sqe(struct test *t)
{
	struct grh_want want = { .len = 64 };
	struct ibv_send_wr wr;
	struct link_opts o;
	struct ibv_sge sge;
	struct ud *u;

	need_clean_wire(t);
	ud_defaults(t, &o);
	o.scq = cq_new(t, 64);
	o.rcq = cq_new(t, 128);
	u = ud_open(t, &o, 8);
	ud_recv(u, 0, 0, 64);
	if (t->client) {
		wr = ud_wr(u, 1, &sge, 64);
		sge.lkey ^= 0x5a5a00;
		link_post(u->l, &wr);
		cq_expect(t, u->l->scq, 1, IBV_WC_LOC_PROT_ERR, NULL);
		link_expect_state(u->l, IBV_QPS_SQE);
		wr = ud_wr(u, 2, &sge, 64);
		link_post(u->l, &wr);
		cq_expect(t, u->l->scq, 2, IBV_WC_WR_FLUSH_ERR, NULL);
	}
	test_sync(t);
	if (!t->client) {
		ud_send(u, 3, 64);
		ud_expect(u, 0, 0, 4, &want);
		return;
	}
	ud_expect(u, 0, 0, 3, &want);
	link_to_state(u->l, IBV_QPS_RTS);
	ud_send(u, 4, 64);
}

/* Group addresses as rdmacm forms them: IPv4 mapped, or IPv6 of link scope. */
static void group_gid(union ibv_gid *mgid, bool is_v4)
{
	static const u8 v4[] = { 0xff, 0xff, 239, 77, 1, 9 };

	memset(mgid, 0, sizeof(*mgid));
	if (is_v4) {
		memcpy(mgid->raw + 10, v4, sizeof(v4));
	} else {
		mgid->raw[0] = 0xff;
		mgid->raw[1] = 0x02;
		mgid->raw[14] = 0x77;
		mgid->raw[15] = 0x09;
	}
}

static int close_socket(void *obj)
{
	int fd = *(int *)obj;

	return close(fd) ? errno : 0;
}

/* Verbs attach the QP only; that the host takes the group's packets is up to IP. */
static void join_group(struct test *t, const union ibv_gid *mgid)
{
	struct ibv_gid_entry e;
	struct ipv6_mreq six;
	struct ip_mreqn four;
	int ret, *fd = res_alloc(t, sizeof(*fd));

	if (ibv_query_gid_ex(t->dev->ctx, DEV_PORT, t->dev->gid_index, &e, 0))
		test_fail(t, "ibv_query_gid_ex: %s", strerror(errno));
	*fd = socket(t->dev->gid_v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		test_fail(t, "no socket: %s", strerror(errno));
	res_add(t, "socket", fd, close_socket);
	if (t->dev->gid_v4) {
		memset(&four, 0, sizeof(four));
		memcpy(&four.imr_multiaddr, mgid->raw + 12, 4);
		four.imr_ifindex = e.ndev_ifindex;
		ret = setsockopt(*fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &four, sizeof(four));
	} else {
		memcpy(&six.ipv6mr_multiaddr, mgid, 16);
		six.ipv6mr_interface = e.ndev_ifindex;
		ret = setsockopt(*fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &six, sizeof(six));
	}
	if (ret)
		test_fail(t, "cannot join the IP group: %s", strerror(errno));
}

static void send_to_group(struct ud *u, u64 id, const union ibv_gid *mgid)
{
	struct ibv_ah_attr attr;
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	qpattr_ah(&attr, mgid, u->t->dev->gid_index, 1);
	u->ah = res_ah(u->t, &attr);
	wr = ud_wr(u, id, &sge, 200);
	wr.wr.ud.remote_qpn = MCAST_QPN;
	link_post(u->l, &wr);
	cq_expect_ok(u->t, u->l->scq, id, IBV_WC_SEND);
}

static void group_expect(struct ud *u, u64 id, u64 msg)
{
	struct ibv_wc wc;

	cq_expect(u->t, u->l->rcq, id, IBV_WC_SUCCESS, &wc);
	if (wc.byte_len != GRH_LEN + 200)
		test_fail(u->t, "%u bytes received", wc.byte_len);
	pattern_check(u->t, u->b->p + id * UD_SLOT + GRH_LEN, 200, u->t->key + msg,
		      "multicast datagram");
}

static void attach(struct ud *u, const union ibv_gid *mgid, u16 lid)
{
	if (ibv_attach_mcast(u->l->qp, mgid, lid))
		test_fail(u->t, "ibv_attach_mcast: %s", strerror(errno));
}

static void detach(struct ud *u, const union ibv_gid *mgid, u16 lid)
{
	if (ibv_detach_mcast(u->l->qp, mgid, lid))
		test_fail(u->t, "ibv_detach_mcast: %s", strerror(errno));
}

/* Two QPs of the server are in the group, then one, then none. */
static void receive_group(struct test *t, struct ud *u[2], const union ibv_gid *mgid)
{
	u32 i, round;

	for (i = 0; i < 2; i++) {
		attach(u[i], mgid, 0);
		for (round = 0; round < 3; round++)
			ud_recv(u[i], round, 0, 200);
	}
	test_sync(t);
	for (round = 0; round < 3; round++) {
		test_sync(t);
		for (i = round; i < 2; i++)
			group_expect(u[i], round, 10 + round);
		if (round)
			cq_quiet(t, u[round - 1]->l->rcq);
		if (round < 2)
			detach(u[round], mgid, 0);
		test_sync(t);
	}
}

static void mcast_begin(struct test *t, union ibv_gid *mgid)
{
	need_clean_wire(t);
	if (!t->dev->attr.orig_attr.max_mcast_grp)
		test_skip(t, "the device has no multicast");
	group_gid(mgid, t->dev->gid_v4);
	join_group(t, mgid);
}

static void send_rounds(struct test *t, struct ud *u, const union ibv_gid *mgid)
{
	u32 round;

	test_sync(t);
	for (round = 0; round < 3; round++) {
		send_to_group(u, 10 + round, mgid);
		test_sync(t);
		test_sync(t);
	}
}

static void run_mcast(struct test *t)
{
	union ibv_gid mgid;
	struct ud *u[2];
	u32 i;

	mcast_begin(t, &mgid);
	for (i = 0; i < 2; i++)
		u[i] = ud_open_plain(t, 16);
	if (t->client)
		send_rounds(t, u[0], &mgid);
	else
		receive_group(t, u, &mgid);
}

/* A LID means nothing here, but the verbs undo each attach of its own */
static void run_mcast_lids(struct test *t)
{
	union ibv_gid mgid;
	struct ud *u;
	u32 round;

	mcast_begin(t, &mgid);
	u = ud_open_plain(t, 16);
	if (t->client) {
		send_rounds(t, u, &mgid);
		return;
	}
	for (round = 0; round < 3; round++) {
		if (round < 2)
			attach(u, &mgid, round);
		ud_recv(u, round, 0, 200);
	}
	test_sync(t);
	for (round = 0; round < 3; round++) {
		test_sync(t);
		if (round < 2) {
			group_expect(u, round, 10 + round);
			detach(u, &mgid, round);
		}
		cq_quiet(t, u->l->rcq);
		test_sync(t);
	}
}

/* From an address of one version of IP there is no way to a group of the other. */
static void run_mcast_version(struct test *t)
{
	struct ibv_ah_attr attr;
	union ibv_gid mgid;
	struct ibv_ah *ah;

	group_gid(&mgid, !t->dev->gid_v4);
	qpattr_ah(&attr, &mgid, t->dev->gid_index, 1);
	ah = ibv_create_ah(t->pd, &attr);
	if (!ah && errno != EINVAL)
		test_fail(t, "ibv_create_ah: %s", strerror(errno));
	if (!ah)
		return;
	ibv_destroy_ah(ah);
	test_skip(t, "the wire takes any address");
}

const struct suite_case ud_errors_cases[] = {
	{ "ud_qkey", run_qkey, "a wrong Q_Key is dropped", NULL },
	{ "ud_qkey_high", run_qkey_high, "a Q_Key with the high bit means that of the QP", NULL },
	{ "ud_no_recv", run_no_recv, "a datagram without a receive is dropped", NULL },
	{ "ud_too_long", run_too_long, "more than the path MTU is refused", NULL },
	{ "ud_sqe", run_sqe, "send queue error state, and back", NULL },
	{ "ud_mcast", run_mcast, "multicast to two QPs, to one, to none", NULL },
	{ "ud_mcast_lids", run_mcast_lids, "one copy for a QP attached under two LIDs, each undone",
	  NULL },
	{ "ud_mcast_version", run_mcast_version, "a group of the other version of IP is refused",
	  NULL },
	{ }
};
