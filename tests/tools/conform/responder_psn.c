// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: regions of PSNs, and the ACKs that are due.
 */
#include "conform.h"

#define REGION		(1 << 23)

static void start(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receives(t, 8, 4 * MTU);
}

static void expected(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len, 8);
	expect_received(t, 8);
}

static void ahead(struct test *t)
{
	const u8 *operation = t->rule->arg;

	start(t);
	ask(t, *operation, 3, 8);
	expect_nak(t, NAK_SEQUENCE, 0);
	expect_no_completion(t);
}

static void ahead_last(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	ask(t, OP_SEND_ONLY, REGION, 8);
	expect_nak(t, NAK_SEQUENCE, 1);
}

static void hole_has_one_nak(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_nak(t, NAK_SEQUENCE, 0);
	ask(t, OP_SEND_ONLY, 2, 8);
	ask(t, OP_SEND_ONLY, 3, 8);
	expect_silence(t, 0);
}

static void hole_repaired(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_nak(t, NAK_SEQUENCE, 0);
	ask(t, OP_SEND_ONLY, 0, 8);
	ask(t, OP_SEND_ONLY, 1, 16);
	expect_ack(t, 1);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_value(t, "bytes", expect_completion(t, RECEIVE + 1, IBV_WC_SUCCESS)->byte_len, 16);
}

static void next_hole_has_a_nak(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_nak(t, NAK_SEQUENCE, 0);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	ask(t, OP_SEND_ONLY, 5, 8);
	expect_nak(t, NAK_SEQUENCE, 1);
}

static void duplicate_send(struct test *t)
{
	start(t);
	expect_one_delivery(t);
}

/* What the program wrote since stays */
static void duplicate_write(struct test *t)
{
	start(t);
	ask(t, OP_WRITE_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_written(t, 8);
	t->w->memory[ZONE_REMOTE][0] = pattern(ZONE_REMOTE, 0);
	ask(t, OP_WRITE_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_unwritten(t, 0);
}

static void duplicate_of_old(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	ask(t, OP_SEND_ONLY, 1, 8);
	ask(t, OP_SEND_ONLY, 2, 8);
	expect_ack(t, 2);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 2);
}

static void duplicate_oldest(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	ask(t, OP_SEND_ONLY, 1 - REGION, 8);
	expect_ack(t, 0);
	expect_no_completion(t);
}

static void wraps(struct test *t)
{
	int psn;

	t->path.peer.psn = 0xfffffe;
	start(t);
	for (psn = 0; psn < 4; psn++) {
		ask(t, OP_SEND_ONLY, psn, 8);
		expect_ack(t, psn);
	}
}

static void wraps_in_message(struct test *t)
{
	t->path.peer.psn = 0xfffffe;
	start(t);
	request(t, OP_WRITE_FIRST, 0, MTU)->dma_length = 3 * MTU;
	put(t);
	ask(t, OP_WRITE_MIDDLE, 1, MTU);
	ask(t, OP_WRITE_LAST, 2, MTU);
	expect_ack(t, 2);
	expect_written(t, 3 * MTU);
}

static void wraps_in_read(struct test *t)
{
	t->path.peer.psn = 0xfffffe;
	start(t);
	ask(t, OP_READ_REQUEST, 0, 3 * MTU);
	expect_read(t, 0, 0, 3 * MTU);
	ask(t, OP_SEND_ONLY, 3, 8);
	expect_ack(t, 3);
}

static void no_ack_asked(struct test *t)
{
	start(t);
	request(t, OP_SEND_ONLY, 0, 8)->ack_request = false;
	but(t, "AckReq 0");
	put(t);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_ack(t, 1);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_completion(t, RECEIVE + 1, IBV_WC_SUCCESS);
}

static void ack_in_message(struct test *t)
{
	start(t);
	request(t, OP_SEND_FIRST, 0, MTU)->ack_request = true;
	but(t, "AckReq 1");
	put(t);
	expect_ack(t, 0);
	expect_value(t, "MSN", t->in.msn, 0);
	ask(t, OP_SEND_LAST, 1, 8);
	expect_ack(t, 1);
	expect_value(t, "MSN", t->in.msn, 1);
}

static void msn_counts_messages(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_value(t, "MSN", t->in.msn, 1);
	ask(t, OP_WRITE_FIRST, 1, MTU);
	ask(t, OP_WRITE_LAST, 2, MTU);
	expect_ack(t, 2);
	expect_value(t, "MSN", t->in.msn, 2);
}

static void msn_of_read(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	ask(t, OP_READ_REQUEST, 1, 8);
	expect_read(t, 1, 0, 8);
	expect_value(t, "MSN", t->in.msn, 2);
}

static void msn_of_atomic(struct test *t)
{
	u64 *word = (u64 *)t->w->memory[ZONE_REMOTE];

	start(t);
	*word = 5;
	ask(t, OP_FETCH_ADD, 0, 0);
	expect_atomic(t, 0, 5);
	expect_value(t, "MSN", t->in.msn, 1);
}

static void msn_of_duplicate(struct test *t)
{
	start(t);
	ask(t, OP_SEND_ONLY, 0, 8);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_ack(t, 1);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_ack(t, 1);
	expect_value(t, "MSN", t->in.msn, 2);
}

#define AHEAD(name, operation) \
	{ "psn_ahead_" name, ahead, "9.7.4.1.1, 9.7.5.2.2", \
	  "a request ahead of the expected PSN is a hole, whatever it asks", \
	  &(const u8){ operation } }

const struct rule psn_rules[] = {
	{ "psn_expected", expected, "9.7.4.1.1", "the request that is due is carried out" },
	AHEAD("send", OP_SEND_ONLY),
	AHEAD("send_last", OP_SEND_LAST),
	AHEAD("write", OP_WRITE_ONLY),
	AHEAD("read", OP_READ_REQUEST),
	AHEAD("atomic", OP_FETCH_ADD),
	AHEAD("flush", OP_FLUSH),
	AHEAD("atomic_write", OP_ATOMIC_WRITE),
	{ "psn_ahead_last", ahead_last, "9.7.4.1.1",
	  "the PSN 2^23 - 1 ahead of the expected is the last of a hole" },
	{ "psn_one_nak", hole_has_one_nak, "9.7.5.2.2", "a hole has one NAK" },
	{ "psn_hole_repaired", hole_repaired, "9.7.5.2.2",
	  "when the missing request comes all goes on from there" },
	{ "psn_next_hole", next_hole_has_a_nak, "9.7.5.2.2", "the next hole has a NAK again" },
	{ "psn_duplicate_send", duplicate_send, "9.7.5.1.4",
	  "a duplicate SEND is acknowledged and not delivered" },
	{ "psn_duplicate_write", duplicate_write, "9.7.5.1.4",
	  "a duplicate WRITE is acknowledged and not carried out" },
	{ "psn_duplicate_old", duplicate_of_old, "9.7.5.1.4",
	  "a duplicate is acknowledged by the PSN of the newest request" },
	{ "psn_duplicate_oldest", duplicate_oldest, "9.7.4.1.1",
	  "the PSN 2^23 before the expected is the oldest duplicate" },
	{ "psn_wrap", wraps, "9.7.1", "PSN 0 follows 0xffffff" },
	{ "psn_wrap_write", wraps_in_message, "9.7.1", "PSN 0 follows 0xffffff within a WRITE" },
	{ "psn_wrap_read", wraps_in_read, "9.7.1",
	  "PSN 0 follows 0xffffff within the responses to a READ" },
	{ "ack_not_asked", no_ack_asked, "9.7.5.1.2", "a request without AckReq needs no ACK" },
	{ "ack_in_message", ack_in_message, "9.7.5.1.2, 9.7.7.1",
	  "AckReq is heeded within a message, which does not count yet" },
	{ "msn_counts", msn_counts_messages, "9.7.7.1", "the MSN counts messages, not packets" },
	{ "msn_read", msn_of_read, "9.7.7.1", "a READ counts in the MSN" },
	{ "msn_atomic", msn_of_atomic, "9.7.7.1", "an atomic counts in the MSN" },
	{ "msn_duplicate", msn_of_duplicate, "9.7.7.1", "a duplicate does not count in the MSN" },
	{ }
};
