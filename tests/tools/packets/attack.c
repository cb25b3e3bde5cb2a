// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The attack by generated packets. Exchange N of a seed has the same choices in every run; the
 * fields that depend on the target (QPN, PSN, keys, addresses) are those of the QPs of the run.
 */
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "klog.h"
#include "mutate.h"
#include "shape.h"
#include "suite.h"

#define CHECK_EVERY	512
#define LOOK_EVERY	16
#define MARK_EVERY	1000
/* Not in one of so many: it leaves the target in the middle of a message */
#define GO_BACK_EVERY	3

enum step {
	STEP_PICK,
	STEP_MAKE,
	STEP_MUTATE,
	STEP_SEND,
	STEPS
};

static void start_step(const struct scene *s, struct random *r, u64 number, enum step step)
{
	random_start(r, s->options->seed, number * STEPS + step);
}

void attack_mark(const struct scene *s, const char *what, u64 number)
{
	klog_mark("svt_packets %s -s %llu -f %llu", what, s->options->seed, number);
}

static void copy_exchange(struct exchange *to, const struct exchange *from)
{
	to->target = from->target;
	to->count = from->count;
	memcpy(to->packets, from->packets, from->count * sizeof(*from->packets));
}

/*
 * As a requester does that sees a hole: the rest of the message from where the target waits, so
 * that it is not left in the middle for ever.
 */
static u32 go_back(struct scene *s, const struct exchange *valid)
{
	struct target *t = valid->target;
	u32 i, done;

	if (!target_reliable(t))
		return 0;
	target_look(s, t);
	done = (t->epsn - valid->packets[0].psn) & PSN_MASK;
	if (t->state != t->kind->state || done >= valid->count)
		return 0;
	for (i = done; i < valid->count; i++)
		shape_packet(s, &valid->packets[i]);
	return valid->count - done;
}

static void tell(const struct exchange *x, u64 number, const char *note, const char *shape)
{
	char packets[EXCHANGE_MAX * 32] = "";
	int length = 0;
	u32 i;

	for (i = 0; i < x->count; i++)
		length += snprintf(packets + length, sizeof(packets) - length, " %#x/%#x+%u",
				   x->packets[i].opcode, x->packets[i].psn,
				   x->packets[i].payload_length);
	suite_note("%llu: %s %s, %s:%s (%s)", number, x->target->kind->name,
		   x->target->ipv6 ? "IPv6" : "IPv4", shape, packets, *note ? note : "valid");
}

/*
 * Each step has random numbers of its own: what the target waits for at the moment changes the
 * packets, and nothing else. Returns how many packets it was.
 */
static u32 one_exchange(struct scene *s, struct target *t, u64 number)
{
	static struct exchange x, valid;
	char note[NOTE_BYTES], shape[NOTE_BYTES];
	struct random r;
	bool answer;
	u32 count;

	x.id = number * 16;
	start_step(s, &r, number, STEP_MAKE);
	exchange_make(s, &x, t, &r);
	answer = x.packets[0].headers & (HEADER_AETH | HEADER_DETH);
	copy_exchange(&valid, &x);
	start_step(s, &r, number, STEP_MUTATE);
	mutate_exchange(s, &x, &r, note);
	start_step(s, &r, number, STEP_SEND);
	count = shape_send(s, &x, &r, shape);
	if (s->options->verbose)
		tell(&x, number, note, shape);
	if (!answer && number % GO_BACK_EVERY)
		count += go_back(s, &valid);
	return count;
}

static bool look_after(struct scene *s, u64 number)
{
	if (number % LOOK_EVERY == 0) {
		scene_events(s);
		scene_listen(s);
	}
	if (number % MARK_EVERY == 0)
		attack_mark(s, "attack", number);
	return number % CHECK_EVERY || scene_intact(s);
}

static void report(const struct scene *s, u64 packets, u64 number)
{
	const struct tally *tally = &s->tally;

	suite_note("%llu packets, %llu exchanges, %llu repeated by the echo, %llu refused", packets,
		   number - s->options->first, s->echoed, s->link.refused);
	suite_note("%llu received, %llu answered, %llu ended in error, %llu QPs rebuilt",
		   tally->received, tally->answered, tally->refused, tally->rebuilt);
	suite_note("%llu events", tally->events);
}

/* An attack that nothing comes through, or that nothing fails by, is none */
static bool was_deep(const struct tally *tally)
{
	return tally->received && tally->answered && tally->refused && tally->rebuilt;
}

void attack_run(struct scene *s)
{
	u64 number = s->options->first, packets = 0;
	struct target *t;
	struct random r;

	scene_fill(s);
	while (packets < s->options->count) {
		start_step(s, &r, number, STEP_PICK);
		t = scene_pick(s, &r);
		if (!CHECK(target_refresh(s, t) && look_after(s, number), "exchange %llu", number))
			break;
		packets += one_exchange(s, t, number++);
	}
	scene_quiet(s);
	CHECK(scene_intact(s), "up to exchange %llu", number);
	CHECK(was_deep(&s->tally) || packets < 10000, "the packets did not get to the QPs");
	report(s, packets, number);
}
