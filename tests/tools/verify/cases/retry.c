// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC retries: receiver not ready, a peer that does not answer or answers NAK for ever.  Each
 * must end with the right status, in bounded time, or not end at all where so configured.
 */
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define FLUSHED		IBV_WC_WR_FLUSH_ERR
#define BOUND_MS	20000

/* ACK timeout 16.8 ms, 2 retries: about 0.2 s by IBTA 9.7.6.1.3, which allows 4 times each. */
#define SHORT_TIMEOUT	12
#define SHORT_RETRIES	2

static struct link *open_short(struct test *t, u8 rnr_retry)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.path.rnr_retry = rnr_retry;
	o.path.timeout = SHORT_TIMEOUT;
	o.path.retry_cnt = SHORT_RETRIES;
	return link_open(t, &o);
}

/* Three SENDs: the first fails with @status in bounded time, the others are flushed. */
static void expect_failure(struct link *l, enum ibv_wc_status status)
{
	struct test *t = l->t;
	u64 limit;
	u32 i;

	limit = clock_limit(BOUND_MS);
	for (i = 1; i <= 3; i++)
		link_send(l, i, NULL, 0);
	cq_expect(t, l->scq, 1, status, NULL);
	if (clock_passed(limit))
		test_fail(t, "it took more than %u s", BOUND_MS / 1000);
	cq_expect(t, l->scq, 2, FLUSHED, NULL);
	cq_expect(t, l->scq, 3, FLUSHED, NULL);
	link_expect_state(l, IBV_QPS_ERR);
}

/* No receive request at the server. */
static void run_rnr(struct test *t)
{
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	o.path.rnr_retry = t->c->arg ? 2 : 0;
	l = link_open(t, &o);
	if (t->client)
		expect_failure(l, IBV_WC_RNR_RETRY_EXC_ERR);
	test_sync(t);
	if (!t->client)
		link_expect_state(l, IBV_QPS_RTS);
}

/* rnr_retry 7 waits for ever; the message goes through once there is a receive request. */
static void run_rnr_forever(struct test *t)
{
	struct buf *b = buf_new(t, 65536, ACCESS_ALL);
	struct link *l = link_open_rc(t);
	struct ibv_sge sge = buf_sge(b, 0, 20000);
	u32 i;

	if (t->client) {
		pattern_fill(b->p, 20000, t->key, 0);
		for (i = 0; i < 5; i++)
			link_send(l, i, &sge, 1);
		clock_sleep_ms(1000);
		cq_quiet(t, l->scq);
	}
	test_sync(t);
	for (i = 0; !t->client && i < 5; i++) {
		clock_sleep_ms(20);
		link_recv(l, i, &sge, 1);
	}
	for (i = 0; i < 5; i++)
		cq_expect(t, l->scq, i, IBV_WC_SUCCESS, NULL);
	pattern_check(t, b->p, 20000, t->key, "message");
}

/* WRITE_WITH_IMM waits for a receive request too; its data may be there before. */
static void run_rnr_write(struct test *t)
{
	struct buf *b = buf_new(t, 65536, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct link *l = link_open_rc(t);
	struct ibv_sge sge = buf_sge(b, 0, 20000);
	struct ibv_send_wr wr;

	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		pattern_fill(b->p, 20000, t->key, 0);
		wr = wr_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, 1, &sge, r.addr, r.rkey);
		link_post(l, &wr);
		cq_quiet(t, l->scq);
	}
	test_sync(t);
	if (!t->client)
		link_recv(l, 1, NULL, 0);
	cq_expect(t, l->scq, 1, IBV_WC_SUCCESS, NULL);
	pattern_check(t, b->p, 20000, t->key, "message");
}

static void run_peer_gone(struct test *t)
{
	struct link *l = open_short(t, 7);

	if (!t->client && link_destroy(l))
		test_fail(t, "ibv_destroy_qp fails");
	test_sync(t);
	if (t->client)
		expect_failure(l, IBV_WC_RETRY_EXC_ERR);
}

static void run_peer_state(struct test *t)
{
	struct link *l = open_short(t, 7);

	if (!t->client)
		link_to_state(l, t->c->arg ? IBV_QPS_ERR : IBV_QPS_RESET);
	test_sync(t);
	if (t->client)
		expect_failure(l, IBV_WC_RETRY_EXC_ERR);
}

/* The client's first PSN is not the one that the server expects: NAK after NAK. */
static void run_wrong_psn(struct test *t)
{
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	o.path.timeout = SHORT_TIMEOUT;
	o.path.retry_cnt = SHORT_RETRIES;
	l = link_create(t, &o);
	link_exchange(l);
	if (t->client)
		l->path.sq_psn = (l->path.sq_psn + 100) & 0xffffff;
	link_init(l);
	link_rtr(l);
	link_rts(l);
	if (!t->client)
		link_recv(l, 1, NULL, 0);
	test_sync(t);
	if (t->client)
		expect_failure(l, IBV_WC_RETRY_EXC_ERR);
	test_sync(t);
	if (!t->client)
		cq_quiet(t, l->rcq);
}

/* A QP in error recovers by RESET and a new connection, with the peer's end still there. */
static void run_recover(struct test *t)
{
	struct link *l = open_short(t, 0);

	if (t->client)
		expect_failure(l, IBV_WC_RNR_RETRY_EXC_ERR);
	test_sync(t);
	link_to_state(l, IBV_QPS_RESET);
	link_connect(l);
	if (!t->client)
		link_recv(l, 9, NULL, 0);
	test_sync(t);
	if (t->client)
		link_send(l, 9, NULL, 0);
	cq_expect(t, l->scq, 9, IBV_WC_SUCCESS, NULL);
}

const struct suite_case retry_cases[] = {
	{ "retry_rnr_0", run_rnr, "no receive request, rnr_retry 0", NULL },
	{ "retry_rnr_2", run_rnr, "no receive request, rnr_retry 2", ARG_YES },
	{ "retry_rnr_forever", run_rnr_forever, "rnr_retry 7 waits", NULL },
	{ "retry_rnr_write", run_rnr_write, "WRITE_WITH_IMM waits for a receive request", NULL },
	{ "retry_peer_gone", run_peer_gone, "the peer's QP is destroyed", NULL },
	{ "retry_peer_reset", run_peer_state, "the peer's QP is in RESET", NULL },
	{ "retry_peer_error", run_peer_state, "the peer's QP is in ERR", ARG_YES },
	{ "retry_wrong_psn", run_wrong_psn, "a PSN that never fits", NULL },
	{ "retry_recover", run_recover, "RESET and a new connection after an error", NULL },
	{ }
};
