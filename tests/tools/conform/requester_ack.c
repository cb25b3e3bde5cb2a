// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: ACKs, and what only looks like one.
 */
#include "conform.h"

/* @count SENDs of a packet each, posted and seen */
static void sends(struct test *t, u32 count)
{
	u32 i;

	connect_requester(t);
	for (i = 0; i < count; i++)
		post(t, IBV_WR_SEND, 8);
	for (i = 0; i < count; i++)
		expect_request(t, OP_SEND_ONLY, i, 8);
}

/* The QP still works: its next request completes */
static void works(struct test *t, int psn)
{
	u32 request = post(t, IBV_WR_SEND, 8);

	expect_request(t, OP_SEND_ONLY, psn, 8);
	expect_no_completion(t);
	answer(t, 0, psn);
	expect_completion(t, request, IBV_WC_SUCCESS);
}

static void completes_all_before(struct test *t)
{
	sends(t, 3);
	answer(t, 0, 2);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
	expect_completion(t, 2, IBV_WC_SUCCESS);
}

static void completes_no_more(struct test *t)
{
	sends(t, 2);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_no_completion(t);
	answer(t, 0, 1);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

static void within_message(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_SEND, 2 * MTU);
	expect_request(t, OP_SEND_FIRST, 0, MTU);
	expect_request(t, OP_SEND_LAST, 1, MTU);
	answer(t, 0, 0);
	expect_no_completion(t);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

static void unsent(struct test *t)
{
	sends(t, 1);
	answer(t, 0, 5);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	works(t, 1);
}

static void old(struct test *t)
{
	sends(t, 2);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
	answer(t, 0, 0);
	answer(t, 0, -1);
	works(t, 2);
}

static void old_nak(struct test *t)
{
	sends(t, 2);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
	answer(t, NAK_REMOTE_ACCESS, 0);
	answer(t, NAK_SEQUENCE, 0);
	works(t, 2);
}

static void unsent_nak(struct test *t)
{
	sends(t, 1);
	answer(t, NAK_REMOTE_ACCESS, 7);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	works(t, 1);
}

static void reserved(struct test *t)
{
	const u8 *syndrome = t->rule->arg;

	sends(t, 1);
	answer(t, *syndrome, 0);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	works(t, 1);
}

/* Not of the peer, or damaged */
static void not_heard(struct test *t)
{
	const u8 *damaged = t->rule->arg;

	sends(t, 1);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
	/* The last answer again, for this request */
	t->out.psn++;
	if (*damaged) {
		but(t, "ICRC wrong");
		t->out.icrc = ICRC_WRONG;
	} else {
		but(t, "from another address");
		t->out.from.raw[15] ^= 0x10;
	}
	put(t);
	expect_repeat(t, OP_SEND_ONLY, 1);
	expect_no_completion(t);
	answer(t, 0, 1);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

static void implied_by_response(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	post(t, IBV_WR_RDMA_READ, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	expect_request(t, OP_READ_REQUEST, 1, 8);
	respond(t, OP_READ_RESPONSE_ONLY, 1, 0, 8);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

/* The ACK of what is behind a READ says that its responses are lost */
static void beyond_read(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 8);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_READ_REQUEST, 0, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
	answer(t, 0, 1);
	expect_repeat(t, OP_READ_REQUEST, 0);
	expect_no_completion(t);
	respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

static void lost(struct test *t)
{
	sends(t, 2);
	expect_repeat(t, OP_SEND_ONLY, 0);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

#define RESERVED(name, syndrome) \
	{ "ack_reserved_" name, reserved, "9.7.5.2", "a reserved syndrome is ignored", \
	  &(const u8){ syndrome } }

const struct rule ack_rules[] = {
	{ "ack_all_before", completes_all_before, "9.7.5.1.2",
	  "an ACK is for all requests up to its PSN" },
	{ "ack_no_more", completes_no_more, "9.7.5.1.2", "an ACK is for no later request" },
	{ "ack_within_message", within_message, "9.7.5.1.2",
	  "a request completes with the ACK of its last packet" },
	{ "ack_unsent", unsent, "9.7.6.1", "an ACK of what was not sent is ignored" },
	{ "ack_old", old, "9.7.6.1", "an ACK of what was acknowledged is ignored" },
	{ "nak_old", old_nak, "9.7.6.1", "a NAK of what was acknowledged is ignored" },
	{ "nak_unsent", unsent_nak, "9.7.6.1", "a NAK of what was not sent is ignored" },
	RESERVED("40", 0x40),
	RESERVED("7f", 0x7f),
	{ "ack_damaged", not_heard, "A17, 7.8.1", "an ACK with a wrong ICRC is dropped",
	  &(const u8){ 1 } },
	{ "ack_of_others", not_heard, "9.6.1.2", "an ACK from another address is dropped",
	  &(const u8){ 0 } },
	{ "ack_implied", implied_by_response, "9.7.5.1.2",
	  "a READ response acknowledges what was asked before" },
	{ "ack_beyond_read", beyond_read, "9.7.5.1.2, 9.7.6.1",
	  "an ACK beyond a READ without its responses makes it ask again" },
	{ "ack_lost", lost, "9.7.6.1.3", "what is not acknowledged is sent again" },
	XRC_RULE("ack_all_before", completes_all_before, "9.7.5.1.2",
		 "an ACK is for all requests up to its PSN"),
	XRC_RULE("ack_no_more", completes_no_more, "9.7.5.1.2", "an ACK is for no later request"),
	XRC_RULE("ack_within_message", within_message, "9.7.5.1.2",
		 "a request completes with the ACK of its last packet"),
	XRC_RULE("ack_unsent", unsent, "9.7.6.1", "an ACK of what was not sent is ignored"),
	XRC_RULE("ack_old", old, "9.7.6.1", "an ACK of what was acknowledged is ignored"),
	XRC_RULE("ack_implied", implied_by_response, "9.7.5.1.2",
		 "a READ response acknowledges what was asked before"),
	XRC_RULE("ack_beyond_read", beyond_read, "9.7.5.1.2, 9.7.6.1",
		 "an ACK beyond a READ without its responses makes it ask again"),
	XRC_RULE("ack_lost", lost, "9.7.6.1.3", "what is not acknowledged is sent again"),
	{ }
};
