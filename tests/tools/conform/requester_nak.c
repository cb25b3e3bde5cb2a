// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: NAKs, waiting for receives, and giving up.
 */
#include "clock.h"
#include "conform.h"

#define RNR_TIMER	24
#define RNR_US		40960	/* that this timer names */
#define RNR_SHORT	1	/* 10 us */
#define COPIES_MAX	64	/* of who repeats more often than retry_cnt says */

struct fatal {
	u8 syndrome;
	enum ibv_wc_status status;
	int psn;	/* of the NAK, where it may have more than one */
};

static void ends_request(struct test *t)
{
	const struct fatal *f = t->rule->arg;

	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	post(t, IBV_WR_RDMA_WRITE, 8);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	expect_request(t, OP_WRITE_ONLY, 1, 8);
	expect_request(t, OP_SEND_ONLY, 2, 8);
	answer(t, f->syndrome, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, f->status);
	expect_completion(t, 2, IBV_WC_WR_FLUSH_ERR);
	expect_error_state(t);
}

static void ends_read(struct test *t)
{
	const struct fatal *f = t->rule->arg;

	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	answer(t, f->syndrome, 0);
	expect_completion(t, 0, f->status);
	expect_error_state(t);
}

/* A responder finds the fault on the way: the NAK has the PSN of the request, or of what is due */
static void ends_read_on_the_way(struct test *t)
{
	const struct fatal *f = t->rule->arg;

	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 3 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 3 * MTU);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	answer(t, f->syndrome, f->psn);
	expect_completion(t, 0, f->status);
	expect_error_state(t);
}

static void goes_back(struct test *t)
{
	u32 i;

	connect_requester(t);
	for (i = 0; i < 3; i++)
		post(t, IBV_WR_SEND, 8);
	for (i = 0; i < 3; i++)
		expect_request(t, OP_SEND_ONLY, i, 8);
	answer(t, NAK_SEQUENCE, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_repeat(t, OP_SEND_ONLY, 1);
	expect_repeat(t, OP_SEND_ONLY, 2);
	answer(t, 0, 2);
	expect_completion(t, 1, IBV_WC_SUCCESS);
	expect_completion(t, 2, IBV_WC_SUCCESS);
}

static void goes_back_into_message(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_WRITE, 3 * MTU);
	expect_request(t, OP_WRITE_FIRST, 0, MTU);
	expect_request(t, OP_WRITE_MIDDLE, 1, MTU);
	expect_request(t, OP_WRITE_LAST, 2, MTU);
	answer(t, NAK_SEQUENCE, 1);
	expect_repeat(t, OP_WRITE_MIDDLE, 1);
	expect_repeat(t, OP_WRITE_LAST, 2);
	answer(t, 0, 2);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

/* Answers each copy of the request by @syndrome. Return: how many copies there were */
static u32 refuse_all(struct test *t, u8 syndrome)
{
	u32 count = 0;

	while (sends_again(t, 0)) {
		count++;
		if (syndrome)
			answer(t, syndrome, 0);
	}
	return count;
}

/* One more copy may be of the timer's */
static void gives_up(struct test *t, u8 syndrome, u32 least, u32 most,
		     enum ibv_wc_status status)
{
	u32 count;

	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	count = refuse_all(t, syndrome);
	note(t->expected, "%u to %u copies", least, most);
	note(t->seen, "%u copies", count);
	if (count < least || count > most)
		deviates(t);
	expect_completion(t, 0, status);
	expect_error_state(t);
}

static void gives_up_naks(struct test *t)
{
	t->path.retry_cnt = 2;
	gives_up(t, NAK_SEQUENCE, 3, COPIES_MAX, IBV_WC_RETRY_EXC_ERR);
}

static void gives_up_silence(struct test *t)
{
	t->path.retry_cnt = 2;
	t->path.timeout = 10;
	gives_up(t, 0, 3, COPIES_MAX, IBV_WC_RETRY_EXC_ERR);
}

static void gives_up_at_once(struct test *t)
{
	t->path.retry_cnt = 0;
	t->path.timeout = 10;
	gives_up(t, 0, 1, COPIES_MAX, IBV_WC_RETRY_EXC_ERR);
}

static void gives_up_rnr(struct test *t)
{
	t->path.rnr_retry = 2;
	gives_up(t, SYNDROME_RNR | RNR_SHORT, 3, 4, IBV_WC_RNR_RETRY_EXC_ERR);
}

static void rnr_never(struct test *t)
{
	t->path.rnr_retry = 0;
	gives_up(t, SYNDROME_RNR | RNR_SHORT, 1, 2, IBV_WC_RNR_RETRY_EXC_ERR);
}

static void rnr_without_end(struct test *t)
{
	u32 i;

	t->path.rnr_retry = 7;
	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	for (i = 0; i < 12; i++) {
		answer(t, SYNDROME_RNR | RNR_SHORT, 0);
		expect_repeat(t, OP_SEND_ONLY, 0);
	}
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

static void waits(struct test *t)
{
	u64 start;

	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	/* Repeats of its own that it sent before are not meant */
	expect_no_more(t, 0);
	start = clock_us();
	answer(t, SYNDROME_RNR | RNR_TIMER, 0);
	expect_repeat(t, OP_SEND_ONLY, 0);
	note(t->expected, "%u us later or more", RNR_US);
	note(t->seen, "%llu us later", (unsigned long long)(clock_us() - start));
	if (clock_us() - start < RNR_US)
		deviates(t);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

static void rnr_acknowledges(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_WRITE, 8);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_WRITE_ONLY, 0, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
	answer(t, SYNDROME_RNR | RNR_SHORT, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_repeat(t, OP_SEND_ONLY, 1);
	answer(t, 0, 1);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

#define FATAL(name, function, says, ...) \
	{ "nak_" name, function, "9.7.5.2.2, 9.9.2", says, \
	  &(const struct fatal){ __VA_ARGS__ } }
#define ENDS	"a fatal NAK ends its request, completes those before it, flushes the rest"
#define READ	"a fatal NAK ends a READ"
#define MIDWAY	"a NAK with the PSN of a READ ends it also when responses have come"
#define THERE	"a NAK with the PSN of the response that is due ends a READ"

const struct rule nak_rules[] = {
	FATAL("invalid", ends_request, ENDS, NAK_INVALID_REQUEST, IBV_WC_REM_INV_REQ_ERR),
	FATAL("access", ends_request, ENDS, NAK_REMOTE_ACCESS, IBV_WC_REM_ACCESS_ERR),
	FATAL("operational", ends_request, ENDS, NAK_REMOTE_OPERATIONAL, IBV_WC_REM_OP_ERR),
	FATAL("rd", ends_request, ENDS, NAK_INVALID_RD_REQUEST, IBV_WC_REM_INV_RD_REQ_ERR),
	FATAL("read_invalid", ends_read, READ, NAK_INVALID_REQUEST, IBV_WC_REM_INV_REQ_ERR),
	FATAL("read_access", ends_read, READ, NAK_REMOTE_ACCESS, IBV_WC_REM_ACCESS_ERR),
	FATAL("read_operational", ends_read, READ, NAK_REMOTE_OPERATIONAL, IBV_WC_REM_OP_ERR),
	FATAL("read_there_access", ends_read_on_the_way, THERE, NAK_REMOTE_ACCESS,
	      IBV_WC_REM_ACCESS_ERR, 1),
	FATAL("read_midway_invalid", ends_read_on_the_way, MIDWAY, NAK_INVALID_REQUEST,
	      IBV_WC_REM_INV_REQ_ERR),
	FATAL("read_midway_access", ends_read_on_the_way, MIDWAY, NAK_REMOTE_ACCESS,
	      IBV_WC_REM_ACCESS_ERR),
	FATAL("read_midway_operational", ends_read_on_the_way, MIDWAY, NAK_REMOTE_OPERATIONAL,
	      IBV_WC_REM_OP_ERR),
	{ "nak_sequence", goes_back, "9.7.5.2.2",
	  "a NAK for a hole acknowledges what is before it, and the rest is sent again" },
	{ "nak_sequence_in_message", goes_back_into_message, "9.7.5.2.2",
	  "after a NAK within a message it goes on with the opcodes it had" },
	{ "nak_sequence_again", gives_up_naks, "9.7.5.2.2, 9.9.2",
	  "a requester that is told of the same hole again and again gives up after retry_cnt" },
	{ "silence", gives_up_silence, "9.7.6.1.3, 9.9.2",
	  "a requester that is not answered repeats, and gives up after retry_cnt" },
	{ "silence_no_retry", gives_up_at_once, "9.7.6.1.3, 9.9.2",
	  "with a retry_cnt of 0 a requester that is not answered gives up as well" },
	{ "rnr_waits", waits, "9.7.5.2.8", "an RNR NAK is waited for as long as it says" },
	{ "rnr_acknowledges", rnr_acknowledges, "9.7.5.2.8",
	  "an RNR NAK acknowledges what is before it" },
	{ "rnr_gives_up", gives_up_rnr, "9.7.5.2.8, 9.9.2",
	  "a requester gives up after rnr_retry RNR NAKs" },
	{ "rnr_no_retry", rnr_never, "9.7.5.2.8, 9.9.2",
	  "with an rnr_retry of 0 a requester gives up at the first RNR NAK" },
	{ "rnr_without_end", rnr_without_end, "9.7.5.2.8, 11.2.5.2",
	  "an rnr_retry of 7 is without end" },
	XRC_RULE("nak_invalid", ends_request, "9.9.2", ENDS,
		 .arg = &(const struct fatal){ NAK_INVALID_REQUEST, IBV_WC_REM_INV_REQ_ERR }),
	XRC_RULE("nak_access", ends_request, "9.9.2", ENDS,
		 .arg = &(const struct fatal){ NAK_REMOTE_ACCESS, IBV_WC_REM_ACCESS_ERR }),
	XRC_RULE("nak_read_access", ends_read, "9.9.2", READ,
		 .arg = &(const struct fatal){ NAK_REMOTE_ACCESS, IBV_WC_REM_ACCESS_ERR }),
	XRC_RULE("nak_sequence", goes_back, "9.7.5.2.2",
		 "a NAK for a hole acknowledges what is before it, and the rest is sent again"),
	XRC_RULE("nak_sequence_in_message", goes_back_into_message, "9.7.5.2.2",
		 "after a NAK within a message it goes on with the opcodes it had"),
	XRC_RULE("silence", gives_up_silence, "9.7.6.1.3, 9.9.2",
		 "a requester that is not answered repeats, and gives up after retry_cnt"),
	XRC_RULE("rnr_waits", waits, "9.7.5.2.8", "an RNR NAK is waited for as long as it says"),
	XRC_RULE("rnr_gives_up", gives_up_rnr, "9.7.5.2.8, 9.9.2",
		 "a requester gives up after rnr_retry RNR NAKs"),
	{ }
};
