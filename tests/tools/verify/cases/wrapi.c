// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* interface: all operations, batches, abort.
 */
#include <string.h>

#include "flow.h"
#include "res.h"
#include "sizes.h"
#include "tables.h"

static struct link *open_extended(struct test *t, enum ibv_qp_type type, u32 sges)
{
	struct link_opts o;

	link_defaults(t, &o, type);
	o.extended = true;
	o.cap.max_send_sge = sges;
	o.cap.max_recv_sge = sges;
	return link_open(t, &o);
}

static void run_rc(struct test *t)
{
	flow_one_way(open_extended(t, IBV_QPT_RC, 1), sizes_plan(t, t->c->arg, 0), true);
}

static void run_sge(struct test *t)
{
	struct link *l = open_extended(t, IBV_QPT_RC, 4);
	static const struct op *const ops[] = { &op_send, &op_write, &op_read };
	struct plan *p = plan_new(t, 60, 0);
	u32 i;

	for (i = 0; i < 60; i++) {
		struct xfer x = {
			.op = ops[i % 3],
			.len = 10 + i * 101,
			.local_sge = 1 + i % 4,
			.remote_sge = i % 3 ? 1 : 4 - i % 4,
		};

		plan_add(p, &x);
	}
	flow_one_way(l, p, true);
}

static void run_uc(struct test *t)
{
	struct link *l;
	u32 i;

	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
	l = open_extended(t, IBV_QPT_UC, 1);
	for (i = 0; i < sizes_num; i++)
		flow_one_way(l, size_plan(t, t->c->arg, sizes[i], i), true);
}

static void run_atomic(struct test *t)
{
	struct link *l;
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p + 1024, .rkey = b->mr[0]->rkey };
	struct ibv_sge sge = buf_sge(b, 0, 8);
	u64 got;
	u32 i;

	if (t->dev->attr.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		test_skip(t, "the device has no atomics");
	l = open_extended(t, IBV_QPT_RC, 1);
	memset(b->p + 1024, 0, 8);
	test_exchange(t, &mine, &r, sizeof(mine));
	for (i = 0; t->client && i < 10; i++) {
		bool swap = i % 2;
		struct ibv_send_wr wr = wr_rdma(swap ? IBV_WR_ATOMIC_CMP_AND_SWP :
						IBV_WR_ATOMIC_FETCH_AND_ADD, i, &sge, r.addr,
						r.rkey);

		wr.wr.atomic.compare_add = swap ? i : 1;
		wr.wr.atomic.swap = i + 1;
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, i, swap ? IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD);
		memcpy(&got, b->p, 8);
		if (got != i)
			test_fail(t, "step %u returned %llu", i, (unsigned long long)got);
	}
}

/* Requests in one batch are posted all together, in order. */
static void run_batch(struct test *t)
{
	struct link *l = open_extended(t, IBV_QPT_RC, 1);
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct ibv_send_wr wr[8], *bad;
	struct ibv_sge sge[8];
	u32 i;

	for (i = 0; i < 8; i++) {
		sge[i] = buf_sge(b, 64 * i, 64);
		pattern_fill(b->p + 64 * i, t->client ? 64 : 0, t->key + i, 0);
		wr[i] = wr_make(IBV_WR_SEND, i, &sge[i], 1);
		wr[i].next = i < 7 ? &wr[i + 1] : NULL;
		if (!t->client)
			link_recv(l, i, &sge[i], 1);
	}
	test_sync(t);
	if (t->client && l->post(l, wr, &bad))
		test_fail(t, "ibv_wr_complete refused the batch");
	for (i = 0; i < 8; i++)
		cq_expect(t, l->scq, i, IBV_WC_SUCCESS, NULL);
	for (i = 0; i < 8; i++)
		pattern_check(t, b->p + 64 * i, 64, t->key + i, "message of the batch");
}

/* After ibv_wr_abort() nothing is sent, and the queue has all its room. */
static void run_abort(struct test *t)
{
	struct link *l = open_extended(t, IBV_QPT_RC, 1);
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct ibv_sge sge = buf_sge(b, 0, 64);
	u32 i, k;

	if (!t->client)
		link_recv(l, 7, &sge, 1);
	test_sync(t);
	for (i = 0; t->client && i < 20; i++) {
		ibv_wr_start(l->qpx);
		for (k = 0; k < 10; k++) {
			l->qpx->wr_id = 1000 + k;
			l->qpx->wr_flags = IBV_SEND_SIGNALED;
			ibv_wr_send(l->qpx);
			ibv_wr_set_sge(l->qpx, sge.lkey, sge.addr, 10);
		}
		ibv_wr_abort(l->qpx);
	}
	if (t->client)
		link_send(l, 7, &sge, 1);
	cq_expect(t, l->scq, 7, IBV_WC_SUCCESS, NULL);
	cq_quiet(t, l->scq);
}

/* A batch that does not fit is refused as a whole. */
static void run_overrun(struct test *t)
{
	struct link *l = open_extended(t, IBV_QPT_RC, 1);
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct ibv_sge sge = buf_sge(b, 0, 64);
	u32 i;
	int ret;

	if (!t->client)
		link_recv(l, 7, &sge, 1);
	test_sync(t);
	if (t->client) {
		ibv_wr_start(l->qpx);
		for (i = 0; i < 100000; i++) {
			l->qpx->wr_id = i;
			l->qpx->wr_flags = IBV_SEND_SIGNALED;
			ibv_wr_send(l->qpx);
			ibv_wr_set_sge(l->qpx, sge.lkey, sge.addr, 10);
		}
		ret = ibv_wr_complete(l->qpx);
		if (!ret)
			test_fail(t, "100000 requests fit into a queue of %u",
				  l->cap.max_send_wr);
		cq_quiet(t, l->scq);
		link_send(l, 7, &sge, 1);
	}
	cq_expect(t, l->scq, 7, IBV_WC_SUCCESS, NULL);
}

const struct suite_case wrapi_cases[] = {
	{ "wr_send", run_rc, "ibv_wr_send", &op_send },
	{ "wr_send_imm", run_rc, "ibv_wr_send_imm", &op_send_imm },
	{ "wr_write", run_rc, "ibv_wr_rdma_write", &op_write },
	{ "wr_write_imm", run_rc, "ibv_wr_rdma_write_imm", &op_write_imm },
	{ "wr_read", run_rc, "ibv_wr_rdma_read", &op_read },
	{ "wr_sge_list", run_sge, "ibv_wr_set_sge_list", NULL },
	{ "wr_atomic", run_atomic, "ibv_wr_atomic_cmp_swp and _fetch_add", NULL },
	{ "wr_uc_send_imm", run_uc, "ibv_wr_send_imm on UC", &op_send_imm },
	{ "wr_uc_write_imm", run_uc, "ibv_wr_rdma_write_imm on UC", &op_write_imm },
	{ "wr_batch", run_batch, "several requests in one batch", NULL },
	{ "wr_abort", run_abort, "ibv_wr_abort leaves nothing behind", NULL },
	{ "wr_overrun", run_overrun, "a batch too large is refused as a whole", NULL },
	{ }
};
