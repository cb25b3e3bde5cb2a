// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Invalidation of memory windows of type 2: local, and by SEND_WITH_INV.
 */
#include <string.h>

#include "mwbind.h"
#include "res.h"
#include "tables.h"

static void bind_and_share(struct mw_stage *s)
{
	struct ibv_mw_bind_info info = mw_range(s, MW_AT, MW_LEN, MW_ACCESS);

	if (s->mw)
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
	mw_share(s, info.addr, s->mw ? s->mw->rkey : 0);
}

/* Bind, use, invalidate, use. */
static void run_local(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, t->c->arg);

	bind_and_share(s);
	if (t->client)
		mw_write(s, 0, MW_LEN, s->r.rkey, IBV_WC_SUCCESS);
	test_sync(t);
	if (!t->client) {
		mw_check(s, MW_AT, MW_LEN, 1);
		mw_local_inv(s, s->mw->rkey, IBV_WC_SUCCESS);
	}
	test_sync(t);
	if (t->client)
		mw_write(s, 0, 10, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
}

/* Many turns of bind, use, invalidate on one window; each has a key of its own. */
static void run_again(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, false);
	u32 i, old = 0;

	for (i = 0; i < 20; i++) {
		bind_and_share(s);
		if (t->client) {
			if (s->r.rkey == old)
				test_fail(t, "the key did not change");
			old = s->r.rkey;
			mw_write(s, 0, MW_LEN, s->r.rkey, IBV_WC_SUCCESS);
		}
		test_sync(t);
		if (!t->client) {
			mw_check(s, MW_AT, MW_LEN, i + 1);
			mw_local_inv(s, s->mw->rkey, IBV_WC_SUCCESS);
		}
	}
}

/* A bound window must be invalidated before it is bound again. */
static void run_bound_twice(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, false);
	struct ibv_mw_bind_info info = mw_range(s, 9000, 100, MW_ACCESS);

	bind_and_share(s);
	if (!t->client)
		mw_bind(s, s->mw, &info, IBV_WC_MW_BIND_ERR);
}

/* A key that is no window's. */
static void run_bad_key(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, false);
	struct ibv_send_wr wr = wr_make(IBV_WR_LOCAL_INV, 1, NULL, 0);
	struct ibv_wc wc;

	bind_and_share(s);
	if (t->client)
		return;
	wr.invalidate_rkey = s->mw->rkey ^ 0x5a5a00;
	link_post(s->l, &wr);
	cq_next(t, s->l->scq, &wc);
	if (wc.status == IBV_WC_SUCCESS)
		test_fail(t, "a key of nothing is invalidated");
	link_expect_state(s->l, IBV_QPS_ERR);
}

static void post_send_inv(struct mw_stage *s, u64 id, u32 len)
{
	struct ibv_sge sge = buf_sge(s->b, 0, len);
	struct ibv_send_wr wr = wr_make(IBV_WR_SEND_WITH_INV, id, &sge, 1);

	pattern_fill(s->b->p, len, s->t->key + id, 0);
	wr.invalidate_rkey = s->r.rkey;
	link_post(s->l, &wr);
	cq_expect_ok(s->t, s->l->scq, id, IBV_WC_SEND);
}

static void receive_inv(struct mw_stage *s, u64 id, u32 len)
{
	struct test *t = s->t;
	struct ibv_wc wc;

	cq_expect(t, s->l->rcq, id, IBV_WC_SUCCESS, &wc);
	if (wc.opcode != IBV_WC_RECV || !(wc.wc_flags & IBV_WC_WITH_INV) ||
	    (wc.wc_flags & IBV_WC_WITH_IMM))
		test_fail(t, "received with opcode %d, flags %#x", wc.opcode, wc.wc_flags);
	if (wc.invalidated_rkey != s->mw->rkey)
		test_fail(t, "invalidated_rkey is %#x, expected %#x", wc.invalidated_rkey,
			  s->mw->rkey);
	if (wc.byte_len != len)
		test_fail(t, "%u bytes received, expected %u", wc.byte_len, len);
	pattern_check(t, s->b->p + 8192, len, t->key + id, "message");
}

/* The peer's SEND takes the window away: from then on its key is dead. */
static void run_send_inv(struct test *t)
{
	static const u32 lens[] = { 100, 0, 5000 };
	struct ibv_sge sge;
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, t->c->arg);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		sge = buf_sge(s->b, 8192, lens[i]);
		if (!t->client)
			link_recv(s->l, 100 + i, &sge, 1);
		bind_and_share(s);
		if (t->client) {
			mw_write(s, 0, 100, s->r.rkey, IBV_WC_SUCCESS);
			post_send_inv(s, 100 + i, lens[i]);
		} else {
			receive_inv(s, 100 + i, lens[i]);
		}
		test_sync(t);
	}
	if (t->client)
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
}

const struct suite_case mw_inv_cases[] = {
	{ "mw2_local_inv", run_local, "bind, use, invalidate, use", NULL },
	{ "mw2_again", run_again, "one window bound twenty times", NULL },
	{ "mw2_bound_twice", run_bound_twice, "no second bind without invalidation", NULL },
	{ "mw2_inv_bad_key", run_bad_key, "invalidation of a key of nothing", NULL },
	{ "rc_send_inv", run_send_inv, "SEND_WITH_INV", NULL },
	{ "wr_local_inv", run_local, "ibv_wr_bind_mw, ibv_wr_local_inv", ARG_YES },
	{ "wr_send_inv", run_send_inv, "ibv_wr_send_inv", ARG_YES },
	{ }
};
