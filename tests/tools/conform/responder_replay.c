// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: READs and atomics, and answering them again.
 */
#include "conform.h"

static void read_of(struct test *t)
{
	const u32 *length = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, *length);
	expect_read(t, 0, 0, *length);
	ask(t, OP_WRITE_ONLY, *length ? (*length - 1) / MTU + 1 : 1, 8);
	expect_ack(t, *length ? (*length - 1) / MTU + 1 : 1);
}

/* A part of a READ of 4 packets that is asked for again */
struct again {
	u32 from, count;	/* packets */
	u32 key_xor;
	int shift;
	const char *what;
};

static void ask_again(struct test *t)
{
	const struct again *a = t->rule->arg;
	struct packet *p;

	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 4 * MTU);
	expect_read(t, 0, 0, 4 * MTU);
	p = request(t, OP_READ_REQUEST, a->from, a->count * MTU);
	p->address += a->from * MTU + a->shift;
	p->rkey ^= a->key_xor;
	but(t, a->what);
	put(t);
}

static void again(struct test *t)
{
	const struct again *a = t->rule->arg;

	ask_again(t);
	expect_read(t, a->from, a->from * MTU, a->count * MTU);
}

static void not_again(struct test *t)
{
	ask_again(t);
	expect_silence(t, 4);
}

static void nothing_again(struct test *t)
{
	int i;

	connect_qp(t, IBV_QPT_RC);
	for (i = 0; i < 2; i++) {
		ask(t, OP_READ_REQUEST, 0, 0);
		expect_read(t, 0, 0, 0);
	}
}

/* The data may be what is there now */
static void again_after_more(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 2 * MTU);
	expect_read(t, 0, 0, 2 * MTU);
	request(t, OP_READ_REQUEST, 2, 8)->address += 4 * MTU;
	put(t);
	expect_read(t, 2, 4 * MTU, 8);
	ask(t, OP_READ_REQUEST, 0, 2 * MTU);
	expect_read(t, 0, 0, 2 * MTU);
}

/* Memory of the device's side has a number in its own order of bytes */
static u64 *word(struct test *t)
{
	return (u64 *)t->w->memory[ZONE_REMOTE];
}

static void fetch_add(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	*word(t) = 100;
	request(t, OP_FETCH_ADD, 0, 0)->swap_add = 7;
	put(t);
	expect_atomic(t, 0, 100);
	expect_value(t, "memory", *word(t), 107);
}

static void compare_swap(struct test *t)
{
	struct packet *p;

	connect_qp(t, IBV_QPT_RC);
	*word(t) = 100;
	p = request(t, OP_COMPARE_SWAP, 0, 0);
	p->compare = 99;
	p->swap_add = 7;
	put(t);
	expect_atomic(t, 0, 100);
	expect_value(t, "memory", *word(t), 100);
	p = request(t, OP_COMPARE_SWAP, 1, 0);
	p->compare = 100;
	p->swap_add = 7;
	put(t);
	expect_atomic(t, 1, 100);
	expect_value(t, "memory", *word(t), 7);
}

static void atomic_again(struct test *t)
{
	const u8 *operation = t->rule->arg;
	struct packet *p;
	u32 i;

	connect_qp(t, IBV_QPT_RC);
	*word(t) = 100;
	for (i = 0; i < 2; i++) {
		p = request(t, *operation, 0, 0);
		p->compare = 100;
		p->swap_add = 7;
		put(t);
		expect_atomic(t, 0, 100);
		expect_value(t, "memory", *word(t), *operation == OP_FETCH_ADD ? 107 : 7);
	}
}

/* The peer's SEND had that PSN */
static void never_asked(struct test *t)
{
	const u8 *operation = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	ask(t, *operation, 0, 8);
	expect_silence(t, 1);
}

static void in_order(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 64);
	ask(t, OP_READ_REQUEST, 0, 4 * MTU);
	ask(t, OP_SEND_ONLY, 4, 8);
	expect_read(t, 0, 0, 4 * MTU);
	expect_ack(t, 4);
}

static void fails_behind_read(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 4 * MTU);
	request(t, OP_WRITE_ONLY, 4, 8)->rkey ^= 0xffffff00;
	but(t, "wrong R_Key");
	put(t);
	expect_read(t, 0, 0, 4 * MTU);
	expect_nak(t, NAK_REMOTE_ACCESS, 4);
}

static void two_reads(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 2 * MTU);
	request(t, OP_READ_REQUEST, 2, MTU + 1)->address += 4 * MTU;
	put(t);
	expect_read(t, 0, 0, 2 * MTU);
	expect_read(t, 2, 4 * MTU, MTU + 1);
}

#define READ(name, length) \
	{ "read_" name, read_of, "9.4.4, 9.7.5.1", \
	  "a READ is answered by FIRST, MIDDLE, LAST or ONLY, a PSN each", &(const u32){ length } }
#define AGAIN(name, says, ...) \
	{ "replay_" name, again, "9.7.5.1.3", says, &(const struct again){ __VA_ARGS__ } }
#define DROPPED(name, says, ...) \
	{ "replay_" name, not_again, "9.7.5.1.3", says, &(const struct again){ __VA_ARGS__ } }

const struct rule replay_rules[] = {
	READ("0", 0),
	READ("1", 1),
	READ("mtu", MTU),
	READ("mtu_1", MTU + 1),
	READ("4_mtu", 4 * MTU),
	AGAIN("all", "a duplicate READ is answered again", 0, 4),
	AGAIN("rest", "a READ may be asked for again from a later packet on", 1, 3),
	AGAIN("last", "the last packet of a READ may be asked for again", 3, 1),
	AGAIN("first", "a duplicate READ may ask for less: one packet is an ONLY", 0, 1),
	AGAIN("one", "a duplicate READ of a packet in the middle is an ONLY", 1, 1),
	AGAIN("two", "a duplicate READ of two packets in the middle is FIRST and LAST", 1, 2),
	{ "replay_nothing", nothing_again, "9.7.5.1.3",
	  "a duplicate READ of no bytes is answered again" },
	DROPPED("key", "a duplicate with another R_Key is dropped", 0, 4, 0xffffff00,
		.what = "another R_Key"),
	DROPPED("address", "a duplicate with another address is dropped", 0, 4, .shift = 8 * MTU,
		.what = "address + 8192"),
	DROPPED("more", "a duplicate that goes beyond the first is dropped", 1, 4,
		.what = "beyond the original's end"),
	{ "replay_after_more", again_after_more, "9.7.5.1.3",
	  "a READ is kept until others have its place" },
	{ "atomic_fetch_add", fetch_add, "9.4.5", "FETCH_ADD adds and tells what was there" },
	{ "atomic_compare_swap", compare_swap, "9.4.5", "COMPARE_SWAP swaps only what is equal" },
	{ "replay_fetch_add", atomic_again, "9.7.5.1.3",
	  "a duplicate atomic has the saved result and is not carried out",
	  &(const u8){ OP_FETCH_ADD } },
	{ "replay_compare_swap", atomic_again, "9.7.5.1.3",
	  "a duplicate atomic has the saved result and is not carried out",
	  &(const u8){ OP_COMPARE_SWAP } },
	{ "replay_read_of_send", never_asked, "9.7.5.1.3",
	  "a duplicate READ of what was none is dropped", &(const u8){ OP_READ_REQUEST } },
	{ "replay_atomic_of_send", never_asked, "9.7.5.1.3",
	  "a duplicate atomic of what was none is dropped", &(const u8){ OP_FETCH_ADD } },
	{ "replay_flush_of_send", never_asked, "9.7.5.1.3",
	  "a duplicate FLUSH of what was none is dropped", &(const u8){ OP_FLUSH } },
	{ "replay_atomic_write_of_send", never_asked, "9.7.5.1.3",
	  "a duplicate ATOMIC WRITE of what was none is dropped",
	  &(const u8){ OP_ATOMIC_WRITE } },
	{ "read_then_send", in_order, "9.7.5.1",
	  "the ACK of a SEND comes behind the responses of a READ before it" },
	{ "read_then_nak", fails_behind_read, "9.7.5.1",
	  "a NAK comes behind the responses of a READ before it" },
	{ "read_then_read", two_reads, "9.7.5.1", "responses are in the order of requests" },
	{ }
};
