// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs the named attacks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "clock.h"
#include "known.h"

#define WAIT_MS		10000

static const struct known_case *const groups[] = {
	known_headers, known_network, known_memory, known_states,
};

void known_fail(struct known *k, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("    ", stdout);
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
	longjmp(k->out, 1);
}

struct target *known_target(struct known *k, const char *kind, bool ipv6)
{
	struct target *t = scene_target(k->s, kind, ipv6);

	if (!target_refresh(k->s, t))
		known_fail(k, "%s is in state %d", kind, t->state);
	memset(&k->s->tally, 0, sizeof(k->s->tally));
	exchange_start(&k->x, t);
	return t;
}

struct packet *known_packet(struct known *k, u8 opcode)
{
	if (k->x.count == EXCHANGE_MAX)
		known_send(k);
	return exchange_add(k->s, &k->x, opcode, k->x.target->epsn + k->x.count);
}

struct packet *known_payload(struct known *k, u8 opcode, u32 length)
{
	struct packet *p = known_packet(k, opcode);

	packet_set_length(p, length);
	memset(p->payload, 0xa5, p->payload_length);
	return p;
}

u32 known_nobody(struct known *k)
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

void known_send(struct known *k)
{
	u32 i;

	for (i = 0; i < k->x.count; i++)
		shape_packet(k->s, &k->x.packets[i]);
	k->x.count = 0;
}

void known_counts(struct known *k, enum counter c, u32 count)
{
	k->expected[c] += count;
}

/* One more, to nobody, which comes behind all that was sent before: when it is counted they are */
void known_sync(struct known *k)
{
	u64 limit = clock_limit(WAIT_MS);
	struct counters now;

	known_payload(k, OP_SEND_ONLY, 0)->qpn = known_nobody(k);
	known_send(k);
	known_counts(k, COUNT_NO_QP, 1);
	do {
		counters_read(k->s->options->device, &now);
		if (now.value[COUNT_NO_QP] - k->before.value[COUNT_NO_QP] >=
		    k->expected[COUNT_NO_QP])
			return;
	} while (!clock_passed(limit));
	known_fail(k, "packets do not arrive");
}

/* The first that is not as it should be, or COUNTERS */
static u32 compare(struct known *k, u64 *moved)
{
	struct counters now;
	u32 i;

	counters_read(k->s->options->device, &now);
	for (i = 0; i < COUNTERS; i++) {
		*moved = now.value[i] - k->before.value[i];
		if (*moved != k->expected[i])
			break;
	}
	return i;
}

void known_settle(struct known *k)
{
	u64 limit = clock_limit(WAIT_MS), moved;
	u32 c;

	while ((c = compare(k, &moved)) != COUNTERS) {
		if (moved > k->expected[c] || clock_passed(limit))
			known_fail(k, "%s went up by %llu instead of %llu", counter_name(c), moved,
				   k->expected[c]);
		clock_sleep_ms(5);
	}
	if (!scene_intact(k->s))
		known_fail(k, "something changed that must not");
}

/* Other frames of the victim (requests that it repeats, say) are passed over */
static bool next_answer(struct known *k, struct packet *p, int wait_ms)
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

void known_answer(struct known *k, u8 syndrome, u32 psn)
{
	static struct packet p;

	if (!next_answer(k, &p, clock_scaled_ms(WAIT_MS)))
		known_fail(k, "there is no answer");
	/* The value of an ACK are credits, which are the responder's to give */
	if ((syndrome ? p.syndrome : p.syndrome & 0xe0) != syndrome || p.psn != (psn & PSN_MASK))
		known_fail(k, "the answer is %#x for PSN %#x instead of %#x for %#x", p.syndrome,
			   p.psn, syndrome, psn);
}

void known_outcome(struct known *k, enum ibv_qp_state state, u64 received, u64 answered)
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
	known_fail(k, "%s: state %d not %d, received %llu not %llu, answered %llu not %llu",
		   t->kind->name, t->state, state, tally->received, received, tally->answered,
		   answered);
}

static bool run_one(struct known *k, const struct known_case *c)
{
	link_drain(&k->s->link);
	scene_events(k->s);
	memset(k->expected, 0, sizeof(k->expected));
	counters_read(k->s->options->device, &k->before);
	if (!setjmp(k->out)) {
		c->run(k);
		known_settle(k);
		printf("ok %s\n", c->name);
		return true;
	}
	printf("FAIL %s: %s\n", c->name, c->about);
	return false;
}

static bool is_wanted(const struct known_case *c, char **names, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (!strcmp(names[i], c->name))
			return true;
	return !count;
}

void known_list(void)
{
	const struct known_case *c;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(groups); i++)
		for (c = groups[i]; c->name; c++)
			printf("%-24s %s\n", c->name, c->about);
}

bool known_run(struct scene *s, char **names, u32 count)
{
	static struct known k;
	u32 i, passed = 0, failed = 0;
	const struct known_case *c;

	k.s = s;
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (c = groups[i]; c->name; c++) {
			if (!is_wanted(c, names, count))
				continue;
			if (run_one(&k, c))
				passed++;
			else
				failed++;
		}
	}
	printf("%u passed, %u failed\n", passed, failed);
	return !failed && passed && (!count || passed == count);
}
