// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of an RC QP: SEND, sequence, holes, duplicates, receives, the end of the QP.
 */
#include "tests/responder_fixture.h"
#include "wire/aeth.h"

#define SEND_FIRST	IB_OPCODE_RC_SEND_FIRST
#define SEND_MIDDLE	IB_OPCODE_RC_SEND_MIDDLE
#define SEND_LAST	IB_OPCODE_RC_SEND_LAST
#define SEND_ONLY	IB_OPCODE_RC_SEND_ONLY

static struct responder_fixture *open(struct kunit *test)
{
	return responder_open(test, &SVT_FAKE_RC);
}

static void a_send_fills_a_receive(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct ib_wc wc;

	responder_post(f, 11, 8, 100);
	responder_post(f, 12, 200, 100);
	responder_send(f, SEND_ONLY, 0, 5, 77);
	responder_expect_ack(f, 0, 1);
	wc = responder_expect_recv(f, 11, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 77);
	KUNIT_EXPECT_EQ(test, wc.src_qp, SVT_FAKE_PEER_QPN);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, 0);
	responder_expect_data(f, 8, 5, 77);
	responder_expect_no_recv(f);
	responder_expect_silence(f);
}

static void a_linear_skb_is_as_good(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	f->fake->linear = true;
	responder_post(f, 1, 0, MTU);
	responder_send(f, SEND_ONLY, 0, 3, MTU - 1);
	responder_expect_ack(f, 0, 1);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	responder_expect_data(f, 0, 3, MTU - 1);
}

static void a_message_is_spread_over_the_list(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_sge list[] = {
		svt_fake_sge(f->memory, 0, 100),
		svt_fake_sge(f->memory, 1000, 0),
		svt_fake_sge(f->memory, 2000, MTU),
		svt_fake_sge(f->memory, 4001, 2 * MTU),
	};

	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 7, list, ARRAY_SIZE(list)), 0);
	responder_put(f, SEND_FIRST, 0, 0, MTU);
	responder_put(f, SEND_MIDDLE, 1, MTU, MTU);
	responder_put(f, SEND_LAST, 2, 2 * MTU, 333);
	responder_deliver(f);
	/* One batch, one acknowledgment */
	responder_expect_ack(f, 2, 1);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 7, IB_WC_SUCCESS).byte_len, 2 * MTU + 333);
	responder_expect_data(f, 0, 0, 100);
	responder_expect_data(f, 2000, 100, MTU);
	responder_expect_data(f, 4001, 100 + MTU, MTU + 333 - 100);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[1000], 0);
}

static void a_message_may_be_empty(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 7, NULL, 0), 0);
	responder_send(f, SEND_ONLY, 0, 0, 0);
	responder_expect_ack(f, 0, 1);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 7, IB_WC_SUCCESS).byte_len, 0);
}

static void nothing_is_acknowledged_unasked(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, SEND_ONLY, 0);

	packet.ack_request = false;
	responder_post(f, 1, 0, 100);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	responder_expect_silence(f);
}

static void immediate_data_and_the_solicited_bit_are_passed_on(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, SEND_ONLY, 0);
	struct ib_wc wc;

	responder_post(f, 1, 0, 100);
	responder_post(f, 2, 100, 100);
	svt_cq_arm(f->qp->recv_cq, IB_CQ_SOLICITED);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	KUNIT_EXPECT_EQ(test, f->fake->completions, 0);
	packet = responder_packet(f, IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE, 1);
	packet.solicited = true;
	packet.imm_data = cpu_to_be32(0x12345678);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	KUNIT_EXPECT_EQ(test, f->fake->completions, 1);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	wc = responder_expect_recv(f, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(wc.ex.imm_data), 0x12345678);
}

static u32 bind(struct responder_fixture *f, struct svt_mw *mw)
{
	const struct svt_mw_bind request = {
		.mw_rkey = mw->key.key,
		.new_rkey = mw->key.key ^ 1,
		.mr_lkey = f->memory->mr.key.key,
		.addr = (unsigned long)f->memory->bytes,
		.length = 4096,
		.access = IB_ACCESS_REMOTE_WRITE,
		.qpn = f->qp->qpn,
	};
	u32 rkey = 0;

	KUNIT_ASSERT_EQ(f->test, svt_mw_bind(&f->fake->core.keys, &f->fake->pd, &request, &rkey),
			0);
	return rkey;
}

static void send_with_invalidate_takes_the_key_away(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 rkey = bind(f, svt_fake_window(f->fake));
	struct svt_packet packet = responder_packet(f, IB_OPCODE_RC_SEND_ONLY_WITH_INVALIDATE, 0);
	struct ib_wc wc;

	packet.invalidate_rkey = rkey;
	responder_post(f, 1, 0, 100);
	responder_post(f, 2, 100, 100);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	responder_expect_ack(f, 0, 1);
	wc = responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, rkey);
	/* A region that was registered by verb may not be invalidated */
	packet.psn = responder_psn(f, 1);
	packet.invalidate_rkey = f->memory->mr.key.key;
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	responder_expect_refusal(f, 1, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	responder_expect_recv(f, 2, IB_WC_LOC_ACCESS_ERR);
}

static void credits_are_the_receives_that_are_left(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	unsigned int i;

	for (i = 0; i < 9; i++)
		responder_post(f, i, i * 100, 2 * MTU);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	KUNIT_EXPECT_EQ(test, responder_sent(f, IB_OPCODE_RC_ACKNOWLEDGE,
					     responder_psn(f, 0)).syndrome,
			svt_aeth_encode_credits(8));
	/* The receive of the message under way counts until the message is in the MSN */
	responder_put(f, SEND_FIRST, 1, 0, MTU);
	responder_put(f, SEND_ONLY, 0, 0, 10);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, responder_sent(f, IB_OPCODE_RC_ACKNOWLEDGE,
					     responder_psn(f, 1)).syndrome,
			svt_aeth_encode_credits(8));
}

/* ---- sequence ---- */

static void a_hole_is_reported_once(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	unsigned int i;

	for (i = 0; i < 4; i++)
		responder_post(f, i, i * 100, 100);
	responder_send(f, SEND_ONLY, 1, 100, 10);
	responder_expect_nak(f, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_send(f, SEND_ONLY, 2, 200, 10);
	responder_send(f, SEND_ONLY, 3, 300, 10);
	responder_expect_silence(f);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_SEQUENCE), 3);
	for (i = 0; i < 4; i++) {
		responder_send(f, SEND_ONLY, i, i * 100, 10);
		responder_expect_ack(f, i, i + 1);
		responder_expect_recv(f, i, IB_WC_SUCCESS);
		responder_expect_data(f, i * 100, i * 100, 10);
	}
	/* The next hole is another one */
	responder_send(f, SEND_ONLY, 6, 0, 10);
	responder_expect_nak(f, 4, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
}

static void a_repetition_that_is_lost_too_is_reported(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 1, 0, 100);
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_nak(f, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_send(f, SEND_ONLY, 2, 0, 10);
	responder_expect_silence(f);
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_nak(f, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
}

static void a_batch_out_of_order_asks_for_what_was_dropped(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 0, 0, 100);
	responder_post(f, 1, 100, 100);
	responder_put(f, SEND_ONLY, 1, 0, 10);
	responder_put(f, SEND_ONLY, 0, 0, 10);
	responder_deliver(f);
	responder_expect_nak(f, 1, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_expect_silence(f);
	responder_expect_recv(f, 0, IB_WC_SUCCESS);
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_ack(f, 1, 2);
}

static void a_hole_that_closes_in_the_batch_is_forgotten(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 0, 0, 100);
	responder_post(f, 1, 100, 100);
	responder_put(f, SEND_ONLY, 1, 0, 10);
	responder_put(f, SEND_ONLY, 0, 0, 10);
	responder_put(f, SEND_ONLY, 1, 0, 10);
	responder_deliver(f);
	responder_expect_ack(f, 1, 2);
	responder_expect_silence(f);
}

static void a_duplicate_is_acknowledged_and_not_delivered(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 0, 0, 100);
	responder_post(f, 1, 100, 100);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_ack(f, 0, 1);
	responder_expect_ack(f, 1, 2);
	responder_expect_recv(f, 0, IB_WC_SUCCESS);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_expect_ack(f, 1, 2);
	responder_send(f, SEND_MIDDLE, -70000, 0, 3);
	responder_expect_ack(f, 1, 2);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_DUPLICATE_REQUEST), 2);
}

static void a_duplicate_does_not_hide_a_hole(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 0, 0, 100);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_expect_ack(f, 0, 1);
	responder_put(f, SEND_ONLY, 2, 0, 10);
	responder_put(f, SEND_ONLY, 0, 0, 10);
	responder_deliver(f);
	responder_expect_nak(f, 1, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_expect_silence(f);
}

struct wrong_opcode {
	u8 before;	/* SEND_FIRST or WRITE_FIRST came; 0xff: nothing */
	u8 opcode;
	u32 length;
};

static const struct wrong_opcode wrong_opcodes[] = {
	{ 0xff, IB_OPCODE_RC_SEND_MIDDLE, MTU },
	{ 0xff, IB_OPCODE_RC_SEND_LAST, 4 },
	{ 0xff, IB_OPCODE_RC_SEND_LAST_WITH_INVALIDATE, 4 },
	{ 0xff, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, MTU },
	{ 0xff, IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, 4 },
	{ SEND_FIRST, IB_OPCODE_RC_SEND_FIRST, MTU },
	{ SEND_FIRST, IB_OPCODE_RC_SEND_ONLY, 4 },
	{ SEND_FIRST, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, MTU },
	{ SEND_FIRST, IB_OPCODE_RC_RDMA_WRITE_LAST, 4 },
	{ SEND_FIRST, IB_OPCODE_RC_RDMA_WRITE_ONLY, 4 },
	{ SEND_FIRST, IB_OPCODE_RC_RDMA_READ_REQUEST, 0 },
	{ SEND_FIRST, IB_OPCODE_RC_FETCH_ADD, 0 },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_SEND_MIDDLE, MTU },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_SEND_LAST, 4 },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_SEND_ONLY, 4 },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_RDMA_WRITE_FIRST, MTU },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_COMPARE_SWAP, 0 },
	/* Reserved (IBTA table 38) */
	{ 0xff, 0x15, 0 },
	{ 0xff, 0x18, 4 },
	{ 0xff, 0x1b, MTU },
	{ 0xff, 0x1e, 0 },
	{ 0xff, 0x1f, 28 },
	{ SEND_FIRST, 0x15, MTU },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, 0x1f, MTU },
	/* In order, but of a wrong length */
	{ 0xff, IB_OPCODE_RC_SEND_FIRST, MTU - 4 },
	{ 0xff, IB_OPCODE_RC_SEND_FIRST, MTU + 4 },
	{ 0xff, IB_OPCODE_RC_SEND_FIRST, 0 },
	{ 0xff, IB_OPCODE_RC_SEND_ONLY, MTU + 1 },
	{ SEND_FIRST, IB_OPCODE_RC_SEND_MIDDLE, MTU - 1 },
	{ SEND_FIRST, IB_OPCODE_RC_SEND_LAST, 0 },
	{ SEND_FIRST, IB_OPCODE_RC_SEND_LAST, MTU + 1 },
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, MTU + 4 },
	/* The WRITE has 3 * MTU bytes */
	{ IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_RDMA_WRITE_LAST, MTU },
};

static void wrong_opcode_name(const struct wrong_opcode *wrong, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s of %u bytes after %s",
		 svt_opcode_info(wrong->opcode)->name, wrong->length,
		 wrong->before == 0xff ? "nothing" : svt_opcode_info(wrong->before)->name);
}

KUNIT_ARRAY_PARAM(wrong_opcode, wrong_opcodes, wrong_opcode_name);

static void what_is_against_the_protocol_is_refused(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	const struct wrong_opcode *wrong = test->param_value;
	int n = wrong->before != 0xff;

	responder_post(f, 5, 0, 4 * MTU);
	responder_post(f, 6, 8000, 4 * MTU);
	if (n)
		responder_put_write(f, wrong->before, 0, 0, MTU, 3 * MTU);
	responder_put_write(f, wrong->opcode, n, 0, wrong->length, 3 * MTU);
	/* What comes behind it has no effect */
	responder_put(f, SEND_ONLY, n, 0, 10);
	responder_put(f, SEND_ONLY, n + 1, 0, 10);
	responder_deliver(f);
	responder_expect_refusal(f, n, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
	responder_expect_silence(f);
	if (wrong->before == SEND_FIRST)
		responder_expect_recv(f, 5, IB_WC_REM_INV_REQ_ERR);
	else
		responder_expect_recv(f, 5, IB_WC_WR_FLUSH_ERR);
	responder_expect_recv(f, 6, IB_WC_WR_FLUSH_ERR);
	responder_expect_no_recv(f);
}

/* ---- receives ---- */

/* Sequence is looked at first (IBTA 9.7.4.1) */
static void a_reserved_opcode_out_of_order_is_dropped(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 5, 0, 10);
	responder_put(f, 0x15, -1, 0, 8);
	responder_deliver(f);
	responder_expect_silence(f);
	responder_put(f, 0x15, 1, 0, 8);
	responder_deliver(f);
	responder_expect_nak(f, 0, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_expect_recv(f, 5, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_OPCODE), 1);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_DUPLICATE_REQUEST), 0);
}

static void a_receive_that_is_late_is_waited_for(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put(f, SEND_ONLY, 0, 0, 10);
	responder_put(f, SEND_ONLY, 1, 0, 10);
	responder_deliver(f);
	responder_expect_nak(f, 0, SVT_AETH_RNR | 12);
	responder_send(f, SEND_ONLY, 2, 0, 10);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RNR_NAKS_SENT), 1);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_BUFFER), 1);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_SEQUENCE), 2);
	responder_post(f, 1, 0, 100);
	responder_put(f, SEND_ONLY, 0, 0, 10);
	responder_put(f, SEND_ONLY, 1, 0, 10);
	responder_deliver(f);
	responder_expect_nak(f, 1, SVT_AETH_RNR | 12);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void a_message_longer_than_the_receive_is_refused(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 1, 0, MTU + 9);
	responder_put(f, SEND_FIRST, 0, 0, MTU);
	responder_put(f, SEND_LAST, 1, MTU, 10);
	responder_deliver(f);
	responder_expect_refusal(f, 1, SVT_NAK_INVALID_REQUEST, -1);
	responder_expect_recv(f, 1, IB_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[MTU + 9], 0);
}

static void an_lkey_that_does_not_fit_is_an_error_of_this_side(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_fake_memory *constant = svt_fake_memory(f->fake, 4096, 0);
	struct svt_sge list[] = {
		svt_fake_sge(f->memory, 0, 10),
		svt_fake_sge(constant, 0, 100),
	};

	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 3, list, ARRAY_SIZE(list)), 0);
	responder_send(f, SEND_ONLY, 0, 0, 30);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_OPERATIONAL, -1);
	responder_expect_recv(f, 3, IB_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, constant->bytes[0], 0);
}

static void a_receive_beyond_its_region_is_an_error_of_this_side(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 3, RESPONDER_MEMORY - 10, 20);
	responder_send(f, SEND_ONLY, 0, 0, 11);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_OPERATIONAL, -1);
	responder_expect_recv(f, 3, IB_WC_LOC_PROT_ERR);
}

static void a_receive_with_too_long_a_list_is_an_error_of_this_side(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_sge list[SVT_FAKE_SGES] = {};

	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 3, list, SVT_FAKE_SGES + 1), 0);
	responder_post(f, 4, 0, 100);
	responder_send(f, SEND_ONLY, 0, 0, 11);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_OPERATIONAL, -1);
	responder_expect_recv(f, 3, IB_WC_LOC_QP_OP_ERR);
	responder_expect_recv(f, 4, IB_WC_WR_FLUSH_ERR);
}

static void an_index_out_of_range_ends_the_queue(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	f->qp->recv.ring.control->producer += SVT_FAKE_DEPTH + 1;
	responder_send(f, SEND_ONLY, 0, 0, 11);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_OPERATIONAL, IB_EVENT_QP_FATAL);
	responder_expect_no_recv(f);
	/* RESET is the way out */
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_RESET), 0);
	KUNIT_EXPECT_EQ(test, svt_ring_pending(&f->qp->recv.ring), 0);
}

static void a_packet_longer_than_its_skb_is_as_good_as_lost(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, SEND_ONLY, 0);

	responder_post(f, 1, 0, 1000);
	svt_fake_put(f->fake, &packet, f->data, 400);
	svt_rx_cb(skb_peek(&f->fake->wire))->length += 400;
	svt_rx_cb(skb_peek(&f->fake->wire))->stride += 400;
	responder_deliver(f);
	responder_expect_silence(f);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_MALFORMED), 1);
	responder_send(f, SEND_ONLY, 0, 0, 400);
	responder_expect_ack(f, 0, 1);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
}

/* ---- SRQ ---- */

static struct responder_fixture *open_srq(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct responder_fixture *f = test->priv;

	options.srq = svt_fake_srq(f->fake);
	return responder_open(test, &options);
}

static void an_srq_grants_no_credits_and_counts_its_limit(struct kunit *test)
{
	struct responder_fixture *f = open_srq(test);
	struct svt_sge sge = svt_fake_sge(f->memory, 0, 100);
	u32 psn = responder_psn(f, 0);

	KUNIT_ASSERT_EQ(test, svt_fake_post_srq(f->qp->srq, 1, &sge, 1), 0);
	KUNIT_ASSERT_EQ(test, svt_fake_post_srq(f->qp->srq, 2, &sge, 1), 0);
	KUNIT_ASSERT_EQ(test, svt_srq_set_limit(f->qp->srq, 2), 0);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	KUNIT_EXPECT_EQ(test, responder_sent(f, IB_OPCODE_RC_ACKNOWLEDGE, psn).syndrome,
			SVT_AETH_NO_CREDITS);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->fake->srq_events[IB_EVENT_SRQ_LIMIT_REACHED], 1);
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_ack(f, 1, 2);
	responder_send(f, SEND_ONLY, 2, 0, 10);
	responder_expect_nak(f, 2, SVT_AETH_RNR | 12);
	KUNIT_EXPECT_EQ(test, f->fake->srq_events[IB_EVENT_SRQ_LIMIT_REACHED], 1);
}

static void a_qp_in_error_says_that_it_takes_no_more_from_its_srq(struct kunit *test)
{
	struct responder_fixture *f = open_srq(test);
	struct svt_sge sge = svt_fake_sge(f->memory, 0, 4 * MTU);

	KUNIT_ASSERT_EQ(test, svt_fake_post_srq(f->qp->srq, 1, &sge, 1), 0);
	KUNIT_ASSERT_EQ(test, svt_fake_post_srq(f->qp->srq, 2, &sge, 1), 0);
	responder_send(f, SEND_FIRST, 0, 0, MTU);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_ERR), 0);
	svt_recv_schedule(f->qp, SVT_WORK_STATE);
	responder_expect_recv(f, 1, IB_WC_WR_FLUSH_ERR);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_QP_LAST_WQE_REACHED], 1);
	KUNIT_EXPECT_EQ(test, svt_ring_pending(&f->qp->srq->ring), 1);
}

static void an_srq_in_error_ends_the_qp(struct kunit *test)
{
	struct responder_fixture *f = open_srq(test);

	f->qp->srq->ring.control->producer += SVT_FAKE_DEPTH + 1;
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_expect_nak(f, 0, SVT_AETH_NAK | SVT_NAK_REMOTE_OPERATIONAL);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, f->fake->srq_events[IB_EVENT_SRQ_ERR], 1);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_QP_FATAL], 1);
}

/* ---- states ---- */

static void the_first_packet_in_rtr_raises_an_event(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct responder_fixture *f;

	options.state = IB_QPS_RTR;
	f = responder_open(test, &options);
	responder_post(f, 1, 0, 100);
	responder_post(f, 2, 0, 100);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_ack(f, 0, 1);
	responder_expect_ack(f, 1, 2);
	KUNIT_EXPECT_EQ(test, f->fake->events[IB_EVENT_COMM_EST], 1);
}

static void receives_are_flushed_in_order_also_later_ones(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	unsigned int i;

	for (i = 0; i < SVT_FAKE_DEPTH; i++)
		responder_post(f, i, 0, 4 * MTU);
	responder_send(f, SEND_FIRST, 0, 0, MTU);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_ERR), 0);
	for (i = 0; i < SVT_FAKE_DEPTH; i++)
		responder_expect_recv(f, i, IB_WC_WR_FLUSH_ERR);
	responder_expect_no_recv(f);
	for (i = 100; i < 103; i++) {
		responder_post(f, i, 0, MTU);
		responder_expect_recv(f, i, IB_WC_WR_FLUSH_ERR);
	}
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_STATE), 1);
}

/* Three messages at once: what came of the first stays, and nothing has two completions */
static void what_was_received_is_not_flushed_again(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	unsigned int i;

	responder_post(f, 1, 0, 100);
	responder_post(f, 2, RESPONDER_MEMORY - 10, 100);
	responder_post(f, 3, 200, 100);
	responder_post(f, 4, 300, 100);
	for (i = 0; i < 3; i++)
		responder_put(f, SEND_ONLY, i, 0, 40);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	responder_expect_recv(f, 2, IB_WC_LOC_PROT_ERR);
	responder_expect_recv(f, 3, IB_WC_WR_FLUSH_ERR);
	responder_expect_recv(f, 4, IB_WC_WR_FLUSH_ERR);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_ERR), 0);
	responder_expect_no_recv(f);
}

static void reset_forgets_everything(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 1, 0, 4 * MTU);
	responder_post(f, 2, 0, 4 * MTU);
	responder_send(f, SEND_FIRST, 0, 0, MTU);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_RESET), 0);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_ring_pending(&f->qp->recv.ring), 0);
	KUNIT_EXPECT_FALSE(test, f->qp->recv.wqe_valid);
	/* From the beginning, with the same attributes */
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_INIT), 0);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_RTR), 0);
	responder_post(f, 3, 0, 4 * MTU);
	responder_send(f, SEND_ONLY, 0, 0, 10);
	responder_expect_ack(f, 0, 1);
	responder_expect_recv(f, 3, IB_WC_SUCCESS);
}

static void an_acknowledgment_waits_for_the_backend(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 1, 0, 100);
	responder_post(f, 2, 0, 100);
	f->fake->busy = true;
	responder_send(f, SEND_ONLY, 0, 0, 10);
	f->fake->busy = false;
	responder_send(f, SEND_ONLY, 1, 0, 10);
	responder_expect_silence(f);
	svt_fake_ready(f->fake, f->qp);
	responder_expect_ack(f, 1, 2);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_ACKS_SENT), 1);
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(a_send_fills_a_receive),
	KUNIT_CASE(a_linear_skb_is_as_good),
	KUNIT_CASE(a_message_is_spread_over_the_list),
	KUNIT_CASE(a_message_may_be_empty),
	KUNIT_CASE(nothing_is_acknowledged_unasked),
	KUNIT_CASE(immediate_data_and_the_solicited_bit_are_passed_on),
	KUNIT_CASE(send_with_invalidate_takes_the_key_away),
	KUNIT_CASE(credits_are_the_receives_that_are_left),
	KUNIT_CASE(a_hole_is_reported_once),
	KUNIT_CASE(a_repetition_that_is_lost_too_is_reported),
	KUNIT_CASE(a_batch_out_of_order_asks_for_what_was_dropped),
	KUNIT_CASE(a_hole_that_closes_in_the_batch_is_forgotten),
	KUNIT_CASE(a_duplicate_is_acknowledged_and_not_delivered),
	KUNIT_CASE(a_duplicate_does_not_hide_a_hole),
	KUNIT_CASE_PARAM(what_is_against_the_protocol_is_refused, wrong_opcode_gen_params),
	KUNIT_CASE(a_reserved_opcode_out_of_order_is_dropped),
	KUNIT_CASE(a_receive_that_is_late_is_waited_for),
	KUNIT_CASE(a_message_longer_than_the_receive_is_refused),
	KUNIT_CASE(an_lkey_that_does_not_fit_is_an_error_of_this_side),
	KUNIT_CASE(a_receive_beyond_its_region_is_an_error_of_this_side),
	KUNIT_CASE(a_receive_with_too_long_a_list_is_an_error_of_this_side),
	KUNIT_CASE(an_index_out_of_range_ends_the_queue),
	KUNIT_CASE(a_packet_longer_than_its_skb_is_as_good_as_lost),
	KUNIT_CASE(an_srq_grants_no_credits_and_counts_its_limit),
	KUNIT_CASE(a_qp_in_error_says_that_it_takes_no_more_from_its_srq),
	KUNIT_CASE(an_srq_in_error_ends_the_qp),
	KUNIT_CASE(the_first_packet_in_rtr_raises_an_event),
	KUNIT_CASE(receives_are_flushed_in_order_also_later_ones),
	KUNIT_CASE(what_was_received_is_not_flushed_again),
	KUNIT_CASE(reset_forgets_everything),
	KUNIT_CASE(an_acknowledgment_waits_for_the_backend),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "svt-responder",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = responder_cases,
};

kunit_test_suite(responder_suite);
