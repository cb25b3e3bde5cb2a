// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What named attacks do, and how one is run.
 */
#include <string.h>

#include "clock.h"
#include "known.h"

#define WAIT_MS		10000

struct target *known_target(struct test *k, const char *kind, bool ipv6)
{
	struct target *t = scene_target(k->s, kind, ipv6);

	MUST(target_refresh(k->s, t), "%s is in state %d", kind, t->state);
	memset(&k->s->tally, 0, sizeof(k->s->tally));
	exchange_start(&k->x, t);
	return t;
}

struct packet *known_packet(struct test *k, u8 opcode)
{
	if (k->x.count == EXCHANGE_MAX)
		known_send(k);
	return exchange_add(k->s, &k->x, opcode, k->x.target->epsn + k->x.count);
}

struct packet *known_payload(struct test *k, u8 opcode, u32 length)
{
	struct packet *p = known_packet(k, opcode);

	packet_set_length(p, length);
	memset(p->payload, 0xa5, p->payload_length);
	return p;
}

u32 known_nobody(struct test *k)
{
	u32 i, qpn = 0x123456;

	for (i = 0; i < k->s->target_count; i++) {
		if (k->s->targets[i].qpn == qpn) {
			qpn++;
			i = 0;
		}
	}
	return qpn;
}

void known_send(struct test *k)
{
	u32 i;

	for (i = 0; i < k->x.count; i++)
		shape_packet(k->s, &k->x.packets[i]);
	k->x.count = 0;
}

void known_counts(struct test *k, enum counter c, u32 count)
{
	k->expected[c] += count;
}

/* One more, to nobody, which comes behind all that was sent before: when it is counted they are */
void known_sync(struct test *k)
{
	u64 limit = clock_limit(WAIT_MS);
	struct counters now;

	known_payload(k, OP_SEND_ONLY, 0)->qpn = known_nobody(k);
	known_send(k);
	known_counts(k, COUNT_NO_QP, 1);
	do {
		scene_counters(k->s, &now);
		if (now.value[COUNT_NO_QP] - k->before.value[COUNT_NO_QP] >=
		    k->expected[COUNT_NO_QP])
			return;
	} while (!clock_passed(limit));
	MUST(false, "packets do not arrive");
}

/* The first that is not as it should be, or COUNTERS */
static u32 compare(struct test *k, u64 *moved)
{
	struct counters now;
	u32 i;

	scene_counters(k->s, &now);
	for (i = 0; i < COUNTERS; i++) {
		*moved = now.value[i] - k->before.value[i];
		if (*moved != k->expected[i])
			break;
	}
	return i;
}

void known_settle(struct test *k)
{
	u64 limit = clock_limit(WAIT_MS), moved;
	u32 c;

	while ((c = compare(k, &moved)) != COUNTERS) {
		MUST(moved <= k->expected[c] && !clock_passed(limit),
		     "%s went up by %llu instead of %llu", counter_name(c), moved, k->expected[c]);
		clock_sleep_ms(5);
	}
	MUST(scene_intact(k->s), "something changed that must not");
}

/* Other frames of the victim (requests that it repeats, say) are passed over */
static bool next_answer(struct test *k, struct packet *p, int wait_ms)
{
	u8 bytes[FRAME_MAX];
	bool outgoing;
	u32 length;

	while ((length = link_receive(&k->s->link, bytes, sizeof(bytes), wait_ms, &outgoing)))
		if (!outgoing && !memcmp(bytes, attacker_mac, MAC_BYTES) &&
		    frame_parse(p, bytes, length) &&
		    (p->opcode & ~SERVICE_MASK) == OP_ACKNOWLEDGE)
			return true;
	return false;
}

void known_answer(struct test *k, u8 syndrome, u32 psn)
{
	static struct packet p;

	MUST(next_answer(k, &p, clock_scaled_ms(WAIT_MS)), "there is no answer");
	/* The value of an ACK are credits, which are the responder's to give */
	MUST((syndrome ? p.syndrome : p.syndrome & 0xe0) == syndrome && p.psn == (psn & PSN_MASK),
	     "the answer is %#x for PSN %#x instead of %#x for %#x", p.syndrome, p.psn, syndrome,
	     psn);
}

void known_outcome(struct test *k, enum ibv_qp_state state, u64 received, u64 answered)
{
	const struct tally *tally = &k->s->tally;
	u64 limit = clock_limit(WAIT_MS);
	struct target *t = k->x.target;

	for (;;) {
		target_look(k->s, t);
		if (t->state == state && tally->received == received &&
		    tally->answered == answered)
			return;
		if (clock_passed(limit))
			break;
		clock_sleep_ms(5);
	}
	MUST(false, "%s: state %d not %d, received %llu not %llu, answered %llu not %llu",
	     t->kind->name, t->state, state, tally->received, received, tally->answered, answered);
}

static void run(struct test *k)
{
	k->c->run(k);
	known_settle(k);
}

void known_each(struct scene *s, const struct suite_case *c)
{
	static struct test k;

	k.s = s;
	k.c = c;
	link_drain(&s->link);
	scene_events(s);
	memset(k.expected, 0, sizeof(k.expected));
	scene_counters(s, &k.before);
	suite_call(run, &k);
}
