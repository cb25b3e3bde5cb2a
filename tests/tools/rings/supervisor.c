// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Round after round, each in a process of its own, with a seed of its own: what one round breaks is
 * gone with it, and a round that failed can be run again alone.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "flipper.h"
#include "guard.h"
#include "suite.h"
#include "supervisor.h"

#define ROUND_OPERATIONS	1000
#define ROUND_MS		60000
/* Rounds side by side: what one waits for, the other need not */
#define AT_ONCE			2

const struct attack attacks[] = {
	{ "send", 40, 30, attack_send },
	{ "receive", 12, 10, attack_receive },
	{ "index", 0, 10, attack_index },
	{ "state", 6, 5, attack_state },
	{ "keys", 6, 6, attack_keys },
	{ "groups", 2, 4, attack_groups },
	{ "resize", 3, 3, attack_resize },
	{ "events", 4, 4, attack_events },
	{ "doorbell", 0, 6, attack_doorbell },
	{ "command", 0, 100, attack_command },
	{ "ioctl", 0, 100, attack_ioctl },
	{ "mapping", 0, 20, attack_mapping },
	{ "process", 0, 1, attack_process },
};

const u32 attack_count = ARRAY_SIZE(attacks);

static const struct attack *draw_attack(const struct world *w, struct random *r)
{
	u32 i, total = 0, at;

	for (i = 0; i < attack_count; i++)
		total += w->wild ? attacks[i].wild : attacks[i].tame;
	at = random_below(r, total);
	for (i = 0; ; i++) {
		u32 weight = w->wild ? attacks[i].wild : attacks[i].tame;

		if (at < weight)
			return &attacks[i];
		at -= weight;
	}
}

struct step {
	struct world *w;
	struct random r;
	u32 done;
};

static void one_step(void *arg)
{
	struct step *s = arg;

	s->done += draw_attack(s->w, &s->r)->run(s->w, &s->r);
}

/* The ways in which a process lets go of a device */
static void leave(struct world *w, struct random *r)
{
	u32 i;

	switch (random_below(r, 5)) {
	case 0:
		world_close(w);
		break;
	case 1:
		for (i = 0; i < 2; i++)
			device_close(&w->sides[i].dev);
		flip_some(w, r, 64);
		break;
	case 2:
		w->tally->leaving = true;
		raise(SIGKILL);
		break;
	case 3:
		w->tally->leaving = true;
		execl("/bin/true", "true", NULL);
		break;
	}
}

static void leave_guarded(void *arg)
{
	struct step *s = arg;

	leave(s->w, &s->r);
}

/* Numbers of its own for each step: how the kernel answered to those before does not change them */
static void round_steps(struct world *w)
{
	struct step s = { .w = w };
	u32 i, before;

	for (i = 1; s.done < ROUND_OPERATIONS && !w->tally->failures; i++) {
		random_start(&s.r, w->seed, i);
		before = s.done;
		if (w->wild)
			guard_run(one_step, &s);
		else
			one_step(&s);
		/* A step that was ended by a fault counts as well */
		if (s.done == before)
			s.done++;
	}
	w->tally->operations += s.done;
	random_start(&s.r, w->seed, 0);
	world_check(w);
	guard_run(leave_guarded, &s);
}

static void round_run(const struct campaign *c, struct tally *tally, u32 round,
		      const struct foreign *foreign)
{
	static struct world w;
	char name[16];
	struct random r;
	bool flip;
	int ret;

	/* The kernel says whose doing it was */
	snprintf(name, sizeof(name), "rings -r %u", round);
	prctl(PR_SET_NAME, name);
	random_start(&r, c->seed, round);
	w.seed = random_u64(&r);
	w.wild = !random_one_in(&r, 3);
	flip = w.wild && !random_one_in(&r, 4);
	w.round = round;
	w.tally = tally;
	w.foreign = *foreign;
	guard_init();
	ret = world_open(&w, c->devices);
	if (!ret && flip)
		ret = flipper_start(&w);
	if (ret)
		world_fail(&w, "set-up: %s", strerror(-ret));
	else
		round_steps(&w);
}

/* A round under way */
struct slot {
	struct tally *tally;	/* shared with it */
	pid_t group;		/* 0: none */
	u32 round;
	u64 limit;
	int status;
};

struct progress {
	const struct campaign *campaign;
	const struct foreign *foreign;
	struct slot slots[AT_ONCE];
	struct tally total;
	u32 next;		/* round */
};

static void start_round(struct progress *p, struct slot *slot)
{
	struct tally *tally = slot->tally;
	pid_t pid;

	memset(tally, 0, sizeof(*tally));
	slot->round = p->next++;
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		round_run(p->campaign, tally, slot->round, p->foreign);
		_exit(0);
	}
	setpgid(pid, pid);
	slot->group = pid;
	slot->status = 0;
	slot->limit = clock_limit(ROUND_MS);
}

/* Of the whole group: children may outlive the process of the round */
static bool has_ended(struct slot *slot)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-slot->group, &status, WNOHANG)) > 0)
		if (pid == slot->group)
			slot->status = status;
	return pid < 0;
}

static void end_round(struct progress *p, struct slot *slot)
{
	const u64 *from = (const u64 *)slot->tally;
	u64 *to = (u64 *)&p->total;
	u32 i;

	if (slot->status && !slot->tally->leaving) {
		suite_fail("round %u: ended with status %x", slot->round, slot->status);
		slot->tally->failures++;
	}
	if (slot->tally->failures)
		suite_note("replay with: svt_rings -s %llu -r %u attack", p->campaign->seed,
			   slot->round);
	for (i = 0; i < offsetof(struct tally, failures) / sizeof(*to); i++)
		to[i] += from[i];
	p->total.failures += slot->tally->failures;
	slot->group = 0;
}

static void watch_round(struct progress *p, struct slot *slot)
{
	if (has_ended(slot)) {
		end_round(p, slot);
	} else if (clock_passed(slot->limit)) {
		suite_fail("round %u: does not end", slot->round);
		slot->tally->failures++;
		kill(-slot->group, SIGKILL);
		slot->limit = clock_limit(ROUND_MS);
	}
}

static bool wants_more(const struct progress *p, u32 running)
{
	const struct campaign *c = p->campaign;

	if (p->total.failures)
		return false;
	if (c->one_round)
		return p->next == c->round;
	return p->total.operations + running * ROUND_OPERATIONS < c->operations;
}

static void print_counts(const struct tally *t, u32 rounds)
{
	suite_note("%llu operations in %u rounds: %llu requests, %llu receives, %llu indices",
		   t->operations, rounds, t->requests, t->receives, t->indices);
	suite_note("%llu states, %llu commands, %llu ioctls (%llu of both taken), %llu mappings",
		   t->changes, t->commands, t->ioctls, t->accepted, t->mappings);
	suite_note("%llu processes; %llu flips; %llu completions, %llu in error",
		   t->processes, t->flips, t->completions + t->errors, t->errors);
}

/* Returns whether there is, or was, anything to do */
static bool attend(struct progress *p)
{
	u32 i, running = 0;

	for (i = 0; i < AT_ONCE; i++)
		running += p->slots[i].group != 0;
	for (i = 0; i < AT_ONCE; i++) {
		if (p->slots[i].group) {
			watch_round(p, &p->slots[i]);
		} else if (wants_more(p, running)) {
			start_round(p, &p->slots[i]);
			running++;
		}
	}
	return running;
}

void campaign_run(const struct campaign *c, const struct foreign *foreign)
{
	struct progress p = { .campaign = c, .foreign = foreign, .next = c->round };
	struct tally *tallies = mmap(NULL, AT_ONCE * sizeof(*tallies), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	u32 i;

	MUST(tallies != MAP_FAILED, "no memory");
	for (i = 0; i < AT_ONCE; i++)
		p.slots[i].tally = &tallies[i];
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (attend(&p))
		clock_sleep_ms(1);
	print_counts(&p.total, p.next - c->round);
	munmap(tallies, AT_ONCE * sizeof(*tallies));
}
