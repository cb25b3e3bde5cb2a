// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of an RC QP: WRITE, READ and atomics, their keys, their duplicates, and the order
 * of answers.
 */
#include "tests/responder_fixture.h"
#include "transport/modify.h"
#include "wire/aeth.h"
#include "wire/psn.h"

#define WRITE_FIRST	IB_OPCODE_RC_RDMA_WRITE_FIRST
#define WRITE_MIDDLE	IB_OPCODE_RC_RDMA_WRITE_MIDDLE
#define WRITE_LAST	IB_OPCODE_RC_RDMA_WRITE_LAST
#define WRITE_LAST_IMM	IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE
#define WRITE_ONLY	IB_OPCODE_RC_RDMA_WRITE_ONLY
#define WRITE_ONLY_IMM	IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE
#define READ_REQUEST	IB_OPCODE_RC_RDMA_READ_REQUEST
#define READ_FIRST	IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST
#define READ_MIDDLE	IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE
#define READ_LAST	IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST
#define READ_ONLY	IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY
#define ATOMIC_ACK	IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE

static struct responder_fixture *open(struct kunit *test)
{
	return responder_open(test, &SVT_FAKE_RC);
}

/* With something to read */
static struct responder_fixture *open_filled(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	svt_fake_fill(f->memory->bytes, RESPONDER_MEMORY, 17);
	return f;
}

static u64 *word(struct responder_fixture *f, u32 offset)
{
	return (u64 *)(f->memory->bytes + offset);
}

/* ---- WRITE ---- */

static void a_write_goes_where_it_says(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 total = 2 * MTU + 11;

	responder_put_write(f, WRITE_FIRST, 0, 801, MTU, total);
	responder_put(f, WRITE_MIDDLE, 1, 801 + MTU, MTU);
	responder_put(f, WRITE_LAST, 2, 801 + 2 * MTU, 11);
	responder_deliver(f);
	responder_expect_ack(f, 2, 1);
	responder_expect_silence(f);
	responder_expect_data(f, 801, 801, total);
	responder_expect_no_recv(f);
}

static void a_write_with_immediate_data_takes_a_receive(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct ib_wc wc;

	responder_put_write(f, WRITE_FIRST, 0, 0, MTU, MTU + 5);
	responder_put(f, WRITE_LAST_IMM, 1, MTU, 5);
	responder_deliver(f);
	responder_expect_nak(f, 1, SVT_AETH_RNR | 12);
	/* Nothing of that packet was written */
	KUNIT_EXPECT_EQ(test, f->memory->bytes[MTU], 0);
	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 9, NULL, 0), 0);
	responder_send(f, WRITE_LAST_IMM, 1, MTU, 5);
	responder_expect_ack(f, 1, 1);
	wc = responder_expect_recv(f, 9, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, wc.byte_len, MTU + 5);
	responder_expect_data(f, 0, 0, MTU + 5);
}

static void an_empty_write_needs_no_key(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, WRITE_ONLY_IMM, 0);

	packet.rkey = 0xdeadbeef;
	packet.remote_addr = ~0ULL;
	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 9, NULL, 0), 0);
	svt_fake_receive(f->fake, f->qp, &packet, NULL, 0);
	responder_expect_ack(f, 0, 1);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 9, IB_WC_SUCCESS).byte_len, 0);
}

struct wrong_length {
	u8 opcode;
	u32 length;
	u32 total;
};

static const struct wrong_length wrong_lengths[] = {
	{ WRITE_ONLY, 100, 99 },
	{ WRITE_ONLY, 100, 101 },
	{ WRITE_ONLY, 0, 1 },
	{ WRITE_ONLY, MTU, 2 * MTU },
	{ WRITE_ONLY, MTU + 4, MTU + 4 },
	{ WRITE_FIRST, MTU, MTU },
	{ WRITE_FIRST, MTU, MTU - 1 },
	{ WRITE_FIRST, MTU - 4, 2 * MTU },
	{ WRITE_FIRST, MTU, 0x80000001 },
	{ WRITE_FIRST, MTU, 0xffffffff },
};

static void wrong_length_name(const struct wrong_length *wrong, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s of %u bytes, %u in all",
		 svt_opcode_info(wrong->opcode)->name, wrong->length, wrong->total);
}

KUNIT_ARRAY_PARAM(wrong_length, wrong_lengths, wrong_length_name);

static void a_write_has_the_length_that_it_says(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	const struct wrong_length *wrong = test->param_value;

	responder_put_write(f, wrong->opcode, 0, 0, wrong->length, wrong->total);
	responder_deliver(f);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[0], 0);
}

/* ---- keys ---- */

enum wrong_access {
	WRONG_KEY,
	WRONG_TAG,
	WRONG_BEFORE,
	WRONG_BEHIND,
	WRONG_WRAP,
	WRONG_PD,
	WRONG_RIGHTS,
	WRONG_QP,
};

static const struct wrong_key {
	const char *name;
	enum wrong_access access;
} wrong_keys[] = {
	{ "no such key", WRONG_KEY },
	{ "other tag", WRONG_TAG },
	{ "before the region", WRONG_BEFORE },
	{ "behind the region", WRONG_BEHIND },
	{ "address and length wrap", WRONG_WRAP },
	{ "other protection domain", WRONG_PD },
	{ "region does not allow it", WRONG_RIGHTS },
	{ "QP does not allow it", WRONG_QP },
};

static void wrong_key_name(const struct wrong_key *wrong, char *name)
{
	strscpy(name, wrong->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wrong_key, wrong_keys, wrong_key_name);

static void spoil(struct responder_fixture *f, struct svt_packet *packet,
		  enum wrong_access access)
{
	static struct ib_pd other;

	switch (access) {
	case WRONG_KEY:
		packet->rkey ^= 0x100;
		break;
	case WRONG_TAG:
		packet->rkey ^= 1;
		break;
	case WRONG_BEFORE:
		packet->remote_addr = (unsigned long)f->memory->bytes - 8;
		break;
	case WRONG_BEHIND:
		packet->remote_addr = (unsigned long)f->memory->bytes + RESPONDER_MEMORY;
		break;
	case WRONG_WRAP:
		packet->remote_addr = -8ULL;
		break;
	case WRONG_PD:
		f->memory->mr.key.pd = &other;
		break;
	case WRONG_RIGHTS:
		f->memory->mr.key.access = IB_ACCESS_LOCAL_WRITE;
		break;
	case WRONG_QP:
		f->qp->attr.qp_access_flags = 0;
		break;
	}
}

static void expect_denied(struct kunit *test, u8 opcode, u32 length)
{
	struct responder_fixture *f = open(test);
	const struct wrong_key *wrong = test->param_value;
	struct svt_packet packet = responder_packet(f, opcode, 0);

	packet.rkey = f->memory->mr.key.key;
	packet.remote_addr = (unsigned long)f->memory->bytes + 16;
	packet.dma_length = 24;
	packet.swap_add = 1;
	responder_post(f, 1, 100, 100);
	spoil(f, &packet, wrong->access);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, length);
	if (wrong->access == WRONG_QP)
		responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
	else
		responder_expect_refusal(f, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	responder_expect_silence(f);
	responder_expect_recv(f, 1, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, *word(f, 16), 0);
}

static void a_write_without_right_is_refused(struct kunit *test)
{
	expect_denied(test, WRITE_ONLY, 24);
}

static void a_write_with_immediate_data_without_right_is_refused(struct kunit *test)
{
	expect_denied(test, WRITE_ONLY_IMM, 24);
}

static void a_read_without_right_is_refused(struct kunit *test)
{
	expect_denied(test, READ_REQUEST, 0);
}

static void an_atomic_without_right_is_refused(struct kunit *test)
{
	expect_denied(test, IB_OPCODE_RC_FETCH_ADD, 0);
}

static void the_whole_of_a_write_is_checked_first(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put_write(f, WRITE_FIRST, 0, 8, MTU, RESPONDER_MEMORY - 7);
	responder_deliver(f);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[8], 0);
}

/* ---- READ ---- */

static void a_read_is_answered_from_memory(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	u32 total = 3 * MTU + 7;

	responder_put_read(f, 0, 33, total);
	responder_deliver(f);
	responder_expect_read(f, READ_FIRST, 0, 33, MTU);
	KUNIT_EXPECT_EQ(test, f->fake->taken->packet.msn, 1);
	responder_expect_read(f, READ_MIDDLE, 1, 33 + MTU, MTU);
	responder_expect_read(f, READ_MIDDLE, 2, 33 + 2 * MTU, MTU);
	responder_expect_read(f, READ_LAST, 3, 33 + 3 * MTU, 7);
	/* The equal ones went together */
	KUNIT_EXPECT_EQ(test, f->fake->trains, 3);
	responder_expect_silence(f);
	/* The next request comes behind the responses */
	responder_put_read(f, 4, 0, MTU);
	responder_put_read(f, 5, 5000, 0);
	responder_deliver(f);
	responder_expect_read(f, READ_ONLY, 4, 0, MTU);
	responder_expect_read(f, READ_ONLY, 5, 5000, 0);
	responder_expect_silence(f);
}

static void a_read_sees_the_write_before_it(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put_write(f, WRITE_ONLY, 0, 100, 50, 50);
	responder_put_read(f, 1, 100, 50);
	responder_deliver(f);
	responder_expect_data(f, 100, 100, 50);
	responder_expect_read(f, READ_ONLY, 1, 100, 50);
	/* Which acknowledges the WRITE */
	responder_expect_silence(f);
}

static void an_empty_read_needs_no_key(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, READ_REQUEST, 0);

	packet.rkey = 1;
	svt_fake_receive(f->fake, f->qp, &packet, NULL, 0);
	responder_expect_read(f, READ_ONLY, 0, 0, 0);
}

/* Behind one whose key was good, and is gone by the time that the peer asks again */
static void an_empty_read_is_answered_again_without_a_key(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	struct svt_packet packet = responder_packet(f, READ_REQUEST, 1);
	int i;

	responder_put_read(f, 0, 0, 100);
	responder_deliver(f);
	responder_expect_read(f, READ_ONLY, 0, 0, 100);
	svt_key_disable(&f->memory->mr.key);
	packet.rkey = 1;
	for (i = 0; i < 3; i++) {
		svt_fake_receive(f->fake, f->qp, &packet, NULL, 0);
		responder_expect_read(f, READ_ONLY, 1, 0, 0);
	}
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void a_read_of_too_many_bytes_is_refused(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put_read(f, 0, 0, 0x80000001);
	responder_deliver(f);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

static void more_requests_than_agreed_are_refused(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	int n;

	f->fake->busy = true;
	for (n = 0; n < 5; n++)
		responder_put_read(f, n, 0, 10);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	responder_expect_silence(f);
	/* What came before is still answered, then the peer is told */
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	for (n = 0; n < 4; n++)
		responder_expect_read(f, READ_ONLY, n, 0, 10);
	responder_expect_refusal(f, 4, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

static void a_long_read_is_sent_in_rounds(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	u32 packets = RESPONDER_MEMORY / MTU, n;

	responder_post(f, 1, 0, 10);
	responder_put_read(f, 0, 0, RESPONDER_MEMORY);
	responder_put_read(f, packets, 0, RESPONDER_MEMORY);
	responder_put_read(f, 2 * packets, 0, RESPONDER_MEMORY);
	responder_put_read(f, 3 * packets, 0, RESPONDER_MEMORY);
	responder_put(f, IB_OPCODE_RC_SEND_ONLY, 4 * packets, 0, 0);
	responder_deliver(f);
	for (n = 0; n < 4 * packets; n++) {
		u32 i = n % packets;
		u8 opcode = !i ? READ_FIRST : i == packets - 1 ? READ_LAST : READ_MIDDLE;

		responder_expect_read(f, opcode, n, i * MTU, MTU);
	}
	responder_expect_ack(f, 4 * packets, 5);
	responder_expect_silence(f);
	/* 62 packets make a train; the last of a read goes with the next one's first */
	KUNIT_EXPECT_EQ(test, f->fake->trains, 4 * (DIV_ROUND_UP(packets - 2, 62) + 1) + 1 + 1);
}

static void short_answers_share_a_train(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	u64 before;
	int n;

	for (n = 0; n < 4; n++)
		responder_put_read(f, n, n * 100, 64);
	responder_deliver(f);
	for (n = 0; n < 4; n++)
		responder_expect_read(f, READ_ONLY, n, n * 100, 64);
	KUNIT_EXPECT_EQ(test, f->fake->trains, 1);
	memcpy(&before, f->memory->bytes, sizeof(before));
	for (n = 4; n < 8; n++)
		responder_put_atomic(f, IB_OPCODE_RC_FETCH_ADD, n, 0, 0, 1);
	responder_deliver(f);
	for (n = 4; n < 8; n++) {
		const struct svt_packet packet = responder_sent(f, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE,
								responder_psn(f, n));

		KUNIT_EXPECT_EQ(test, packet.atomic_original, before + n - 4);
	}
	KUNIT_EXPECT_EQ(test, f->fake->trains, 2);
	responder_expect_silence(f);
}

static void answers_wait_for_the_backend_in_order(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	responder_post(f, 1, 0, 10);
	f->fake->busy = true;
	responder_put_read(f, 0, 0, MTU + 1);
	responder_put_atomic(f, IB_OPCODE_RC_FETCH_ADD, 2, 0, 0, 1);
	responder_put(f, IB_OPCODE_RC_SEND_ONLY, 3, 0, 10);
	responder_deliver(f);
	responder_expect_silence(f);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	responder_expect_read(f, READ_FIRST, 0, 0, MTU);
	responder_expect_read(f, READ_LAST, 1, MTU, 1);
	responder_sent(f, ATOMIC_ACK, responder_psn(f, 2));
	responder_expect_ack(f, 3, 3);
	responder_expect_silence(f);
}

static void a_key_that_goes_ends_the_read(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	responder_post(f, 1, 0, 10);
	f->fake->busy = true;
	responder_put_read(f, 0, 0, 10);
	responder_put(f, IB_OPCODE_RC_SEND_ONLY, 1, 0, 0);
	responder_deliver(f);
	svt_key_disable(&f->memory->mr.key);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	responder_expect_silence(f);
	svt_key_enable(&f->memory->mr.key);
}

/* ---- duplicates ---- */

static void read_three(struct responder_fixture *f)
{
	responder_put_read(f, 0, 0, 3 * MTU);
	responder_put_read(f, 3, 4 * MTU, 2 * MTU);
	responder_put_read(f, 5, 0, 8);
	responder_deliver(f);
	while (svt_fake_next(f->fake))
		;
}

static void a_lost_answer_is_sent_again_from_the_hole(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	read_three(f);
	/* The peer goes back to the middle of the first, and asks for the others again */
	responder_put_read(f, 1, MTU, 2 * MTU);
	responder_put_read(f, 3, 4 * MTU, 2 * MTU);
	responder_put_read(f, 5, 0, 8);
	responder_deliver(f);
	responder_expect_read(f, READ_FIRST, 1, MTU, MTU);
	responder_expect_read(f, READ_LAST, 2, 2 * MTU, MTU);
	responder_expect_read(f, READ_FIRST, 3, 4 * MTU, MTU);
	responder_expect_read(f, READ_LAST, 4, 5 * MTU, MTU);
	responder_expect_read(f, READ_ONLY, 5, 0, 8);
	responder_expect_silence(f);
	responder_put_read(f, 2, 2 * MTU, MTU);
	responder_deliver(f);
	responder_expect_read(f, READ_ONLY, 2, 2 * MTU, MTU);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_DUPLICATE_REQUEST), 4);
}

static void a_duplicate_read_is_answered_for_what_it_asks(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	responder_put_read(f, 0, 0, 4 * MTU);
	responder_deliver(f);
	while (svt_fake_next(f->fake))
		;
	responder_put_read(f, 1, MTU, MTU);
	responder_deliver(f);
	responder_expect_read(f, READ_ONLY, 1, MTU, MTU);
	responder_put_read(f, 1, MTU, MTU + 10);
	responder_deliver(f);
	responder_expect_read(f, READ_FIRST, 1, MTU, MTU);
	responder_expect_read(f, READ_LAST, 2, 2 * MTU, 10);
	/* Less was asked for in between, but this is still known */
	responder_put_read(f, 2, 2 * MTU, 2 * MTU);
	responder_deliver(f);
	responder_expect_read(f, READ_FIRST, 2, 2 * MTU, MTU);
	responder_expect_read(f, READ_LAST, 3, 3 * MTU, MTU);
	responder_expect_silence(f);
}

static void a_duplicate_of_a_read_under_way_ends_where_it_says(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	f->fake->busy = true;
	responder_put_read(f, 0, 0, 4 * MTU);
	responder_put_read(f, 1, MTU, 2 * MTU);
	responder_put_read(f, 4, 0, 8);
	responder_deliver(f);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	responder_expect_read(f, READ_FIRST, 1, MTU, MTU);
	responder_expect_read(f, READ_LAST, 2, 2 * MTU, MTU);
	responder_expect_read(f, READ_ONLY, 4, 0, 8);
	responder_expect_silence(f);
	responder_put_read(f, 3, 3 * MTU, MTU);
	responder_deliver(f);
	responder_expect_read(f, READ_ONLY, 3, 3 * MTU, MTU);
}

struct other_read {
	const char *name;
	int n;
	s64 addr;
	u32 rkey;
	u32 length;
};

/* Beside a duplicate of the second packet of the first of read_three() */
static const struct other_read other_reads[] = {
	{ "another key", 1, 0, 0x100, 2 * MTU },
	{ "an address before it", 1, -1, 0, 2 * MTU },
	{ "the address of another packet", 1, MTU, 0, MTU },
	{ "one byte more", 1, 0, 0, 2 * MTU + 1 },
	{ "more than is left", 2, MTU, 0, 2 * MTU },
	{ "nothing", 1, 0, 0, 0 },
	{ "all that can be", 1, 0, 0, 0xffffffff },
};

static void other_read_name(const struct other_read *other, char *name)
{
	strscpy(name, other->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(other_read, other_reads, other_read_name);

static void a_duplicate_read_of_something_else_is_dropped(struct kunit *test)
{
	const struct other_read *other = test->param_value;
	struct responder_fixture *f = open_filled(test);
	struct svt_packet packet = responder_packet(f, READ_REQUEST, other->n);

	read_three(f);
	packet.remote_addr = (unsigned long)f->memory->bytes + MTU + other->addr;
	packet.rkey = f->memory->mr.key.key ^ other->rkey;
	packet.dma_length = other->length;
	svt_fake_receive(f->fake, f->qp, &packet, NULL, 0);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_PSN), 1);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void change_limit(struct responder_fixture *f, u8 limit)
{
	struct ib_qp_attr attr = { .max_dest_rd_atomic = limit };
	struct svt_qp *qp = f->qp;

	mutex_lock(&qp->modify_lock);
	KUNIT_EXPECT_EQ(f->test, 0, svt_qp_modify(qp, &attr, IB_QP_MAX_DEST_RD_ATOMIC, qp->state,
						  qp->state));
	mutex_unlock(&qp->modify_lock);
}

static void another_limit_in_sqd_forgets_no_request(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	read_three(f);
	f->fake->busy = true;
	responder_put_read(f, 6, 0, 16);
	responder_deliver(f);
	change_limit(f, 1);
	change_limit(f, 16);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	responder_expect_read(f, READ_ONLY, 6, 0, 16);
	responder_put_read(f, 3, 4 * MTU, 2 * MTU);
	responder_deliver(f);
	responder_expect_read(f, READ_FIRST, 3, 4 * MTU, MTU);
	responder_expect_read(f, READ_LAST, 4, 5 * MTU, MTU);
	responder_expect_silence(f);
}

static void a_duplicate_does_not_count_as_outstanding(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	int n;

	read_three(f);
	/* The network repeats old requests while four new ones wait */
	f->fake->busy = true;
	responder_put_read(f, 0, 0, 3 * MTU);
	responder_put_read(f, 3, 4 * MTU, 2 * MTU);
	for (n = 6; n < 10; n++)
		responder_put_read(f, n, 0, 10);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	while (svt_fake_next(f->fake) && f->fake->taken->packet.psn != responder_psn(f, 6))
		;
	KUNIT_ASSERT_NOT_NULL(test, f->fake->taken);
	for (n = 7; n < 10; n++)
		responder_expect_read(f, READ_ONLY, n, 0, 10);
	responder_expect_silence(f);
}

static void a_duplicate_of_what_is_forgotten_is_dropped(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);
	int n;

	for (n = 0; n < 20; n++) {
		responder_put_read(f, n, 0, 10);
		responder_deliver(f);
		responder_expect_read(f, READ_ONLY, n, 0, 10);
	}
	responder_put_read(f, 0, 0, 10);
	responder_put_read(f, -4, 0, 10);
	responder_put_atomic(f, IB_OPCODE_RC_FETCH_ADD, 19, 0, 0, 1);
	responder_deliver(f);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_PSN), 3);
}

static void a_late_duplicate_of_a_read_whose_key_is_gone_does_no_harm(struct kunit *test)
{
	struct responder_fixture *f = open_filled(test);

	read_three(f);
	svt_key_disable(&f->memory->mr.key);
	responder_put_read(f, 0, 0, 3 * MTU);
	responder_deliver(f);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
	svt_key_enable(&f->memory->mr.key);
	responder_put_read(f, 6, 0, 10);
	responder_deliver(f);
	responder_expect_read(f, READ_ONLY, 6, 0, 10);
}

/* ---- atomics ---- */

static void atomics_are_carried_out_and_answered(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	*word(f, 64) = 1000;
	responder_put_atomic(f, IB_OPCODE_RC_FETCH_ADD, 0, 64, 0, -7ULL);
	responder_put_atomic(f, IB_OPCODE_RC_COMPARE_SWAP, 1, 64, 993, 0x1122334455667788);
	responder_put_atomic(f, IB_OPCODE_RC_COMPARE_SWAP, 2, 64, 993, 5);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, responder_sent(f, ATOMIC_ACK, responder_psn(f, 0)).atomic_original,
			1000);
	KUNIT_EXPECT_EQ(test, responder_sent(f, ATOMIC_ACK, responder_psn(f, 1)).atomic_original,
			993);
	KUNIT_EXPECT_EQ(test, responder_sent(f, ATOMIC_ACK, responder_psn(f, 2)).atomic_original,
			0x1122334455667788);
	KUNIT_EXPECT_EQ(test, *word(f, 64), 0x1122334455667788);
	responder_expect_silence(f);
}

static void a_duplicate_atomic_is_not_carried_out_again(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	int i;

	for (i = 0; i < 3; i++) {
		responder_put_atomic(f, IB_OPCODE_RC_FETCH_ADD, 0, 64, 0, 1);
		responder_deliver(f);
		KUNIT_EXPECT_EQ(test, responder_sent(f, ATOMIC_ACK,
						     responder_psn(f, 0)).atomic_original, 0);
		responder_expect_silence(f);
	}
	KUNIT_EXPECT_EQ(test, *word(f, 64), 1);
}

static void an_atomic_has_to_be_aligned(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put_atomic(f, IB_OPCODE_RC_FETCH_ADD, 0, 68, 0, 1);
	responder_deliver(f);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
	KUNIT_EXPECT_EQ(test, *word(f, 64), 0);
}

static void a_qp_without_resources_takes_no_reads(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct responder_fixture *f;

	options.rd_atomic = 0;
	f = responder_open(test, &options);
	responder_put_read(f, 0, 0, 10);
	responder_deliver(f);
	responder_expect_refusal(f, 0, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR);
}

static struct kunit_case rdma_cases[] = {
	KUNIT_CASE(a_write_goes_where_it_says),
	KUNIT_CASE(a_write_with_immediate_data_takes_a_receive),
	KUNIT_CASE(an_empty_write_needs_no_key),
	KUNIT_CASE_PARAM(a_write_has_the_length_that_it_says, wrong_length_gen_params),
	KUNIT_CASE_PARAM(a_write_without_right_is_refused, wrong_key_gen_params),
	KUNIT_CASE_PARAM(a_write_with_immediate_data_without_right_is_refused,
			 wrong_key_gen_params),
	KUNIT_CASE_PARAM(a_read_without_right_is_refused, wrong_key_gen_params),
	KUNIT_CASE_PARAM(an_atomic_without_right_is_refused, wrong_key_gen_params),
	KUNIT_CASE(the_whole_of_a_write_is_checked_first),
	KUNIT_CASE(a_read_is_answered_from_memory),
	KUNIT_CASE(a_read_sees_the_write_before_it),
	KUNIT_CASE(an_empty_read_needs_no_key),
	KUNIT_CASE(an_empty_read_is_answered_again_without_a_key),
	KUNIT_CASE(a_read_of_too_many_bytes_is_refused),
	KUNIT_CASE(more_requests_than_agreed_are_refused),
	KUNIT_CASE(a_long_read_is_sent_in_rounds),
	KUNIT_CASE(short_answers_share_a_train),
	KUNIT_CASE(answers_wait_for_the_backend_in_order),
	KUNIT_CASE(a_key_that_goes_ends_the_read),
	KUNIT_CASE(a_lost_answer_is_sent_again_from_the_hole),
	KUNIT_CASE(a_duplicate_read_is_answered_for_what_it_asks),
	KUNIT_CASE(a_duplicate_of_a_read_under_way_ends_where_it_says),
	KUNIT_CASE_PARAM(a_duplicate_read_of_something_else_is_dropped, other_read_gen_params),
	KUNIT_CASE(another_limit_in_sqd_forgets_no_request),
	KUNIT_CASE(a_duplicate_does_not_count_as_outstanding),
	KUNIT_CASE(a_duplicate_of_what_is_forgotten_is_dropped),
	KUNIT_CASE(a_late_duplicate_of_a_read_whose_key_is_gone_does_no_harm),
	KUNIT_CASE(atomics_are_carried_out_and_answered),
	KUNIT_CASE(a_duplicate_atomic_is_not_carried_out_again),
	KUNIT_CASE(an_atomic_has_to_be_aligned),
	KUNIT_CASE(a_qp_without_resources_takes_no_reads),
	{}
};

static struct kunit_suite rdma_suite = {
	.name = "svt-responder-rdma",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = rdma_cases,
};

kunit_test_suite(rdma_suite);
