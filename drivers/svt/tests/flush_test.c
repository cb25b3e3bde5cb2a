// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH (IBTA A19.4.1), on both halves: what it may ask for and of what, and that it is answered as
 * a READ of nothing.
 */
#include "tests/requester_fixture.h"
#include "tests/responder_fixture.h"
#include "wire/psn.h"

#define FLUSH		IB_OPCODE_RC_FLUSH
#define GLOBAL		SVT_FLUSH_GLOBAL
#define PERSISTENT	SVT_FLUSH_PERSISTENT
#define RANGE		SVT_FLUSH_RANGE
#define REGION		SVT_FLUSH_REGION

/* ---- wire ---- */

static void its_bytes_stand_in_front_of_the_reth(struct kunit *test)
{
	static const u8 bytes[] = {
		0x1c, 0x40, 0xff, 0xff, 0x00, 0x01, 0x02, 0x03, 0x80, 0x04, 0x05, 0x06,
		0x00, 0x00, 0x00, 0x12,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x99, 0xaa, 0xbb, 0xcc, 0x00, 0x00, 0x10, 0x00,
	};
	struct svt_packet packet;
	u8 built[SVT_HEADER_MAX];

	KUNIT_ASSERT_EQ(test, SVT_PARSE_OK,
			svt_packet_parse(&packet, bytes, sizeof(bytes), sizeof(bytes)));
	KUNIT_EXPECT_EQ(test, packet.placement, PERSISTENT);
	KUNIT_EXPECT_EQ(test, packet.selectivity, REGION);
	KUNIT_EXPECT_EQ(test, packet.remote_addr, 0x1122334455667788);
	KUNIT_EXPECT_EQ(test, packet.rkey, 0x99aabbcc);
	KUNIT_EXPECT_EQ(test, packet.dma_length, 4096);
	KUNIT_EXPECT_EQ(test, packet.payload_length, 0);
	KUNIT_ASSERT_EQ(test, svt_packet_build(&packet, built), sizeof(bytes));
	KUNIT_EXPECT_MEMEQ(test, built, bytes, sizeof(bytes));
}

/* ---- responder ---- */

/* All of the memory may be flushed, and through the QP */
static struct responder_fixture *open_allowed(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	f->memory->mr.key.access |= IB_ACCESS_FLUSH_GLOBAL;
	f->qp->attr.qp_access_flags |= IB_ACCESS_FLUSH_GLOBAL;
	return f;
}

static struct svt_packet flush(struct responder_fixture *f, int n, u8 placement, u8 selectivity)
{
	struct svt_packet packet = responder_packet(f, FLUSH, n);

	packet.placement = placement;
	packet.selectivity = selectivity;
	packet.remote_addr = (unsigned long)f->memory->bytes;
	packet.rkey = f->memory->mr.key.key;
	packet.dma_length = RESPONDER_MEMORY;
	return packet;
}

static void deliver(struct responder_fixture *f, const struct svt_packet *packet)
{
	svt_fake_put(f->fake, packet, NULL, 0);
	responder_deliver(f);
}

static void expect_answer(struct responder_fixture *f, int n, u32 msn)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	KUNIT_ASSERT_NOT_NULL(f->test, sent);
	KUNIT_EXPECT_STREQ(f->test, sent->packet.info->name, svt_opcode_info(READ_ONLY)->name);
	KUNIT_EXPECT_EQ(f->test, sent->packet.psn, responder_psn(f, n));
	KUNIT_EXPECT_EQ(f->test, sent->packet.msn, msn);
	KUNIT_EXPECT_EQ(f->test, sent->length, 0);
	responder_expect_silence(f);
}

static void a_range_is_flushed_and_answered_without_data(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	struct svt_packet packet = flush(f, 1, GLOBAL, RANGE);

	responder_put_write(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 64, 100, 100);
	deliver(f, &packet);
	expect_answer(f, 1, 2);
	responder_expect_data(f, 64, 64, 100);
	responder_expect_no_recv(f);
}

static void of_a_region_the_key_alone_counts(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	struct svt_packet packet = flush(f, 0, GLOBAL, REGION);

	packet.remote_addr = 1;
	packet.dma_length = 0xffffffff;
	deliver(f, &packet);
	expect_answer(f, 0, 1);
}

static void a_range_of_no_bytes_is_answered(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	struct svt_packet packet = flush(f, 0, GLOBAL, RANGE);

	packet.dma_length = 0;
	deliver(f, &packet);
	expect_answer(f, 0, 1);
}

static void a_duplicate_is_answered_again(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	struct svt_packet packet = flush(f, 0, GLOBAL, RANGE);

	deliver(f, &packet);
	expect_answer(f, 0, 1);
	/* Of what was carried out the key does not matter any more */
	svt_key_disable(&f->memory->mr.key);
	deliver(f, &packet);
	expect_answer(f, 0, 1);
}

/* rxe sends as many as it likes, whatever max_rd_atomic is */
static void what_there_is_no_room_for_is_asked_for_again(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	struct svt_packet first = flush(f, 0, GLOBAL, RANGE);
	struct svt_packet second = flush(f, 1, GLOBAL, RANGE);

	f->qp->attr.max_dest_rd_atomic = 1;
	svt_fake_put(f->fake, &first, NULL, 0);
	svt_fake_put(f->fake, &second, NULL, 0);
	responder_deliver(f);
	KUNIT_EXPECT_STREQ(test, svt_fake_next(f->fake)->packet.info->name,
			   svt_opcode_info(READ_ONLY)->name);
	responder_expect_nak(f, 1, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	deliver(f, &second);
	expect_answer(f, 1, 2);
}

static const struct wrong_flush {
	u8 placement;
	u8 selectivity;
} wrong_flushes[] = {
	{ 0, RANGE },
	{ 0, REGION },
	{ 4, RANGE },
	{ 8 | GLOBAL, RANGE },
	{ 15, REGION },
	{ GLOBAL, 2 },
	{ GLOBAL, 3 },
	{ PERSISTENT, RANGE },
	{ PERSISTENT, REGION },
	{ GLOBAL | PERSISTENT, RANGE },
};

static void wrong_flush_name(const struct wrong_flush *wrong, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "placement %u, selectivity %u", wrong->placement,
		 wrong->selectivity);
}

KUNIT_ARRAY_PARAM(wrong_flush, wrong_flushes, wrong_flush_name);

static void it_asks_for_what_there_is(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	const struct wrong_flush *wrong = test->param_value;
	struct svt_packet packet = flush(f, 0, wrong->placement, wrong->selectivity);

	deliver(f, &packet);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

static void it_needs_a_qp_that_allows_it(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	struct svt_packet packet = flush(f, 0, GLOBAL, RANGE);

	f->qp->attr.qp_access_flags &= ~IB_ACCESS_FLUSH_GLOBAL;
	deliver(f, &packet);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

enum wrong_access {
	WRONG_KEY,
	WRONG_BEFORE,
	WRONG_BEHIND,
	WRONG_WRAP,
	WRONG_PD,
	WRONG_RIGHTS,
};

static const struct wrong_key {
	const char *name;
	enum wrong_access access;
	u8 selectivity;
	bool empty;
} wrong_keys[] = {
	{ "range, no such key", WRONG_KEY, RANGE },
	{ "range, before the region", WRONG_BEFORE, RANGE },
	{ "range, behind the region", WRONG_BEHIND, RANGE },
	{ "range, address and length wrap", WRONG_WRAP, RANGE },
	{ "range, other protection domain", WRONG_PD, RANGE },
	{ "range, region does not allow it", WRONG_RIGHTS, RANGE },
	{ "range of no bytes, no such key", WRONG_KEY, RANGE, true },
	{ "range of no bytes, before the region", WRONG_BEFORE, RANGE, true },
	{ "range of no bytes, other protection domain", WRONG_PD, RANGE, true },
	{ "range of no bytes, region does not allow it", WRONG_RIGHTS, RANGE, true },
	{ "region, no such key", WRONG_KEY, REGION },
	{ "region, other protection domain", WRONG_PD, REGION },
	{ "region, it does not allow it", WRONG_RIGHTS, REGION },
};

static void wrong_key_name(const struct wrong_key *wrong, char *name)
{
	strscpy(name, wrong->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wrong_key, wrong_keys, wrong_key_name);

static void it_needs_a_key_that_allows_it(struct kunit *test)
{
	struct responder_fixture *f = open_allowed(test);
	const struct wrong_key *wrong = test->param_value;
	struct svt_packet packet = flush(f, 0, GLOBAL, wrong->selectivity);
	static struct ib_pd other;

	packet.dma_length = wrong->empty ? 0 : 64;
	switch (wrong->access) {
	case WRONG_KEY:
		packet.rkey ^= 0x100;
		break;
	case WRONG_BEFORE:
		packet.remote_addr -= 1;
		break;
	case WRONG_BEHIND:
		packet.remote_addr += RESPONDER_MEMORY - 63;
		break;
	case WRONG_WRAP:
		packet.remote_addr = -8ULL;
		break;
	case WRONG_PD:
		f->memory->mr.key.pd = &other;
		break;
	case WRONG_RIGHTS:
		f->memory->mr.key.access &= ~IB_ACCESS_FLUSH_GLOBAL;
		break;
	}
	deliver(f, &packet);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
}

/* ---- requester ---- */

static struct svt_send_wqe flush_wqe(u8 placement, u8 selectivity)
{
	return (struct svt_send_wqe) {
		.opcode = IB_UVERBS_WR_FLUSH,
		.flags = SVT_SEND_SIGNALED,
		.flush.remote_addr = REQUESTER_REMOTE + 64,
		.flush.length = 3 * MTU,
		.flush.rkey = REQUESTER_RKEY,
		.flush.placement = placement,
		.flush.selectivity = selectivity,
	};
}

static void expect_sent(struct requester_fixture *f, int n, u8 placement, u8 selectivity)
{
	const struct svt_fake_sent *sent = requester_expect(f, FLUSH, n);

	KUNIT_EXPECT_EQ(f->test, sent->packet.remote_addr, REQUESTER_REMOTE + 64);
	KUNIT_EXPECT_EQ(f->test, sent->packet.rkey, REQUESTER_RKEY);
	KUNIT_EXPECT_EQ(f->test, sent->packet.dma_length, 3 * MTU);
	KUNIT_EXPECT_EQ(f->test, sent->packet.placement, placement);
	KUNIT_EXPECT_EQ(f->test, sent->packet.selectivity, selectivity);
	KUNIT_EXPECT_EQ(f->test, sent->length, 0);
}

static void it_is_done_by_its_own_answer(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);
	const struct svt_send_wqe range = flush_wqe(GLOBAL, RANGE);
	const struct svt_send_wqe region = flush_wqe(GLOBAL | PERSISTENT, REGION);
	struct ib_wc wc;

	requester_post(f, WR_WRITE, 0, 8);
	requester_post_wqe(f, &range, NULL);
	requester_post_wqe(f, &region, NULL);
	requester_push(f);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0);
	expect_sent(f, 1, GLOBAL, RANGE);
	expect_sent(f, 2, GLOBAL | PERSISTENT, REGION);
	requester_read(f, READ_ONLY, 1, 0, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	wc = requester_expect_done(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_UVERBS_WC_FLUSH);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 0);
	requester_expect_not_done(f);
	requester_read(f, READ_ONLY, 2, 0, 0);
	requester_expect_done(f, 2, IB_WC_SUCCESS);
}

static void a_lost_one_is_sent_again(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);
	const struct svt_send_wqe wqe = flush_wqe(GLOBAL, RANGE);

	requester_post_wqe(f, &wqe, NULL);
	requester_push(f);
	expect_sent(f, 0, GLOBAL, RANGE);
	requester_let_pass(f, 3 * HOUR);
	expect_sent(f, 0, GLOBAL, RANGE);
	requester_read(f, READ_ONLY, 0, 0, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static const struct malformed {
	const char *name;
	struct svt_send_wqe wqe;
} malformed[] = {
	{ "no placement", { .flush.placement = 0 } },
	{ "unknown placement", { .flush.placement = 4 | GLOBAL } },
	{ "unknown selectivity", { .flush.placement = GLOBAL, .flush.selectivity = 2 } },
	{ "reserved", { .flush.placement = GLOBAL, .flush.reserved[5] = 1 } },
	{ "an entry", { .flush.placement = GLOBAL, .num_sge = 1 } },
	{ "inline", { .flush.placement = GLOBAL, .flags = SVT_SEND_INLINE } },
};

static void malformed_name(const struct malformed *wrong, char *name)
{
	strscpy(name, wrong->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(malformed, malformed, malformed_name);

static void what_is_not_well_formed_is_not_sent(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);
	const struct malformed *wrong = test->param_value;
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 0);
	struct svt_send_wqe wqe = wrong->wqe;

	wqe.opcode = IB_UVERBS_WR_FLUSH;
	requester_post_wqe(f, &wqe, &sge);
	requester_push(f);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_LOC_QP_OP_ERR);
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(its_bytes_stand_in_front_of_the_reth),
	KUNIT_CASE(a_range_is_flushed_and_answered_without_data),
	KUNIT_CASE(of_a_region_the_key_alone_counts),
	KUNIT_CASE(a_range_of_no_bytes_is_answered),
	KUNIT_CASE(a_duplicate_is_answered_again),
	KUNIT_CASE(what_there_is_no_room_for_is_asked_for_again),
	KUNIT_CASE_PARAM(it_asks_for_what_there_is, wrong_flush_gen_params),
	KUNIT_CASE(it_needs_a_qp_that_allows_it),
	KUNIT_CASE_PARAM(it_needs_a_key_that_allows_it, wrong_key_gen_params),
	{}
};

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(it_is_done_by_its_own_answer),
	KUNIT_CASE(a_lost_one_is_sent_again),
	KUNIT_CASE_PARAM(what_is_not_well_formed_is_not_sent, malformed_gen_params),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "svt-flush-responder",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = responder_cases,
};

static struct kunit_suite requester_suite = {
	.name = "svt-flush-requester",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = requester_cases,
};

kunit_test_suites(&responder_suite, &requester_suite);
