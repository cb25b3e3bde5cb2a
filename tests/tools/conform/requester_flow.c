// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: how much may be under way.
 */
#include "conform.h"

/* Two codes of the AETH that are the numbers they stand for */
#define CREDITS_0	0
#define CREDITS_2	2

/* One SEND is acknowledged, with the peer's @credits in it */
static void told(struct test *t, u8 credits)
{
	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	t->peer_credits = credits;
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

static void probes(struct test *t)
{
	told(t, CREDITS_0);
	post(t, IBV_WR_SEND, 3 * MTU);
	expect_request(t, OP_SEND_FIRST, 1, MTU);
	expect_value(t, "AckReq", t->in.ack_request, 1);
	expect_no_more(t, 1);
	answer(t, 0, 1);
	expect_request(t, OP_SEND_MIDDLE, 2, MTU);
	expect_request(t, OP_SEND_LAST, 3, MTU);
	answer(t, 0, 3);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

static void limits(struct test *t)
{
	u32 i;

	told(t, CREDITS_2);
	for (i = 1; i < 6; i++)
		post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
	expect_request(t, OP_SEND_ONLY, 2, 8);
	/* The third may be a probe */
	expect_no_more(t, 3);
	answer(t, 0, 2);
	expect_request(t, OP_SEND_ONLY, 4, 8);
}

static void none_told(struct test *t)
{
	u32 i;

	told(t, CREDITS_NONE);
	for (i = 1; i < 6; i++)
		post(t, IBV_WR_SEND, 8);
	for (i = 1; i < 6; i++)
		expect_request(t, OP_SEND_ONLY, i, 8);
}

static void without_receive(struct test *t)
{
	u32 i;

	told(t, CREDITS_0);
	for (i = 1; i < 4; i++)
		post(t, IBV_WR_RDMA_WRITE, 8);
	post(t, IBV_WR_RDMA_READ, 8);
	for (i = 1; i < 4; i++)
		expect_request(t, OP_WRITE_ONLY, i, 8);
	expect_request(t, OP_READ_REQUEST, 4, 8);
}

static void raises_limit(struct test *t)
{
	u32 i;

	told(t, CREDITS_2);
	for (i = 1; i < 7; i++)
		post(t, IBV_WR_RDMA_WRITE, 8);
	post(t, IBV_WR_SEND, 8);
	for (i = 1; i < 7; i++)
		expect_request(t, OP_WRITE_ONLY, i, 8);
	expect_request(t, OP_SEND_ONLY, 7, 8);
}

static void reads_at_once(struct test *t)
{
	u32 i;

	t->path.rd_atomic = 2;
	connect_requester(t);
	for (i = 0; i < 4; i++)
		post(t, IBV_WR_RDMA_READ, 8);
	expect_request(t, OP_READ_REQUEST, 0, 8);
	expect_request(t, OP_READ_REQUEST, 1, 8);
	expect_no_more(t, 1);
	respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
	expect_request(t, OP_READ_REQUEST, 2, 8);
	expect_no_more(t, 2);
}

static void atomics_at_once(struct test *t)
{
	t->path.rd_atomic = 1;
	connect_requester(t);
	post(t, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	post(t, IBV_WR_RDMA_READ, 8);
	expect_request(t, OP_FETCH_ADD, 0, 0);
	expect_no_more(t, 0);
	answer_atomic(t, 0, 5);
	expect_request(t, OP_READ_REQUEST, 1, 8);
}

static void fence(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 8);
	post_flags(t, IBV_WR_SEND, 8, IBV_SEND_FENCE);
	expect_request(t, OP_READ_REQUEST, 0, 8);
	expect_no_more(t, 0);
	respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
}

static void no_fence(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 8);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_READ_REQUEST, 0, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
}

#define CLAUSE	"9.7.7.2.5"

const struct rule flow_rules[] = {
	{ "credits_none", probes, CLAUSE,
	  "without a credit one packet is sent, with AckReq, and the rest when it is taken" },
	{ "credits_limit", limits, CLAUSE,
	  "no more SENDs are sent than there are credits, and one" },
	{ "credits_invalid", none_told, "9.7.7.2",
	  "a peer that tells of no credits limits nothing" },
	{ "credits_not_needed", without_receive, CLAUSE,
	  "requests that take no receive need no credit" },
	{ "credits_raised", raises_limit, CLAUSE,
	  "a request that takes no receive raises the limit for those behind it" },
	{ "max_rd_atomic", reads_at_once, "9.4.4, 11.2.5.2",
	  "no more READs are under way than max_rd_atomic" },
	{ "max_rd_atomic_atomics", atomics_at_once, "9.4.5, 11.2.5.2",
	  "READs and atomics count together" },
	{ "fence", fence, "10.8.3.3", "a request with a fence waits for READs before it" },
	{ "no_fence", no_fence, "10.8.3.3", "a request without a fence does not wait for READs" },
	XRC_RULE("max_rd_atomic", reads_at_once, "9.4.4, 11.2.5.2",
		 "no more READs are under way than max_rd_atomic"),
	XRC_RULE("fence", fence, "10.8.3.3", "a request with a fence waits for READs before it"),
	{ }
};
