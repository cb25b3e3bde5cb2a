// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UC: data as on RC; what is received is whole, whatever was lost; no flow control.
 */
#include <endian.h>
#include <string.h>

#include "flow.h"
#include "res.h"
#include "sizes.h"
#include "tables.h"

#define STREAM		100
#define STREAM_MAX	9000

static void need_clean_wire(struct test *t)
{
	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
}

static struct link *open_uc(struct test *t, u32 sges)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_UC);
	o.cap.max_send_sge = sges;
	o.cap.max_recv_sge = sges;
	return link_open(t, &o);
}

/*
 * On UC the requester's completion says nothing of the responder: a last SEND, which cannot
 * overtake, tells that the WRITEs before it are in memory.
 */
static void close_plan(struct plan *p)
{
	plan_add(p, &(struct xfer) { .op = &op_send });
}

static void run_sizes(struct test *t)
{
	const struct op *op = t->c->arg;
	struct plan *p;
	struct link *l;
	u32 i;

	need_clean_wire(t);
	l = open_uc(t, 1);
	for (i = 0; i < 2 * sizes_num; i++) {
		p = size_plan(t, op, sizes[i / 2], i);
		close_plan(p);
		flow_one_way(l, p, i % 2);
	}
}

static void run_sge(struct test *t)
{
	static const struct op *const ops[] = { &op_send, &op_write_imm, &op_write };
	struct plan *p = plan_new(t, 61, 0);
	struct link *l;
	u32 i;

	need_clean_wire(t);
	l = open_uc(t, 4);
	for (i = 0; i < 60; i++) {
		struct xfer x = {
			.op = ops[i % 3],
			.len = 10 + i * 101,
			.local_sge = 1 + i % 4,
			.remote_sge = i % 3 ? 1 : 4 - i % 4,
		};

		plan_add(p, &x);
	}
	close_plan(p);
	flow_one_way(l, p, true);
}

static void run_psn_wrap(struct test *t)
{
	struct link_opts o;
	struct plan *p;
	struct link *l;
	u32 i;

	need_clean_wire(t);
	link_defaults(t, &o, IBV_QPT_UC);
	o.path.sq_psn = 0xfffff0;
	l = link_open(t, &o);
	p = plan_new(t, 40, 0);
	for (i = 0; i < 40; i++)
		plan_add(p, &(struct xfer) { .op = &op_send_imm, .len = i * 173 });
	flow_one_way(l, p, true);
}

/* Posted on each CPU in turn, while packets from the last one are in flight: none may overtake. */
static void run_roam(struct test *t)
{
	struct plan *p = plan_new(t, 40, 0);
	struct link *l;
	u32 i;

	need_clean_wire(t);
	l = open_uc(t, 1);
	p->roam = roam_new(t);
	for (i = 0; i < 40; i++)
		plan_add(p, &(struct xfer) { .op = &op_send, .len = 20000 + i });
	flow_one_way(l, p, true);
}

static u32 stream_len(struct test *t, u32 i)
{
	return 1 + test_rnd(t, i) % STREAM_MAX;
}

static void stream_send(struct link *l, struct buf *b, const struct remote *r, u32 i)
{
	struct test *t = l->t;
	struct ibv_sge sge = buf_sge(b, i * STREAM_MAX, stream_len(t, i));
	struct ibv_send_wr wr = wr_make(IBV_WR_SEND_WITH_IMM, i, &sge, 1);

	pattern_fill(b->p + i * STREAM_MAX, sge.length, t->key + i, 0);
	if (t->c->arg) {
		wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		wr.wr.rdma.remote_addr = r->addr + i * STREAM_MAX;
		wr.wr.rdma.rkey = r->rkey;
	}
	wr.imm_data = htobe32(i);
	link_post(l, &wr);
	cq_expect(t, l->scq, i, IBV_WC_SUCCESS, NULL);
}

/*
 * The @k-th receive request is used by the k-th message that arrives whole.  On a wire that
 * repeats and reorders packets a message of one packet may come late, or again: for UC any
 * first packet begins a message (IBTA 9.8.2).
 */
static void stream_check(struct test *t, struct buf *b, u32 k, const struct ibv_wc *wc)
{
	u32 i = be32toh(wc->imm_data);
	const u8 *p;

	wc_check(t, wc, k, IBV_WC_SUCCESS);
	if (!(wc->wc_flags & IBV_WC_WITH_IMM) || i >= STREAM || (i != k && !t->run->lossy))
		test_fail(t, "message %u came as number %u", i, k);
	if (wc->byte_len != stream_len(t, i))
		test_fail(t, "message %u has %u bytes of %u", i, wc->byte_len, stream_len(t, i));
	p = b->p + (t->c->arg ? i : k) * STREAM_MAX;
	pattern_check(t, p, wc->byte_len, t->key + i, "message");
	/* the start of a lost message may lie behind that of the next */
	if (!t->run->lossy)
		guard_check(t, p + wc->byte_len, STREAM_MAX - wc->byte_len, "after the message");
}

static void stream_receive(struct link *l, struct buf *b)
{
	struct test *t = l->t;
	struct ibv_sge sge;
	struct ibv_wc wc;
	u32 k;

	for (k = 0; k < STREAM; k++) {
		sge = buf_sge(b, k * STREAM_MAX, STREAM_MAX);
		link_recv(l, k, &sge, 1);
	}
	test_sync(t);
	test_sync(t);
	for (k = 0; k < STREAM && cq_try(t, l->rcq, &wc); k++)
		stream_check(t, b, k, &wc);
	if (!k || (k < STREAM && !t->run->lossy))
		test_fail(t, "%u of %u messages arrived", k, STREAM);
}

static void run_stream(struct test *t)
{
	struct buf *b = buf_new(t, STREAM * STREAM_MAX, ACCESS_ALL);
	struct link *l = open_uc(t, 1);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	u32 i;

	test_exchange(t, &mine, &r, sizeof(mine));
	if (!t->client) {
		stream_receive(l, b);
		return;
	}
	test_sync(t);
	for (i = 0; i < STREAM; i++)
		stream_send(l, b, &r, i);
	test_sync(t);
}

/* Without a receive request the message is dropped; the QPs go on. */
static void run_no_recv(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	struct link *l = open_uc(t, 1);
	struct ibv_sge sge = buf_sge(b, 0, 5000);

	if (t->client) {
		link_send(l, 1, &sge, 1);
		cq_expect_ok(t, l->scq, 1, IBV_WC_SEND);
		clock_sleep_ms(clock_scaled_ms(QUIET_MS));
		pattern_fill(b->p, 5000, t->key, 0);
	}
	test_sync(t);
	if (!t->client)
		link_recv(l, 2, &sge, 1);
	test_sync(t);
	if (t->client)
		link_send(l, 2, &sge, 1);
	cq_expect(t, l->scq, 2, IBV_WC_SUCCESS, NULL);
	pattern_check(t, b->p, 5000, t->key, "second message");
}

/* A READ is no operation of UC: refused by the post or completed with an error. */
static void run_no_read(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	struct link *l = open_uc(t, 1);
	struct ibv_sge sge = buf_sge(b, 0, 64);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_READ, 1, &sge, sge.addr, b->mr[0]->rkey);
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	if (ibv_post_send(l->qp, &wr, &bad))
		return;
	cq_next(t, l->scq, &wc);
	if (wc.status == IBV_WC_SUCCESS)
		test_fail(t, "a READ on UC succeeds");
}

/* A local error stops the send queue alone (SQE); it can be taken up again. */
static void run_sqe(struct test *t)
{
	struct buf *b = buf_new(t, 8192, ACCESS_ALL);
	struct ibv_sge sge = buf_sge(b, 0, 64), broken = sge;
	struct link_opts o;
	struct link *l;

	need_clean_wire(t);
	link_defaults(t, &o, IBV_QPT_UC);
	o.scq = cq_new(t, o.cap.max_send_wr);
	o.rcq = cq_new(t, o.cap.max_recv_wr);
	l = link_open(t, &o);
	broken.lkey ^= 0x5a5a00;
	if (t->client) {
		link_send(l, 1, &broken, 1);
		link_send(l, 2, &sge, 1);
		cq_expect(t, l->scq, 1, IBV_WC_LOC_PROT_ERR, NULL);
		cq_expect(t, l->scq, 2, IBV_WC_WR_FLUSH_ERR, NULL);
		link_expect_state(l, IBV_QPS_SQE);
	}
	link_recv(l, 3, &sge, 1);
	test_sync(t);
	if (!t->client) {
		link_send(l, 4, &sge, 1);
		cq_expect_ok(t, l->scq, 4, IBV_WC_SEND);
		cq_expect_ok(t, l->rcq, 3, IBV_WC_RECV);
		return;
	}
	cq_expect_ok(t, l->rcq, 3, IBV_WC_RECV);
	link_to_state(l, IBV_QPS_RTS);
	link_send(l, 5, &sge, 1);
	cq_expect_ok(t, l->scq, 5, IBV_WC_SEND);
}

const struct suite_case uc_cases[] = {
	{ "uc_send", run_sizes, "SEND on UC, all sizes and offsets", &op_send },
	{ "uc_send_imm", run_sizes, "SEND_WITH_IMM on UC, all sizes and offsets", &op_send_imm },
	{ "uc_write", run_sizes, "WRITE on UC, all sizes and offsets", &op_write },
	{ "uc_write_imm", run_sizes, "WRITE_WITH_IMM on UC, all sizes and offsets",
	  &op_write_imm },
	{ "uc_sge", run_sge, "scatter lists on UC", NULL },
	{ "uc_psn_wrap", run_psn_wrap, "PSNs across the wrap on UC", NULL },
	{ "uc_roam", run_roam, "a sender on UC that moves from CPU to CPU", NULL },
	{ "uc_stream_send", run_stream, "what arrives is whole, on any wire", NULL },
	{ "uc_stream_write", run_stream, "the same with WRITE_WITH_IMM", ARG_YES },
	{ "uc_no_recv", run_no_recv, "a SEND without a receive is dropped", NULL },
	{ "uc_no_read", run_no_read, "READ is refused on UC", NULL },
	{ "uc_sqe", run_sqe, "send queue error state, and back", NULL },
	{ }
};
