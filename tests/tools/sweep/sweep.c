// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The sweep of one step: its call is made again and again; the first time its first allocation
 * fails, then its second, until there was none left to fail.  Each call that fails is followed by
 * one that has to succeed, and nothing may be left over of either.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inject.h"
#include "rdmanl.h"
#include "suite.h"
#include "sweep.h"
#include "symbols.h"

/* More than any call allocates: there is no end to be seen then */
#define MOST_POINTS	200000

/* In percent.  Messages of many packets come through, and few do so without a loss. */
#define RANDOM_CHANCE	3

/* So many calls of a slow step fail before one is made again, if all is as if there was none */
#define SLOW_AGAIN	8

struct sweep {
	struct bench *b;
	const struct step *step;
	struct tally *tally;
	u32 point;
	bool hit;
	struct rdmanl_counts here;	/* before anything of the step */
	struct rdmanl_counts there;
};

__printf(2, 3)
static int complain(const struct sweep *s, const char *why, ...)
{
	char text[256];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	suite_fail("allocation %u%s: %s", s->point, s->hit ? "" : " not reached", text);
	return -1;
}

static int run(const struct sweep *s, int (*part)(struct bench *b), const char *what)
{
	int err = part ? part(s->b) : 0;

	return err ? complain(s, "%s: %s", what, strerror(err)) : 0;
}

static int read_counts(struct sweep *s, struct rdmanl_counts *here, struct rdmanl_counts *there)
{
	int err;

	memset(here, 0, sizeof(*here));
	memset(there, 0, sizeof(*there));
	if (s->step->flags & STEP_ALONE)
		return 0;
	err = rdmanl_count(s->b->here.index, here) ?: rdmanl_count(s->b->there.index, there);
	return err ? complain(s, "cannot count objects: %s", strerror(err)) : 0;
}

static int compare(struct sweep *s, const struct rdmanl_counts *here,
		   const struct rdmanl_counts *there, const char *when)
{
	struct rdmanl_counts now, now_there;

	if (read_counts(s, &now, &now_there))
		return -1;
	if (rdmanl_same(&now, here) && rdmanl_same(&now_there, there))
		return 0;
	rdmanl_note("before, here", here);
	rdmanl_note("before, there", there);
	rdmanl_note("now, here", &now);
	rdmanl_note("now, there", &now_there);
	return complain(s, "objects left over %s", when);
}

static bool is_excused(const struct step *step, int err)
{
	const struct excuse *excuse;

	if (err == ENOMEM)
		return true;
	for (excuse = step->excuses; excuse && excuse->err; excuse++)
		if (excuse->err == err)
			return true;
	return false;
}

static int after_success(struct sweep *s)
{
	return run(s, s->step->check, "it says that it succeeded") ?:
	       run(s, s->step->undo, "undoing it");
}

/* All has to be as it was, and the same call has to succeed now; of slow ones, now and then */
static int after_failure(struct sweep *s, int err, const struct rdmanl_counts *here,
			 const struct rdmanl_counts *there)
{
	const struct step *step = s->step;

	if (!s->hit || step->flags & STEP_SURE || !is_excused(step, err))
		return complain(s, "the call failed: %s", strerror(err));
	s->tally->failed++;
	if (compare(s, here, there, "after the call that failed") ||
	    run(s, step->intact, "after the call that failed"))
		return -1;
	if (step->thin && step->undo && s->tally->failed % SLOW_AGAIN)
		return 0;
	if (step->flags & STEP_FRESH &&
	    (run(s, step->finish, "taking down") || run(s, step->prepare, "setting up again")))
		return -1;
	return run(s, step->call, "the second call") ?: after_success(s);
}

/* Return: 0, or -1; s->hit says whether there was an allocation to fail. */
static int try_point(struct sweep *s)
{
	const struct step *step = s->step;
	struct rdmanl_counts here, there;
	int err;

	s->hit = false;
	if (run(s, step->prepare, "setting up") || read_counts(s, &here, &there))
		return -1;
	if (s->point)
		inject_nth(s->point);
	err = step->call(s->b);
	s->hit = inject_end() && s->point;
	if (err) {
		err = after_failure(s, err, &here, &there);
	} else {
		s->tally->survived += s->hit;
		err = after_success(s);
	}
	return err ?: run(s, step->finish, "taking down") ?:
	       compare(s, &s->here, &s->there, "at the end");
}

/* Of so many points of a step one is tried */
static u32 group_size(const struct sweep *s)
{
	return s->step->thin ? s->step->thin * s->b->options->every : 1;
}

/* Which one, the seed says; in the first group it is one that has to be there */
static u32 next_point(const struct sweep *s, u32 group)
{
	u64 chance = (s->b->options->seed + group) * 0x9e3779b97f4a7c15;
	u32 size = group_size(s), span = size;

	if (!group && s->step->least && s->step->least < size)
		span = s->step->least;
	return 1 + group * size + (chance >> 33) % span;
}

static bool are_enough(const struct sweep *s)
{
	u32 points = s->tally->failed + s->tally->survived;

	return points >= s->step->least / group_size(s) && (points || !s->step->least);
}

static int try_points(struct sweep *s)
{
	u32 group;

	for (group = 0; ; group++) {
		s->point = next_point(s, group);
		if (s->point > MOST_POINTS)
			return complain(s, "there is no end to its allocations");
		if (try_point(s))
			return -1;
		if (!s->hit)
			return 0;
	}
}

static int try_round(struct sweep *s)
{
	const struct step *step = s->step;
	int err;

	if (run(s, step->prepare, "setting up"))
		return -1;
	if (!s->b->options->plain && inject_random(RANDOM_CHANCE))
		return complain(s, "the kernel's settings");
	err = step->call(s->b);
	if (!s->b->options->plain)
		s->tally->survived += inject_stop();
	if (err)
		return complain(s, "the call failed: %s", strerror(err));
	return after_success(s) ?: run(s, step->finish, "taking down") ?:
	       compare(s, &s->here, &s->there, "at the end");
}

static int try_rounds(struct sweep *s)
{
	for (s->point = 1; s->point <= s->b->options->rounds; s->point++)
		if (try_round(s))
			return -1;
	return 0;
}

static int set_reach(const struct sweep *s)
{
	static const char *const svt[] = { "svt", "svt_roce", "svt_loop" };
	const struct step *step = s->step;
	struct reach reach = reach_all;

	if (s->b->options->plain)
		return 0;
	if ((step->flags & STEP_RANDOM && symbols_modules(&reach.from, svt, ARRAY_SIZE(svt))) ||
	    (step->only && symbols_function(&reach.from, step->only)) ||
	    (step->but && symbols_function(&reach.but, step->but)) || inject_reach(&reach))
		return complain(s, "where allocations fail cannot be set");
	return 0;
}

/* The first call fails nothing: it shows that the step works, and warms caches up */
static int warm_up(struct sweep *s)
{
	if (set_reach(s) || read_counts(s, &s->here, &s->there))
		return -1;
	return s->step->flags & STEP_RANDOM ? 0 : try_point(s);
}

void sweep_step(struct bench *b, const struct step *step, struct tally *tally)
{
	struct sweep s = { .b = b, .step = step, .tally = tally };
	bool random = step->flags & STEP_RANDOM;

	if (warm_up(&s) || (b->options->plain && !random))
		return;
	if ((random ? try_rounds(&s) : try_points(&s)) || b->options->plain)
		return;
	if (!are_enough(&s))
		complain(&s, "only %u allocations failed, of at least %u there should be",
			 tally->failed + tally->survived, step->least);
	else if (step->flags & STEP_NONE && tally->failed + tally->survived)
		complain(&s, "it is not to allocate anything");
}
