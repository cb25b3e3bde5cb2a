// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC ordering: fence, limits on outstanding reads, signalling, the wrap of the PSN.
 */
#include <string.h>

#include "flow.h"
#include "res.h"
#include "tables.h"

#define FENCE_ROUNDS	40
#define FENCE_MAX	65536

static u32 fence_len(struct test *t, u32 i)
{
	return 1 + test_rnd(t, i) % FENCE_MAX;
}

/* The client reads and sends on what it has read; without the fence the SEND may be too early. */
static void fence_client(struct link *l, struct buf *b, const struct remote *r, u32 i)
{
	struct test *t = l->t;
	struct ibv_sge sge = buf_sge(b, 0, fence_len(t, i));
	struct ibv_send_wr wr[2];
	struct ibv_send_wr *bad;

	memset(b->p, GUARD_BYTE, FENCE_MAX);
	wr[0] = wr_rdma(IBV_WR_RDMA_READ, 2 * i, &sge, r->addr, r->rkey);
	wr[1] = wr_make(IBV_WR_SEND, 2 * i + 1, &sge, 1);
	wr[1].send_flags |= IBV_SEND_FENCE;
	wr[0].next = &wr[1];
	if (ibv_post_send(l->qp, wr, &bad))
		test_fail(t, "ibv_post_send of two requests refused");
	cq_expect_ok(t, l->scq, 2 * i, IBV_WC_RDMA_READ);
	cq_expect_ok(t, l->scq, 2 * i + 1, IBV_WC_SEND);
}

static void run_fence(struct test *t)
{
	struct buf *b = buf_new(t, 2 * FENCE_MAX, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct ibv_sge sge = buf_sge(b, FENCE_MAX, FENCE_MAX);
	u32 i;

	for (i = 0; i < FENCE_ROUNDS; i++) {
		if (!t->client) {
			pattern_fill(b->p, FENCE_MAX, t->key + i, 0);
			link_recv(l, i, &sge, 1);
		}
		test_exchange(t, &mine, &r, sizeof(mine));
		if (t->client) {
			fence_client(l, b, &r, i);
		} else {
			cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
			pattern_check(t, b->p + FENCE_MAX, fence_len(t, i), t->key + i,
				      "sent after the read");
		}
	}
}

static struct plan *reads_plan(struct test *t, u64 tag)
{
	struct plan *p = plan_new(t, 48, tag);
	u32 i;

	for (i = 0; i < 48; i++) {
		u64 rnd = test_rnd(t, tag * 1000 + i);
		struct xfer x = {
			.op = i % 6 == 5 ? &op_send : &op_read,
			.len = rnd % (i % 4 ? 9000 : 100),
			.local_off = rnd >> 40 & 7,
			.remote_off = rnd >> 44 & 7,
			.fence = i % 12 == 11,
		};

		plan_add(p, &x);
	}
	return p;
}

/* More reads posted than may be outstanding: the requester must hold them back. */
static void run_rd_atomic(struct test *t)
{
	const u32 wish = t->c->arg ? 16 : 1;
	u32 mine, theirs;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	mine = min_u32(wish, min_u32(t->dev->attr.orig_attr.max_qp_rd_atom,
				     t->dev->attr.orig_attr.max_qp_init_rd_atom));
	test_exchange(t, &mine, &theirs, sizeof(mine));
	o.path.rd_atomic = min_u32(mine, theirs);
	l = link_open(t, &o);
	if (t->client)
		flow_run(l, reads_plan(t, 1), reads_plan(t, 2));
	else
		flow_run(l, reads_plan(t, 2), reads_plan(t, 1));
}

static void post_many(struct link *l, struct buf *b, const struct remote *r, u32 num, u32 every)
{
	struct ibv_sge sge = buf_sge(b, 0, 32);
	u32 i, pending = 0;

	for (i = 1; i <= num; i++) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, i, &sge, r->addr, r->rkey);

		if (every && i % every)
			wr.send_flags = 0;
		link_post(l, &wr);
		if (every && ++pending == l->cap.max_send_wr) {
			for (; pending; pending -= every)
				cq_expect_ok(l->t, l->scq, i - pending + every, IBV_WC_RDMA_WRITE);
		}
	}
}

/* Only every sixteenth is signalled; its completion frees the room of the others. */
static void run_unsignalled(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct link *l = link_open_rc(t);

	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		post_many(l, b, &r, 10 * l->cap.max_send_wr, 16);
		cq_quiet(t, l->scq);
	}
}

/* A QP that signals all does so for requests that do not ask. */
static void run_sig_all(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct ibv_sge sge = buf_sge(b, 0, 32);
	struct link_opts o;
	struct link *l;
	u32 i;

	link_defaults(t, &o, IBV_QPT_RC);
	o.sig_all = true;
	l = link_open(t, &o);
	test_exchange(t, &mine, &r, sizeof(mine));
	for (i = 0; t->client && i < 20; i++) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, i, &sge, r.addr, r.rkey);

		wr.send_flags = 0;
		link_post(l, &wr);
	}
	for (i = 0; t->client && i < 20; i++)
		cq_expect_ok(t, l->scq, i, IBV_WC_RDMA_WRITE);
}

static struct plan *wrap_plan(struct test *t, u64 tag)
{
	static const struct op *const ops[] = {
		&op_send, &op_write, &op_read, &op_write_imm, &op_read, &op_send_imm,
	};
	struct plan *p = plan_new(t, 60, tag);
	u32 i;

	for (i = 0; i < 60; i++) {
		struct xfer x = {
			.op = ops[i % ARRAY_SIZE(ops)],
			.len = i % 10 ? test_rnd(t, tag * 100 + i) % 3000 : 65536,
			.local_off = i % 8,
		};

		plan_add(p, &x);
	}
	return p;
}

/* The client starts just below the wrap, the server at @psn. */
static void wrap_from(struct test *t, u32 psn)
{
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	o.path.sq_psn = t->client ? 0xfffff0 : psn;
	l = link_open(t, &o);
	if (t->client)
		flow_run(l, wrap_plan(t, psn), wrap_plan(t, psn + 1));
	else
		flow_run(l, wrap_plan(t, psn + 1), wrap_plan(t, psn));
}

static void run_psn_wrap(struct test *t)
{
	wrap_from(t, 0xfffff0);
	wrap_from(t, 0xffffff);
	wrap_from(t, 0);
	wrap_from(t, 0x7ffff8);
}

const struct suite_case rc_order_cases[] = {
	{ "rc_fence", run_fence, "a fenced SEND waits for the READ before it", NULL },
	{ "rc_rd_atomic_1", run_rd_atomic, "one outstanding READ at a time", NULL },
	{ "rc_rd_atomic_n", run_rd_atomic, "up to 16 outstanding READs", ARG_YES },
	{ "rc_unsignalled", run_unsignalled, "every 16th request is signalled", NULL },
	{ "rc_sig_all", run_sig_all, "sq_sig_all", NULL },
	{ "rc_psn_wrap", run_psn_wrap, "PSNs across 0xffffff and 0x800000", NULL },
	{ }
};
