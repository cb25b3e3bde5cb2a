// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows of both types: range, access, what they bind to.
 */
#include <errno.h>
#include <string.h>

#include "mwbind.h"
#include "res.h"
#include "tables.h"

/* The case's argument is set for type 2. */
static enum ibv_mw_type type_of(struct test *t)
{
	return t->c->arg ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1;
}

/* Server: bind the usual range; both: share it. */
static void bind_and_share(struct mw_stage *s, int access)
{
	struct ibv_mw_bind_info info = mw_range(s, MW_AT, MW_LEN, access);

	if (s->mw)
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
	mw_share(s, info.addr, s->mw ? s->mw->rkey : 0);
}

/* All of the window can be written and read, nothing behind it. */
static void run_use(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);

	bind_and_share(s, MW_ACCESS);
	if (t->client) {
		mw_write(s, 0, MW_LEN, s->r.rkey, IBV_WC_SUCCESS);
		memset(s->b->p, 0, MW_LEN);
		mw_read(s, 0, MW_LEN, s->r.rkey, IBV_WC_SUCCESS);
		pattern_check(t, s->b->p, MW_LEN, t->key + 1, "read from the window");
		mw_write(s, MW_LEN - 1, 2, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client)
		mw_check(s, MW_AT, MW_LEN, 1);
}

static void run_below(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);

	bind_and_share(s, MW_ACCESS);
	if (t->client)
		mw_read(s, -1, 2, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
}

/* A window that may be read only, over memory that may be written. */
static void run_access(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);

	bind_and_share(s, IBV_ACCESS_REMOTE_READ);
	if (t->client) {
		mw_read(s, 0, 100, s->r.rkey, IBV_WC_SUCCESS);
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client)
		guard_check(t, s->b->p, MW_BUF_SIZE, "window without write access");
}

static void run_atomic(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);
	struct ibv_send_wr wr;
	struct ibv_sge sge;

	if (t->dev->attr.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		test_skip(t, "the device has no atomics");
	bind_and_share(s, IBV_ACCESS_REMOTE_ATOMIC);
	sge = buf_sge(s->b, 0, 8);
	if (t->client) {
		wr = wr_rdma(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &sge, s->r.addr, s->r.rkey);
		wr.wr.atomic.compare_add = 1;
		link_post(s->l, &wr);
		cq_expect_ok(t, s->l->scq, 1, IBV_WC_FETCH_ADD);
	}
	test_sync(t);
	if (!t->client && s->b->p[MW_AT] != GUARD_BYTE + 1)
		test_fail(t, "the atomic has not reached memory");
}

/* Bound again elsewhere: a new key for the new range, the old key is dead (type 1). */
static void run_rebind(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_1, false);
	struct ibv_mw_bind_info info;
	u32 old;

	bind_and_share(s, MW_ACCESS);
	old = s->r.rkey;
	if (t->client)
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_SUCCESS);
	test_sync(t);
	info = mw_range(s, 9000, 500, MW_ACCESS);
	if (!t->client)
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
	mw_share(s, info.addr, s->mw ? s->mw->rkey : 0);
	if (t->client) {
		if (s->r.rkey == old)
			test_fail(t, "the key is the same after binding again");
		mw_write(s, 0, 500, s->r.rkey, IBV_WC_SUCCESS);
		mw_write(s, 0, 10, old, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client)
		pattern_check(t, s->b->p + 9000, 500, t->key + 2, "new range");
}

/* A bind of length 0, with a region or with none, takes the window back (type 1). */
static void run_unbind(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_1, false);
	struct ibv_mw_bind_info none = mw_range(s, 0, 0, 0);

	if (t->c->arg) {
		none.mr = NULL;
		none.addr = 0;
	}
	bind_and_share(s, MW_ACCESS);
	if (t->client)
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_SUCCESS);
	test_sync(t);
	if (!t->client)
		mw_bind(s, s->mw, &none, IBV_WC_SUCCESS);
	test_sync(t);
	if (t->client)
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
}

/* A window of type 1 serves every QP of its PD, one of type 2 only the QP that bound it. */
static void run_other_qp(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);
	struct link *other = link_open_rc(t);

	bind_and_share(s, MW_ACCESS);
	if (t->client) {
		s->l = other;
		mw_write(s, 0, 100, s->r.rkey,
			 t->c->arg ? IBV_WC_REM_ACCESS_ERR : IBV_WC_SUCCESS);
	}
}

/* Addresses from 0 (type 2). */
static void run_zero_based(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, false);
	struct ibv_mw_bind_info info = mw_range(s, MW_AT, MW_LEN,
						MW_ACCESS | IBV_ACCESS_ZERO_BASED);

	if (!t->client)
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
	mw_share(s, 0, s->mw ? s->mw->rkey : 0);
	if (t->client) {
		mw_write(s, 0, MW_LEN, s->r.rkey, IBV_WC_SUCCESS);
		mw_write(s, MW_LEN, 1, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
	}
	test_sync(t);
	if (!t->client)
		mw_check(s, MW_AT, MW_LEN, 1);
}

/* Not without MW_BIND, not beyond the region, no write where the region has none. */
static void run_bind_refused(struct test *t)
{
	static const struct {
		int mr_access;
		u32 len;
	} bad[] = {
		{ IBV_ACCESS_LOCAL_WRITE, 100 },
		{ IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, 5000 },
		{ IBV_ACCESS_MW_BIND, 100 },
	};
	struct mw_stage *s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct ibv_mw_bind_info info;

		s = mw_open(t, type_of(t), false);
		info = mw_range(s, 0, bad[i].len, MW_ACCESS);
		if (t->client)
			continue;
		info.mr = res_mr(t, t->pd, s->b->p, 4096, bad[i].mr_access);
		mw_bind(s, s->mw, &info, IBV_WC_MW_BIND_ERR);
	}
}

/* A region with a window on it cannot be deregistered. */
static void run_mr_busy(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);

	bind_and_share(s, MW_ACCESS);
	if (t->client)
		return;
	if (!res_drop(t, s->b->mr[0]))
		test_fail(t, "the region goes although a window is bound to it");
	if (res_drop(t, s->mw))
		test_fail(t, "ibv_dealloc_mw fails");
	if (res_drop(t, s->b->mr[0]))
		test_fail(t, "the region stays although no window is bound to it");
}

/* A window that was deallocated is out of reach. */
static void run_dealloc(struct test *t)
{
	struct mw_stage *s = mw_open(t, type_of(t), false);

	bind_and_share(s, MW_ACCESS);
	if (t->client)
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_SUCCESS);
	test_sync(t);
	if (!t->client && res_drop(t, s->mw))
		test_fail(t, "ibv_dealloc_mw fails");
	test_sync(t);
	if (t->client)
		mw_write(s, 0, 100, s->r.rkey, IBV_WC_REM_ACCESS_ERR);
}

const struct suite_case mw_cases[] = {
	{ "mw1_use", run_use, "type 1: write and read to the last byte", NULL },
	{ "mw1_below", run_below, "type 1: nothing in front of the window", NULL },
	{ "mw1_access", run_access, "type 1: read only", NULL },
	{ "mw1_atomic", run_atomic, "type 1: atomics", NULL },
	{ "mw1_rebind", run_rebind, "type 1: bound again elsewhere", NULL },
	{ "mw1_unbind", run_unbind, "type 1: unbound by length 0", NULL },
	{ "mw1_other_qp", run_other_qp, "type 1: serves every QP of the PD", NULL },
	{ "mw1_bind_refused", run_bind_refused, "type 1: what must not be bound", NULL },
	{ "mw1_mr_busy", run_mr_busy, "type 1: the region stays while bound", NULL },
	{ "mw1_dealloc", run_dealloc, "type 1: no access after deallocation", NULL },
	{ "mw2_use", run_use, "type 2: write and read to the last byte", ARG_YES },
	{ "mw2_below", run_below, "type 2: nothing in front of the window", ARG_YES },
	{ "mw2_access", run_access, "type 2: read only", ARG_YES },
	{ "mw2_atomic", run_atomic, "type 2: atomics", ARG_YES },
	{ "mw2_other_qp", run_other_qp, "type 2: serves its QP only", ARG_YES },
	{ "mw2_zero_based", run_zero_based, "type 2: addresses from 0", ARG_YES },
	{ "mw2_bind_refused", run_bind_refused, "type 2: what must not be bound", ARG_YES },
	{ "mw2_mr_busy", run_mr_busy, "type 2: the region stays while bound", ARG_YES },
	{ "mw2_dealloc", run_dealloc, "type 2: no access after deallocation", ARG_YES },
	{ }
};

/* Debian 12's rxe provider crashes here: last of all, so that nothing else is lost. */
const struct suite_case mw_last_cases[] = {
	{ "mw1_unbind_null", run_unbind, "type 1: unbound without a region", ARG_YES },
	{ }
};
