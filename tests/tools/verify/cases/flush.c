// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flushing: what is left in the queues of a QP that goes to ERR completes in order, each
 * request once, with its wr_id, signalled or not.
 */
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define SENDS		16
#define FLUSHED		IBV_WC_WR_FLUSH_ERR

static struct link *open_two_cqs(struct test *t)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_new(t, 256);
	o.rcq = cq_new(t, 256);
	return link_open(t, &o);
}

static void post_sends(struct link *l, u32 num, bool signalled)
{
	u32 i;

	for (i = 0; i < num; i++) {
		struct ibv_send_wr wr = wr_make(IBV_WR_SEND, i, NULL, 0);

		if (!signalled)
			wr.send_flags = 0;
		link_post(l, &wr);
	}
}

static void expect_flushed(struct link *l, struct cq *cq, u32 first, u32 end)
{
	struct ibv_wc wc;
	u32 i;

	for (i = first; i < end; i++) {
		cq_expect(l->t, cq, i, FLUSHED, &wc);
		if (wc.qp_num != l->qp->qp_num)
			test_fail(l->t, "flushed with qp_num %#x", wc.qp_num);
	}
}

/* The SENDs wait for a receiver that has no request; then the QP is moved to ERR. */
static void run_sq(struct test *t)
{
	struct link *l = open_two_cqs(t);

	if (!t->client)
		return;
	post_sends(l, SENDS, !t->c->arg);
	cq_quiet(t, l->scq);
	link_to_state(l, IBV_QPS_ERR);
	expect_flushed(l, l->scq, 0, SENDS);
	cq_quiet(t, l->scq);
}

static void run_rq(struct test *t)
{
	struct link *l = open_two_cqs(t);
	u32 i;

	for (i = 0; i < 100; i++)
		link_recv(l, i, NULL, 0);
	test_sync(t);
	if (t->client)
		post_sends(l, 10, true);
	for (i = 0; i < 10; i++)
		cq_expect(t, t->client ? l->scq : l->rcq, i, IBV_WC_SUCCESS, NULL);
	test_sync(t);
	link_to_state(l, IBV_QPS_ERR);
	expect_flushed(l, l->rcq, t->client ? 0 : 10, 100);
	cq_quiet(t, l->rcq);
}

/* What is posted to a QP in error is flushed too. */
static void run_after(struct test *t)
{
	struct link *l = open_two_cqs(t);
	u32 i;

	link_to_state(l, IBV_QPS_ERR);
	for (i = 0; i < 5; i++)
		link_recv(l, i, NULL, 0);
	post_sends(l, 5, true);
	expect_flushed(l, l->rcq, 0, 5);
	expect_flushed(l, l->scq, 0, 5);
	for (i = 5; i < 300; i++) {
		link_recv(l, i, NULL, 0);
		cq_expect(t, l->rcq, i, FLUSHED, NULL);
		link_send(l, i, NULL, 0);
		cq_expect(t, l->scq, i, FLUSHED, NULL);
	}
}

/* Requests before the broken one complete, unsignalled ones silently; those behind flush. */
static void run_middle(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct ibv_sge sge = buf_sge(b, 0, 64);
	struct link *l = open_two_cqs(t);
	u32 i;

	for (i = 0; i < 8; i++)
		link_recv(l, i, NULL, 0);
	test_exchange(t, &mine, &r, sizeof(mine));
	if (!t->client) {
		expect_flushed(l, l->rcq, 0, 8);
		return;
	}
	for (i = 0; i < 30; i++) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, i, &sge, r.addr, r.rkey);

		if (i % 2)
			wr.send_flags = 0;
		if (i == 11)
			wr.wr.rdma.rkey ^= 0x5a5a00;
		link_post(l, &wr);
	}
	for (i = 0; i < 11; i += 2)
		cq_expect_ok(t, l->scq, i, IBV_WC_RDMA_WRITE);
	cq_expect(t, l->scq, 11, IBV_WC_REM_ACCESS_ERR, NULL);
	expect_flushed(l, l->scq, 12, 30);
	expect_flushed(l, l->rcq, 0, 8);
	cq_quiet(t, l->scq);
}

/* A QP with work in its queues can be destroyed; nothing hangs. */
static void run_destroy(struct test *t)
{
	struct link *l;
	u32 round, i;

	for (round = 0; round < 10; round++) {
		l = open_two_cqs(t);
		for (i = 0; !t->client && i < 4; i++)
			link_recv(l, i, NULL, 0);
		test_sync(t);
		if (t->client)
			post_sends(l, SENDS, true);
		if (link_destroy(l))
			test_fail(t, "ibv_destroy_qp fails");
		test_sync(t);
	}
}

/* RESET forgets what was posted: no completion of it comes. */
static void run_reset(struct test *t)
{
	struct link *l = open_two_cqs(t);
	u32 i;

	for (i = 0; i < 20; i++)
		link_recv(l, i, NULL, 0);
	test_sync(t);
	link_to_state(l, IBV_QPS_RESET);
	link_connect(l);
	for (i = 100; !t->client && i < 105; i++)
		link_recv(l, i, NULL, 0);
	test_sync(t);
	for (i = 100; t->client && i < 105; i++)
		link_send(l, i, NULL, 0);
	for (i = 100; i < 105; i++)
		cq_expect(t, t->client ? l->scq : l->rcq, i, IBV_WC_SUCCESS, NULL);
}

const struct suite_case flush_cases[] = {
	{ "flush_sq", run_sq, "the send queue, in order", NULL },
	{ "flush_sq_unsignalled", run_sq, "unsignalled requests too", ARG_YES },
	{ "flush_rq", run_rq, "the receive queue, in order", NULL },
	{ "flush_after", run_after, "what is posted in ERR", NULL },
	{ "flush_middle", run_middle, "around a broken request in the middle", NULL },
	{ "flush_destroy", run_destroy, "a QP with work in its queues is destroyed", NULL },
	{ "flush_reset", run_reset, "RESET forgets what was posted", NULL },
	{ }
};
