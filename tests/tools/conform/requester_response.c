// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: responses to READs and atomics.
 */
#include "conform.h"

/* Responses to a READ of so many bytes, of which the last ends it */
struct responses {
	u32 length;
	u32 count;
	struct {
		u8 operation;
		u32 length;
	} parts[3];
};

static void send_responses(struct test *t)
{
	const struct responses *r = t->rule->arg;
	u32 i;

	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, r->length);
	expect_request(t, OP_READ_REQUEST, 0, r->length);
	for (i = 0; i < r->count; i++)
		respond(t, r->parts[i].operation, i, i * MTU, r->parts[i].length);
}

static void wrong_order(struct test *t)
{
	send_responses(t);
	expect_completion(t, 0, IBV_WC_BAD_RESP_ERR);
	expect_error_state(t);
}

static void wrong_length(struct test *t)
{
	send_responses(t);
	expect_failure(t, 0, IBV_WC_BAD_RESP_ERR, IBV_WC_LOC_LEN_ERR);
	expect_error_state(t);
}

/* A response that is not what a request of 8 bytes asked for */
struct other_kind {
	enum ibv_wr_opcode opcode;
	u8 operation;		/* of the request */
	u32 length;		/* that is read, or carried */
	bool atomic;		/* the response is an atomic's, else a READ's */
};

static void other_kind(struct test *t)
{
	const struct other_kind *k = t->rule->arg;

	connect_requester(t);
	post(t, k->opcode, 8);
	expect_request(t, k->operation, 0, k->length);
	if (k->atomic)
		answer_atomic(t, 0, 5);
	else
		respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
	expect_completion(t, 0, IBV_WC_BAD_RESP_ERR);
	expect_error_state(t);
}

static void one_lost(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 3 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 3 * MTU);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	respond(t, OP_READ_RESPONSE_LAST, 2, 2 * MTU, MTU);
	expect_repeat(t, OP_READ_REQUEST, 1);
	expect_value(t, "address", t->in.address, 0x10000 + MTU);
	expect_value(t, "DMA length", t->in.dma_length, 2 * MTU);
	expect_no_completion(t);
	respond(t, OP_READ_RESPONSE_FIRST, 1, MTU, MTU);
	respond(t, OP_READ_RESPONSE_LAST, 2, 2 * MTU, MTU);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_sink(t, 3 * MTU);
}

static void first_lost(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	respond(t, OP_READ_RESPONSE_LAST, 1, MTU, MTU);
	expect_repeat(t, OP_READ_REQUEST, 0);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	respond(t, OP_READ_RESPONSE_LAST, 1, MTU, MTU);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_sink(t, 2 * MTU);
}

static void last_lost(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	expect_repeat(t, OP_READ_REQUEST, 1);
	expect_value(t, "DMA length", t->in.dma_length, MTU);
	respond(t, OP_READ_RESPONSE_ONLY, 1, MTU, MTU);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_sink(t, 2 * MTU);
}

static void duplicate(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 5, MTU);
	respond(t, OP_READ_RESPONSE_LAST, 1, MTU, MTU);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_sink(t, 2 * MTU);
}

static void too_late(struct test *t)
{
	u32 i;

	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 8);
	expect_request(t, OP_READ_REQUEST, 0, 8);
	respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	for (i = OP_READ_RESPONSE_FIRST; i <= OP_READ_RESPONSE_ONLY; i++)
		respond(t, i, 0, 64, 8);
	answer_atomic(t, 0, 5);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
	answer(t, 0, 1);
	expect_completion(t, 1, IBV_WC_SUCCESS);
	expect_sink(t, 8);
}

static void of_the_second(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	post(t, IBV_WR_RDMA_READ, 8);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 2, 8);
	respond(t, OP_READ_RESPONSE_ONLY, 2, 0, 8);
	expect_repeat(t, OP_READ_REQUEST, 0);
	expect_no_completion(t);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	respond(t, OP_READ_RESPONSE_LAST, 1, MTU, MTU);
	expect_repeat(t, OP_READ_REQUEST, 2);
	respond(t, OP_READ_RESPONSE_ONLY, 2, 0, 8);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

#define FIRST	OP_READ_RESPONSE_FIRST
#define MIDDLE	OP_READ_RESPONSE_MIDDLE
#define LAST	OP_READ_RESPONSE_LAST
#define ONLY	OP_READ_RESPONSE_ONLY
#define CLAUSE	"9.7.6.1, 9.9.2"

#define ORDER(name, ...) \
	{ "response_" name, wrong_order, CLAUSE, \
	  "responses to a READ are FIRST, MIDDLE, LAST or ONLY, and nothing else", \
	  &(const struct responses){ 3 * MTU, __VA_ARGS__ } }
#define LENGTH(name, ...) \
	{ "response_" name, wrong_length, CLAUSE, \
	  "responses to a READ are as long as what was asked for", \
	  &(const struct responses){ __VA_ARGS__ } }

#define OTHER(name, says, ...) \
	{ "response_" name, other_kind, CLAUSE, says, &(const struct other_kind){ __VA_ARGS__ } }

const struct rule response_rules[] = {
	ORDER("last_at_start", 1, { { LAST, MTU } }),
	ORDER("middle_at_start", 1, { { MIDDLE, MTU } }),
	ORDER("only_at_start", 1, { { ONLY, MTU } }),
	ORDER("first_first", 2, { { FIRST, MTU }, { FIRST, MTU } }),
	ORDER("first_last", 2, { { FIRST, MTU }, { LAST, MTU } }),
	ORDER("first_only", 2, { { FIRST, MTU }, { ONLY, MTU } }),
	ORDER("middle_at_end", 3, { { FIRST, MTU }, { MIDDLE, MTU }, { MIDDLE, MTU } }),
	ORDER("first_at_end", 3, { { FIRST, MTU }, { MIDDLE, MTU }, { FIRST, MTU } }),
	LENGTH("first_short", 2 * MTU, 1, { { FIRST, MTU - 4 } }),
	LENGTH("first_long", 2 * MTU, 1, { { FIRST, MTU + 4 } }),
	LENGTH("middle_short", 3 * MTU, 2, { { FIRST, MTU }, { MIDDLE, MTU - 4 } }),
	LENGTH("middle_long", 3 * MTU, 2, { { FIRST, MTU }, { MIDDLE, MTU + 4 } }),
	LENGTH("last_short", 2 * MTU, 2, { { FIRST, MTU }, { LAST, MTU - 4 } }),
	LENGTH("last_long", 2 * MTU, 2, { { FIRST, MTU }, { LAST, MTU + 4 } }),
	LENGTH("last_empty", 2 * MTU, 2, { { FIRST, MTU }, { LAST, 0 } }),
	LENGTH("only_short", 64, 1, { { ONLY, 60 } }),
	LENGTH("only_long", 64, 1, { { ONLY, 68 } }),
	LENGTH("only_empty", 64, 1, { { ONLY, 0 } }),
	OTHER("atomic_for_read", "an atomic's result is no answer to a READ",
	      IBV_WR_RDMA_READ, OP_READ_REQUEST, 8, true),
	OTHER("read_for_atomic", "data are no answer to an atomic",
	      IBV_WR_ATOMIC_FETCH_AND_ADD, OP_FETCH_ADD, 0, false),
	OTHER("for_send", "data are no answer to a SEND", IBV_WR_SEND, OP_SEND_ONLY, 8, false),
	{ "response_lost", one_lost, "9.7.6.1, 9.7.5.1.3",
	  "a READ whose response is lost is asked again from there" },
	{ "response_first_lost", first_lost, "9.7.6.1, 9.7.5.1.3",
	  "a READ whose first response is lost is asked again" },
	{ "response_last_lost", last_lost, "9.7.6.1.3, 9.7.5.1.3",
	  "a READ whose last response is lost is asked again for that" },
	{ "response_duplicate", duplicate, "9.7.6.1", "a response that comes again is ignored" },
	{ "response_late", too_late, "9.7.6.1",
	  "a response after its request completed is ignored" },
	{ "response_of_second", of_the_second, "9.7.6.1",
	  "a response to a later READ says that those to the one before are lost" },
	XRC_RULE("response_lost", one_lost, "9.7.6.1, 9.7.5.1.3",
		 "a READ whose response is lost is asked again from there"),
	XRC_RULE("response_first_last", wrong_order, CLAUSE,
		 "responses to a READ are FIRST, MIDDLE, LAST or ONLY, and nothing else",
		 .arg = &(const struct responses){ 3 * MTU, 2, { { FIRST, MTU }, { LAST, MTU } } }),
	XRC_RULE("response_last_short", wrong_length, CLAUSE,
		 "responses to a READ are as long as what was asked for",
		 .arg = &(const struct responses){ 2 * MTU, 2, { { FIRST, MTU },
							      { LAST, MTU - 4 } } }),
	{ }
};
