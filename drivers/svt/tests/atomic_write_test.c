// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ATOMIC WRITE (IBTA A19.4.2), on both halves: 8 bytes that go as a WRITE does, and are answered as
 * a READ of nothing.
 */
#include "tests/requester_fixture.h"
#include "tests/responder_fixture.h"
#include "wire/psn.h"

#define WR_ATOMIC_WRITE	IB_UVERBS_WR_ATOMIC_WRITE
#define ATOMIC_WRITE	IB_OPCODE_RC_ATOMIC_WRITE

/* ---- responder ---- */

static void expect_answer(struct responder_fixture *f, int n, u32 msn)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	KUNIT_ASSERT_NOT_NULL(f->test, sent);
	KUNIT_EXPECT_STREQ(f->test, sent->packet.info->name, svt_opcode_info(READ_ONLY)->name);
	KUNIT_EXPECT_EQ(f->test, sent->packet.psn, responder_psn(f, n));
	KUNIT_EXPECT_EQ(f->test, sent->packet.msn, msn);
	KUNIT_EXPECT_EQ(f->test, sent->length, 0);
}

static void it_is_carried_out_and_answered_without_data(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);
	static const u8 untouched[8];

	responder_put_write(f, ATOMIC_WRITE, 0, 64, 8, 8);
	responder_put_write(f, ATOMIC_WRITE, 1, 80, 8, 8);
	responder_deliver(f);
	expect_answer(f, 0, 2);
	expect_answer(f, 1, 2);
	responder_expect_silence(f);
	responder_expect_no_recv(f);
	responder_expect_data(f, 64, 64, 8);
	responder_expect_data(f, 80, 80, 8);
	KUNIT_EXPECT_MEMEQ(test, f->memory->bytes + 56, untouched, 8);
	KUNIT_EXPECT_MEMEQ(test, f->memory->bytes + 72, untouched, 8);
	KUNIT_EXPECT_MEMEQ(test, f->memory->bytes + 88, untouched, 8);
}

static void a_duplicate_is_answered_and_writes_nothing(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);
	u64 *word = (u64 *)f->memory->bytes;

	responder_put_write(f, ATOMIC_WRITE, 0, 0, 8, 8);
	responder_deliver(f);
	expect_answer(f, 0, 1);
	responder_expect_data(f, 0, 0, 8);
	*word = 5;
	responder_put_write(f, ATOMIC_WRITE, 0, 0, 8, 8);
	responder_deliver(f);
	expect_answer(f, 0, 1);
	KUNIT_EXPECT_EQ(test, *word, 5);
}

static void its_answer_acknowledges_what_was_before_it(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	responder_put_write(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 128, 8, 8);
	responder_put_write(f, ATOMIC_WRITE, 1, 0, 8, 8);
	responder_deliver(f);
	expect_answer(f, 1, 2);
	responder_expect_silence(f);
	responder_expect_data(f, 128, 128, 8);
}

static const struct wrong_shape {
	u32 offset;
	u32 length;
	u32 total;
} wrong_shapes[] = {
	{ 4, 8, 8 },
	{ 1, 8, 8 },
	{ 0, 4, 8 },
	{ 0, 0, 8 },
	{ 0, 12, 8 },
	{ 0, MTU, 8 },
	{ 0, 8, 4 },
	{ 0, 8, 0 },
	{ 0, 8, 16 },
	{ 0, 8, 0xffffffff },
};

static void wrong_shape_name(const struct wrong_shape *wrong, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%u bytes that say %u, at %u", wrong->length,
		 wrong->total, wrong->offset);
}

KUNIT_ARRAY_PARAM(wrong_shape, wrong_shapes, wrong_shape_name);

static void it_has_8_aligned_bytes(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);
	const struct wrong_shape *wrong = test->param_value;

	responder_put_write(f, ATOMIC_WRITE, 0, wrong->offset, wrong->length, wrong->total);
	responder_deliver(f);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
	KUNIT_EXPECT_EQ(test, *(u64 *)f->memory->bytes, 0);
}

static void refused(struct responder_fixture *f, u8 nak, int event)
{
	responder_put_write(f, ATOMIC_WRITE, 0, 0, 8, 8);
	responder_deliver(f);
	responder_expect_refusal(f, 0, nak, event);
	KUNIT_EXPECT_EQ(f->test, *(u64 *)f->memory->bytes, 0);
}

static void it_needs_a_region_that_may_be_written(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	f->memory->mr.key.access &= ~IB_ACCESS_REMOTE_WRITE;
	refused(f, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
}

static void it_needs_a_qp_that_may_be_written_through(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	f->qp->attr.qp_access_flags &= ~IB_ACCESS_REMOTE_WRITE;
	refused(f, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

static void it_needs_a_resource(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;

	options.rd_atomic = 0;
	refused(responder_open(test, &options), SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

static void it_may_not_come_within_a_message(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	responder_put_write(f, IB_OPCODE_RC_RDMA_WRITE_FIRST, 0, 4096, MTU, 2 * MTU);
	responder_put_write(f, ATOMIC_WRITE, 1, 0, 8, 8);
	responder_deliver(f);
	responder_expect_refusal(f, 1, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
	KUNIT_EXPECT_EQ(test, *(u64 *)f->memory->bytes, 0);
}

/* ---- requester ---- */

static struct requester_fixture *open(struct kunit *test)
{
	return requester_open(test, &REQUESTER_RC);
}

static void expect_sent(struct requester_fixture *f, int n, u32 offset)
{
	const struct svt_fake_sent *sent = requester_expect_data(f, ATOMIC_WRITE, n, offset, 8);

	KUNIT_EXPECT_EQ(f->test, sent->packet.remote_addr, REQUESTER_REMOTE + offset);
	KUNIT_EXPECT_EQ(f->test, sent->packet.rkey, REQUESTER_RKEY);
	KUNIT_EXPECT_EQ(f->test, sent->packet.dma_length, 8);
}

static void expect_done(struct requester_fixture *f, u64 wr_id)
{
	struct ib_wc wc = requester_expect_done(f, wr_id, IB_WC_SUCCESS);

	KUNIT_EXPECT_EQ(f->test, wc.opcode, IB_UVERBS_WC_ATOMIC_WRITE);
	KUNIT_EXPECT_EQ(f->test, wc.byte_len, 0);
}

static void it_is_done_by_its_own_answer_alone(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_post(f, WR_ATOMIC_WRITE, 16, 8);
	requester_post(f, WR_ATOMIC_WRITE, 32, 8);
	requester_push(f);
	expect_sent(f, 0, 16);
	expect_sent(f, 1, 32);
	requester_expect_not_done(f);
	requester_read(f, READ_ONLY, 0, 0, 0);
	expect_done(f, 0);
	requester_expect_not_done(f);
	requester_read(f, READ_ONLY, 1, 0, 0);
	expect_done(f, 1);
	requester_expect_silence(f);
}

static void its_value_may_stand_in_the_work_request(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_ATOMIC_WRITE, 24);
	const struct svt_fake_sent *sent;
	struct svt_sge value;

	memset(&value, 0x5a, sizeof(value));
	wqe.flags |= SVT_SEND_INLINE;
	wqe.inline_length = 8;
	requester_post_wqe(f, &wqe, &value);
	requester_push(f);
	sent = requester_expect(f, ATOMIC_WRITE, 0);
	KUNIT_ASSERT_EQ(test, sent->length, 8);
	KUNIT_EXPECT_MEMEQ(test, sent->payload, &value, 8);
}

static void a_lost_one_is_sent_again_with_its_value(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_ATOMIC_WRITE, 16, 8);
	expect_sent(f, 0, 16);
	requester_let_pass(f, 3 * HOUR);
	expect_sent(f, 0, 16);
	requester_read(f, READ_ONLY, 0, 0, 0);
	expect_done(f, 0);
}

static void an_answer_with_data_is_none(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_ATOMIC_WRITE, 16, 8);
	requester_read(f, READ_ONLY, 0, 512, 8);
	requester_expect_done(f, 0, IB_WC_BAD_RESP_ERR);
	/* What it brought went nowhere */
	KUNIT_EXPECT_NE(test, 0, memcmp(f->memory->bytes + 16, f->data + 512, 8));
}

static void it_waits_for_max_rd_atomic(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;

	options.rd_atomic = 1;
	f = requester_open(test, &options);
	requester_post(f, WR_READ, 0, 8);
	requester_post(f, WR_ATOMIC_WRITE, 16, 8);
	requester_push(f);
	requester_expect_read(f, 0, 0, 8);
	requester_expect_silence(f);
	requester_read(f, READ_ONLY, 0, 0, 8);
	expect_sent(f, 1, 16);
}

static const u32 wrong_lengths[] = { 0, 4, 7, 9, 16 };

static void wrong_length_name(const u32 *length, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%u bytes", *length);
}

KUNIT_ARRAY_PARAM(wrong_length, wrong_lengths, wrong_length_name);

static void it_is_posted_with_8_bytes(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const u32 *length = test->param_value;

	requester_send(f, WR_ATOMIC_WRITE, 0, *length);
	requester_expect_done(f, 0, IB_WC_LOC_LEN_ERR);
	requester_expect_silence(f);
}

static void its_own_memory_is_checked(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_ATOMIC_WRITE, REQUESTER_MEMORY - 4, 8);
	requester_expect_done(f, 0, IB_WC_LOC_PROT_ERR);
	requester_expect_silence(f);
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(it_is_carried_out_and_answered_without_data),
	KUNIT_CASE(a_duplicate_is_answered_and_writes_nothing),
	KUNIT_CASE(its_answer_acknowledges_what_was_before_it),
	KUNIT_CASE_PARAM(it_has_8_aligned_bytes, wrong_shape_gen_params),
	KUNIT_CASE(it_needs_a_region_that_may_be_written),
	KUNIT_CASE(it_needs_a_qp_that_may_be_written_through),
	KUNIT_CASE(it_needs_a_resource),
	KUNIT_CASE(it_may_not_come_within_a_message),
	{}
};

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(it_is_done_by_its_own_answer_alone),
	KUNIT_CASE(its_value_may_stand_in_the_work_request),
	KUNIT_CASE(a_lost_one_is_sent_again_with_its_value),
	KUNIT_CASE(an_answer_with_data_is_none),
	KUNIT_CASE(it_waits_for_max_rd_atomic),
	KUNIT_CASE_PARAM(it_is_posted_with_8_bytes, wrong_length_gen_params),
	KUNIT_CASE(its_own_memory_is_checked),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "svt-atomic-write-responder",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = responder_cases,
};

static struct kunit_suite requester_suite = {
	.name = "svt-atomic-write-requester",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = requester_cases,
};

kunit_test_suites(&responder_suite, &requester_suite);
