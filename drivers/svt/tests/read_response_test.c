// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which responses a requester takes for its READ: each of the kind that its place asks for, those
 * of a repeat and late ones of the first time among them; and refusals in the middle of one.
 */
#include "tests/requester_fixture.h"
#include "wire/psn.h"

#define PACKETS		5
#define PART		SVT_READ_PACKETS

static struct requester_fixture *open(struct kunit *test)
{
	return requester_open(test, &REQUESTER_RC);
}

/* What came before the response that is judged, of a READ of @packets packets */
struct response_case {
	const char *name;
	u32 packets;
	u32 before;
	bool repeated;
	u8 opcode;
	bool right;
};

static const struct response_case response_cases[] = {
	{ "FIRST at the beginning", PACKETS, 0, false, READ_FIRST, true },
	{ "MIDDLE at the beginning", PACKETS, 0, false, READ_MIDDLE, false },
	{ "LAST at the beginning", PACKETS, 0, false, READ_LAST, false },
	{ "ONLY at the beginning", PACKETS, 0, false, READ_ONLY, false },
	{ "FIRST in the middle", PACKETS, 2, false, READ_FIRST, false },
	{ "MIDDLE in the middle", PACKETS, 2, false, READ_MIDDLE, true },
	{ "LAST in the middle", PACKETS, 2, false, READ_LAST, false },
	{ "ONLY in the middle", PACKETS, 2, false, READ_ONLY, false },
	{ "FIRST at the end", PACKETS, 4, false, READ_FIRST, false },
	{ "MIDDLE at the end", PACKETS, 4, false, READ_MIDDLE, false },
	{ "LAST at the end", PACKETS, 4, false, READ_LAST, true },
	{ "ONLY at the end", PACKETS, 4, false, READ_ONLY, false },
	{ "FIRST of one packet", 1, 0, false, READ_FIRST, false },
	{ "MIDDLE of one packet", 1, 0, false, READ_MIDDLE, false },
	{ "LAST of one packet", 1, 0, false, READ_LAST, false },
	{ "ONLY of one packet", 1, 0, false, READ_ONLY, true },
	{ "FIRST where a repeat began", PACKETS, 2, true, READ_FIRST, true },
	{ "MIDDLE where a repeat began", PACKETS, 2, true, READ_MIDDLE, true },
	{ "LAST where a repeat began", PACKETS, 2, true, READ_LAST, false },
	{ "ONLY where a repeat began", PACKETS, 2, true, READ_ONLY, false },
	{ "ONLY for a repeat of the last", PACKETS, 4, true, READ_ONLY, true },
	{ "LAST for a repeat of the last", PACKETS, 4, true, READ_LAST, true },
	{ "FIRST for a repeat of the last", PACKETS, 4, true, READ_FIRST, false },
	{ "LAST at the end of a part", PART + 2, PART - 1, false, READ_LAST, true },
	{ "MIDDLE at the end of a part", PART + 2, PART - 1, false, READ_MIDDLE, false },
	{ "FIRST of the next part", PART + 2, PART, false, READ_FIRST, true },
	{ "MIDDLE of the next part", PART + 2, PART, false, READ_MIDDLE, false },
	{ "ONLY of the next part", PART + 1, PART, false, READ_ONLY, true },
};

static void name_response(const struct response_case *response, char *name)
{
	strscpy(name, response->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(response, response_cases, name_response);

static void each_place_has_its_kind_of_response(struct kunit *test)
{
	const struct response_case *response = test->param_value;
	struct requester_fixture *f = open(test);
	u32 before = response->before;

	requester_send(f, WR_READ, 0, response->packets * MTU);
	requester_read_range(f, 0, before, 0);
	if (response->repeated)
		requester_let_pass(f, HOUR);
	requester_drop_sent(f);
	requester_read(f, response->opcode, before, before * MTU, MTU);
	if (!response->right) {
		requester_expect_done(f, 0, IB_WC_BAD_RESP_ERR);
		KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
		return;
	}
	requester_read_range(f, before + 1, response->packets, (before + 1) * MTU);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_memory(f, 0, 0, response->packets * MTU);
}

/* Responses of MIDDLE that come as one skb */
static void a_run_of_responses_ends_before_the_last(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	requester_send(f, WR_READ, 0, PACKETS * MTU);
	requester_read(f, READ_FIRST, 0, 0, MTU);
	for (n = 1; n < PACKETS - 1; n++)
		requester_put_read(f, READ_MIDDLE, n, n * MTU, MTU);
	requester_read(f, READ_MIDDLE, n, n * MTU, MTU);
	requester_expect_done(f, 0, IB_WC_BAD_RESP_ERR);
}

static void a_run_of_responses_ends_before_the_last_of_a_part(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	requester_send(f, WR_READ, 0, (PART + 4) * MTU);
	requester_read_range(f, 0, PART - 2, 0);
	for (n = PART - 2; n < PART + 2; n++)
		requester_put_read(f, READ_MIDDLE, n, n * MTU, MTU);
	requester_read(f, READ_MIDDLE, n, n * MTU, MTU);
	requester_expect_done(f, 0, IB_WC_BAD_RESP_ERR);
}

/* The repeat began at 2; by late responses una is beyond that now, and nothing begins there */
static void a_response_of_a_repeat_that_comes_late_is_in_the_middle(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, PACKETS * MTU);
	requester_read_range(f, 0, 2, 0);
	requester_let_pass(f, HOUR);
	requester_drop_sent(f);
	requester_read_range(f, 2, 3, 2 * MTU);
	/* Of the repeat, whose place has been filled */
	requester_read(f, READ_FIRST, 2, 2 * MTU, MTU);
	requester_expect_not_done(f);
	requester_read(f, READ_FIRST, 3, 3 * MTU, MTU);
	requester_expect_done(f, 0, IB_WC_BAD_RESP_ERR);
}

struct kind_case {
	const char *name;
	u8 opcode;	/* of the work request */
	bool atomic;	/* the response is to an atomic, else to a READ */
	bool right;
};

static const struct kind_case kind_cases[] = {
	{ "data for a SEND", WR_SEND, false, false },
	{ "data for a WRITE", WR_WRITE, false, false },
	{ "data for an atomic", WR_FETCH_ADD, false, false },
	{ "data for a READ", WR_READ, false, true },
	{ "a value for a SEND", WR_SEND, true, false },
	{ "a value for a READ", WR_READ, true, false },
	{ "a value for an atomic", WR_FETCH_ADD, true, true },
};

static void name_kind(const struct kind_case *kind, char *name)
{
	strscpy(name, kind->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(kind, kind_cases, name_kind);

static void each_request_has_its_kind_of_response(struct kunit *test)
{
	const struct kind_case *kind = test->param_value;
	struct requester_fixture *f = open(test);

	requester_post(f, WR_SEND, 0, 8);
	requester_post(f, kind->opcode, 64, 8);
	requester_push(f);
	requester_drop_sent(f);
	if (kind->atomic)
		requester_atomic(f, 1, 1);
	else
		requester_read(f, READ_ONLY, 1, 0, 8);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, kind->right ? IB_WC_SUCCESS : IB_WC_BAD_RESP_ERR);
	KUNIT_EXPECT_EQ(test, f->qp->state, kind->right ? IB_QPS_RTS : IB_QPS_ERR);
}

/* It came before: a copy of the network's */
static void a_late_response_of_another_kind_says_nothing(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_post(f, WR_READ, 0, 8);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_read(f, READ_ONLY, 0, 0, 8);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_read(f, READ_ONLY, 0, 0, 8);
	requester_atomic(f, 0, 1);
	requester_expect_not_done(f);
	requester_ack(f, 1);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
}

struct refusal_case {
	u8 code;
	enum ib_wc_status status;
};

static const struct refusal_case refusal_cases[] = {
	{ SVT_NAK_INVALID_REQUEST, IB_WC_REM_INV_REQ_ERR },
	{ SVT_NAK_REMOTE_ACCESS, IB_WC_REM_ACCESS_ERR },
	{ SVT_NAK_REMOTE_OPERATIONAL, IB_WC_REM_OP_ERR },
	{ SVT_NAK_INVALID_RD_REQUEST, IB_WC_REM_INV_RD_REQ_ERR },
};

static void name_refusal(const struct refusal_case *refusal, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "code %u", refusal->code);
}

KUNIT_ARRAY_PARAM(refusal, refusal_cases, name_refusal);

static void a_read_may_be_refused_at_its_beginning_in_its_middle(struct kunit *test)
{
	const struct refusal_case *refusal = test->param_value;
	struct requester_fixture *f = open(test);

	requester_post(f, WR_SEND, 0, 8);
	requester_post(f, WR_READ, 0, PACKETS * MTU);
	requester_push(f);
	requester_drop_sent(f);
	requester_read_range(f, 1, 4, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	/* Of the SEND, which is done */
	requester_nak(f, 0, refusal->code);
	requester_expect_not_done(f);
	requester_nak(f, 1, refusal->code);
	requester_expect_done(f, 1, refusal->status);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_REMOTE_ERRORS), 1);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RX_DROPPED_PSN), 1);
}

static void a_sequence_nak_of_what_came_says_nothing(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, PACKETS * MTU);
	requester_drop_sent(f);
	requester_read_range(f, 0, 3, 0);
	requester_nak(f, 0, SVT_NAK_PSN_SEQUENCE);
	requester_expect_silence(f);
	requester_read_range(f, 3, PACKETS, 3 * MTU);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static struct kunit_case read_response_cases[] = {
	KUNIT_CASE_PARAM(each_place_has_its_kind_of_response, response_gen_params),
	KUNIT_CASE(a_run_of_responses_ends_before_the_last),
	KUNIT_CASE(a_run_of_responses_ends_before_the_last_of_a_part),
	KUNIT_CASE(a_response_of_a_repeat_that_comes_late_is_in_the_middle),
	KUNIT_CASE_PARAM(each_request_has_its_kind_of_response, kind_gen_params),
	KUNIT_CASE(a_late_response_of_another_kind_says_nothing),
	KUNIT_CASE_PARAM(a_read_may_be_refused_at_its_beginning_in_its_middle, refusal_gen_params),
	KUNIT_CASE(a_sequence_nak_of_what_came_says_nothing),
	{ }
};

static struct kunit_suite read_response_suite = {
	.name = "svt-read-response",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = read_response_cases,
};

kunit_test_suite(read_response_suite);
