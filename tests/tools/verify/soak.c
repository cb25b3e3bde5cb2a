// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rounds of requests of all kinds on several QPs, on a wire that others change meanwhile.
 *
 * A round ends when each request of this side is done, or has failed in a way that is allowed;
 * which of them were done is then told to the peer, that knows by this what it must have received
 * and what its memory must hold.  A request that failed may have been executed, not at all, in
 * part, or wholly.
 */
#include <stdio.h>
#include <string.h>

#include "res.h"
#include "soak.h"

#define SOAK_DEPTH	16
#define SGES		3
#define LONGEST		40000
/* Beyond what the attributes of the QP allow, for a machine that is slow */
#define SLACK_MS	30000

struct report {
	u32 failed;
	struct {
		u32 done;
		u32 keys[SOAK_SETS][SOAK_WINDOWS];
	} link[SOAK_QPS];
};

static bool requests(const struct soak *s, bool mine)
{
	return !s->o.one_way || s->t->client == mine;
}

/*
 * How long a QP may be without progress, in ms: IBTA 9.7.6.1.3 lets each of the retries, and the
 * first attempt, take up to four times the local ACK timeout.
 */
static u64 patience_ms(const struct soak_opts *o)
{
	return 4 * (o->retry_cnt + 1ull) * (4096ull << o->timeout) / 1000000 + SLACK_MS;
}

static void set_path(struct qp_path *path, const struct soak_opts *o)
{
	path->timeout = o->timeout;
	path->retry_cnt = o->retry_cnt;
	path->rnr_retry = o->rnr_retry;
	path->min_rnr_timer = o->min_rnr_timer;
}

static void set_opts(struct soak *s, const struct soak_opts *o)
{
	s->o = *o;
	s->t->peer_ms = 2 * patience_ms(o) + LIMIT_PEER_MS;
}

static void make_windows(struct soak *s, struct soak_link *sl)
{
	u32 set, i;

	for (set = 0; set < SOAK_SETS; set++)
		for (i = 0; i < SOAK_WINDOWS; i++)
			sl->mw[set][i] = res_mw(s->t, IBV_MW_TYPE_2);
}

static void renew_windows(struct soak *s, struct soak_link *sl)
{
	u32 set, i;

	for (set = 0; set < SOAK_SETS; set++)
		for (i = 0; i < SOAK_WINDOWS; i++)
			if (res_drop(s->t, sl->mw[set][i]))
				test_fail(s->t, "ibv_dealloc_mw fails");
	make_windows(s, sl);
}

static void make_buffers(struct soak *s, struct soak_link *sl)
{
	size_t size = SOAK_REQUESTS * vec_slot_size(64, LONGEST + 64, SGES);

	sl->out_buf = buf_new(s->t, size, ACCESS_ALL);
	sl->in_buf = buf_new(s->t, size, ACCESS_ALL | IBV_ACCESS_MW_BIND);
	sl->out_plan = plan_new(s->t, SOAK_REQUESTS, 0);
	sl->in_plan = plan_new(s->t, SOAK_REQUESTS, 0);
}

static void open_link(struct soak *s, struct soak_link *sl, u32 nr)
{
	struct link_opts o;

	link_defaults(s->t, &o, IBV_QPT_RC);
	o.cap.max_send_wr = SOAK_DEPTH;
	o.cap.max_recv_wr = SOAK_REQUESTS;
	o.cap.max_send_sge = SGES;
	o.cap.max_recv_sge = SGES;
	o.cap.max_inline_data = 64;
	o.scq = s->cq;
	o.path.sq_psn ^= test_rnd(s->t, 500 + nr) & 0xffffff;
	set_path(&o.path, &s->o);
	sl->l = link_open(s->t, &o);
	make_buffers(s, sl);
	make_windows(s, sl);
}

static void exchange_memory(struct soak *s)
{
	struct remote mine[SOAK_QPS], theirs[SOAK_QPS];
	struct flow in = { 0 };
	u32 i;

	for (i = 0; i < SOAK_QPS; i++) {
		in.buf = s->link[i].in_buf;
		flow_locate(&in, &mine[i]);
	}
	test_exchange(s->t, mine, theirs, sizeof(mine));
	for (i = 0; i < SOAK_QPS; i++)
		s->link[i].remote = theirs[i];
}

struct soak *soak_open(struct test *t, const struct soak_opts *o)
{
	struct soak *s = res_alloc(t, sizeof(*s));
	u32 i;

	s->t = t;
	set_opts(s, o);
	s->cq = cq_new(t, SOAK_QPS * (SOAK_DEPTH + SOAK_REQUESTS));
	for (i = 0; i < SOAK_QPS; i++)
		open_link(s, &s->link[i], i);
	exchange_memory(s);
	return s;
}

/* Windows of the other set than this round's were bound in the last. */
static void plan_link(struct soak *s, struct soak_link *sl, u32 nr)
{
	u64 tag = 2 * (SOAK_QPS * (u64)s->round + nr);
	u32 now = s->round % SOAK_SETS, before = !now, mine[SOAK_WINDOWS], i;
	struct soak_windows out = { .bind = sl->mw[now], .over = sl->in_buf };
	struct soak_windows in = { .bind = NULL };

	for (i = 0; i < SOAK_WINDOWS; i++)
		mine[i] = sl->mw[before][i]->rkey;
	if (s->bound) {
		out.reach = sl->keys[before];
		in.reach = mine;
	}
	soak_plan(sl->out_plan, tag + s->t->client, &out);
	soak_plan(sl->in_plan, tag + !s->t->client, &in);
}

static void prepare_link(struct soak *s, struct soak_link *sl)
{
	sl->out = (struct flow) {
		.l = sl->l, .buf = sl->out_buf, .remote = sl->remote,
		.plan = requests(s, true) ? sl->out_plan : NULL,
		.failure = s->o.failure,
	};
	sl->in = (struct flow) {
		.l = sl->l, .buf = sl->in_buf,
		.plan = requests(s, false) ? sl->in_plan : NULL,
	};
	if (sl->out.plan)
		flow_prepare(&sl->out, true);
	if (sl->in.plan)
		flow_prepare(&sl->in, false);
}

static void post_more(struct soak *s)
{
	bool more;
	u32 i;

	do {
		more = false;
		for (i = 0; i < SOAK_QPS; i++) {
			if (!flow_may_post(&s->link[i].out))
				continue;
			flow_post(&s->link[i].out);
			more = true;
		}
	} while (more);
}

void soak_feed(struct soak *s)
{
	u32 i;

	for (i = 0; i < SOAK_QPS; i++)
		if (s->link[i].in.plan)
			flow_post_recvs(&s->link[i].in);
	s->fed = true;
}

void soak_start(struct soak *s)
{
	u32 i;

	s->failed = false;
	s->fed = false;
	for (i = 0; i < SOAK_QPS; i++) {
		/* Nobody takes windows away that a peer without requests does not use */
		if (s->o.one_way)
			renew_windows(s, &s->link[i]);
		plan_link(s, &s->link[i], i);
		prepare_link(s, &s->link[i]);
	}
	if (!s->o.starve)
		soak_feed(s);
	test_sync(s->t);
	for (i = 0; i < SOAK_QPS; i++)
		s->link[i].started = clock_us();
	post_more(s);
}

static struct soak_link *find_link(struct soak *s, u32 qpn)
{
	u32 i;

	for (i = 0; i < SOAK_QPS; i++)
		if (s->link[i].l->qp->qp_num == qpn)
			return &s->link[i];
	test_fail(s->t, "a completion of QP %#x, which is none of ours", qpn);
}

static void complete(struct soak *s, const struct ibv_wc *wc)
{
	struct soak_link *sl = find_link(s, wc->qp_num);
	bool failed = sl->out.failed;

	flow_complete(&sl->out, &sl->in, wc);
	if (sl->out.failed && !failed) {
		s->failed = true;
		sl->ended = clock_us();
	}
}

static void __noreturn report_stuck(struct soak *s)
{
	char text[160];
	u32 i, n = 0;

	for (i = 0; i < SOAK_QPS; i++) {
		const struct soak_link *sl = &s->link[i];

		n += snprintf(text + n, sizeof(text) - n, " QP %#x: %u requests, %u receives;",
			      sl->l->qp->qp_num, sl->out.completed,
			      sl->in.received + sl->in.flushed);
	}
	test_fail(s->t, "round %u: nothing was done and nothing failed for %llu ms;%s", s->round,
		  (unsigned long long)clock_scaled_ms(patience_ms(&s->o)), text);
}

static void wait_one(struct soak *s)
{
	struct ibv_wc wc;

	if (!cq_until(s->t, s->cq, &wc, clock_limit(patience_ms(&s->o))))
		report_stuck(s);
	complete(s, &wc);
}

static bool any_request_open(const struct soak *s)
{
	u32 i;

	for (i = 0; i < SOAK_QPS; i++)
		if (flow_requests_open(&s->link[i].out))
			return true;
	return false;
}

/* What the peer knows to be done was received; a QP that failed gives all back. */
static bool must_receive(const struct soak *s, const struct soak_link *sl)
{
	u32 i;

	if (!s->fed || !sl->in.plan)
		return false;
	if (sl->out.failed)
		return flow_recvs_open(&sl->in);
	for (i = sl->in.reached; i < sl->sure; i++)
		if (sl->in.plan->x[i].op->uses_recv)
			return true;
	return false;
}

static bool any_receive_due(const struct soak *s)
{
	u32 i;

	for (i = 0; i < SOAK_QPS; i++)
		if (must_receive(s, &s->link[i]))
			return true;
	return false;
}

static u32 requests_done(const struct soak_link *sl)
{
	if (!sl->out.plan)
		return 0;
	return sl->out.failed ? sl->out.done : sl->out.plan->num;
}

static void exchange_reports(struct soak *s)
{
	struct report mine = { .failed = s->failed }, theirs;
	u32 i, set, w;

	for (i = 0; i < SOAK_QPS; i++) {
		mine.link[i].done = requests_done(&s->link[i]);
		for (set = 0; set < SOAK_SETS; set++)
			for (w = 0; w < SOAK_WINDOWS; w++)
				mine.link[i].keys[set][w] = s->link[i].mw[set][w]->rkey;
	}
	test_exchange(s->t, &mine, &theirs, sizeof(mine));
	s->peer_failed = theirs.failed;
	for (i = 0; i < SOAK_QPS; i++) {
		s->link[i].sure = theirs.link[i].done;
		memcpy(s->link[i].keys, theirs.link[i].keys, sizeof(s->link[i].keys));
	}
}

static void check_link(struct soak *s, struct soak_link *sl)
{
	if (sl->out.plan)
		flow_check(&sl->out, true, requests_done(sl));
	if (sl->in.plan)
		flow_check(&sl->in, false, max_u32(sl->sure, sl->in.reached));
	link_expect_state(sl->l, sl->out.failed ? IBV_QPS_ERR : IBV_QPS_RTS);
	s->operations += requests_done(sl) + sl->sure;
}

void soak_finish(struct soak *s)
{
	struct ibv_wc wc;
	u32 i;

	while (any_request_open(s)) {
		wait_one(s);
		post_more(s);
	}
	exchange_reports(s);
	while (any_receive_due(s))
		wait_one(s);
	while (cq_poll(s->t, s->cq, &wc, 1))
		complete(s, &wc);
	for (i = 0; i < SOAK_QPS; i++)
		check_link(s, &s->link[i]);
	s->bound = !s->o.one_way;
	s->round++;
}

void soak_round(struct soak *s)
{
	soak_start(s);
	soak_finish(s);
}

/* The GID table follows the addresses with a delay. */
static void find_gid(struct soak *s)
{
	u64 limit = clock_limit(LIMIT_EVENT_MS);

	while (!dev_find_gid(s->t->dev)) {
		if (clock_passed(limit))
			test_fail(s->t, "the source GID is not there any more");
		clock_sleep_ms(20);
	}
}

void soak_again(struct soak *s, const struct soak_opts *o)
{
	u32 i;

	set_opts(s, o);
	s->bound = false;
	find_gid(s);
	for (i = 0; i < SOAK_QPS; i++) {
		u64 rnd = test_rnd(s->t, 1000 + 16 * s->round + 2 * i + s->t->client);
		struct link *l = s->link[i].l;

		link_to_state(l, IBV_QPS_RESET);
		renew_windows(s, &s->link[i]);
		set_path(&l->path, o);
		l->path.sgid_index = s->t->dev->gid_index;
		l->path.sq_psn = rnd & 0xffffff;
		link_connect(l);
	}
}
