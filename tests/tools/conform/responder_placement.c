// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: FLUSH and ATOMIC WRITE, which are answered as a READ of no bytes. Rows about their
 * keys, rights and lengths are with those of other requests.
 */
#include "conform.h"

#define SELECTIVITY	4	/* where it begins in the FETH */
#define REGION		(FLUSH_GLOBAL | FLUSH_REGION << SELECTIVITY)

/* A FLUSH with a FETH that differs from that of other rows */
struct form {
	u32 feth;
	const char *what;
};

static void expect_done(struct test *t, int psn)
{
	expect_response(t, OP_READ_RESPONSE_ONLY, psn, 0, 0);
}

static void ask_flush(struct test *t, int psn)
{
	const struct form *f = t->rule->arg;

	request(t, OP_FLUSH, psn, 8)->flush = f->feth;
	but(t, f->what);
	put(t);
}

static void flushes(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_WRITE_ONLY, 0, 8);
	ask_flush(t, 1);
	expect_done(t, 1);
	expect_value(t, "MSN", t->in.msn, 2);
	expect_written(t, 8);
	expect_no_other(t, 2);
}

/* Of a region the key alone counts. */
static void flushes_region(struct test *t)
{
	struct packet *p;

	connect_qp(t, IBV_QPT_RC);
	p = request(t, OP_FLUSH, 0, 8);
	p->flush = REGION;
	p->address = 1;
	but(t, "of the region, address 1");
	put(t);
	expect_done(t, 0);
}

static void flushes_nothing(struct test *t)
{
	const u32 *key_xor = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	request(t, OP_FLUSH, 0, 0)->rkey ^= *key_xor;
	if (*key_xor)
		but(t, "wrong R_Key");
	put(t);
	if (!*key_xor) {
		expect_done(t, 0);
		return;
	}
	expect_nak(t, NAK_REMOTE_ACCESS, 0);
	expect_error_state(t);
}

static void not_allowed(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask_flush(t, 0);
	expect_refusal(t, NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS, 0);
	expect_error_state(t);
}

static void reserved_value(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask_flush(t, 0);
	if (is_refused(t, NAK_INVALID_REQUEST, 0) || is_refused(t, NAK_REMOTE_ACCESS, 0)) {
		expect_error_state(t);
	} else {
		expect_done(t, 0);
		expect_no_other(t, 1);
	}
}

static void flush_again(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_FLUSH, 0, 8);
	expect_done(t, 0);
	ask(t, OP_WRITE_ONLY, 1, 8);
	expect_ack(t, 1);
	ask(t, OP_FLUSH, 0, 8);
	expect_done(t, 0);
	expect_value(t, "MSN", t->in.msn, 2);
	expect_silence(t, 2);
}

static void flush_behind_read(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 4 * MTU);
	ask(t, OP_FLUSH, 4, 8);
	expect_read(t, 0, 0, 4 * MTU);
	expect_done(t, 4);
}

static void writes(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_ATOMIC_WRITE, 0, 8);
	expect_done(t, 0);
	expect_value(t, "MSN", t->in.msn, 1);
	expect_written(t, 8);
	expect_unwritten(t, 8);
	expect_no_other(t, 1);
}

/* What the program wrote since stays. */
static void write_again(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_ATOMIC_WRITE, 0, 8);
	expect_done(t, 0);
	t->w->memory[ZONE_REMOTE][0] = pattern(ZONE_REMOTE, 0);
	ask(t, OP_ATOMIC_WRITE, 0, 8);
	expect_done(t, 0);
	expect_value(t, "MSN", t->in.msn, 1);
	expect_unwritten(t, 0);
	expect_silence(t, 1);
}

static void acknowledges(struct test *t)
{
	const u8 *operation = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	request(t, OP_WRITE_ONLY, 0, 8)->ack_request = false;
	but(t, "AckReq 0");
	put(t);
	ask(t, *operation, 1, 8);
	expect_done(t, 1);
	expect_value(t, "MSN", t->in.msn, 2);
}

#define FORM(name, function, says, feth, what) \
	{ "flush_" name, function, "A19.4.1", says, &(const struct form){ feth, what } }
#define RESERVED	"a FLUSH with a reserved selectivity is refused or answered, not dropped"

const struct rule placement_rules[] = {
	FORM("range", flushes, "a FLUSH of a range is answered without data", FLUSH_GLOBAL, NULL),
	{ "flush_region", flushes_region, "A19.4.1",
	  "a FLUSH of a region is answered, address and length do not count" },
	{ "flush_nothing", flushes_nothing, "A19.4.1", "a FLUSH of no bytes is answered",
	  &(const u32){ 0 } },
	{ "flush_nothing_key", flushes_nothing, "A19.4.1, oA19-13",
	  "a FLUSH of no bytes needs the R_Key all the same", &(const u32){ 0xffffff00 } },
	FORM("persistent", not_allowed, "a FLUSH needs the right for each placement",
	     FLUSH_PERSISTENT, "persistent"),
	FORM("both", not_allowed, "a FLUSH needs the right for each placement",
	     FLUSH_GLOBAL | FLUSH_PERSISTENT, "global and persistent"),
	FORM("reserved_2", reserved_value, RESERVED, FLUSH_GLOBAL | 2 << SELECTIVITY,
	     "selectivity 2"),
	FORM("reserved_3", reserved_value, RESERVED, FLUSH_GLOBAL | 3 << SELECTIVITY,
	     "selectivity 3"),
	FORM("reserved_bits", flushes, "reserved bits of the FETH are ignored",
	     FLUSH_GLOBAL | 0xffffffc0, "reserved bits of the FETH 1"),
	{ "flush_duplicate", flush_again, "A19.4.1, 9.7.5.1.3",
	  "a duplicate FLUSH is answered again, and does not count in the MSN" },
	{ "flush_behind_read", flush_behind_read, "A19.4.1, 9.7.5.1",
	  "a FLUSH is answered behind the responses of a READ before it" },
	{ "flush_acknowledges", acknowledges, "A19.4.1, 9.7.5.1.2",
	  "the answer acknowledges what was asked before", &(const u8){ OP_FLUSH } },
	{ "atomic_write", writes, "A19.4.2",
	  "an ATOMIC WRITE writes 8 bytes, and is answered without data" },
	{ "atomic_write_duplicate", write_again, "A19.4.2, 9.7.5.1.3",
	  "a duplicate ATOMIC WRITE is answered again and not carried out" },
	{ "atomic_write_acknowledges", acknowledges, "A19.4.2, 9.7.5.1.2",
	  "the answer acknowledges what was asked before", &(const u8){ OP_ATOMIC_WRITE } },
	{ }
};
