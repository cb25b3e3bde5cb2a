// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UC: messages are dropped as a whole, and nothing is ever answered.
 */
#include "conform.h"

#define PACKETS_MAX	5

/* Packets as the peer sends them, at their PSNs, and the length of the one message that arrives */
struct stream {
	struct {
		u8 operation;
		int psn;
		u32 length;
	} packets[PACKETS_MAX];
	u32 count;
	u32 arrives;
};

static void streams(struct test *t)
{
	const struct stream *s = t->rule->arg;
	u32 i;

	connect_qp(t, IBV_QPT_UC);
	post_receives(t, 2, 4 * MTU);
	for (i = 0; i < s->count; i++)
		ask(t, s->packets[i].operation, s->packets[i].psn, s->packets[i].length);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len,
		     s->arrives);
	expect_no_completion(t);
	expect_nothing(t);
}

static void write_arrives(struct test *t)
{
	connect_qp(t, IBV_QPT_UC);
	post_receive(t, 64);
	ask(t, OP_WRITE_FIRST, 0, MTU);
	ask(t, OP_WRITE_LAST, 1, MTU);
	ask(t, OP_SEND_ONLY, 2, 8);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_written(t, 2 * MTU);
	expect_nothing(t);
}

static void write_with_hole(struct test *t)
{
	connect_qp(t, IBV_QPT_UC);
	post_receive(t, 64);
	request(t, OP_WRITE_FIRST, 0, MTU)->dma_length = 3 * MTU;
	put(t);
	ask(t, OP_WRITE_LAST, 2, MTU);
	ask(t, OP_SEND_ONLY, 3, 8);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_unwritten(t, 2 * MTU);
	expect_nothing(t);
}

static void write_without_right(struct test *t)
{
	connect_qp(t, IBV_QPT_UC);
	post_receive(t, 64);
	request(t, OP_WRITE_ONLY, 0, 8)->address += ZONE_BYTES - 7;
	but(t, "1 byte past the end");
	put(t);
	ask(t, OP_WRITE_ONLY, 1, 8);
	ask(t, OP_SEND_ONLY, 2, 8);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_unwritten(t, ZONE_BYTES - 7);
	expect_nothing(t);
}

static void no_receive(struct test *t)
{
	connect_qp(t, IBV_QPT_UC);
	ask(t, OP_SEND_ONLY, 0, 8);
	/* By the time that this WRITE is seen the SEND was dropped */
	ask(t, OP_WRITE_ONLY, 1, 8);
	await_written(t);
	post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 2, 16);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len, 16);
	expect_nothing(t);
}

static void sends(struct test *t)
{
	u32 request;

	connect_qp(t, IBV_QPT_UC);
	request = post(t, IBV_WR_SEND, 2 * MTU + 8);
	expect_completion(t, request, IBV_WC_SUCCESS);
	expect_request(t, OP_SEND_FIRST, 0, MTU);
	expect_request(t, OP_SEND_MIDDLE, 1, MTU);
	expect_request(t, OP_SEND_LAST, 2, 8);
}

static void writes(struct test *t)
{
	u32 request;

	connect_qp(t, IBV_QPT_UC);
	request = post(t, IBV_WR_RDMA_WRITE_WITH_IMM, 8);
	expect_completion(t, request, IBV_WC_SUCCESS);
	expect_request(t, OP_WRITE_ONLY_IMM, 0, 8);
	expect_value(t, "DMA length", t->in.dma_length, 8);
	expect_value(t, "immediate", t->in.immediate, 0x11223344);
}

#define FIRST	OP_SEND_FIRST
#define MIDDLE	OP_SEND_MIDDLE
#define LAST	OP_SEND_LAST
#define ONLY	OP_SEND_ONLY
#define CLAUSE	"9.8.2.2"

#define STREAM(name, says, arrives, count, ...) \
	{ "uc_" name, streams, CLAUSE, says, \
	  &(const struct stream){ { __VA_ARGS__ }, count, arrives } }
#define HOLE	"a message with a hole is dropped as a whole, the next one arrives"
#define ORDER	"packets in a wrong order are dropped up to the next FIRST or ONLY"

const struct rule uc_rules[] = {
	STREAM("only", "a SEND arrives", 8, 1, { ONLY, 0, 8 }),
	STREAM("message", "a SEND of several packets arrives", 2 * MTU + 8, 3,
	       { FIRST, 0, MTU }, { MIDDLE, 1, MTU }, { LAST, 2, 8 }),
	STREAM("hole", HOLE, 16, 3, { FIRST, 0, MTU }, { LAST, 2, 8 }, { ONLY, 3, 16 }),
	STREAM("hole_first", HOLE, MTU + 8, 4, { FIRST, 0, MTU }, { MIDDLE, 2, MTU },
	       { FIRST, 3, MTU }, { LAST, 4, 8 }),
	STREAM("hole_before", "a hole between messages harms none", 8, 1, { ONLY, 5, 8 }),
	STREAM("duplicate", "a packet that comes twice within a message is a hole", 16, 4,
	       { FIRST, 0, MTU }, { FIRST, 0, MTU }, { LAST, 2, 8 }, { ONLY, 3, 16 }),
	STREAM("middle_at_start", ORDER, 16, 2, { MIDDLE, 0, MTU }, { ONLY, 1, 16 }),
	STREAM("last_at_start", ORDER, 16, 2, { LAST, 0, 8 }, { ONLY, 1, 16 }),
	STREAM("first_first", ORDER, MTU + 8, 3, { FIRST, 0, MTU }, { FIRST, 1, MTU },
	       { LAST, 2, 8 }),
	STREAM("first_only", ORDER, 16, 2, { FIRST, 0, MTU }, { ONLY, 1, 16 }),
	STREAM("first_write", ORDER, 16, 3, { FIRST, 0, MTU }, { OP_WRITE_LAST, 1, 8 },
	       { ONLY, 2, 16 }),
	STREAM("first_short", "a FIRST that is no full packet is dropped with its message", 16, 3,
	       { FIRST, 0, MTU - 4 }, { LAST, 1, 8 }, { ONLY, 2, 16 }),
	STREAM("read", "UC has no READ: it is dropped", 16, 2, { OP_READ_REQUEST, 0, 8 },
	       { ONLY, 1, 16 }),
	{ "uc_write", write_arrives, CLAUSE, "a WRITE arrives" },
	{ "uc_write_hole", write_with_hole, CLAUSE, "a WRITE ends at a hole" },
	{ "uc_write_access", write_without_right, CLAUSE,
	  "a WRITE beyond its region is dropped without a word" },
	{ "uc_no_receive", no_receive, CLAUSE, "a SEND without a receive is dropped" },
	{ "uc_sends", sends, "9.8.2.1", "a SEND completes without an answer" },
	{ "uc_writes", writes, "9.8.2.1", "a WRITE completes without an answer" },
	{ }
};
