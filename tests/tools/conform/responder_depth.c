// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: as many READs and atomics at once as max_dest_rd_atomic promises, and one more.
 */
#include "conform.h"

#define DEPTH_MAX	16
#define ROUNDS		2
#define READ_BYTES	(2 * MTU)
#define READ_PSNS	2
#define START		100	/* of the word that atomics add to */

/* So many requests at once, of two operations in turn */
struct depth {
	u32 promised;
	u8 operations[2];
};

static u64 *word(struct test *t)
{
	return (u64 *)t->w->memory[ZONE_REMOTE];
}

static void start(struct test *t)
{
	const struct depth *d = t->rule->arg;
	const u32 most = t->w->dev.attr.orig_attr.max_qp_rd_atom;

	if (d->promised > most)
		SKIP("the device takes %u at once", most);
	t->path.rd_atomic = d->promised;
	connect_qp(t, IBV_QPT_RC);
	*word(t) = START;
}

static u8 operation_of(const struct test *t, u32 nth)
{
	const struct depth *d = t->rule->arg;

	return d->operations[nth % 2];
}

static u32 psns_of(const struct test *t, u32 nth)
{
	return operation_of(t, nth) == OP_READ_REQUEST ? READ_PSNS : 1;
}

/* READs of different places, none of them that of the word */
static u32 offset_of(u32 nth)
{
	return READ_BYTES * (1 + nth % 4);
}

static int psn_of(const struct test *t, u32 nth)
{
	int psn = 0;
	u32 i;

	for (i = 0; i < nth; i++)
		psn += psns_of(t, i);
	return psn;
}

/* How many of those before it add to the word */
static u32 sums_before(const struct test *t, u32 nth)
{
	u32 i, count = 0;

	for (i = 0; i < nth; i++)
		count += operation_of(t, i) == OP_FETCH_ADD;
	return count;
}

static void ask_nth(struct test *t, u32 nth)
{
	struct packet *p = request(t, operation_of(t, nth), psn_of(t, nth), READ_BYTES);

	p->swap_add = 1;
	if (operation_of(t, nth) == OP_READ_REQUEST)
		p->address += offset_of(nth);
	put(t);
}

static void expect_nth(struct test *t, u32 nth)
{
	if (operation_of(t, nth) == OP_READ_REQUEST)
		expect_read(t, psn_of(t, nth), offset_of(nth), READ_BYTES);
	else
		expect_atomic(t, psn_of(t, nth), START + sums_before(t, nth));
}

static void burst(struct test *t, u32 first, u32 count)
{
	u32 i;

	for (i = first; i < first + count; i++)
		ask_nth(t, i);
	for (i = first; i < first + count; i++)
		expect_nth(t, i);
}

/* Twice: what is answered has its place again */
static void all_at_once(struct test *t)
{
	const struct depth *d = t->rule->arg;
	u32 i;

	start(t);
	for (i = 0; i < ROUNDS; i++)
		burst(t, i * d->promised, d->promised);
	expect_value(t, "word", *word(t), START + sums_before(t, ROUNDS * d->promised));
	expect_no_other(t, psn_of(t, ROUNDS * d->promised));
}

static void all_again(struct test *t)
{
	const struct depth *d = t->rule->arg;

	start(t);
	burst(t, 0, d->promised);
	burst(t, 0, d->promised);
	expect_value(t, "word", *word(t), START + sums_before(t, d->promised));
	expect_silence(t, psn_of(t, d->promised));
}

static void one_more(struct test *t)
{
	const struct depth *d = t->rule->arg;
	u32 i, sums = sums_before(t, d->promised + 1);

	start(t);
	for (i = 0; i <= d->promised; i++)
		ask_nth(t, i);
	for (i = 0; i < d->promised; i++)
		expect_nth(t, i);
	if (is_refused(t, NAK_INVALID_REQUEST, psn_of(t, d->promised))) {
		expect_error_state(t);
		sums = sums_before(t, d->promised);
	} else {
		expect_nth(t, d->promised);
	}
	expect_value(t, "word", *word(t), START + sums);
}

#define CLAUSE	"9.7.4.1, 11.2.5.2"
#define PROMISED	"as many as max_dest_rd_atomic are answered, in order, none is lost"
#define KEPT		"as many as max_dest_rd_atomic are kept to be answered again"
#define BEYOND		"one more than max_dest_rd_atomic is refused or answered, the others are answered"

#define ROW(name, function, says, ...) \
	{ "depth_" name, function, CLAUSE, says, &(const struct depth){ __VA_ARGS__ } }
#define READS	{ OP_READ_REQUEST, OP_READ_REQUEST }
#define SUMS	{ OP_FETCH_ADD, OP_FETCH_ADD }
#define MIXED	{ OP_READ_REQUEST, OP_FETCH_ADD }

const struct rule depth_rules[] = {
	ROW("reads_1", all_at_once, PROMISED, 1, READS),
	ROW("reads_4", all_at_once, PROMISED, 4, READS),
	ROW("reads_16", all_at_once, PROMISED, 16, READS),
	ROW("atomics_1", all_at_once, PROMISED, 1, SUMS),
	ROW("atomics_4", all_at_once, PROMISED, 4, SUMS),
	ROW("atomics_16", all_at_once, PROMISED, 16, SUMS),
	ROW("mixed_4", all_at_once, PROMISED, 4, MIXED),
	ROW("mixed_16", all_at_once, PROMISED, 16, MIXED),
	ROW("reads_kept", all_again, KEPT, 4, READS),
	ROW("atomics_kept", all_again, KEPT, 4, SUMS),
	ROW("mixed_kept", all_again, KEPT, 4, MIXED),
	ROW("reads_beyond", one_more, BEYOND, 2, READS),
	ROW("atomics_beyond", one_more, BEYOND, 2, SUMS),
	ROW("mixed_beyond", one_more, BEYOND, 2, MIXED),
	{ }
};
