// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traffic of all operations on a wire that a script breaks and mends: what has to survive, and how
 * it has to end where it cannot.
 *
 * A case tells the script `at WORD' and goes on when the script has said the next word: see the
 * functions of tests/hostile/40-wire.sh.
 */

#include "cue.h"
#include "soak.h"
#include "tables.h"

/* Operations that are enough without a script */
#define SOAK_ALONE	600
#define ROUNDS_AFTER	2

/* 4.3 s, four times eight: what has to survive has two minutes for it */
static const struct soak_opts patient = {
	.timeout = 20, .retry_cnt = 7, .rnr_retry = 7, .min_rnr_timer = 12,
};

static void tell_operations(const struct soak *s)
{
	if (s->t->client)
		suite_note("operations %llu", (unsigned long long)s->operations);
}

/* The client decides, both know. */
static bool is_enough(struct soak *s)
{
	u32 mine = 0, theirs;

	if (s->t->client && s->t->run->cues)
		mine = cue_given(s->t, "done");
	else if (s->t->client)
		mine = s->operations >= SOAK_ALONE;
	test_exchange(s->t, &mine, &theirs, sizeof(mine));
	return mine || theirs;
}

/* Whatever the script does, everything completes. */
static void run_soak(struct test *t)
{
	struct soak *s = soak_open(t, &patient);

	do {
		soak_round(s);
		tell_operations(s);
	} while (!is_enough(s));
}

/* The same QPs work again once the wire does. */
static void recover(struct soak *s)
{
	u32 i;

	if (s->t->run->scripted) {
		cue_at(s->t, "given_up");
		cue_meet(s->t, "mended");
	}
	soak_again(s, &patient);
	for (i = 0; i < ROUNDS_AFTER; i++)
		soak_round(s);
}

/* The wire is cut some time, and stays so until the QPs have failed. */
static void run_give_up(struct test *t)
{
	struct soak *s;

	cue_need(t);
	s = soak_open(t, t->c->arg);
	do {
		soak_round(s);
		tell_operations(s);
	} while (!s->failed && !s->peer_failed);
	recover(s);
}

static u32 leading_binds(const struct plan *p)
{
	u32 i = 0;

	while (i < p->num && p->x[i].op->binds)
		i++;
	return i;
}

/* Each attempt has the local ACK timeout at least (IBTA 9.7.6.1.3). */
static u64 least_us(const struct soak_opts *o)
{
	return (o->retry_cnt + 1ull) * (4096ull << o->timeout) / 1000;
}

static void expect_all_failed(const struct soak *s, u64 least)
{
	u32 i;

	for (i = 0; i < SOAK_QPS; i++) {
		const struct soak_link *sl = &s->link[i];

		if (!sl->out.plan)
			continue;
		if (!sl->out.failed)
			test_fail(s->t, "QP %u did not fail", i);
		if (sl->ended - sl->started < least)
			test_fail(s->t, "QP %u gave up after %llu us, %llu is the least", i,
				  (unsigned long long)(sl->ended - sl->started),
				  (unsigned long long)least);
	}
}

/* The wire is cut before anything is posted: nothing gets through, and the retries take time. */
static void run_cut(struct test *t)
{
	const struct soak_opts *o = t->c->arg;
	struct soak *s;
	u32 i;

	cue_need(t);
	s = soak_open(t, o);
	cue_at(t, "ready");
	cue_meet(t, "cut");
	soak_round(s);
	expect_all_failed(s, least_us(o));
	for (i = 0; i < SOAK_QPS; i++) {
		const struct soak_link *sl = &s->link[i];

		if (sl->out.plan && sl->out.done != leading_binds(sl->out.plan))
			test_fail(t, "QP %u: request %u is done, on a wire that was cut", i,
				  sl->out.done - 1);
	}
	recover(s);
}

/* No receive request is there until the script says so, which may be long. */
static void run_starve(struct test *t)
{
	struct soak_opts o = patient;
	struct soak *s;

	cue_need(t);
	o.starve = true;
	s = soak_open(t, &o);
	soak_start(s);
	cue_at(t, "starving");
	cue_meet(t, "feed");
	soak_feed(s);
	soak_finish(s);
	tell_operations(s);
}

/* RNR NAK timer in us of code 24 (IBTA table 45) */
#define RNR_CODE	24
#define RNR_US		40960

/* None comes at all: each retry waits as long as the responder says. */
static void run_starve_give_up(struct test *t)
{
	const struct soak_opts *o = t->c->arg;
	struct soak *s = soak_open(t, o);
	u32 i;

	soak_round(s);
	expect_all_failed(s, o->rnr_retry * (u64)RNR_US);
	for (i = 0; i < SOAK_QPS; i++) {
		const struct flow *f = &s->link[i].out;

		if (f->plan && !f->plan->x[f->done].op->uses_recv)
			test_fail(t, "QP %u: %s failed, which takes no receive request", i,
				  f->plan->x[f->done].op->name);
	}
	recover(s);
}

/* Nobody answers any more who was not ready: rnr_retry 7 is no reason to wait for ever. */
static void run_starve_cut(struct test *t)
{
	struct soak *s;

	cue_need(t);
	s = soak_open(t, t->c->arg);
	soak_start(s);
	cue_at(t, "starving");
	cue_meet(t, "cut");
	soak_finish(s);
	expect_all_failed(s, 0);
	recover(s);
}

#define DEAD(t, r)	.timeout = t, .retry_cnt = r, .rnr_retry = 7, .min_rnr_timer = 12, \
			.failure = IBV_WC_RETRY_EXC_ERR
#define STARVED(r)	.timeout = 19, .retry_cnt = 7, .rnr_retry = r, .min_rnr_timer = RNR_CODE, \
			.failure = IBV_WC_RNR_RETRY_EXC_ERR, .one_way = true, .starve = true

const struct suite_case wire_cases[] = {
	{ "rc_soak", run_soak, "all operations on several QPs, until the script is done", NULL },
	{ "wire_give_up", run_give_up, "the wire is cut under traffic",
	  &(const struct soak_opts) { DEAD(16, 1) } },
	{ "wire_give_up_0", run_give_up, "the same, retry_cnt 0",
	  &(const struct soak_opts) { DEAD(17, 0) } },
	{ "wire_give_up_3", run_give_up, "the same, retry_cnt 3",
	  &(const struct soak_opts) { DEAD(14, 3) } },
	{ "wire_give_up_one_way", run_give_up, "the same, requests of one side only",
	  &(const struct soak_opts) { DEAD(15, 2), .one_way = true } },
	{ "wire_cut", run_cut, "the wire is cut before",
	  &(const struct soak_opts) { DEAD(15, 2) } },
	{ "wire_cut_0", run_cut, "the same, retry_cnt 0",
	  &(const struct soak_opts) { DEAD(17, 0) } },
	{ "wire_cut_one_way", run_cut, "the same, requests of one side only",
	  &(const struct soak_opts) { DEAD(14, 1), .one_way = true } },
	{ "wire_starve", run_starve, "no receive request until the script says so", NULL },
	{ "wire_starve_0", run_starve_give_up, "no receive request, rnr_retry 0",
	  &(const struct soak_opts) { STARVED(0) } },
	{ "wire_starve_3", run_starve_give_up, "no receive request, rnr_retry 3",
	  &(const struct soak_opts) { STARVED(3) } },
	{ "wire_starve_cut", run_starve_cut, "no receive request, then no wire, rnr_retry 7",
	  &(const struct soak_opts) { DEAD(16, 1), .starve = true } },
	{ }
};
