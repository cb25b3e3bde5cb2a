// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The completer: what the peer's answers mean for the work requests that are out; errors, and the
 * order of completions.
 */
#include "tests/requester_fixture.h"
#include "trace.h"
#include "wire/psn.h"

static struct requester_fixture *open(struct kunit *test)
{
	return requester_open(test, &REQUESTER_RC);
}

/* So long that what comes in this test was under way before a hole was found */
static void expect_long_trip(struct requester_fixture *f)
{
	f->qp->send.srtt = HOUR;
}

/* Opens a QP with @count SENDs of one packet, sent */
static struct requester_fixture *open_with_sends(struct kunit *test, unsigned int count)
{
	struct requester_fixture *f = open(test);

	while (count--)
		requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	return f;
}

static void expect_state(struct requester_fixture *f, enum ib_qp_state state)
{
	KUNIT_EXPECT_EQ(f->test, f->qp->state, state);
}

/* ---- acknowledgments ---- */

static void an_acknowledgment_is_for_all_before_it(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 6);

	requester_expect_not_done(f);
	requester_ack(f, 3);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_expect_done(f, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, requester_expect_done(f, 3, IB_WC_SUCCESS).opcode, IB_WC_SEND);
	requester_expect_not_done(f);
	requester_ack(f, 5);
	requester_expect_done(f, 4, IB_WC_SUCCESS);
	requester_expect_done(f, 5, IB_WC_SUCCESS);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, f->qp->send.deadline, 0);
}

static void a_message_is_done_with_its_last_packet(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_WRITE, 0, 4 * MTU);
	requester_ack(f, 2);
	requester_expect_not_done(f);
	requester_ack(f, 3);
	KUNIT_EXPECT_EQ(test, requester_expect_done(f, 0, IB_WC_SUCCESS).opcode,
			IB_WC_RDMA_WRITE);
}

static void an_acknowledgment_of_what_was_not_sent_is_dropped(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 3);

	requester_ack(f, 3);
	requester_ack(f, 100);
	requester_ack(f, 0x7fffff);
	requester_nak(f, 3, SVT_NAK_REMOTE_ACCESS);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RX_DROPPED_PSN), 4);
	requester_expect_not_done(f);
	requester_expect_silence(f);
	requester_ack(f, 2);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	expect_state(f, IB_QPS_RTS);
}

static void an_acknowledgment_that_is_old_is_dropped(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 4);
	unsigned int id;

	requester_ack(f, 2);
	for (id = 0; id < 3; id++)
		requester_expect_done(f, id, IB_WC_SUCCESS);
	requester_ack(f, 2);
	requester_ack(f, 0);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_nak(f, 0, SVT_NAK_INVALID_REQUEST);
	requester_answer(f, 2, SVT_AETH_RNR | 1, 0);
	requester_expect_not_done(f);
	requester_expect_silence(f);
	expect_state(f, IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, f->qp->send.una, requester_psn(f, 3));
}

static void a_syndrome_that_is_reserved_says_nothing(struct kunit *test)
{
	static const u8 reserved[] = { 0x40, 0x5f, 0x65, 0x7f, 0x80, 0xa0, 0xe1, 0xff };
	struct requester_fixture *f = open_with_sends(test, 1);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		requester_answer(f, 0, reserved[i], 0);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RX_DROPPED_MALFORMED),
			ARRAY_SIZE(reserved));
	requester_expect_not_done(f);
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void an_unsignalled_request_completes_without_a_word(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 8);

	wqe.flags = 0;
	requester_post_wqe(f, &wqe, &sge);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_ack(f, 0);
	requester_expect_not_done(f);
	KUNIT_EXPECT_EQ(test, f->qp->send.ring.control->consumer, 1);
	requester_ack(f, 1);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
}

static void everything_completes_when_the_qp_says_so(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;
	struct svt_send_wqe wqe;

	options.sq_sig_all = true;
	f = requester_open(test, &options);
	wqe = requester_wqe(f, WR_SEND, 0);
	wqe.flags = 0;
	wqe.num_sge = 0;
	requester_post_wqe(f, &wqe, NULL);
	requester_push(f);
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

struct seen {
	const struct svt_qp *qp;
	unsigned int errors;
	u32 consumer;
};

/* Called from inside svt_complete(), when the completion did not fit into the CQ */
static void see_state(void *data, const struct svt_qp *qp, enum ib_qp_state from,
		      enum ib_qp_state to)
{
	struct seen *seen = data;

	if (qp != seen->qp || to != IB_QPS_ERR)
		return;
	seen->errors++;
	seen->consumer = READ_ONCE(qp->send.ring.control->consumer);
}

static void a_place_in_the_queue_is_free_before_its_completion_is_seen(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 1);
	struct seen seen = { .qp = f->qp };
	struct svt_cq *cq = f->qp->send_cq;

	/* The CQ looks full */
	WRITE_ONCE(cq->ring.control->consumer, cq->ring.index - cq->ring.entries);
	KUNIT_ASSERT_EQ(test, register_trace_svt_qp_state(see_state, &seen), 0);
	requester_ack(f, 0);
	unregister_trace_svt_qp_state(see_state, &seen);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_EQ(test, seen.errors, 1);
	KUNIT_EXPECT_EQ(test, seen.consumer, 1);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_QP_FATAL], 1);
	expect_state(f, IB_QPS_ERR);
}

/* ---- reads ---- */

static void a_read_fills_its_list_in_order(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_READ, 0);
	const struct svt_sge list[] = {
		svt_fake_sge(f->memory, 10000, 1500),
		svt_fake_sge(f->memory, 0, 0),
		svt_fake_sge(f->memory, 20001, 2 * MTU - 1500 + 77),
	};
	struct ib_wc wc;

	wqe.num_sge = ARRAY_SIZE(list);
	requester_post_wqe(f, &wqe, list);
	requester_push(f);
	requester_read(f, READ_FIRST, 0, 0, MTU);
	requester_read(f, READ_MIDDLE, 1, MTU, MTU);
	requester_expect_not_done(f);
	requester_read(f, READ_LAST, 2, 2 * MTU, 77);
	wc = requester_expect_done(f, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RDMA_READ);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 2 * MTU + 77);
	requester_expect_memory(f, 10000, 0, 1500);
	requester_expect_memory(f, 20001, 1500, 2 * MTU - 1500 + 77);
}

static void an_empty_read_is_answered_too(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, 0);
	requester_ack(f, 0);
	requester_expect_not_done(f);
	requester_read(f, READ_ONLY, 0, 0, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void a_read_response_acknowledges_what_is_before_it(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_post(f, WR_SEND, 0, 2 * MTU);
	requester_post(f, WR_READ, 0, 8);
	requester_push(f);
	requester_read(f, READ_ONLY, 2, 0, 8);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
}

static void a_lost_read_response_is_asked_for_at_once_from_the_hole(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	expect_long_trip(f);
	requester_send(f, WR_READ, 0, 5 * MTU);
	requester_drop_sent(f);
	requester_read(f, READ_FIRST, 0, 0, MTU);
	requester_read(f, READ_MIDDLE, 2, 2 * MTU, MTU);
	requester_expect_read(f, 1, MTU, 4 * MTU);
	/* The rest of the first answer asks for nothing more */
	requester_read(f, READ_MIDDLE, 3, 3 * MTU, MTU);
	requester_read(f, READ_LAST, 4, 4 * MTU, MTU);
	requester_expect_silence(f);
	requester_expect_not_done(f);
	requester_read_range(f, 1, 5, MTU);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_memory(f, 0, 0, 5 * MTU);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_IMPLIED_NAK_SEQ_ERR), 1);
}

static void read_responses_in_disorder_do_no_harm(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, 3 * MTU);
	requester_drop_sent(f);
	requester_put_read(f, READ_MIDDLE, 1, MTU, MTU);
	requester_put_read(f, READ_FIRST, 0, 0, MTU);
	requester_put_read(f, READ_LAST, 2, 2 * MTU, MTU);
	requester_read_range(f, 0, 1, 0);
	/* What is asked for again is what was missing then, and is still */
	requester_expect_read(f, 1, MTU, 2 * MTU);
	requester_expect_not_done(f);
	requester_read_range(f, 1, 3, MTU);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_memory(f, 0, 0, 3 * MTU);
}

static void a_read_response_that_comes_twice_counts_once(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, 2 * MTU);
	requester_drop_sent(f);
	requester_read(f, READ_FIRST, 0, 0, MTU);
	/* With other bytes: these must not get to the memory */
	requester_read(f, READ_FIRST, 0, 5000, MTU);
	requester_read(f, READ_LAST, 1, MTU, MTU);
	requester_read(f, READ_LAST, 1, 7000, MTU);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_not_done(f);
	requester_expect_memory(f, 0, 0, 2 * MTU);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RX_DROPPED_PSN), 2);
}

static void a_read_response_of_another_length_is_an_error(struct kunit *test)
{
	static const u32 lengths[] = { 0, 76, 78, MTU };
	struct requester_fixture *f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		f = open(test);
		f->next_id = 0;
		requester_post(f, WR_READ, 0, MTU + 77);
		requester_post(f, WR_SEND, 0, 8);
		requester_push(f);
		requester_read(f, READ_FIRST, 0, 0, MTU);
		requester_read(f, READ_LAST, 1, MTU, lengths[i]);
		requester_expect_done(f, 0, IB_WC_BAD_RESP_ERR);
		requester_expect_flushed(f, 1, 2);
		expect_state(f, IB_QPS_ERR);
		requester_drop_sent(f);
	}
}

static void a_read_whose_memory_went_is_an_error_of_this_side(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, 8);
	svt_key_disable(&f->memory->mr.key);
	requester_read(f, READ_ONLY, 0, 0, 8);
	requester_expect_done(f, 0, IB_WC_LOC_PROT_ERR);
	expect_state(f, IB_QPS_ERR);
}

static void atomics_return_what_was_there(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, 0);
	const struct svt_sge split[] = {
		svt_fake_sge(f->memory, 100, 3),
		svt_fake_sge(f->memory, 200, 5),
	};
	const u64 original = 0x1122334455667788;
	struct ib_wc wc;
	u64 found;

	requester_post(f, WR_FETCH_ADD, 16, 8);
	wqe.num_sge = 2;
	requester_post_wqe(f, &wqe, split);
	requester_push(f);
	requester_atomic(f, 0, 0xfedcba9876543210);
	wc = requester_expect_done(f, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_FETCH_ADD);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 8);
	memcpy(&found, f->memory->bytes + 16, 8);
	KUNIT_EXPECT_EQ(test, found, 0xfedcba9876543210);
	requester_atomic(f, 1, original);
	KUNIT_EXPECT_EQ(test, requester_expect_done(f, 1, IB_WC_SUCCESS).opcode,
			IB_WC_COMP_SWAP);
	KUNIT_EXPECT_MEMEQ(test, f->memory->bytes + 100, &original, 3);
	KUNIT_EXPECT_MEMEQ(test, f->memory->bytes + 200, (const u8 *)&original + 3, 5);
}

static void an_acknowledgment_beyond_a_read_shows_a_hole(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	expect_long_trip(f);
	requester_post(f, WR_SEND, 0, 8);
	requester_post(f, WR_READ, 0, 2 * MTU);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_ack(f, 3);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_not_done(f);
	/* From the hole, at once, and once */
	requester_expect_read(f, 1, 0, 2 * MTU);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 3);
	requester_ack(f, 3);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_IMPLIED_NAK_SEQ_ERR), 1);
	requester_read_range(f, 1, 3, 0);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_ack(f, 3);
	requester_expect_done(f, 2, IB_WC_SUCCESS);
}

static void an_atomic_response_beyond_another_shows_a_hole(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	expect_long_trip(f);
	requester_post(f, WR_FETCH_ADD, 0, 8);
	requester_post(f, WR_FETCH_ADD, 8, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_atomic(f, 1, 5);
	requester_expect(f, IB_OPCODE_RC_FETCH_ADD, 0);
	requester_expect(f, IB_OPCODE_RC_FETCH_ADD, 1);
	requester_expect_silence(f);
	requester_expect_not_done(f);
}

/* ---- credits ---- */

static void answer_credits(struct requester_fixture *f, int n, u32 msn, u32 credits)
{
	requester_answer(f, n, SVT_AETH_ACK | svt_aeth_encode_credits(credits), msn);
}

/* The response to a READ of 8 bytes */
static void read_with_credits(struct requester_fixture *f, int n, u32 msn, u32 credits)
{
	struct svt_packet packet = svt_fake_packet(f->qp, READ_ONLY, requester_psn(f, n));

	packet.syndrome = SVT_AETH_ACK | svt_aeth_encode_credits(credits);
	packet.msn = msn;
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 8);
}

static void without_a_credit_one_packet_asks(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 1);

	answer_credits(f, 0, 1, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_post(f, WR_SEND, 0, 3 * MTU);
	requester_post(f, WR_SEND, 0, 8);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	KUNIT_EXPECT_TRUE(test, requester_expect(f, IB_OPCODE_RC_SEND_FIRST, 1)->
			  packet.ack_request);
	requester_expect_silence(f);
	/* It got through, so there is a receive for the rest of it, but for no more */
	answer_credits(f, 1, 1, 0);
	requester_expect(f, IB_OPCODE_RC_SEND_MIDDLE, 2);
	requester_expect(f, IB_OPCODE_RC_SEND_LAST, 3);
	requester_expect_silence(f);
	answer_credits(f, 3, 2, 0);
	requester_expect_sends(f, 4, 5);
	answer_credits(f, 4, 3, 0);
	requester_expect_sends(f, 5, 6);
}

static void as_many_messages_go_as_there_are_credits(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 1);
	unsigned int n;

	answer_credits(f, 0, 1, 2);
	for (n = 0; n < 6; n++)
		requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_sends(f, 1, 3);
	/* An acknowledgment that is repeated may bring credits */
	answer_credits(f, 0, 1, 4);
	requester_expect_sends(f, 3, 5);
	/* Less than was granted before takes nothing back, and no limit ends the limit */
	requester_ack(f, 4);
	requester_expect_sends(f, 5, 7);
}

static void what_takes_no_receive_needs_no_credit(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 1);

	answer_credits(f, 0, 1, 0);
	requester_post(f, WR_WRITE, 0, 8);
	requester_post(f, WR_READ, 0, 8);
	requester_post(f, WR_WRITE, 0, 8);
	requester_post(f, IB_UVERBS_WR_RDMA_WRITE_WITH_IMM, 0, 8);
	requester_push(f);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1);
	requester_expect_read(f, 2, 0, 8);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 3);
	/* This one takes a receive: it has to ask, when nothing else is out */
	requester_expect_silence(f);
	answer_credits(f, 1, 2, 0);
	requester_expect_silence(f);
	read_with_credits(f, 2, 3, 0);
	requester_expect_silence(f);
	answer_credits(f, 3, 4, 0);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, 4);
	requester_expect_silence(f);
}

/* ---- errors ---- */

struct nak_case {
	u8 code;
	enum ib_wc_status status;
};

static const struct nak_case nak_cases[] = {
	{ SVT_NAK_INVALID_REQUEST, IB_WC_REM_INV_REQ_ERR },
	{ SVT_NAK_REMOTE_ACCESS, IB_WC_REM_ACCESS_ERR },
	{ SVT_NAK_REMOTE_OPERATIONAL, IB_WC_REM_OP_ERR },
	{ SVT_NAK_INVALID_RD_REQUEST, IB_WC_REM_INV_RD_REQ_ERR },
};

static void name_nak(const struct nak_case *nak, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "code %u", nak->code);
}

KUNIT_ARRAY_PARAM(nak, nak_cases, name_nak);

static void a_refusal_ends_the_qp_and_flushes_the_rest(struct kunit *test)
{
	const struct nak_case *nak = test->param_value;
	struct requester_fixture *f = open(test);
	unsigned int n;

	requester_limit_window(f->qp, 8);
	for (n = 0; n < 12; n++)
		requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_answer(f, 2, SVT_AETH_NAK | nak->code, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_expect_done(f, 2, nak->status);
	requester_expect_flushed(f, 3, 12);
	requester_expect_silence(f);
	expect_state(f, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_REMOTE_ERRORS), 1);
	/* So is what comes later */
	requester_send(f, WR_SEND, 0, 8);
	requester_expect_flushed(f, 12, 13);
	requester_expect_silence(f);
}

static void a_refusal_behind_a_read_without_data_is_not_believed_yet(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_post(f, WR_READ, 0, 8);
	requester_post(f, WR_WRITE, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_nak(f, 1, SVT_NAK_REMOTE_ACCESS);
	requester_expect_not_done(f);
	requester_expect_read(f, 0, 0, 8);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1);
	requester_read(f, READ_ONLY, 0, 0, 8);
	requester_nak(f, 1, SVT_NAK_REMOTE_ACCESS);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_REM_ACCESS_ERR);
	requester_expect_not_done(f);
}

static void flushed_requests_complete_though_not_signalled(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);

	wqe.flags = 0;
	wqe.num_sge = 0;
	requester_post_wqe(f, &wqe, NULL);
	requester_post_wqe(f, &wqe, NULL);
	requester_push(f);
	requester_nak(f, 0, SVT_NAK_INVALID_REQUEST);
	requester_expect_done(f, 0, IB_WC_REM_INV_REQ_ERR);
	requester_expect_flushed(f, 1, 2);
}

/* The third of four requests is made wrong */
static void expect_error_in_turn(struct requester_fixture *f, const struct svt_send_wqe *wrong,
				 const struct svt_sge *list, enum ib_wc_status status)
{
	requester_post(f, WR_READ, 0, 8);
	requester_post(f, WR_SEND, 0, 8);
	requester_post_wqe(f, wrong, list);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_read(f, 0, 0, 8);
	requester_expect_sends(f, 1, 2);
	requester_expect_not_done(f);
	requester_read(f, READ_ONLY, 0, 0, 8);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_not_done(f);
	expect_state(f, IB_QPS_RTS);
	requester_ack(f, 1);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_expect_done(f, 2, status);
	requester_expect_flushed(f, 3, 4);
	requester_expect_silence(f);
	expect_state(f, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(f->test, requester_count(f, SVT_COUNT_REQ_CQE_ERROR), 1);
}

static void an_unknown_opcode_fails_in_its_turn(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const struct svt_send_wqe wqe = requester_wqe(f, 200, 0);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 8);

	expect_error_in_turn(f, &wqe, &sge, IB_WC_LOC_QP_OP_ERR);
}

static void too_long_a_list_fails_in_its_turn(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	struct svt_sge list[SVT_FAKE_SGES] = {};

	wqe.num_sge = SVT_FAKE_SGES + 1;
	expect_error_in_turn(f, &wqe, list, IB_WC_LOC_QP_OP_ERR);
}

static void a_wrong_lkey_of_a_send_fails_in_its_turn(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	struct svt_sge sge = svt_fake_sge(f->memory, 0, 8);

	sge.lkey ^= 0x100;
	expect_error_in_turn(f, &wqe, &sge, IB_WC_LOC_PROT_ERR);
}

static void a_read_into_memory_that_is_read_only_fails_in_its_turn(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const struct svt_send_wqe wqe = requester_wqe(f, WR_READ, 0);
	const struct svt_sge sge = svt_fake_sge(svt_fake_memory(f->fake, 64, 0), 0, 8);

	expect_error_in_turn(f, &wqe, &sge, IB_WC_LOC_PROT_ERR);
}

static void a_bind_that_is_refused_fails_in_its_turn(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = { .opcode = IB_UVERBS_WR_BIND_MW };

	wqe.bind_mw.mw_rkey = f->memory->mr.key.key;
	wqe.bind_mw.length = 8;
	expect_error_in_turn(f, &wqe, NULL, IB_WC_MW_BIND_ERR);
}

static void an_index_out_of_range_ends_the_qp(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 2);
	struct svt_ring_control *control = f->qp->send.ring.control;

	WRITE_ONCE(control->producer, 2 + SVT_FAKE_DEPTH + 1);
	requester_push(f);
	expect_state(f, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_QP_FATAL], 1);
	requester_expect_flushed(f, 0, 2);
}

static void an_answer_to_a_qp_in_error_is_dropped(struct kunit *test)
{
	struct requester_fixture *f = open_with_sends(test, 1);

	requester_modify(f, IB_QPS_ERR);
	requester_expect_flushed(f, 0, 1);
	requester_ack(f, 0);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RX_DROPPED_STATE), 1);
	requester_expect_not_done(f);
}

static void a_qp_is_as_new_after_reset(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_post(f, WR_READ, 0, 3 * MTU);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_modify(f, IB_QPS_RESET);
	requester_expect_not_done(f);
	requester_modify(f, IB_QPS_INIT);
	requester_modify(f, IB_QPS_RTR);
	requester_modify(f, IB_QPS_RTS);
	requester_ack(f, 3);
	requester_expect_silence(f);
	requester_send(f, WR_SEND, 0, 8);
	requester_expect_sends(f, 0, 1);
	requester_ack(f, 0);
	requester_expect_done(f, 2, IB_WC_SUCCESS);
	requester_expect_not_done(f);
}

/* ---- SQD ---- */

static void sqd_finishes_what_was_begun_and_begins_nothing(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	f->fake->busy = true;
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_modify(f, IB_QPS_SQD);
	/* It was not sent: nothing was begun */
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_SQ_DRAINED], 1);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect_silence(f);
	requester_modify(f, IB_QPS_RTS);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_sends(f, 0, 2);
	requester_modify(f, IB_QPS_SQD);
	requester_send(f, WR_SEND, 0, 8);
	requester_expect_silence(f);
	/* Repeats belong to what was begun */
	requester_let_pass(f, HOUR);
	requester_expect_sends(f, 0, 2);
	requester_ack(f, 0);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_SQ_DRAINED], 1);
	requester_ack(f, 1);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_SQ_DRAINED], 2);
	requester_push(f);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_SQ_DRAINED], 2);
	requester_expect_silence(f);
	requester_modify(f, IB_QPS_RTS);
	requester_expect_sends(f, 2, 3);
}

static void sqd_finishes_a_message_under_way(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_SEND, 0, 600 * MTU);
	requester_drop_sent(f);
	requester_modify(f, IB_QPS_SQD);
	requester_ack(f, 511);
	requester_expect(f, IB_OPCODE_RC_SEND_MIDDLE, 512);
	requester_drop_sent(f);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_SQ_DRAINED], 0);
	requester_ack(f, 599);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_SQ_DRAINED], 1);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static struct kunit_case completer_cases[] = {
	KUNIT_CASE(an_acknowledgment_is_for_all_before_it),
	KUNIT_CASE(a_message_is_done_with_its_last_packet),
	KUNIT_CASE(an_acknowledgment_of_what_was_not_sent_is_dropped),
	KUNIT_CASE(an_acknowledgment_that_is_old_is_dropped),
	KUNIT_CASE(a_syndrome_that_is_reserved_says_nothing),
	KUNIT_CASE(an_unsignalled_request_completes_without_a_word),
	KUNIT_CASE(everything_completes_when_the_qp_says_so),
	KUNIT_CASE(a_place_in_the_queue_is_free_before_its_completion_is_seen),
	KUNIT_CASE(a_read_fills_its_list_in_order),
	KUNIT_CASE(an_empty_read_is_answered_too),
	KUNIT_CASE(a_read_response_acknowledges_what_is_before_it),
	KUNIT_CASE(a_lost_read_response_is_asked_for_at_once_from_the_hole),
	KUNIT_CASE(read_responses_in_disorder_do_no_harm),
	KUNIT_CASE(a_read_response_that_comes_twice_counts_once),
	KUNIT_CASE(a_read_response_of_another_length_is_an_error),
	KUNIT_CASE(a_read_whose_memory_went_is_an_error_of_this_side),
	KUNIT_CASE(atomics_return_what_was_there),
	KUNIT_CASE(an_acknowledgment_beyond_a_read_shows_a_hole),
	KUNIT_CASE(an_atomic_response_beyond_another_shows_a_hole),
	KUNIT_CASE(without_a_credit_one_packet_asks),
	KUNIT_CASE(as_many_messages_go_as_there_are_credits),
	KUNIT_CASE(what_takes_no_receive_needs_no_credit),
	KUNIT_CASE_PARAM(a_refusal_ends_the_qp_and_flushes_the_rest, nak_gen_params),
	KUNIT_CASE(a_refusal_behind_a_read_without_data_is_not_believed_yet),
	KUNIT_CASE(flushed_requests_complete_though_not_signalled),
	KUNIT_CASE(an_unknown_opcode_fails_in_its_turn),
	KUNIT_CASE(too_long_a_list_fails_in_its_turn),
	KUNIT_CASE(a_wrong_lkey_of_a_send_fails_in_its_turn),
	KUNIT_CASE(a_read_into_memory_that_is_read_only_fails_in_its_turn),
	KUNIT_CASE(a_bind_that_is_refused_fails_in_its_turn),
	KUNIT_CASE(an_index_out_of_range_ends_the_qp),
	KUNIT_CASE(an_answer_to_a_qp_in_error_is_dropped),
	KUNIT_CASE(a_qp_is_as_new_after_reset),
	KUNIT_CASE(sqd_finishes_what_was_begun_and_begins_nothing),
	KUNIT_CASE(sqd_finishes_a_message_under_way),
	{}
};

static struct kunit_suite completer_suite = {
	.name = "svt-completer",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = completer_cases,
};

kunit_test_suite(completer_suite);
