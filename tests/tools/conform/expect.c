// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device must answer, as packets.
 */
#include <string.h>

#include "clock.h"
#include "conform.h"

/* Nothing that is awaited takes so long, unless it does not come */
#define AWAIT_MS	3000
/* How long what must not come is listened for, where nothing that comes instead can prove it */
#define QUIET_MS	20

static u8 operation_of(const struct packet *p)
{
	return p->opcode & ~SERVICE_MASK;
}

static bool is_ack(const struct packet *p)
{
	return operation_of(p) == OP_ACKNOWLEDGE && p->syndrome < SYNDROME_RNR;
}

/* The PSN of what came, counted as rules count */
static int psn_of(const struct test *t)
{
	u32 first = is_answer(t->in.opcode) ? t->path.peer.psn : t->path.sq_psn;

	return (int)((t->in.psn - first) << 8) >> 8;
}

/* False: nothing came in time */
static bool next_packet(struct test *t, u32 ms)
{
	enum arrival arrival;

	if (t->has_in) {
		t->has_in = false;
		return true;
	}
	arrival = peer_next(&t->w->peer, t->peer_qpn, &t->in, clock_limit(ms));
	if (arrival != ARRIVAL_ICRC_WRONG)
		return arrival == ARRIVAL_RIGHT;
	note_packet(t, t->seen, &t->in);
	note(t->seen, "with a wrong ICRC");
	deviates(t);
}

/* The next answer, but for ACKs of what is before @psn. Requests are not asked for here. */
static bool next_answer(struct test *t, int psn)
{
	do {
		if (!next_packet(t, AWAIT_MS))
			return false;
	} while (!is_answer(t->in.opcode) || (is_ack(&t->in) && psn_of(t) < psn));
	return true;
}

static void saw(struct test *t, bool came, bool right)
{
	if (came)
		note_packet(t, t->seen, &t->in);
	else
		note(t->seen, "nothing");
	if (!came || !right)
		deviates(t);
}

void expect_ack(struct test *t, int psn)
{
	bool came;

	note(t->expected, "ACK %+d", psn);
	came = next_answer(t, psn);
	saw(t, came, is_ack(&t->in) && psn_of(t) == psn);
}

static bool is_nak(const struct test *t, u8 syndrome, int psn)
{
	return operation_of(&t->in) == OP_ACKNOWLEDGE && t->in.syndrome == syndrome &&
	       psn_of(t) == psn;
}

void expect_nak(struct test *t, enum syndrome nak, int psn)
{
	bool came;

	note(t->expected, "NAK %s %+d", nak_name(nak), psn);
	came = next_answer(t, psn);
	saw(t, came, is_nak(t, nak, psn));
}

void expect_refusal(struct test *t, enum syndrome nak, enum syndrome other, int psn)
{
	bool came;

	note(t->expected, "NAK %s or %s %+d", nak_name(nak), nak_name(other), psn);
	came = next_answer(t, psn);
	saw(t, came, is_nak(t, nak, psn) || is_nak(t, other, psn));
}

bool is_refused(struct test *t, enum syndrome nak, int psn)
{
	bool came;

	note(t->expected, "NAK %s %+d, or", nak_name(nak), psn);
	came = next_answer(t, psn);
	t->has_in = came && !is_nak(t, nak, psn);
	if (!t->has_in)
		saw(t, came, true);
	return !t->has_in;
}

void expect_rnr(struct test *t, u8 timer, int psn)
{
	bool came;

	note(t->expected, "RNR NAK timer %u %+d", timer, psn);
	came = next_answer(t, psn);
	saw(t, came, is_nak(t, SYNDROME_RNR | timer, psn));
}

/* Payload is that of ZONE_REMOTE */
static bool is_memory(const struct packet *p, u32 offset)
{
	u32 i;

	for (i = 0; i < p->payload_length; i++)
		if (p->payload[i] != pattern(ZONE_REMOTE, offset + i))
			return false;
	return true;
}

void expect_response(struct test *t, u8 operation, int psn, u32 offset, u32 length)
{
	static const char *const names[] = { "FIRST", "MIDDLE", "LAST", "ONLY" };
	bool came;

	note(t->expected, length == MTU || !length ? "READ_RESPONSE_%s %+d" :
	     "READ_RESPONSE_%s %+d, %u B", names[operation - OP_READ_RESPONSE_FIRST], psn, length);
	came = next_answer(t, psn);
	saw(t, came, operation_of(&t->in) == operation && psn_of(t) == psn &&
	    t->in.payload_length == length);
	expect_that(t, is_memory(&t->in, offset), "the bytes that were asked for");
}

void expect_read(struct test *t, int psn, u32 offset, u32 length)
{
	u32 i, part, count = length ? (length - 1) / MTU + 1 : 1;
	u8 operation;

	for (i = 0; i < count; i++) {
		part = min_u32(length - i * MTU, MTU);
		if (count == 1)
			operation = OP_READ_RESPONSE_ONLY;
		else if (i == count - 1)
			operation = OP_READ_RESPONSE_LAST;
		else
			operation = i ? OP_READ_RESPONSE_MIDDLE : OP_READ_RESPONSE_FIRST;
		expect_response(t, operation, psn + i, offset + i * MTU, part);
	}
}

void expect_atomic(struct test *t, int psn, u64 original)
{
	bool came;

	note(t->expected, "ATOMIC_ACKNOWLEDGE %+d", psn);
	came = next_answer(t, psn);
	saw(t, came, operation_of(&t->in) == OP_ATOMIC_ACKNOWLEDGE && psn_of(t) == psn);
	expect_value(t, "original value", t->in.original, original);
}

void expect_no_other(struct test *t, int psn)
{
	bool came;

	note(t->expected, "nothing");
	ask(t, OP_WRITE_ONLY, psn, 4);
	note(t->expected, "ACK %+d", psn);
	do {
		came = next_packet(t, AWAIT_MS);
	} while (came && !is_answer(t->in.opcode));
	saw(t, came, is_ack(&t->in) && psn_of(t) == psn);
}

void expect_silence(struct test *t, int psn)
{
	t->dropped = true;
	expect_no_other(t, psn);
}

void expect_nothing(struct test *t)
{
	note(t->expected, "no packet");
	if (!next_packet(t, 0)) {
		note(t->seen, "no packet");
		return;
	}
	saw(t, true, false);
}

/* Notes where a message of the device ends, for the MSN of answers */
static void count_message(struct test *t)
{
	u8 operation = operation_of(&t->in);
	int end = psn_of(t);

	if (operation == OP_SEND_FIRST || operation == OP_SEND_MIDDLE ||
	    operation == OP_WRITE_FIRST || operation == OP_WRITE_MIDDLE) {
		t->message_at += t->in.payload_length;
		return;
	}
	t->message_at = 0;
	if (operation == OP_READ_REQUEST && t->in.dma_length)
		end += (t->in.dma_length - 1) / MTU;
	if (t->num_ends < MESSAGES_MAX)
		t->ends[t->num_ends++] = end;
}

static bool is_posted(const struct test *t)
{
	u32 i;

	for (i = 0; i < t->in.payload_length; i++)
		if (t->in.payload[i] != pattern(ZONE_LOCAL, t->message_at + i))
			return false;
	return true;
}

static void expect_named(struct test *t, u8 operation, int psn)
{
	const char *name = opcode_name(t->service | operation);

	note(t->expected, "%s %+d", name + strcspn(name, " ") + 1, psn);
}

struct packet *expect_request(struct test *t, u8 operation, int psn, u32 length)
{
	bool came;
	u32 bytes;

	expect_named(t, operation, psn);
	do {
		came = next_packet(t, AWAIT_MS);
	} while (came && !is_answer(t->in.opcode) && psn_of(t) < psn);
	bytes = operation == OP_READ_REQUEST ? t->in.dma_length : t->in.payload_length;
	saw(t, came, t->in.opcode == (t->service | operation) && psn_of(t) == psn &&
	    bytes == length);
	expect_that(t, is_posted(t), "the bytes that were posted");
	count_message(t);
	return &t->in;
}

void expect_repeat(struct test *t, u8 operation, int psn)
{
	bool came;

	expect_named(t, operation, psn);
	note(t->expected, "again");
	do {
		came = next_packet(t, AWAIT_MS);
	} while (came && (is_answer(t->in.opcode) || psn_of(t) != psn));
	saw(t, came, operation_of(&t->in) == operation);
}

void expect_no_more(struct test *t, int psn)
{
	note(t->expected, "nothing beyond %+d", psn);
	while (next_packet(t, QUIET_MS))
		if (!is_answer(t->in.opcode) && psn_of(t) > psn)
			saw(t, true, false);
	note(t->seen, "nothing beyond %+d", psn);
}

static bool repeats(struct test *t, int psn, u32 ms)
{
	return next_packet(t, ms) && !is_answer(t->in.opcode) && psn_of(t) == psn;
}

bool sends_again(struct test *t, int psn)
{
	const u64 limit = clock_limit(AWAIT_MS);

	do {
		if (repeats(t, psn, 2))
			return true;
	} while (!has_completed(t) && !clock_passed(limit));
	return repeats(t, psn, 0);
}

void expect_that(struct test *t, bool holds, const char *what)
{
	if (holds)
		return;
	note(t->expected, "%s", what);
	note(t->seen, "not so");
	deviates(t);
}

void expect_value(struct test *t, const char *what, u64 value, u64 wanted)
{
	note(t->expected, "%s %llu", what, (unsigned long long)wanted);
	note(t->seen, "%s %llu", what, (unsigned long long)value);
	if (value != wanted)
		deviates(t);
}
