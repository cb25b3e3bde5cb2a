// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH: what was written before is in the peer's memory when it completes.
 */
#include <string.h>

#include "buf.h"
#include "flush.h"
#include "link.h"
#include "tables.h"

#define ROUNDS		32
#define LENGTH		10000
#define TARGET_AT	16384
#define BUF_SIZE	32768

enum right {
	RIGHT_BOTH,
	RIGHT_NOT_OF_REGION,
	RIGHT_NOT_OF_QP,
};

static void post_flush(struct link *l, u64 wr_id, const struct remote *r, u8 selectivity)
{
	const struct flush f = {
		.wr_id = wr_id, .addr = r->addr, .rkey = r->rkey, .length = LENGTH,
		.placement = FLUSH_GLOBAL, .selectivity = selectivity,
	};
	int ret = flush_post(l->qpx, &f);

	if (ret)
		test_fail(l->t, "flush_post: %s", strerror(ret));
}

static struct link *open_link(struct test *t)
{
	struct link_opts o;

	if (!(t->dev->attr.device_cap_flags_ex & DEVICE_FLUSH_GLOBAL))
		test_skip(t, "the device has no FLUSH");
	link_defaults(t, &o, IBV_QPT_RC);
	o.extended = true;
	if ((uintptr_t)t->c->arg != RIGHT_NOT_OF_QP)
		o.path.access |= ACCESS_FLUSH_GLOBAL;
	return link_open(t, &o);
}

static struct buf *share_target(struct test *t, struct remote *r)
{
	int right = (uintptr_t)t->c->arg == RIGHT_NOT_OF_REGION ? 0 : ACCESS_FLUSH_GLOBAL;
	struct buf *b = buf_new(t, BUF_SIZE, ACCESS_ALL | right);
	struct remote mine = {
		.addr = (uintptr_t)b->p + TARGET_AT,
		.rkey = b->mr[0]->rkey,
	};

	test_exchange(t, &mine, r, sizeof(mine));
	return b;
}

/* In turn of the range and of the region. Each round writes other bytes. */
static void run_flush(struct test *t)
{
	struct link *l = open_link(t);
	struct remote r;
	struct buf *b = share_target(t, &r);
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		struct ibv_sge sge = buf_sge(b, 0, LENGTH);
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, 2 * i, &sge, r.addr, r.rkey);

		pattern_fill(b->p, LENGTH, test_rnd(t, i), 0);
		if (t->client) {
			link_post(l, &wr);
			post_flush(l, 2 * i + 1, &r, i % 2 ? FLUSH_REGION : FLUSH_RANGE);
			cq_expect_ok(t, l->scq, 2 * i, IBV_WC_RDMA_WRITE);
			cq_expect_ok(t, l->scq, 2 * i + 1, WC_FLUSH);
		}
		test_sync(t);
		if (!t->client)
			pattern_check(t, b->p + TARGET_AT, LENGTH, test_rnd(t, i), "the target");
		test_sync(t);
	}
}

static void run_refused(struct test *t)
{
	bool of_qp = (uintptr_t)t->c->arg == RIGHT_NOT_OF_QP;
	struct link *l = open_link(t);
	struct remote r;
	struct ibv_wc wc;

	share_target(t, &r);
	if (t->client) {
		post_flush(l, 1, &r, FLUSH_RANGE);
		cq_next(t, l->scq, &wc);
		wc_check(t, &wc, 1, of_qp ? IBV_WC_REM_INV_REQ_ERR :
							      IBV_WC_REM_ACCESS_ERR);
		link_expect_state(l, IBV_QPS_ERR);
	}
	test_sync(t);
}

const struct suite_case placement_cases[] = {
	{ "wr_flush", run_flush, "FLUSH behind WRITE, of a range and of a region", NULL },
	{ "wr_flush_region", run_refused, "the region has no right to it",
	  (void *)RIGHT_NOT_OF_REGION },
	{ "wr_flush_qp", run_refused, "the QP has no right to it", (void *)RIGHT_NOT_OF_QP },
	{ }
};
