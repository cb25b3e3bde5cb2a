// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several threads on one QP and one CQ.  A thread never ends the test: it leaves a reason,
 * which the main thread reports when all have been joined.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define THREADS		8
#define EACH		200
#define TOTAL		(THREADS * EACH)
#define MSG_LEN		64

struct crew {
	struct link *l;
	struct buf *b;
	u64 key;
	u64 limit;
	const char *why;
	u32 taken;		/* completions */
	u8 seen[TOTAL];
};

struct worker {
	struct crew *crew;
	u32 index;
	pthread_t thread;
};

static void give_up(struct crew *c, const char *why)
{
	__atomic_store_n(&c->why, why, __ATOMIC_RELAXED);
}

static bool running(struct crew *c)
{
	if (__atomic_load_n(&c->why, __ATOMIC_RELAXED))
		return false;
	if (clock_passed(c->limit))
		give_up(c, "no progress in time");
	return true;
}

/* Message @i of worker @w: a pattern that names both in front. */
static void make_message(struct crew *c, u32 w, u32 i, u8 *p)
{
	u32 head[2] = { w, i };

	pattern_fill(p, MSG_LEN, c->key + w * EACH + i, 0);
	memcpy(p, head, sizeof(head));
}

static void *post_all(void *arg)
{
	struct worker *w = arg;
	struct crew *c = w->crew;
	u32 i = 0;
	int ret;

	while (i < EACH && running(c)) {
		u32 id = w->index * EACH + i;
		struct ibv_sge sge = buf_sge(c->b, id * MSG_LEN, MSG_LEN);
		struct ibv_send_wr wr = wr_make(IBV_WR_SEND, id, &sge, 1);
		struct ibv_send_wr *bad;

		make_message(c, w->index, i, c->b->p + id * MSG_LEN);
		ret = ibv_post_send(c->l->qp, &wr, &bad);
		if (!ret)
			i++;
		else if (ret == ENOMEM)
			sched_yield();
		else
			give_up(c, "a post was refused");
	}
	return NULL;
}

/* Each completion must be given to one of the pollers, once. */
static void *poll_some(void *arg)
{
	struct worker *w = arg;
	struct crew *c = w->crew;
	struct ibv_wc wc[4];
	int i, n;

	while (__atomic_load_n(&c->taken, __ATOMIC_RELAXED) < TOTAL && running(c)) {
		n = ibv_poll_cq(c->l->scq->ibv, 4, wc);
		if (n < 0)
			give_up(c, "ibv_poll_cq fails");
		if (n <= 0)
			sched_yield();
		for (i = 0; i < n; i++) {
			if (wc[i].status != IBV_WC_SUCCESS || wc[i].wr_id >= TOTAL)
				give_up(c, "a completion with an error");
			else if (__atomic_fetch_add(&c->seen[wc[i].wr_id], 1, __ATOMIC_RELAXED))
				give_up(c, "a completion came twice");
			__atomic_fetch_add(&c->taken, 1, __ATOMIC_RELAXED);
		}
	}
	return NULL;
}

static void start_worker(struct test *t, struct crew *c, struct worker *w, u32 index,
			 void *(*fn)(void *))
{
	w->crew = c;
	w->index = index;
	if (pthread_create(&w->thread, NULL, fn, w))
		test_fail(t, "cannot start a thread");
}

static void run_crew(struct test *t, struct crew *c, u32 pollers)
{
	struct worker *w = res_alloc(t, (THREADS + pollers) * sizeof(*w));
	u32 i;

	c->limit = clock_limit(4 * LIMIT_EVENT_MS);
	for (i = 0; i < THREADS; i++)
		start_worker(t, c, &w[i], i, post_all);
	for (i = 0; i < pollers; i++)
		start_worker(t, c, &w[THREADS + i], i, poll_some);
	for (i = 0; i < THREADS + pollers; i++)
		pthread_join(w[i].thread, NULL);
	if (c->why)
		test_fail(t, "%s, after %u of %u completions", c->why, c->taken, TOTAL);
}

static void receive_all(struct test *t, struct crew *c)
{
	u32 next[THREADS] = { 0 }, head[2], i;
	u8 want[MSG_LEN], *p;

	for (i = 0; i < TOTAL; i++) {
		cq_expect(t, c->l->rcq, i, IBV_WC_SUCCESS, NULL);
		p = c->b->p + i * MSG_LEN;
		memcpy(head, p, sizeof(head));
		if (head[0] >= THREADS || head[1] != next[head[0]])
			test_fail(t, "message %u of thread %u is out of order", head[1], head[0]);
		make_message(c, head[0], head[1], want);
		if (memcmp(p, want, MSG_LEN))
			test_fail(t, "message %u of thread %u is wrong", head[1], head[0]);
		next[head[0]]++;
	}
}

static void run_threads(struct test *t)
{
	struct crew *c = res_alloc(t, sizeof(*c));
	struct link_opts o;
	struct ibv_sge sge;
	u32 i;

	link_defaults(t, &o, IBV_QPT_RC);
	o.cap.max_recv_wr = TOTAL;
	o.scq = cq_new(t, 2 * TOTAL);
	c->b = buf_new(t, TOTAL * MSG_LEN, ACCESS_ALL);
	c->key = t->key;
	c->l = link_open(t, &o);
	for (i = 0; !t->client && i < TOTAL; i++) {
		sge = buf_sge(c->b, i * MSG_LEN, MSG_LEN);
		link_recv(c->l, i, &sge, 1);
	}
	test_sync(t);
	if (t->client)
		run_crew(t, c, t->c->arg ? 3 : 1);
	else
		receive_all(t, c);
}

const struct suite_case threads_cases[] = {
	{ "threads_post", run_threads, "eight threads post to one QP", NULL },
	{ "threads_poll", run_threads, "the same, and three poll one CQ", ARG_YES },
	{ }
};
