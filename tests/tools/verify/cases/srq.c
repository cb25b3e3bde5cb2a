// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: one and four QPs, limit event, refill after running empty, resize.
 */
#include <errno.h>
#include <string.h>

#include "async.h"
#include "flow.h"
#include "res.h"
#include "tables.h"
#include "udlink.h"

#define SRQ_WR		256
#define QPS		4
#define EACH		40
#define MSG_MAX		4200
#define DATAGRAMS	32

static struct link *open_on_srq(struct test *t, struct ibv_srq *srq, struct cq *cq)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.srq = srq;
	o.scq = cq;
	return link_open(t, &o);
}

static void run_data(struct test *t)
{
	static const struct op *const ops[] = { &op_send, &op_send_imm, &op_write_imm, &op_read };
	struct link *l = open_on_srq(t, res_srq(t, SRQ_WR, 1), NULL);
	struct plan *p[2];
	u32 i, dir;

	for (dir = 0; dir < 2; dir++) {
		p[dir] = plan_new(t, 80, dir);
		for (i = 0; i < 80; i++)
			plan_add(p[dir], &(struct xfer) {
				.op = ops[i % ARRAY_SIZE(ops)],
				.len = test_rnd(t, dir * 100 + i) % 10000,
				.remote_off = i % 9,
			});
	}
	flow_run(l, p[t->client], p[!t->client]);
}

static void need_clean_wire(struct test *t)
{
	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
}

/* As on RC, each way by itself; the last SEND tells that all is there. */
static void run_uc(struct test *t)
{
	static const struct op *const ops[] = { &op_send, &op_send_imm, &op_write_imm };
	struct link_opts o;
	struct plan *p;
	struct link *l;
	u32 i, dir;

	need_clean_wire(t);
	link_defaults(t, &o, IBV_QPT_UC);
	o.srq = res_srq(t, SRQ_WR, 1);
	l = link_open(t, &o);
	for (dir = 0; dir < 2; dir++) {
		p = plan_new(t, 61, dir);
		for (i = 0; i < 60; i++)
			plan_add(p, &(struct xfer) {
				.op = ops[i % ARRAY_SIZE(ops)],
				.len = test_rnd(t, dir * 100 + i) % 6000,
				.remote_off = i % 9,
			});
		plan_add(p, &(struct xfer) { .op = &op_send });
		flow_one_way(l, p, dir);
	}
}

/* Datagram @i has so many bytes: up to the MTU */
static u32 datagram_len(const struct ud *u, u32 i)
{
	return u->mtu * i / (DATAGRAMS - 1);
}

static void run_ud(struct test *t)
{
	struct link_opts o;
	struct ud *u;
	u32 i, dir;

	need_clean_wire(t);
	ud_defaults(t, &o);
	o.srq = res_srq(t, SRQ_WR, 1);
	u = ud_open(t, &o, DATAGRAMS);
	for (dir = 0; dir < 2; dir++) {
		bool sender = t->client == !dir;

		for (i = 0; !sender && i < DATAGRAMS; i++)
			ud_recv(u, i, i % 8, datagram_len(u, i) + i % 5);
		test_sync(t);
		for (i = 0; i < DATAGRAMS; i++) {
			struct grh_want want = { .len = datagram_len(u, i) };

			if (sender)
				ud_send(u, i, want.len);
			else
				ud_expect(u, i, i % 8, i, &want);
		}
		test_sync(t);
	}
}

/* Message @i of QP @q; its first word says so. */
static u32 msg_len(struct test *t, u32 q, u32 i)
{
	return 8 + test_rnd(t, q * 1000 + i) % (MSG_MAX - 8);
}

static void send_all(struct test *t, struct link **l, struct buf *b)
{
	u32 i, q;

	for (i = 0; i < EACH; i++) {
		for (q = 0; q < QPS; q++) {
			u8 *p = b->p + q * MSG_MAX;
			struct ibv_sge sge = buf_sge(b, q * MSG_MAX, msg_len(t, q, i));
			u32 head[2] = { q, i };

			pattern_fill(p, sge.length, t->key + q * EACH + i, 0);
			memcpy(p, head, sizeof(head));
			link_send(l[q], i, &sge, 1);
		}
		for (q = 0; q < QPS; q++)
			cq_expect_ok(t, l[q]->scq, i, IBV_WC_SEND);
	}
}

static void check_one(struct test *t, struct link **l, struct buf *b, const struct ibv_wc *wc,
		      u32 *next)
{
	u8 *p = b->p + wc->wr_id * MSG_MAX;
	u32 head[2];

	wc_check(t, wc, wc->wr_id, IBV_WC_SUCCESS);
	memcpy(head, p, sizeof(head));
	if (head[0] >= QPS || head[1] != next[head[0]])
		test_fail(t, "message %u of QP %u is out of order", head[1], head[0]);
	if (wc->qp_num != l[head[0]]->qp->qp_num)
		test_fail(t, "a message for QP %u on qp_num %#x", head[0], wc->qp_num);
	if (wc->byte_len != msg_len(t, head[0], head[1]))
		test_fail(t, "message %u of QP %u has %u bytes", head[1], head[0], wc->byte_len);
	pattern_fill(p, sizeof(head), t->key + head[0] * EACH + head[1], 0);
	pattern_check(t, p, wc->byte_len, t->key + head[0] * EACH + head[1], "message");
	guard_check(t, p + wc->byte_len, MSG_MAX - wc->byte_len, "after the message");
	next[head[0]]++;
}

/* Four QPs take from one SRQ, which is refilled while they do. */
static void run_four(struct test *t)
{
	struct buf *b = buf_new(t, SRQ_WR * MSG_MAX, ACCESS_ALL);
	struct cq *cq = cq_new(t, 1024);
	struct ibv_srq *srq = res_srq(t, SRQ_WR, 1);
	struct link *l[QPS];
	u32 i, q, next[QPS] = { 0 };
	struct ibv_sge sge;
	struct ibv_wc wc;

	for (q = 0; q < QPS; q++)
		l[q] = open_on_srq(t, srq, t->client ? NULL : cq);
	for (i = 0; !t->client && i < QPS * EACH / 4; i++) {
		sge = buf_sge(b, i * MSG_MAX, MSG_MAX);
		link_recv(l[0], i, &sge, 1);
	}
	test_sync(t);
	if (t->client) {
		send_all(t, l, b);
		return;
	}
	for (i = 0; i < QPS * EACH; i++) {
		cq_next(t, cq, &wc);
		check_one(t, l, b, &wc, next);
		memset(b->p + wc.wr_id * MSG_MAX, GUARD_BYTE, MSG_MAX);
		sge = buf_sge(b, wc.wr_id * MSG_MAX, MSG_MAX);
		link_recv(l[0], wc.wr_id, &sge, 1);
	}
}

static void set_limit(struct test *t, struct ibv_srq *srq, u32 limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };
	int ret = ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);

	if (ret)
		test_fail(t, "ibv_modify_srq of the limit: %s", strerror(ret));
}

static u32 get_limit(struct test *t, struct ibv_srq *srq)
{
	struct ibv_srq_attr attr;
	int ret = ibv_query_srq(srq, &attr);

	if (ret)
		test_fail(t, "ibv_query_srq: %s", strerror(ret));
	if (attr.max_wr < SRQ_WR || attr.max_sge < 1)
		test_fail(t, "ibv_query_srq gives max_wr %u, max_sge %u", attr.max_wr,
			  attr.max_sge);
	return attr.srq_limit;
}

static void limit_server(struct test *t, struct link *l, struct ibv_srq *srq)
{
	u32 i;

	for (i = 0; i < 10; i++)
		link_recv(l, i, NULL, 0);
	set_limit(t, srq, 5);
	if (get_limit(t, srq) != 5)
		test_fail(t, "ibv_query_srq gives limit %u, expected 5", get_limit(t, srq));
	test_sync(t);			/* the client takes 5 */
	test_sync(t);
	if (async_wait(t, IBV_EVENT_SRQ_LIMIT_REACHED, srq, QUIET_MS))
		test_fail(t, "limit event with 5 requests left and a limit of 5");
	test_sync(t);			/* the client takes 1 */
	async_expect(t, IBV_EVENT_SRQ_LIMIT_REACHED, srq);
	if (get_limit(t, srq))
		test_fail(t, "the limit is still armed after the event");
	test_sync(t);			/* the client takes 2 */
	test_sync(t);
	if (async_wait(t, IBV_EVENT_SRQ_LIMIT_REACHED, srq, QUIET_MS))
		test_fail(t, "a second limit event, not armed again");
	for (i = 0; i < 8; i++)
		cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
}

static void limit_client(struct test *t, struct link *l)
{
	static const u32 steps[] = { 5, 1, 2 };
	size_t i;
	u32 k;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		test_sync(t);
		for (k = 0; k < steps[i]; k++)
			link_send(l, k, NULL, 0);
		for (k = 0; k < steps[i]; k++)
			cq_expect_ok(t, l->scq, k, IBV_WC_SEND);
		if (i != 1)
			test_sync(t);
	}
}

static void run_limit(struct test *t)
{
	struct ibv_srq *srq = res_srq(t, SRQ_WR, 1);
	struct link *l = open_on_srq(t, srq, NULL);

	if (t->client)
		limit_client(t, l);
	else
		limit_server(t, l, srq);
}

/* An empty SRQ makes the requester wait (RNR), not fail. */
static void run_empty(struct test *t)
{
	struct link *l = open_on_srq(t, res_srq(t, SRQ_WR, 1), NULL);

	if (t->client) {
		link_send(l, 1, NULL, 0);
		cq_quiet(t, l->scq);
	}
	test_sync(t);
	if (!t->client)
		link_recv(l, 1, NULL, 0);
	cq_expect(t, l->scq, 1, IBV_WC_SUCCESS, NULL);
}

/* Grown and shrunk while requests are posted; they survive, in order. */
static void run_resize(struct test *t)
{
	struct ibv_srq *srq;
	struct ibv_srq_attr attr = { 0 };
	struct link *l;
	u32 i;
	int ret;

	if (!(t->dev->attr.orig_attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE))
		test_skip(t, "the device cannot resize an SRQ");
	srq = res_srq(t, SRQ_WR, 1);
	l = open_on_srq(t, srq, cq_new(t, 5 * SRQ_WR));
	for (i = 0; !t->client && i < 200; i++)
		link_recv(l, i, NULL, 0);
	attr.max_wr = 4 * SRQ_WR;
	ret = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
	if (ret)
		test_fail(t, "ibv_modify_srq to %u: %s", attr.max_wr, strerror(ret));
	for (i = 200; !t->client && i < 4 * SRQ_WR; i++)
		link_recv(l, i, NULL, 0);
	attr.max_wr = 8;
	if (!t->client && !ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR))
		test_fail(t, "the SRQ shrinks below what is posted");
	test_sync(t);
	for (i = 0; i < 4 * SRQ_WR; i++) {
		if (t->client)
			link_send(l, i, NULL, 0);
		cq_expect(t, l->scq, i, IBV_WC_SUCCESS, NULL);
	}
}

/* A broken receive request hurts the QP that took it; the other QP goes on. */
static void run_bad_entry(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct ibv_srq *srq = res_srq(t, SRQ_WR, 1);
	struct link *l[2] = { open_on_srq(t, srq, NULL), open_on_srq(t, srq, NULL) };
	struct ibv_sge sge = buf_sge(b, 0, 64), bad = sge;

	bad.lkey ^= 0x5a5a00;
	if (!t->client) {
		link_recv(l[0], 1, &bad, 1);
		link_recv(l[0], 2, &sge, 1);
	}
	test_sync(t);
	if (t->client) {
		link_send(l[0], 1, &sge, 1);
		cq_expect(t, l[0]->scq, 1, IBV_WC_REM_OP_ERR, NULL);
		link_send(l[1], 2, &sge, 1);
		cq_expect(t, l[1]->scq, 2, IBV_WC_SUCCESS, NULL);
	} else {
		cq_expect(t, l[0]->rcq, 1, IBV_WC_LOC_PROT_ERR, NULL);
		cq_expect(t, l[1]->rcq, 2, IBV_WC_SUCCESS, NULL);
		link_expect_state(l[0], IBV_QPS_ERR);
		link_expect_state(l[1], IBV_QPS_RTS);
	}
}

const struct suite_case srq_cases[] = {
	{ "srq_data", run_data, "operations both ways over SRQs", NULL },
	{ "srq_data_uc", run_uc, "the same of UC", NULL },
	{ "srq_data_ud", run_ud, "datagrams into an SRQ", NULL },
	{ "srq_four_qps", run_four, "four QPs on one SRQ", NULL },
	{ "srq_limit", run_limit, "limit event, once, and query", NULL },
	{ "srq_empty", run_empty, "an empty SRQ makes the requester wait", NULL },
	{ "srq_resize", run_resize, "SRQ resize with requests posted", NULL },
	{ "srq_bad_entry", run_bad_entry, "a broken request hurts one QP only", NULL },
	{ }
};
