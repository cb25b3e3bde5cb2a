// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks by what a QP does not wait for in its state, and the proof that the packets all this
 * begins with are valid.
 */
#include "known.h"

#define NAK_SEQUENCE	0x60

static u8 send_only(const struct target *t)
{
	if (t->kind->type == IBV_QPT_RC)
		return OP_SEND_ONLY;
	return (t->kind->type == IBV_QPT_UC ? SERVICE_UC : SERVICE_UD) | OP_SEND_ONLY;
}

static void states_deaf(struct test *k)
{
	static const char *const kinds[] = {
		"rc reset", "rc init", "rc err", "uc reset", "uc init", "uc err", "ud reset",
		"ud init", "ud err",
	};
	struct target *t;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		t = known_target(k, kinds[i], i & 1);
		known_payload(k, send_only(t), 8);
		known_packet(k, OP_ACKNOWLEDGE);
		known_send(k);
		known_counts(k, COUNT_STATE, 2);
		known_settle(k);
		known_outcome(k, t->kind->state, 0, 0);
	}
}

static void psn_ahead(struct test *k)
{
	struct target *t = known_target(k, "rc rts", false);

	known_payload(k, OP_SEND_ONLY, 8)->psn = t->epsn + 5;
	known_send(k);
	known_counts(k, COUNT_SEQUENCE, 1);
	known_counts(k, COUNT_NAKS_SENT, 1);
	known_answer(k, NAK_SEQUENCE, t->epsn);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

/* A READ or atomic that was never asked for, again */
static void psn_behind(struct test *k)
{
	struct target *t = known_target(k, "rc rts", true);
	struct packet *p;

	p = known_packet(k, OP_READ_REQUEST);
	p->address = exchange_address(k->s, t, &p->rkey, &p->dma_length);
	p->psn = t->epsn - 1;
	p = known_packet(k, OP_FETCH_ADD);
	p->address = exchange_address(k->s, t, &p->rkey, &p->dma_length);
	p->psn = t->epsn - 0x800000;
	known_send(k);
	known_counts(k, COUNT_DUPLICATE, 2);
	known_counts(k, COUNT_PSN, 2);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void answers_unasked(struct test *k)
{
	struct target *t = known_target(k, "rc rts", false);
	u32 i;

	for (i = OP_READ_RESPONSE_FIRST; i <= OP_ATOMIC_ACKNOWLEDGE; i++)
		known_packet(k, i)->psn = t->next_psn;
	known_send(k);
	known_counts(k, COUNT_PSN, 6);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

/* The request ends in error; what was to be read stays */
static void answer_length(struct test *k)
{
	static const int errors[] = { -4, 1, 300 };
	struct target *t;
	struct packet *p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		t = known_target(k, "rc reads", i & 1);
		p = known_packet(k, t->requests[0].packets > 1 ? OP_READ_RESPONSE_FIRST :
							       OP_READ_RESPONSE_ONLY);
		p->psn = t->requests[0].psn;
		packet_set_length(p, min_u32(t->requests[0].length, t->mtu) + errors[i]);
		known_send(k);
		known_settle(k);
		known_outcome(k, IBV_QPS_ERR, 0, 0);
	}
}

/* Data where an atomic's result is due, and the other way round: the request ends in error */
static void answer_kind(struct test *k)
{
	struct target *t = known_target(k, "rc atomics", false);

	known_payload(k, OP_READ_RESPONSE_ONLY, 8)->psn = t->requests[0].psn;
	known_send(k);
	known_counts(k, COUNT_PSN, 1);
	known_settle(k);
	known_outcome(k, IBV_QPS_ERR, 0, 0);
	t = known_target(k, "rc reads", false);
	known_packet(k, OP_ATOMIC_ACKNOWLEDGE)->psn = t->requests[0].psn;
	known_send(k);
	known_counts(k, COUNT_PSN, 1);
	known_settle(k);
	known_outcome(k, IBV_QPS_ERR, 0, 0);
}

static void message_order(struct test *k)
{
	static const u8 pairs[][2] = {
		{ OP_SEND_FIRST, OP_SEND_ONLY }, { OP_SEND_FIRST, OP_WRITE_LAST },
		{ OP_SEND_FIRST, OP_READ_REQUEST }, { OP_SEND_ONLY, OP_SEND_LAST },
	};
	u32 i, mtu;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		mtu = known_target(k, "rc rts", i & 1)->mtu;
		known_payload(k, pairs[i][0], mtu);
		known_payload(k, pairs[i][1], pairs[i][1] == OP_READ_REQUEST ? 0 : 8);
		known_send(k);
		known_counts(k, COUNT_NAKS_SENT, 1);
		known_answer(k, 0x61, k->x.packets[1].psn);
		known_settle(k);
		known_outcome(k, IBV_QPS_ERR, pairs[i][0] == OP_SEND_ONLY, 0);
	}
}

#define VALID_ROUNDS	30

/* Of all counters only those of receives that were not posted may move */
static void valid_exchanges(struct test *k)
{
	u64 received = 0, answered = 0;
	struct counters now;
	struct target *t;
	struct random r;
	u32 i, round;

	for (i = 0; i < 2 * target_kind_count(); i++) {
		const struct target_kind *kind = &target_kinds[i / 2];

		if (kind->state != IBV_QPS_RTS || kind->flags & (TARGET_BYSTANDER | TARGET_GSI))
			continue;
		for (round = 0; round < VALID_ROUNDS; round++) {
			t = known_target(k, kind->name, i & 1);
			random_start(&r, i, round);
			exchange_make(k->s, &k->x, t, &r);
			known_send(k);
			known_sync(k);
			target_look(k->s, t);
			received += k->s->tally.received;
			answered += k->s->tally.answered;
		}
	}
	scene_counters(k->s, &now);
	for (i = 0; i < COUNTERS; i++) {
		if (i >= COUNT_PSN && i != COUNT_LENGTH)
			k->expected[i] = now.value[i] - k->before.value[i];
	}
	known_settle(k);
	CHECK(received >= 3 * VALID_ROUNDS && answered >= VALID_ROUNDS,
	      "%llu received, %llu answered", received, answered);
}

const struct suite_case known_states[] = {
	{ "states_deaf", states_deaf, "QPs in RESET, INIT and ERR" },
	{ "psn_ahead", psn_ahead, "a PSN ahead of the one due" },
	{ "psn_behind", psn_behind, "repetitions of what never was" },
	{ "answers_unasked", answers_unasked, "answers to nothing" },
	{ "answer_length", answer_length, "answers to READ of a wrong length" },
	{ "answer_kind", answer_kind, "an answer of the wrong kind" },
	{ "message_order", message_order, "a message in the middle of another" },
	{ "valid_exchanges", valid_exchanges, "what every attack starts from gets through" },
	{ }
};
