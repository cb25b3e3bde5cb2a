// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of what a memory window allows: when its owner is told that it ended, nothing of a
 * running WRITE or READ reaches memory any more; and what becomes of windows when their QP goes.
 */
#include <string.h>
#include <unistd.h>

#include "mwbind.h"
#include "res.h"
#include "tables.h"

/* So many at least, and more until a request was in time and one too late */
#define ROUNDS		6
#define ROUNDS_MOST	40
#define DELAY_US	20000
#define REQUESTS	16
#define REQUEST_LEN	65536u
#define TOTAL		(REQUESTS * REQUEST_LEN)
/* The window begins inside a page */
#define AT		4001u
#define OPEN_BYTE	0x11
#define SECRET_BYTE	0x99

/* How the owner takes the window away */
enum revocation {
	LOCAL_INV,
	REBIND,
	DEALLOC,
	DESTROY_QP,
};

struct revoke {
	enum ibv_mw_type type;
	enum revocation how;
	bool read;
};

/* What the client has seen so far */
struct seen {
	u32 in_time, too_late;
};

static struct mw_stage *stage(struct test *t, const struct revoke *r)
{
	struct ibv_mw_bind_info info;
	struct mw_stage *s;
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	/* Of a QP that was destroyed there is no answer: each round waits for all retries */
	if (r->how == DESTROY_QP)
		o.path.retry_cnt = 1;
	s = mw_open_by(t, r->type, &o);
	s->b = buf_new(t, AT + TOTAL + SLOT_GUARD, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	info = mw_range(s, AT, TOTAL, MW_ACCESS);
	if (s->mw)
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
	mw_share(s, info.addr, s->mw ? s->mw->rkey : 0);
	return s;
}

static void take_away(struct mw_stage *s, const struct revoke *r)
{
	struct ibv_mw_bind_info elsewhere = mw_range(s, 0, 8, MW_ACCESS);

	switch (r->how) {
	case LOCAL_INV:
		mw_local_inv(s, s->mw->rkey, IBV_WC_SUCCESS);
		break;
	case REBIND:
		mw_bind(s, s->mw, &elsewhere, IBV_WC_SUCCESS);
		break;
	case DEALLOC:
		if (res_drop(s->t, s->mw))
			test_fail(s->t, "ibv_dealloc_mw fails");
		break;
	case DESTROY_QP:
		if (link_destroy(s->l))
			test_fail(s->t, "ibv_destroy_qp fails");
		break;
	}
}

/*
 * Client: all of the window again and again, by requests of which each may succeed, fail or be
 * flushed. Only that the window ends puts an end to it, so requests are under way when it does.
 */
static void reach(struct mw_stage *s, const struct revoke *r, struct seen *seen)
{
	enum ibv_wr_opcode opcode = r->read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
	u32 posted = 0, done = 0;
	bool open = true;
	struct ibv_wc wc;

	while (open || done < posted) {
		while (open && posted - done < REQUESTS) {
			u32 at = posted % REQUESTS * REQUEST_LEN;
			struct ibv_sge sge = buf_sge(s->b, AT + at, REQUEST_LEN);
			struct ibv_send_wr wr = wr_rdma(opcode, posted++, &sge, s->r.addr + at,
							s->r.rkey);

			link_post(s->l, &wr);
		}
		cq_next(s->t, s->l->scq, &wc);
		if (wc.wr_id != done)
			test_fail(s->t, "completion of %lu instead of %u", wc.wr_id, done);
		done++;
		open &= wc.status == IBV_WC_SUCCESS;
		seen->in_time += wc.status == IBV_WC_SUCCESS;
		seen->too_late += wc.status != IBV_WC_SUCCESS && wc.status != IBV_WC_WR_FLUSH_ERR;
	}
}

/* Client: of what stood there when the window was gone nothing was read. */
static void expect_no_secret(struct mw_stage *s)
{
	if (memchr(s->b->p + AT, SECRET_BYTE, TOTAL))
		test_fail(s->t, "read behind the end of the window");
}

/* Server: wait until the client's requests are under way. */
static void wait_for_writes(struct mw_stage *s)
{
	while (__atomic_load_n(s->b->p + AT, __ATOMIC_RELAXED) != OPEN_BYTE)
		test_poll_peer(s->t);
}

static void run_round(struct test *t, const struct revoke *r, u32 round, struct seen *seen)
{
	struct mw_stage *s = stage(t, r);
	u8 *window = s->b->p + AT;

	if (t->client || r->read)
		memset(window, OPEN_BYTE, TOTAL);
	test_sync(t);
	if (t->client) {
		reach(s, r, seen);
		test_sync(t);
		if (r->read)
			expect_no_secret(s);
		return;
	}
	if (!r->read)
		wait_for_writes(s);
	if (round % 2)
		usleep(test_rnd(t, round) % DELAY_US);
	take_away(s, r);
	memset(window, SECRET_BYTE, TOTAL);
	test_sync(t);
	if (!r->read && memchr(window, OPEN_BYTE, TOTAL))
		test_fail(t, "written behind the end of the window");
	/* Bound elsewhere it would keep the region */
	if (r->how == REBIND && res_drop(t, s->mw))
		test_fail(t, "ibv_dealloc_mw fails");
	guard_check(t, s->b->p, AT, "before the window");
	guard_check(t, window + TOTAL, SLOT_GUARD, "after the window");
}

static void run_revoke(struct test *t)
{
	struct seen mine = { }, peers, *seen = t->client ? &mine : &peers;
	bool both = false;
	u32 i;

	for (i = 0; i < ROUNDS || (!both && i < ROUNDS_MOST); i++) {
		run_round(t, t->c->arg, i, &mine);
		test_exchange(t, &mine, &peers, sizeof(mine));
		both = seen->in_time && seen->too_late;
	}
	if (!both)
		test_fail(t, "no race: %u requests in time, %u too late", seen->in_time,
			  seen->too_late);
}

/* A window whose QP is gone keeps nothing: its region may go, and another QP may have it. */
static void run_qp_gone(struct test *t)
{
	struct mw_stage *s = mw_open(t, IBV_MW_TYPE_2, false);
	struct ibv_mw_bind_info info = mw_range(s, MW_AT, MW_LEN, MW_ACCESS);
	struct ibv_mr *mr = s->b->mr[0];

	if (!t->client) {
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
		if (!res_drop(t, mr))
			test_fail(t, "the region goes although a window is bound to it");
		if (link_destroy(s->l))
			test_fail(t, "ibv_destroy_qp fails");
	}
	test_sync(t);
	s->l = link_open_rc(t);
	if (!t->client)
		mw_bind(s, s->mw, &info, IBV_WC_SUCCESS);
	mw_share(s, info.addr, s->mw ? s->mw->rkey : 0);
	if (t->client)
		mw_write(s, 0, MW_LEN, s->r.rkey, IBV_WC_SUCCESS);
	test_sync(t);
	if (t->client)
		return;
	mw_check(s, MW_AT, MW_LEN, 1);
	if (link_destroy(s->l))
		test_fail(t, "ibv_destroy_qp fails");
	if (res_drop(t, mr))
		test_fail(t, "the region stays although the QP of its window is gone");
}

#define REVOKE(...)	(&(const struct revoke) { __VA_ARGS__ })

const struct suite_case mw_revoke_cases[] = {
	{ "mw2_revoke_inv", run_revoke, "LOCAL_INV under WRITEs",
	  REVOKE(IBV_MW_TYPE_2, LOCAL_INV, false) },
	{ "mw2_revoke_dealloc", run_revoke, "type 2: deallocation under WRITEs",
	  REVOKE(IBV_MW_TYPE_2, DEALLOC, false) },
	{ "mw2_revoke_destroy", run_revoke, "end of the QP under WRITEs",
	  REVOKE(IBV_MW_TYPE_2, DESTROY_QP, false) },
	{ "mw1_revoke_rebind", run_revoke, "type 1: bound elsewhere under WRITEs",
	  REVOKE(IBV_MW_TYPE_1, REBIND, false) },
	{ "mw1_revoke_dealloc", run_revoke, "type 1: deallocation under WRITEs",
	  REVOKE(IBV_MW_TYPE_1, DEALLOC, false) },
	{ "mw2_revoke_read", run_revoke, "LOCAL_INV under READs",
	  REVOKE(IBV_MW_TYPE_2, LOCAL_INV, true) },
	{ "mw1_revoke_read", run_revoke, "type 1: bound elsewhere under READs",
	  REVOKE(IBV_MW_TYPE_1, REBIND, true) },
	{ "mw2_qp_gone", run_qp_gone, "type 2: the QP goes before its window", NULL },
	{ }
};
