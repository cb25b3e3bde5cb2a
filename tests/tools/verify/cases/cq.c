// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: events, solicited events, overflow, resize.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "async.h"
#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define RESIZE_WRITES	2000
#define RESIZE_DEPTH	32

/* An RC link whose receive completions have a channel. */
static struct link *open_evented(struct test *t)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_new(t, 128);
	o.rcq = cq_new_with_channel(t, 128);
	return link_open(t, &o);
}

/* The client sends nothing but a header, solicited or not, each after a meeting. */
static void send_on_demand(struct link *l, const bool *solicited, u32 num)
{
	u32 i;

	for (i = 0; i < num; i++) {
		struct ibv_send_wr wr = wr_make(IBV_WR_SEND, i, NULL, 0);

		if (solicited[i])
			wr.send_flags |= IBV_SEND_SOLICITED;
		test_sync(l->t);
		link_post(l, &wr);
		cq_expect_ok(l->t, l->scq, i, IBV_WC_SEND);
	}
}

static void post_empty_recvs(struct link *l, u32 num)
{
	u32 i;

	for (i = 0; i < num; i++)
		link_recv(l, i, NULL, 0);
}

/* An armed CQ gives one event at the next completion; one that is not armed gives none. */
static void run_notify(struct test *t)
{
	static const bool solicited[4] = { false, false, true, false };
	struct link *l = open_evented(t);

	if (t->client) {
		send_on_demand(l, solicited, 4);
		return;
	}
	post_empty_recvs(l, 4);
	cq_no_event(t, l->rcq);
	cq_arm(t, l->rcq, false);
	cq_no_event(t, l->rcq);
	test_sync(t);
	cq_expect_event(t, l->rcq);
	cq_expect_ok(t, l->rcq, 0, IBV_WC_RECV);
	test_sync(t);			/* not armed */
	cq_expect_ok(t, l->rcq, 1, IBV_WC_RECV);
	cq_no_event(t, l->rcq);
	cq_arm(t, l->rcq, false);
	test_sync(t);
	cq_expect_event(t, l->rcq);
	cq_expect_ok(t, l->rcq, 2, IBV_WC_RECV);
	cq_arm(t, l->rcq, false);
	cq_arm(t, l->rcq, false);	/* twice is as good as once */
	test_sync(t);
	cq_expect_event(t, l->rcq);
	cq_no_event(t, l->rcq);
	cq_expect_ok(t, l->rcq, 3, IBV_WC_RECV);
}

/* Armed for solicited completions, others pass without an event. */
static void run_solicited(struct test *t)
{
	static const bool solicited[3] = { false, true, false };
	struct link *l = open_evented(t);

	if (t->client) {
		send_on_demand(l, solicited, 3);
		return;
	}
	post_empty_recvs(l, 3);
	cq_arm(t, l->rcq, true);
	test_sync(t);
	cq_expect_ok(t, l->rcq, 0, IBV_WC_RECV);
	cq_no_event(t, l->rcq);
	test_sync(t);
	cq_expect_event(t, l->rcq);
	cq_expect_ok(t, l->rcq, 1, IBV_WC_RECV);
	cq_arm(t, l->rcq, true);
	cq_arm(t, l->rcq, false);	/* the wider wish counts */
	test_sync(t);
	cq_expect_event(t, l->rcq);
	cq_expect_ok(t, l->rcq, 2, IBV_WC_RECV);
}

/* WRITE_WITH_IMM solicits too. */
static void run_solicited_write(struct test *t)
{
	struct link *l = open_evented(t);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE_WITH_IMM, 1, NULL, 0, 0);

	wr.send_flags |= IBV_SEND_SOLICITED;
	if (!t->client) {
		post_empty_recvs(l, 1);
		cq_arm(t, l->rcq, true);
	}
	test_sync(t);
	if (t->client) {
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, 1, IBV_WC_RDMA_WRITE);
	} else {
		cq_expect_event(t, l->rcq);
		cq_expect_ok(t, l->rcq, 0, IBV_WC_RECV_RDMA_WITH_IMM);
	}
}

/* A completion with an error counts as solicited. */
static void run_solicited_error(struct test *t)
{
	struct link *l = open_evented(t);

	post_empty_recvs(l, 1);
	cq_arm(t, l->rcq, true);
	link_to_state(l, IBV_QPS_ERR);
	cq_expect_event(t, l->rcq);
	cq_expect(t, l->rcq, 0, IBV_WC_WR_FLUSH_ERR, NULL);
}

/* One more completion than the CQ holds. */
static void run_overflow(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct ibv_sge sge = buf_sge(b, 0, 8);
	struct link_opts o;
	struct link *l;
	u32 i, num;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_new(t, 1);
	o.rcq = cq_new(t, o.cap.max_recv_wr);
	num = o.scq->ibv->cqe + 8;
	o.cap.max_send_wr = num;
	if (num > (u32)t->dev->attr.orig_attr.max_qp_wr)
		test_skip(t, "the smallest CQ is larger than the largest SQ");
	l = link_open(t, &o);
	test_exchange(t, &mine, &r, sizeof(mine));
	if (!t->client)
		return;
	for (i = 0; i < num; i++) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, i, &sge, r.addr, r.rkey);
		struct ibv_send_wr *bad;

		/* the QP may be in error before the last one */
		if (ibv_post_send(l->qp, &wr, &bad))
			break;
	}
	async_expect(t, IBV_EVENT_CQ_ERR, o.scq->ibv);
}

/* The same, but the program does not mind. */
static void run_ignored_overflow(struct test *t)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(t->dev->ctx, &attr);
	struct link_opts o;
	struct link *l;
	u32 i, num;

	if (!cq && errno == EOPNOTSUPP)
		test_skip(t, "no CQ may overrun");
	if (!cq)
		test_fail(t, "ibv_create_cq_ex: %s", strerror(errno));
	res_add_cq(t, ibv_cq_ex_to_cq(cq));
	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_wrap(t, ibv_cq_ex_to_cq(cq));
	o.rcq = cq_new(t, o.cap.max_recv_wr);
	num = cq->cqe + 8;
	l = link_open(t, &o);
	test_exchange(t, &num, &num, sizeof(num));
	for (i = 0; i < num; i++)
		link_recv(l, i, NULL, 0);
	test_sync(t);
	for (i = 0; t->client && i < num; i++)
		link_send(l, i, NULL, 0);
	for (i = 0; !t->client && i < num; i++)
		cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
	test_sync(t);
	for (i = 0; t->client && i < num - 8; i++)
		cq_expect_ok(t, l->scq, i, IBV_WC_SEND);
	cq_quiet(t, l->scq);
	link_expect_state(l, IBV_QPS_RTS);
}

/* An event waits for its period, or for as many completions. */
static void run_moderation(struct test *t)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { .cq_count = 3, .cq_period = 60000 },
	};
	struct link *l = open_evented(t);
	u64 start;
	u32 i;
	int ret;

	if (!t->dev->attr.cq_mod_caps.max_cq_count)
		test_skip(t, "no moderation of CQs");
	post_empty_recvs(l, 5);
	ret = ibv_modify_cq(l->rcq->ibv, &attr);
	if (ret)
		test_fail(t, "ibv_modify_cq: %s", strerror(ret));
	for (i = 0; i < 2; i++) {
		cq_arm(t, l->rcq, false);
		start = clock_us();
		test_sync(t);
		if (t->client) {
			link_send(l, i, NULL, 0);
			cq_expect_ok(t, l->scq, i, IBV_WC_SEND);
		} else {
			cq_expect_event(t, l->rcq);
			if (clock_us() - start < attr.moderate.cq_period)
				test_fail(t, "the event did not wait");
			cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
		}
	}
	attr.moderate.cq_count = 1;
	ibv_modify_cq(l->rcq->ibv, &attr);
	cq_arm(t, l->rcq, false);
	test_sync(t);
	if (t->client) {
		link_send(l, 2, NULL, 0);
		cq_expect_ok(t, l->scq, 2, IBV_WC_SEND);
	} else {
		cq_expect_event(t, l->rcq);
		cq_expect_ok(t, l->rcq, 2, IBV_WC_RECV);
	}
	attr.attr_mask = 1u << 31;
	if (ibv_modify_cq(l->rcq->ibv, &attr) != EOPNOTSUPP)
		test_fail(t, "an unknown attribute of a CQ is accepted");
}

/* Each vector carries events. */
static void run_vectors(struct test *t)
{
	struct ibv_comp_channel *channel = res_channel(t);
	int vectors = t->dev->ctx->num_comp_vectors, v;
	struct link_opts o;
	struct link *l;

	for (v = 0; v < vectors; v++) {
		struct ibv_cq *ibv;
		struct cq *cq = cq_wrap(t, NULL);

		ibv = ibv_create_cq(t->dev->ctx, 16, cq, channel, v);
		if (!ibv)
			test_fail(t, "no CQ on vector %d: %s", v, strerror(errno));
		res_add_cq(t, ibv);
		cq->ibv = ibv;
		cq->chan = channel;
		link_defaults(t, &o, IBV_QPT_RC);
		o.rcq = cq;
		o.scq = cq_new(t, o.cap.max_send_wr);
		l = link_open(t, &o);
		post_empty_recvs(l, 1);
		cq_arm(t, cq, false);
		test_sync(t);
		link_send(l, 1, NULL, 0);
		cq_expect_ok(t, l->scq, 1, IBV_WC_SEND);
		cq_expect_event(t, cq);
		cq_expect_ok(t, cq, 0, IBV_WC_RECV);
		test_sync(t);
	}
}

static void resize_to(struct test *t, struct cq *cq, u32 cqe)
{
	int ret = ibv_resize_cq(cq->ibv, cqe);

	if (ret == EOPNOTSUPP)
		test_skip(t, "the device cannot resize a CQ");
	if (ret)
		test_fail(t, "ibv_resize_cq to %u: %s", cqe, strerror(ret));
	if ((u32)cq->ibv->cqe < cqe)
		test_fail(t, "the CQ holds %d after a resize to %u", cq->ibv->cqe, cqe);
}

/* Completions that wait in the CQ survive its growing and shrinking, in order. */
static void run_resize(struct test *t)
{
	struct link_opts o;
	struct link *l;
	u32 i;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_new(t, 64);
	o.rcq = cq_new(t, o.cap.max_recv_wr);
	l = link_open(t, &o);
	for (i = 0; t->client && i < 60; i++) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, i, NULL, 0, 0);

		link_post(l, &wr);
		if (i == 20)
			resize_to(t, l->scq, 4000);
		if (i == 40)
			resize_to(t, l->scq, 100);
	}
	clock_sleep_ms(clock_scaled_ms(QUIET_MS));
	if (t->client && !ibv_resize_cq(l->scq->ibv, 1) && l->scq->ibv->cqe < 60)
		test_fail(t, "the CQ shrinks below what it holds");
	for (i = 0; t->client && i < 60; i++)
		cq_expect_ok(t, l->scq, i, IBV_WC_RDMA_WRITE);
}

struct resizer {
	struct ibv_cq *cq;
	bool stop;
	int err;
	u32 times;
};

static void *resize_all_the_time(void *arg)
{
	static const u32 cqes[] = { 64, 1000, 200, 5000, 100 };
	struct resizer *r = arg;

	while (!__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE) && !r->err) {
		r->err = ibv_resize_cq(r->cq, cqes[r->times % ARRAY_SIZE(cqes)]);
		r->times++;
		clock_sleep_ms(2);
	}
	return NULL;
}

/* Returns what went wrong, or NULL; a thread runs meanwhile, so that the test may not end. */
static const char *write_all_the_time(struct link *l, u32 *at)
{
	u64 limit = clock_limit(3 * LIMIT_EVENT_MS);
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	u32 posted = 0, done = 0;

	while (done < RESIZE_WRITES) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, posted, NULL, 0, 0);

		*at = done;
		if (posted < RESIZE_WRITES && posted - done < RESIZE_DEPTH) {
			if (ibv_post_send(l->qp, &wr, &bad))
				return "a post was refused";
			posted++;
			continue;
		}
		if (clock_passed(limit))
			return "a completion was lost";
		if (ibv_poll_cq(l->scq->ibv, 1, &wc) < 1)
			continue;
		if (wc.status != IBV_WC_SUCCESS || wc.wr_id != done)
			return "a completion is wrong or out of order";
		done++;
	}
	return NULL;
}

static void run_resize_traffic(struct test *t)
{
	struct resizer r = { 0 };
	const char *why;
	struct link *l = link_open_rc(t);
	pthread_t thread;
	u32 at = 0;

	if (!t->client)
		return;
	resize_to(t, l->scq, 64);
	r.cq = l->scq->ibv;
	if (pthread_create(&thread, NULL, resize_all_the_time, &r))
		test_fail(t, "no thread");
	why = write_all_the_time(l, &at);
	__atomic_store_n(&r.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	if (why)
		test_fail(t, "%s, at %u of %u writes, %u resizes", why, at, RESIZE_WRITES, r.times);
	if (r.err)
		test_fail(t, "ibv_resize_cq: %s", strerror(r.err));
}

/* What is in use cannot be destroyed. */
static void run_busy(struct test *t)
{
	struct ibv_pd *pd = res_pd(t);
	u8 *p = res_map(t, 4096);
	struct ibv_srq *srq;
	struct link_opts o;
	struct link *l;

	res_mr(t, pd, p, 4096, ACCESS_ALL);
	if (ibv_dealloc_pd(pd) != EBUSY)
		test_fail(t, "a PD with a region is not busy");
	link_defaults(t, &o, IBV_QPT_RC);
	l = link_open(t, &o);
	if (ibv_destroy_cq(l->scq->ibv) != EBUSY)
		test_fail(t, "a CQ with a QP is not busy");
	if (!t->dev->attr.orig_attr.max_srq)
		return;
	srq = res_srq(t, 16, 1);
	o.srq = srq;
	l = link_open(t, &o);
	if (ibv_destroy_srq(srq) != EBUSY)
		test_fail(t, "an SRQ with a QP is not busy");
}

static void run_limits(struct test *t)
{
	u32 max = t->dev->attr.orig_attr.max_cqe;
	struct ibv_cq *cq;

	cq = ibv_create_cq(t->dev->ctx, max + 1, NULL, NULL, 0);
	if (cq)
		test_fail(t, "a CQ larger than max_cqe can be created");
	cq = ibv_create_cq(t->dev->ctx, 16, NULL, NULL, t->dev->ctx->num_comp_vectors + 1);
	if (cq)
		test_fail(t, "a CQ on a vector that is not there can be created");
}

const struct suite_case cq_cases[] = {
	{ "cq_notify", run_notify, "one event for each time it is armed", NULL },
	{ "cq_solicited", run_solicited, "solicited events only", NULL },
	{ "cq_solicited_write", run_solicited_write, "WRITE_WITH_IMM solicits", NULL },
	{ "cq_solicited_error", run_solicited_error, "an error counts as solicited", NULL },
	{ "cq_overflow", run_overflow, "overflow gives IBV_EVENT_CQ_ERR", NULL },
	{ "cq_ignored_overflow", run_ignored_overflow, "overflow that is to be ignored", NULL },
	{ "cq_moderation", run_moderation, "events wait for more completions", NULL },
	{ "cq_vectors", run_vectors, "events on each completion vector", NULL },
	{ "cq_resize", run_resize, "completions survive a resize", NULL },
	{ "cq_resize_traffic", run_resize_traffic, "resize under traffic", NULL },
	{ "cq_busy", run_busy, "what is in use cannot be destroyed", NULL },
	{ "cq_limits", run_limits, "CQ size and vector are checked", NULL },
	{ }
};
