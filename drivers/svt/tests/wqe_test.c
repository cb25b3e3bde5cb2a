// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copying and validating work requests. The copies are allocated to the byte, so that KASAN sees
 * a WQE that writes beyond the room for it.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/random.h>
#include <linux/string.h>

#include "queue/wqe.h"

#define ENTRIES		4
#define WR_ID		0x1122334455667788ULL
/* Of a process: without SVT_WR_REG_MR */
#define ALL_OPCODES	(~BIT(SVT_WR_REG_MR) & U32_MAX)

struct fixture {
	struct svt_ring ring;
	struct svt_wqe_limits limits;
	struct svt_send_wqe *send;
	struct svt_recv_wqe *recv;
	u32 length;
};

static int wqe_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 stride;

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->limits = (struct svt_wqe_limits) {
		.max_sge = 4, .max_inline = 100, .opcodes = ALL_OPCODES,
		.max_message = SVT_MAX_MESSAGE,
	};
	stride = svt_send_wqe_stride(f->limits.max_sge, f->limits.max_inline);
	f->send = kunit_kzalloc(test, stride, GFP_KERNEL);
	f->recv = kunit_kzalloc(test, svt_recv_wqe_stride(f->limits.max_sge), GFP_KERNEL);
	if (!f->send || !f->recv)
		return -ENOMEM;
	return svt_ring_alloc(&f->ring, ENTRIES, stride);
}

static void wqe_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_ring_free(&f->ring);
}

static struct svt_send_wqe *send_element(struct fixture *f, u8 opcode)
{
	struct svt_send_wqe *wqe = svt_ring_element(&f->ring, 0);

	memset(wqe, 0, f->ring.stride);
	wqe->wr_id = WR_ID;
	wqe->opcode = opcode;
	return wqe;
}

static void set_sge(struct svt_send_wqe *wqe, u32 count, u32 length)
{
	u32 i;

	wqe->num_sge = count;
	for (i = 0; i < count; i++)
		wqe->sge[i] = (struct svt_sge) { 0x1000 * (i + 1), length, 0x100 + i };
}

static enum ib_wc_status copy_send(struct fixture *f)
{
	memset(f->send, 0x5a, sizeof(*f->send));
	f->length = 0x5a5a;
	return svt_send_wqe_copy(&f->ring, 0, &f->limits, f->send, &f->length);
}

/* The WQE is refused, and can be completed all the same */
static void expect_refused(struct kunit *test, enum ib_wc_status status)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, copy_send(f), status);
	KUNIT_EXPECT_EQ(test, f->send->wr_id, WR_ID);
	KUNIT_EXPECT_EQ(test, f->length, 0);
}

static void strides_hold_what_they_are_for(struct kunit *test)
{
	u32 sge, bytes;

	for (sge = 0; sge <= SVT_MAX_SGE; sge++) {
		KUNIT_EXPECT_GE(test, svt_recv_wqe_stride(sge),
				sizeof(struct svt_recv_wqe) + sge * sizeof(struct svt_sge));
		KUNIT_EXPECT_EQ(test, svt_recv_wqe_stride(sge) % 8, 0);
		for (bytes = 0; bytes <= SVT_MAX_INLINE; bytes += 13) {
			u32 stride = svt_send_wqe_stride(sge, bytes);

			KUNIT_EXPECT_GE(test, stride, 64 + sge * sizeof(struct svt_sge));
			KUNIT_EXPECT_GE(test, stride, 64 + bytes);
			KUNIT_EXPECT_EQ(test, stride % 64, 0);
		}
	}
}

static void a_send_with_entries_is_copied_whole(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_send_wqe *wqe = send_element(f, IB_UVERBS_WR_SEND_WITH_IMM);

	set_sge(wqe, 4, 1000);
	wqe->flags = SVT_SEND_FENCE | SVT_SEND_SIGNALED | SVT_SEND_SOLICITED;
	wqe->imm_data = cpu_to_be32(77);
	KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, 4000);
	KUNIT_EXPECT_MEMEQ(test, f->send, wqe, sizeof(*wqe) + 4 * sizeof(struct svt_sge));
}

static void each_entry_of_the_ring_is_found_by_its_index(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i;

	for (i = 0; i < ENTRIES; i++) {
		struct svt_send_wqe *wqe = svt_ring_element(&f->ring, i);

		wqe->opcode = IB_UVERBS_WR_SEND;
		wqe->wr_id = i;
	}
	for (i = -2; i != 2; i++) {
		KUNIT_EXPECT_EQ(test, IB_WC_SUCCESS,
				svt_send_wqe_copy(&f->ring, i, &f->limits, f->send, &f->length));
		KUNIT_EXPECT_EQ(test, f->send->wr_id, i & (ENTRIES - 1));
	}
}

static void a_message_of_0_bytes_is_fine(struct kunit *test)
{
	static const u8 opcodes[] = {
		IB_UVERBS_WR_SEND, IB_UVERBS_WR_RDMA_WRITE, IB_UVERBS_WR_RDMA_READ,
		IB_UVERBS_WR_SEND_WITH_INV,
	};
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		send_element(f, opcodes[i]);
		KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, f->length, 0);
	}
	set_sge(send_element(f, IB_UVERBS_WR_SEND), 4, 0);
	KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, 0);
}

static void inline_bytes_follow_the_header(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_send_wqe *wqe = send_element(f, IB_UVERBS_WR_RDMA_WRITE);

	wqe->flags = SVT_SEND_INLINE;
	wqe->inline_length = 100;
	get_random_bytes(wqe->sge, 100);
	KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, 100);
	KUNIT_EXPECT_MEMEQ(test, f->send->sge, wqe->sge, 100);
}

static void inline_bytes_of_0_are_fine(struct kunit *test)
{
	struct fixture *f = test->priv;

	send_element(f, IB_UVERBS_WR_SEND)->flags = SVT_SEND_INLINE;
	KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, 0);
}

static void more_inline_bytes_than_there_is_room_for_are_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, lengths[] = { 101, 0x7fffffff, 0x80000000, U32_MAX };

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct svt_send_wqe *wqe = send_element(f, IB_UVERBS_WR_SEND);

		wqe->flags = SVT_SEND_INLINE;
		wqe->inline_length = lengths[i];
		expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void inline_is_for_what_is_sent_only(struct kunit *test)
{
	static const u8 opcodes[] = {
		IB_UVERBS_WR_RDMA_READ, IB_UVERBS_WR_ATOMIC_CMP_AND_SWP,
		IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, IB_UVERBS_WR_LOCAL_INV, IB_UVERBS_WR_BIND_MW,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct svt_send_wqe *wqe = send_element(test->priv, opcodes[i]);

		wqe->flags = SVT_SEND_INLINE;
		wqe->inline_length = 8;
		expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void more_entries_than_the_queue_allows_are_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 count;

	for (count = f->limits.max_sge + 1; count < 256; count++) {
		send_element(f, IB_UVERBS_WR_SEND)->num_sge = count;
		expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void unknown_opcodes_are_refused(struct kunit *test)
{
	unsigned int opcode;

	for (opcode = IB_UVERBS_WR_SEND_WITH_INV + 1; opcode < 256; opcode++) {
		if (opcode == IB_UVERBS_WR_FLUSH || opcode == IB_UVERBS_WR_ATOMIC_WRITE)
			continue;
		send_element(test->priv, opcode);
		expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void an_opcode_that_the_qp_does_not_have_is_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int opcode;

	f->limits.opcodes = BIT(IB_UVERBS_WR_SEND) | BIT(IB_UVERBS_WR_SEND_WITH_IMM);
	for (opcode = 0; opcode <= IB_UVERBS_WR_SEND_WITH_INV; opcode++) {
		send_element(f, opcode);
		if (f->limits.opcodes & BIT(opcode))
			KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
		else
			expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void unknown_flags_are_refused(struct kunit *test)
{
	unsigned int bit;

	for (bit = 4; bit < 16; bit++) {
		send_element(test->priv, IB_UVERBS_WR_SEND)->flags = BIT(bit);
		expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void reserved_fields_have_to_be_zero(struct kunit *test)
{
	send_element(test->priv, IB_UVERBS_WR_SEND)->srq_num = 1;
	expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	send_element(test->priv, IB_UVERBS_WR_RDMA_WRITE)->rdma.reserved = 1;
	expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	send_element(test->priv, IB_UVERBS_WR_RDMA_READ)->rdma.reserved = 1;
	expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	send_element(test->priv, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD)->atomic.reserved = 1;
	expect_refused(test, IB_WC_LOC_QP_OP_ERR);
}

static void a_message_of_the_longest_length_is_fine_and_one_byte_more_is_not(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_send_wqe *wqe = send_element(f, IB_UVERBS_WR_SEND);

	set_sge(wqe, 2, SVT_MAX_MESSAGE / 2);
	KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, SVT_MAX_MESSAGE);
	wqe->sge[1].length++;
	expect_refused(test, IB_WC_LOC_LEN_ERR);
}

static void lengths_that_wrap_in_32_bits_are_refused(struct kunit *test)
{
	struct svt_send_wqe *wqe = send_element(test->priv, IB_UVERBS_WR_SEND);

	set_sge(wqe, 4, 0x40000000);
	expect_refused(test, IB_WC_LOC_LEN_ERR);
	set_sge(wqe, 2, 0x80000008);
	expect_refused(test, IB_WC_LOC_LEN_ERR);
	set_sge(wqe, 4, U32_MAX);
	expect_refused(test, IB_WC_LOC_LEN_ERR);
}

static void a_datagram_is_limited_by_the_path_mtu(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_send_wqe *wqe = send_element(f, IB_UVERBS_WR_SEND);

	f->limits.max_message = 64;
	wqe->flags = SVT_SEND_INLINE;
	wqe->inline_length = 64;
	KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	wqe->inline_length = 65;
	expect_refused(test, IB_WC_LOC_LEN_ERR);
}

static void an_atomic_takes_exactly_8_bytes(struct kunit *test)
{
	static const u8 opcodes[] = {
		IB_UVERBS_WR_ATOMIC_CMP_AND_SWP, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		struct svt_send_wqe *wqe = send_element(f, opcodes[i]);

		expect_refused(test, IB_WC_LOC_LEN_ERR);
		set_sge(wqe, 1, 7);
		expect_refused(test, IB_WC_LOC_LEN_ERR);
		set_sge(wqe, 1, 16);
		expect_refused(test, IB_WC_LOC_LEN_ERR);
		set_sge(wqe, 1, 8);
		KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, f->length, 8);
		set_sge(wqe, 2, 4);
		KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
	}
}

static void what_moves_no_data_has_no_entries(struct kunit *test)
{
	struct fixture *f = test->priv;
	u8 opcode;

	for (opcode = IB_UVERBS_WR_LOCAL_INV; opcode <= IB_UVERBS_WR_BIND_MW; opcode++) {
		struct svt_send_wqe *wqe = send_element(f, opcode);

		KUNIT_EXPECT_EQ(test, copy_send(f), IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, f->length, 0);
		wqe->num_sge = 1;
		expect_refused(test, IB_WC_LOC_QP_OP_ERR);
	}
}

static void garbage_never_writes_beyond_the_copy(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int round, good = 0;

	for (round = 0; round < 20000; round++) {
		struct svt_send_wqe *wqe = svt_ring_element(&f->ring, 0);

		get_random_bytes(wqe, f->ring.stride);
		/* Else few get as far as to the entries */
		wqe->opcode &= 15;
		wqe->flags &= 31;
		wqe->srq_num = 0;
		wqe->rdma.reserved &= 1;
		wqe->atomic.reserved &= 1;
		wqe->num_sge &= 7;
		wqe->inline_length &= 255;
		if (copy_send(f) == IB_WC_SUCCESS) {
			KUNIT_EXPECT_LE(test, f->length, SVT_MAX_MESSAGE);
			good++;
		}
		KUNIT_EXPECT_EQ(test, f->send->wr_id, wqe->wr_id);
	}
	KUNIT_EXPECT_GT(test, good, 0);
}

static enum ib_wc_status copy_recv(struct fixture *f)
{
	memset(f->recv, 0x5a, sizeof(*f->recv));
	return svt_recv_wqe_copy(&f->ring, 0, &f->limits, f->recv, &f->length);
}

static struct svt_recv_wqe *recv_element(struct fixture *f, u32 count, u32 length)
{
	struct svt_recv_wqe *wqe = svt_ring_element(&f->ring, 0);
	u32 i;

	memset(wqe, 0, f->ring.stride);
	wqe->wr_id = WR_ID;
	wqe->num_sge = count;
	for (i = 0; i < min(count, f->limits.max_sge); i++)
		wqe->sge[i] = (struct svt_sge) { 0x2000 * i, length, i };
	return wqe;
}

static void a_receive_is_copied_whole(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_recv_wqe *wqe = recv_element(f, 4, 500);

	KUNIT_EXPECT_EQ(test, copy_recv(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, 2000);
	KUNIT_EXPECT_MEMEQ(test, f->recv, wqe, sizeof(*wqe) + 4 * sizeof(struct svt_sge));
}

static void a_receive_without_entries_is_fine(struct kunit *test)
{
	struct fixture *f = test->priv;

	recv_element(f, 0, 0);
	KUNIT_EXPECT_EQ(test, copy_recv(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, 0);
}

static void a_receive_that_is_not_well_formed_is_refused(struct kunit *test)
{
	struct fixture *f = test->priv;
	u32 i, counts[] = { 5, 255, 256, 0x10000000, 0x80000000, U32_MAX };

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		recv_element(f, counts[i], 0);
		KUNIT_EXPECT_EQ(test, copy_recv(f), IB_WC_LOC_QP_OP_ERR);
		KUNIT_EXPECT_EQ(test, f->recv->wr_id, WR_ID);
	}
	recv_element(f, 1, 1)->reserved = 1;
	KUNIT_EXPECT_EQ(test, copy_recv(f), IB_WC_LOC_QP_OP_ERR);
}

static void room_of_a_receive_does_not_wrap(struct kunit *test)
{
	struct fixture *f = test->priv;

	recv_element(f, 4, 0x80000001);
	KUNIT_EXPECT_EQ(test, copy_recv(f), IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->length, U32_MAX);
}

static struct kunit_case wqe_cases[] = {
	KUNIT_CASE(strides_hold_what_they_are_for),
	KUNIT_CASE(a_send_with_entries_is_copied_whole),
	KUNIT_CASE(each_entry_of_the_ring_is_found_by_its_index),
	KUNIT_CASE(a_message_of_0_bytes_is_fine),
	KUNIT_CASE(inline_bytes_follow_the_header),
	KUNIT_CASE(inline_bytes_of_0_are_fine),
	KUNIT_CASE(more_inline_bytes_than_there_is_room_for_are_refused),
	KUNIT_CASE(inline_is_for_what_is_sent_only),
	KUNIT_CASE(more_entries_than_the_queue_allows_are_refused),
	KUNIT_CASE(unknown_opcodes_are_refused),
	KUNIT_CASE(an_opcode_that_the_qp_does_not_have_is_refused),
	KUNIT_CASE(unknown_flags_are_refused),
	KUNIT_CASE(reserved_fields_have_to_be_zero),
	KUNIT_CASE(a_message_of_the_longest_length_is_fine_and_one_byte_more_is_not),
	KUNIT_CASE(lengths_that_wrap_in_32_bits_are_refused),
	KUNIT_CASE(a_datagram_is_limited_by_the_path_mtu),
	KUNIT_CASE(an_atomic_takes_exactly_8_bytes),
	KUNIT_CASE(what_moves_no_data_has_no_entries),
	KUNIT_CASE(garbage_never_writes_beyond_the_copy),
	KUNIT_CASE(a_receive_is_copied_whole),
	KUNIT_CASE(a_receive_without_entries_is_fine),
	KUNIT_CASE(a_receive_that_is_not_well_formed_is_refused),
	KUNIT_CASE(room_of_a_receive_does_not_wrap),
	{ }
};

static struct kunit_suite wqe_suite = {
	.name = "svt-wqe",
	.init = wqe_test_init,
	.exit = wqe_test_exit,
	.test_cases = wqe_cases,
};

kunit_test_suite(wqe_suite);
