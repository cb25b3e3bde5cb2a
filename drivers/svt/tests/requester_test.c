// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester: which packets a work request becomes, in which trains, and what holds it back.
 */
#include "tests/requester_fixture.h"
#include "transport/modify.h"

static struct requester_fixture *open(struct kunit *test)
{
	return requester_open(test, &REQUESTER_RC);
}

/* ---- trains ---- */

static void a_short_send_is_one_packet(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const struct svt_fake_sent *sent;

	requester_send(f, WR_SEND, 40, 300);
	sent = requester_expect_data(f, IB_OPCODE_RC_SEND_ONLY, 0, 40, 300);
	KUNIT_EXPECT_TRUE(test, sent->packet.ack_request);
	KUNIT_EXPECT_FALSE(test, sent->packet.solicited);
	KUNIT_EXPECT_EQ(test, sent->packet.dest_qpn, SVT_FAKE_PEER_QPN);
	KUNIT_EXPECT_MEMEQ(test, &sent->dgid, &f->fake->address.sgid, sizeof(sent->dgid));
	requester_expect_silence(f);
	requester_expect_not_done(f);
}

static void a_long_send_is_one_train_that_asks_once(struct kunit *test)
{
	static const u8 opcodes[] = {
		IB_OPCODE_RC_SEND_FIRST, IB_OPCODE_RC_SEND_MIDDLE,
		IB_OPCODE_RC_SEND_MIDDLE, IB_OPCODE_RC_SEND_LAST,
	};
	struct requester_fixture *f = open(test);
	unsigned int n;

	requester_send(f, WR_SEND, 1, 3 * MTU + 5);
	for (n = 0; n < 4; n++) {
		const struct svt_fake_sent *sent =
			requester_expect_data(f, opcodes[n], n, 1 + n * MTU, n < 3 ? MTU : 5);

		KUNIT_EXPECT_EQ(test, sent->train, 0);
		KUNIT_EXPECT_EQ(test, sent->packet.ack_request, n == 3);
	}
	requester_expect_silence(f);
}

static void the_first_packet_of_a_write_is_a_train_of_its_own(struct kunit *test)
{
	static const u8 opcodes[] = {
		IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_RDMA_WRITE_MIDDLE,
		IB_OPCODE_RC_RDMA_WRITE_MIDDLE, IB_OPCODE_RC_RDMA_WRITE_LAST,
	};
	struct requester_fixture *f = open(test);
	unsigned int n;

	requester_send(f, WR_WRITE, 200, 3 * MTU + 8);
	for (n = 0; n < 4; n++) {
		const struct svt_fake_sent *sent =
			requester_expect_data(f, opcodes[n], n, 200 + n * MTU, n < 3 ? MTU : 8);

		KUNIT_EXPECT_EQ(test, sent->train, n > 0);
		KUNIT_EXPECT_EQ(test, sent->packet.ack_request, n == 3);
		if (n)
			continue;
		KUNIT_EXPECT_EQ(test, sent->packet.remote_addr, REQUESTER_REMOTE + 200);
		KUNIT_EXPECT_EQ(test, sent->packet.rkey, REQUESTER_RKEY);
		KUNIT_EXPECT_EQ(test, sent->packet.dma_length, 3 * MTU + 8);
	}
	requester_expect_silence(f);
}

static void equal_sends_share_a_train(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	for (n = 0; n < 10; n++)
		requester_post(f, WR_SEND, n * 100, 64);
	requester_push(f);
	for (n = 0; n < 10; n++) {
		const struct svt_fake_sent *sent =
			requester_expect_data(f, IB_OPCODE_RC_SEND_ONLY, n, n * 100, 64);

		KUNIT_EXPECT_EQ(test, sent->train, 0);
		KUNIT_EXPECT_EQ(test, sent->packet.ack_request, n == 9);
	}
}

struct lengths {
	const char *name;
	u32 length[4];
	unsigned int train[4];
};

static const struct lengths train_lengths[] = {
	{ "a shorter packet is the last", { 64, 64, 32, 64 }, { 0, 0, 0, 1 } },
	{ "a longer packet is the first of the next", { 32, 32, 64, 64 }, { 0, 0, 1, 1 } },
	{ "a pad ends a train", { 63, 63, 63, 63 }, { 0, 1, 2, 3 } },
	{ "empty packets go together", { 0, 0, 0, 0 }, { 0, 0, 0, 0 } },
	{ "an empty packet is a shorter one", { 4, 0, 0, 4 }, { 0, 0, 1, 2 } },
};

static void name_lengths(const struct lengths *lengths, char *name)
{
	strscpy(name, lengths->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(lengths, train_lengths, name_lengths);

static void the_packets_of_a_train_have_one_length(struct kunit *test)
{
	const struct lengths *lengths = test->param_value;
	struct requester_fixture *f = open(test);
	unsigned int n;

	for (n = 0; n < 4; n++)
		requester_post(f, WR_SEND, n * 100, lengths->length[n]);
	requester_push(f);
	for (n = 0; n < 4; n++) {
		const struct svt_fake_sent *sent =
			requester_expect_data(f, IB_OPCODE_RC_SEND_ONLY, n, n * 100,
					      lengths->length[n]);

		KUNIT_EXPECT_EQ(test, sent->train, lengths->train[n]);
		KUNIT_EXPECT_EQ(test, sent->packet.ack_request,
				n == 3 || lengths->train[n] != lengths->train[n + 1]);
	}
	requester_expect_silence(f);
}

static void a_train_fits_into_a_datagram(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	u32 bytes[9] = {};
	unsigned int n;

	requester_send(f, WR_SEND, 0, 512 * MTU);
	for (n = 0; n < 512; n++) {
		const struct svt_fake_sent *sent = svt_fake_next(f->fake);

		KUNIT_ASSERT_NOT_NULL(test, sent);
		KUNIT_ASSERT_LT(test, sent->train, ARRAY_SIZE(bytes));
		bytes[sent->train] += sent->header_length + sent->length;
	}
	for (n = 0; n < ARRAY_SIZE(bytes); n++)
		KUNIT_EXPECT_LE(test, bytes[n], 64000);
	KUNIT_EXPECT_GT(test, bytes[0], 64000 - MTU - SVT_BTH_BYTES);
}

/* ---- headers ---- */

struct request_case {
	const char *name;
	enum ib_uverbs_wr_opcode opcode;
	u8 only, first, middle, last;
};

static const struct request_case request_cases[] = {
	{ "send", IB_UVERBS_WR_SEND, IB_OPCODE_SEND_ONLY, IB_OPCODE_SEND_FIRST,
	  IB_OPCODE_SEND_MIDDLE, IB_OPCODE_SEND_LAST },
	{ "send, immediate", IB_UVERBS_WR_SEND_WITH_IMM, IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
	  IB_OPCODE_SEND_FIRST, IB_OPCODE_SEND_MIDDLE, IB_OPCODE_SEND_LAST_WITH_IMMEDIATE },
	{ "send, invalidate", IB_UVERBS_WR_SEND_WITH_INV, IB_OPCODE_SEND_ONLY_WITH_INVALIDATE,
	  IB_OPCODE_SEND_FIRST, IB_OPCODE_SEND_MIDDLE, IB_OPCODE_SEND_LAST_WITH_INVALIDATE },
	{ "write", IB_UVERBS_WR_RDMA_WRITE, IB_OPCODE_RDMA_WRITE_ONLY,
	  IB_OPCODE_RDMA_WRITE_FIRST, IB_OPCODE_RDMA_WRITE_MIDDLE, IB_OPCODE_RDMA_WRITE_LAST },
	{ "write, immediate", IB_UVERBS_WR_RDMA_WRITE_WITH_IMM,
	  IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE, IB_OPCODE_RDMA_WRITE_FIRST,
	  IB_OPCODE_RDMA_WRITE_MIDDLE, IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE },
};

static void name_request(const struct request_case *request, char *name)
{
	strscpy(name, request->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(request, request_cases, name_request);

/* A packet of a message of @length bytes at offset 8, of which it carries those from @offset on */
static void expect_message(struct requester_fixture *f, u8 opcode, int n, u32 offset, u32 length)
{
	const struct svt_fake_sent *sent =
		requester_expect_data(f, opcode, n, 8 + offset, min_t(u32, length - offset, MTU));
	const struct svt_packet *packet = &sent->packet;

	if (packet->info->flags & SVT_OP_RETH) {
		KUNIT_EXPECT_EQ(f->test, packet->remote_addr, REQUESTER_REMOTE + 8);
		KUNIT_EXPECT_EQ(f->test, packet->rkey, REQUESTER_RKEY);
		KUNIT_EXPECT_EQ(f->test, packet->dma_length, length);
	}
	if (packet->info->flags & SVT_OP_IMM)
		KUNIT_EXPECT_EQ(f->test, be32_to_cpu(packet->imm_data), 0x01020304);
	if (packet->info->flags & SVT_OP_IETH)
		KUNIT_EXPECT_EQ(f->test, packet->invalidate_rkey, 0x55667788);
}

static void every_message_has_its_opcodes_and_headers(struct kunit *test)
{
	const struct request_case *request = test->param_value;
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, request->opcode, 8);
	const struct svt_sge shorter = svt_fake_sge(f->memory, 8, 21);
	const struct svt_sge longer = svt_fake_sge(f->memory, 8, 2 * MTU + 21);

	if (request->opcode == IB_UVERBS_WR_SEND_WITH_INV)
		wqe.invalidate_rkey = 0x55667788;
	else
		wqe.imm_data = cpu_to_be32(0x01020304);
	requester_post_wqe(f, &wqe, &shorter);
	requester_post_wqe(f, &wqe, &longer);
	requester_push(f);
	expect_message(f, request->only, 0, 0, 21);
	expect_message(f, request->first, 1, 0, 2 * MTU + 21);
	expect_message(f, request->middle, 2, MTU, 2 * MTU + 21);
	expect_message(f, request->last, 3, 2 * MTU, 2 * MTU + 21);
	requester_expect_silence(f);
}

static void the_solicited_bit_is_in_the_last_packet_that_takes_a_receive(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 2 * MTU);

	wqe.flags |= SVT_SEND_SOLICITED;
	requester_post_wqe(f, &wqe, &sge);
	wqe.opcode = WR_WRITE;
	requester_post_wqe(f, &wqe, &sge);
	requester_push(f);
	KUNIT_EXPECT_FALSE(test, requester_expect(f, IB_OPCODE_RC_SEND_FIRST, 0)->packet.solicited);
	KUNIT_EXPECT_TRUE(test, requester_expect(f, IB_OPCODE_RC_SEND_LAST, 1)->packet.solicited);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_FIRST, 2);
	KUNIT_EXPECT_FALSE(test, requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_LAST, 3)->
			   packet.solicited);
}

static void a_message_is_gathered_from_its_list(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	const struct svt_sge list[] = {
		svt_fake_sge(f->memory, 5000, 1000),
		svt_fake_sge(f->memory, 1, 0),
		svt_fake_sge(f->memory, 100, 30),
		svt_fake_sge(f->memory, 9000, 1000),
	};
	const struct svt_fake_sent *sent;

	wqe.num_sge = ARRAY_SIZE(list);
	requester_post_wqe(f, &wqe, list);
	requester_push(f);
	sent = requester_expect(f, IB_OPCODE_RC_SEND_FIRST, 0);
	KUNIT_EXPECT_EQ(test, sent->length, MTU);
	KUNIT_EXPECT_MEMEQ(test, sent->payload, f->memory->bytes + 5000, 1000);
	KUNIT_EXPECT_MEMEQ(test, sent->payload + 1000, f->memory->bytes + 100, 24);
	sent = requester_expect(f, IB_OPCODE_RC_SEND_LAST, 1);
	KUNIT_EXPECT_EQ(test, sent->length, 1006);
	KUNIT_EXPECT_MEMEQ(test, sent->payload, f->memory->bytes + 124, 6);
	KUNIT_EXPECT_MEMEQ(test, sent->payload + 6, f->memory->bytes + 9000, 1000);
}

static void inline_data_is_sent_as_it_was_when_posted(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	const struct svt_fake_sent *sent;
	u8 bytes[SVT_FAKE_INLINE];

	svt_fake_fill(bytes, sizeof(bytes), 4);
	wqe.flags |= SVT_SEND_INLINE;
	wqe.num_sge = 0;
	wqe.inline_length = 61;
	requester_post_wqe(f, &wqe, (const struct svt_sge *)bytes);
	requester_push(f);
	sent = requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 0);
	KUNIT_EXPECT_EQ(test, sent->length, 61);
	KUNIT_EXPECT_MEMEQ(test, sent->payload, bytes, 61);
}

static void atomics_carry_their_operands(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, 16);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 8);
	const struct svt_fake_sent *sent;

	wqe.atomic.compare_add = 0x1122334455667788;
	wqe.atomic.swap = 0x99aabbccddeeff00;
	requester_post_wqe(f, &wqe, &sge);
	wqe.opcode = WR_FETCH_ADD;
	requester_post_wqe(f, &wqe, &sge);
	requester_push(f);
	sent = requester_expect(f, IB_OPCODE_RC_COMPARE_SWAP, 0);
	KUNIT_EXPECT_EQ(test, sent->packet.remote_addr, REQUESTER_REMOTE + 16);
	KUNIT_EXPECT_EQ(test, sent->packet.rkey, REQUESTER_RKEY);
	KUNIT_EXPECT_EQ(test, sent->packet.compare, 0x1122334455667788);
	KUNIT_EXPECT_EQ(test, sent->packet.swap_add, 0x99aabbccddeeff00);
	KUNIT_EXPECT_EQ(test, sent->length, 0);
	sent = requester_expect(f, IB_OPCODE_RC_FETCH_ADD, 1);
	KUNIT_EXPECT_EQ(test, sent->packet.swap_add, 0x1122334455667788);
}

/* ---- reads ---- */

static void a_read_takes_as_many_psns_as_its_answer(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_post(f, WR_READ, 7, 2 * MTU + 1);
	requester_post(f, WR_READ, 0, 0);
	requester_post(f, WR_SEND, 0, 4);
	requester_push(f);
	requester_expect_read(f, 0, 7, 2 * MTU + 1);
	requester_expect_read(f, 3, 0, 0);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 4);
	requester_expect_silence(f);
}

static void a_long_read_is_asked_for_in_parts(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, 600 * MTU - 3);
	requester_expect_read(f, 0, 0, 256 * MTU);
	requester_expect_read(f, 256, 256 * MTU, 256 * MTU);
	/* 512 packets are asked for */
	requester_expect_silence(f);
	requester_read_range(f, 0, 1, 0);
	requester_expect_read(f, 512, 512 * MTU, 88 * MTU - 3);
	requester_expect_silence(f);
}

static void a_repeated_read_ends_where_it_ended_before(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_READ, 0, 600 * MTU);
	requester_read_range(f, 0, 10, 0);
	requester_drop_sent(f);
	requester_let_pass(f, HOUR);
	requester_expect_read(f, 10, 10 * MTU, 246 * MTU);
	requester_expect_read(f, 256, 256 * MTU, 256 * MTU);
	/* Fewer packets may be out than before the timer fired */
	requester_expect_silence(f);
	/* Into the second part */
	requester_read_range(f, 10, 300, 10 * MTU);
	requester_let_pass(f, HOUR);
	requester_expect_read(f, 300, 300 * MTU, 212 * MTU);
	requester_expect_silence(f);
	requester_read_range(f, 300, 512, 300 * MTU);
	requester_expect_read(f, 512, 512 * MTU, 88 * MTU);
	requester_read_range(f, 512, 600, 512 * MTU);
	KUNIT_EXPECT_EQ(test, requester_expect_done(f, 0, IB_WC_SUCCESS).byte_len, 600 * MTU);
	requester_expect_memory(f, 0, 0, 600 * MTU);
}

static void reads_and_atomics_wait_for_max_rd_atomic(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	for (n = 0; n < 3; n++)
		requester_post(f, WR_READ, n * 8, 8);
	requester_post(f, WR_FETCH_ADD, 24, 8);
	requester_post(f, WR_READ, 32, 8);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	for (n = 0; n < 3; n++)
		requester_expect_read(f, n, n * 8, 8);
	requester_expect(f, IB_OPCODE_RC_FETCH_ADD, 3);
	requester_expect_silence(f);
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, 0, 0, 8);
	requester_expect_read(f, 4, 32, 8);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 5);
	requester_expect_silence(f);
}

static void a_qp_that_may_not_read_says_so(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;

	options.rd_atomic = 0;
	f = requester_open(test, &options);
	requester_send(f, WR_READ, 0, 8);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_LOC_QP_OP_ERR);
}

static void a_fence_waits_for_reads_before_it(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 8);

	wqe.flags |= SVT_SEND_FENCE;
	requester_post(f, WR_SEND, 0, 8);
	/* Nothing to wait for: a SEND is none */
	requester_post_wqe(f, &wqe, &sge);
	requester_post(f, WR_READ, 0, 8);
	requester_post_wqe(f, &wqe, &sge);
	requester_push(f);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 0);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 1);
	requester_expect_read(f, 2, 0, 8);
	requester_expect_silence(f);
	requester_ack(f, 1);
	requester_expect_silence(f);
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, 2, 0, 8);
	requester_expect_sends(f, 3, 4);
}

/* ---- limits ---- */

static void a_full_window_waits_for_the_oldest(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	/* It is as long as the ring otherwise */
	requester_limit_window(f->qp, 4);
	for (n = 0; n < 7; n++)
		requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_sends(f, 0, 4);
	requester_ack(f, 1);
	requester_expect_sends(f, 4, 6);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_expect_not_done(f);
	requester_ack(f, 5);
	requester_expect_sends(f, 6, 7);
}

/* From 16, for a ring of 64; what is in it moves */
static void a_window_that_is_full_grows(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;
	unsigned int n;

	options.sq_depth = 64;
	f = requester_open(test, &options);
	KUNIT_EXPECT_EQ(test, f->qp->send.window_entries, 16);
	/* So that the first is not at the beginning */
	for (n = 0; n < 5; n++)
		requester_send(f, WR_SEND, n, 8);
	requester_drop_sent(f);
	requester_ack(f, 4);
	for (n = 5; n < 69; n++)
		requester_post(f, WR_SEND, n, 8);
	requester_push(f);
	for (n = 5; n < 69; n++)
		requester_expect_data(f, IB_OPCODE_RC_SEND_ONLY, n, n, 8);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, f->qp->send.window_entries, 64);
	/* Each is what it was */
	requester_nak(f, 10, SVT_NAK_PSN_SEQUENCE);
	for (n = 10; n < 69; n++)
		requester_expect_data(f, IB_OPCODE_RC_SEND_ONLY, n, n, 8);
	requester_ack(f, 68);
	for (n = 0; n < 69; n++)
		requester_expect_done(f, n, IB_WC_SUCCESS);
}

static void no_more_than_512_packets_are_out(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_SEND, 0, 600 * MTU);
	requester_expect_part(f, 0, 512);
	requester_ack(f, 49);
	requester_expect_part(f, 512, 562);
	requester_ack(f, 561);
	requester_drop_sent(f);
	requester_ack(f, 599);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void what_the_backend_refuses_is_sent_once_it_has_room(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	f->fake->busy = true;
	for (n = 0; n < 3; n++)
		requester_post(f, WR_SEND, n * 8, 8);
	requester_push(f);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_TX_BUSY), 1);
	/* Until it has room nobody asks it again */
	requester_send(f, WR_READ, 0, 8);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_TX_BUSY), 1);
	f->fake->busy = false;
	requester_push(f);
	requester_expect_silence(f);
	svt_fake_ready(f->fake, f->qp);
	for (n = 0; n < 3; n++)
		requester_expect_data(f, IB_OPCODE_RC_SEND_ONLY, n, n * 8, 8);
	requester_expect_read(f, 3, 0, 8);
	requester_expect_silence(f);
}

static void what_is_refused_in_the_middle_goes_on_there(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	requester_limit_window(f->qp, 1);
	requester_post(f, WR_WRITE, 0, 4);
	requester_post(f, WR_WRITE, 0, 3 * MTU);
	requester_push(f);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0);
	f->fake->busy = true;
	requester_ack(f, 0);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_FIRST, 1, 0, MTU);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, 2, MTU, MTU);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_LAST, 3, 2 * MTU, MTU);
	requester_ack(f, 2);
	requester_expect_not_done(f);
	f->fake->busy = true;
	requester_let_pass(f, HOUR);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_LAST, 3, 2 * MTU, MTU);
	requester_expect_silence(f);
	for (n = 0; n < 2; n++)
		requester_ack(f, 3);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_expect_not_done(f);
}

static void a_query_passes_on_the_kick_that_it_held_up(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct ib_qp_attr attr;

	requester_post(f, WR_SEND, 0, 8);
	atomic_or(SVT_WORK_QUEUE, &f->qp->send.half.work);
	mutex_lock(&f->qp->modify_lock);
	svt_qp_query(f->qp, &attr);
	mutex_unlock(&f->qp->modify_lock);
	requester_expect_sends(f, 0, 1);
}

static void each_part_of_a_long_read_counts_as_a_message(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	u32 ssn = f->qp->send.cursor.ssn;

	requester_send(f, WR_READ, 0, 257 * MTU);
	KUNIT_EXPECT_EQ(test, f->qp->send.cursor.ssn, ssn + 2);
	requester_send(f, WR_READ, 0, 256 * MTU);
	requester_send(f, WR_FETCH_ADD, 0, 8);
	requester_read_range(f, 0, 257, 0);
	KUNIT_EXPECT_EQ(test, f->qp->send.cursor.ssn, ssn + 4);
}

/* Their ring moves, with its end before its beginning: each still frees its place */
static void reads_under_way_count_when_more_are_allowed(struct kunit *test)
{
	const struct ib_qp_attr attr = { .max_rd_atomic = 8 };
	struct requester_fixture *f = open(test);
	int n;

	for (n = 0; n < 12; n++)
		requester_post(f, WR_READ, n * 8, 8);
	requester_push(f);
	for (n = 0; n < 2; n++)
		requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, n, n * 8, 8);
	for (n = 0; n < 6; n++)
		requester_expect_read(f, n, n * 8, 8);
	requester_modify(f, IB_QPS_SQD);
	KUNIT_EXPECT_EQ(test, 0, svt_fake_modify_attr(f->qp, &attr, IB_QP_MAX_QP_RD_ATOMIC,
						      IB_QPS_SQD));
	requester_modify(f, IB_QPS_RTS);
	for (; n < 10; n++)
		requester_expect_read(f, n, n * 8, 8);
	for (n = 2; n < 4; n++) {
		requester_expect_silence(f);
		requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, n, n * 8, 8);
		requester_expect_read(f, n + 8, (n + 8) * 8, 8);
	}
	for (; n < 12; n++)
		requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, n, n * 8, 8);
	for (n = 0; n < 12; n++)
		requester_expect_done(f, n, IB_WC_SUCCESS);
	requester_expect_memory(f, 0, 0, 12 * 8);
}

static void reads_that_are_no_longer_allowed_fail(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_modify(f, IB_QPS_SQD);
	requester_send(f, WR_READ, 0, 8);
	f->qp->attr.max_rd_atomic = 0;
	requester_modify(f, IB_QPS_RTS);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_LOC_QP_OP_ERR);
}

static void what_has_an_error_of_its_own_behind_the_first_is_flushed(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);

	requester_send(f, WR_SEND, 0, 8);
	wqe.num_sge = 0;
	wqe.srq_num = 1;
	requester_post_wqe(f, &wqe, NULL);
	requester_push(f);
	requester_nak(f, 0, SVT_NAK_REMOTE_ACCESS);
	requester_expect_done(f, 0, IB_WC_REM_ACCESS_ERR);
	requester_expect_flushed(f, 1, 2);
}

static void a_completion_lost_to_a_failed_cq_fails_the_qp(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	requester_send(f, WR_SEND, 0, 8);
	f->qp->send_cq->failed = true;
	requester_ack(f, 0);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_QP_FATAL], 1);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_CQ_OVERRUNS), 1);
}

/* ---- what makes no packet ---- */

static struct svt_send_wqe bind_wqe(struct requester_fixture *f, const struct svt_mw *mw)
{
	struct svt_send_wqe wqe = {
		.opcode = IB_UVERBS_WR_BIND_MW,
		.flags = SVT_SEND_SIGNALED,
	};

	wqe.bind_mw.addr = (unsigned long)f->memory->bytes;
	wqe.bind_mw.length = 4096;
	wqe.bind_mw.mr_lkey = f->memory->mr.key.key;
	wqe.bind_mw.mw_rkey = mw->key.key;
	wqe.bind_mw.new_rkey = mw->key.key ^ 1;
	wqe.bind_mw.access = IB_ACCESS_REMOTE_WRITE;
	return wqe;
}

static void a_bind_takes_its_turn_and_no_psn(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_mw *mw = svt_fake_window(f->fake);
	const struct svt_send_wqe wqe = bind_wqe(f, mw);

	requester_post(f, WR_SEND, 0, 8);
	requester_post_wqe(f, &wqe, NULL);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_sends(f, 0, 2);
	KUNIT_EXPECT_EQ(test, mw->key.key, wqe.bind_mw.new_rkey);
	requester_expect_not_done(f);
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, requester_expect_done(f, 1, IB_WC_SUCCESS).opcode, IB_WC_BIND_MW);
	requester_expect_not_done(f);
	requester_ack(f, 1);
	requester_expect_done(f, 2, IB_WC_SUCCESS);
}

static void a_bind_is_not_repeated_with_its_neighbours(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const struct svt_send_wqe wqe = bind_wqe(f, svt_fake_window(f->fake));
	unsigned int id;

	requester_post(f, WR_SEND, 0, 8);
	requester_post_wqe(f, &wqe, NULL);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_sends(f, 0, 2);
	requester_let_pass(f, HOUR);
	requester_expect_sends(f, 0, 1);
	requester_ack(f, 0);
	requester_expect_sends(f, 1, 2);
	requester_ack(f, 1);
	for (id = 0; id < 3; id++)
		requester_expect_done(f, id, IB_WC_SUCCESS);
}

static void a_bind_runs_once_though_the_backend_refuses_its_train(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	const struct svt_send_wqe wqe = bind_wqe(f, svt_fake_window(f->fake));
	unsigned int id;

	f->fake->busy = true;
	requester_post_wqe(f, &wqe, NULL);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect_sends(f, 0, 1);
	requester_ack(f, 0);
	for (id = 0; id < 2; id++)
		requester_expect_done(f, id, IB_WC_SUCCESS);
}

static void an_invalidation_waits_for_all_before_it(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_mw *mw = svt_fake_window(f->fake);
	struct svt_send_wqe wqe = bind_wqe(f, mw);

	requester_post_wqe(f, &wqe, NULL);
	requester_post(f, WR_SEND, 0, 8);
	wqe = (struct svt_send_wqe) {
		.opcode = IB_UVERBS_WR_LOCAL_INV,
		.flags = SVT_SEND_SIGNALED,
		.invalidate_rkey = mw->key.key ^ 1,
	};
	requester_post_wqe(f, &wqe, NULL);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_expect_sends(f, 0, 1);
	KUNIT_EXPECT_NOT_NULL(test, rcu_access_pointer(mw->binding));
	requester_ack(f, 0);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(mw->binding));
	requester_expect_sends(f, 1, 2);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, requester_expect_done(f, 2, IB_WC_SUCCESS).opcode,
			IB_WC_LOCAL_INV);
	requester_expect_not_done(f);
}

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(a_short_send_is_one_packet),
	KUNIT_CASE(a_long_send_is_one_train_that_asks_once),
	KUNIT_CASE(the_first_packet_of_a_write_is_a_train_of_its_own),
	KUNIT_CASE(equal_sends_share_a_train),
	KUNIT_CASE_PARAM(the_packets_of_a_train_have_one_length, lengths_gen_params),
	KUNIT_CASE(a_train_fits_into_a_datagram),
	KUNIT_CASE_PARAM(every_message_has_its_opcodes_and_headers, request_gen_params),
	KUNIT_CASE(the_solicited_bit_is_in_the_last_packet_that_takes_a_receive),
	KUNIT_CASE(a_message_is_gathered_from_its_list),
	KUNIT_CASE(inline_data_is_sent_as_it_was_when_posted),
	KUNIT_CASE(atomics_carry_their_operands),
	KUNIT_CASE(a_read_takes_as_many_psns_as_its_answer),
	KUNIT_CASE(a_long_read_is_asked_for_in_parts),
	KUNIT_CASE(a_repeated_read_ends_where_it_ended_before),
	KUNIT_CASE(reads_and_atomics_wait_for_max_rd_atomic),
	KUNIT_CASE(a_qp_that_may_not_read_says_so),
	KUNIT_CASE(a_fence_waits_for_reads_before_it),
	KUNIT_CASE(a_full_window_waits_for_the_oldest),
	KUNIT_CASE(a_window_that_is_full_grows),
	KUNIT_CASE(no_more_than_512_packets_are_out),
	KUNIT_CASE(what_the_backend_refuses_is_sent_once_it_has_room),
	KUNIT_CASE(what_is_refused_in_the_middle_goes_on_there),
	KUNIT_CASE(a_query_passes_on_the_kick_that_it_held_up),
	KUNIT_CASE(each_part_of_a_long_read_counts_as_a_message),
	KUNIT_CASE(reads_under_way_count_when_more_are_allowed),
	KUNIT_CASE(reads_that_are_no_longer_allowed_fail),
	KUNIT_CASE(what_has_an_error_of_its_own_behind_the_first_is_flushed),
	KUNIT_CASE(a_completion_lost_to_a_failed_cq_fails_the_qp),
	KUNIT_CASE(a_bind_takes_its_turn_and_no_psn),
	KUNIT_CASE(a_bind_is_not_repeated_with_its_neighbours),
	KUNIT_CASE(a_bind_runs_once_though_the_backend_refuses_its_train),
	KUNIT_CASE(an_invalidation_waits_for_all_before_it),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "svt-requester",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = requester_cases,
};

kunit_test_suite(requester_suite);
