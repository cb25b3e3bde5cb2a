// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester of UC and UD QPs: nobody answers, and an error stops the send queue only.
 */
#include "tests/requester_fixture.h"
#include "transport/modify.h"

static struct requester_fixture *open_type(struct kunit *test, enum ib_qp_type type)
{
	struct svt_fake_options options = REQUESTER_RC;

	options.type = type;
	return requester_open(test, &options);
}

static void uc_is_done_when_it_is_sent(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UC);

	requester_post(f, WR_WRITE, 0, 2 * MTU);
	requester_post(f, WR_SEND, 0, 9);
	requester_push(f);
	KUNIT_EXPECT_FALSE(test, requester_expect_data(f, IB_OPCODE_UC_RDMA_WRITE_FIRST, 0, 0,
						       MTU)->packet.ack_request);
	requester_expect_data(f, IB_OPCODE_UC_RDMA_WRITE_LAST, 1, MTU, MTU);
	KUNIT_EXPECT_FALSE(test, requester_expect_data(f, IB_OPCODE_UC_SEND_ONLY, 2, 0,
						       9)->packet.ack_request);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->qp->send.deadline, 0);
}

static void uc_is_not_done_while_the_backend_has_no_room(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UC);

	f->fake->busy = true;
	requester_send(f, WR_SEND, 0, 9);
	requester_expect_not_done(f);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect(f, IB_OPCODE_UC_SEND_ONLY, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void post_datagram(struct requester_fixture *f, u32 ah, u32 qkey, u32 length)
{
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, length);
	struct svt_send_wqe wqe = {
		.opcode = IB_UVERBS_WR_SEND_WITH_IMM,
		.num_sge = 1,
		.flags = SVT_SEND_SIGNALED,
		.imm_data = cpu_to_be32(99),
	};

	wqe.ud.ah = ah;
	wqe.ud.remote_qpn = 0xff000000 | SVT_FAKE_PEER_QPN;
	wqe.ud.remote_qkey = qkey;
	requester_post_wqe(f, &wqe, &sge);
}

static void a_datagram_goes_where_its_address_vector_says(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UD);
	struct svt_av *av[2] = { svt_fake_av(f->fake), svt_fake_av(f->fake) };
	unsigned int n;

	svt_fake_fill(av[1]->path.dgid.raw, sizeof(union ib_gid), 77);
	/* The highest bit asks for the QP's own */
	post_datagram(f, av[0]->number, 0x22222222, 64);
	post_datagram(f, av[0]->number, 0x80000000, 64);
	post_datagram(f, av[1]->number, 0x33333333, 64);
	requester_push(f);
	for (n = 0; n < 3; n++) {
		static const u32 qkeys[] = { 0x22222222, 0x11111111, 0x33333333 };
		const struct svt_fake_sent *sent =
			requester_expect_data(f, IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE, n, 0, 64);

		KUNIT_EXPECT_EQ(test, sent->train, n == 2);
		KUNIT_EXPECT_MEMEQ(test, &sent->dgid, &av[n == 2]->path.dgid,
				   sizeof(sent->dgid));
		KUNIT_EXPECT_EQ(test, sent->packet.dest_qpn, SVT_FAKE_PEER_QPN);
		KUNIT_EXPECT_EQ(test, sent->packet.src_qpn, f->qp->qpn);
		KUNIT_EXPECT_EQ(test, sent->packet.qkey, qkeys[n]);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(sent->packet.imm_data), 99);
		KUNIT_EXPECT_FALSE(test, sent->packet.ack_request);
		requester_expect_done(f, n, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, kref_read(&av[n == 2]->ref), 1);
	}
}

static void an_error_of_a_datagram_stops_the_queue_until_rts(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UD);
	struct svt_av *av = svt_fake_av(f->fake);

	post_datagram(f, av->number, 0, 64);
	post_datagram(f, av->number + 1, 0, 64);
	post_datagram(f, av->number, 0, 64);
	requester_push(f);
	requester_expect(f, IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE, 0);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_LOC_QP_OP_ERR);
	requester_expect_flushed(f, 2, 3);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_SQE);
	KUNIT_EXPECT_EQ(test, kref_read(&av->ref), 1);
	/* What is posted now is flushed as well */
	post_datagram(f, av->number, 0, 64);
	requester_push(f);
	requester_expect_silence(f);
	requester_expect_flushed(f, 3, 4);
	requester_modify(f, IB_QPS_RTS);
	post_datagram(f, av->number, 0, 64);
	requester_push(f);
	requester_expect(f, IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE, 1);
	requester_expect_done(f, 4, IB_WC_SUCCESS);
}

/* The flush on the way finds an index that can not be: the QP fails, and stays where that leads */
static void a_queue_that_makes_no_sense_does_not_come_back_to_rts(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UD);
	struct svt_ring *ring = &f->qp->send.ring;
	const struct ib_qp_attr attr = {};

	post_datagram(f, svt_fake_av(f->fake)->number + 1, 0, 64);
	requester_push(f);
	requester_expect_done(f, 0, IB_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_SQE);

	WRITE_ONCE(ring->control->producer, ring->index + ring->entries + 1);
	mutex_lock(&f->qp->modify_lock);
	KUNIT_EXPECT_EQ(test, -EINVAL, svt_qp_modify(f->qp, &attr, IB_QP_STATE, IB_QPS_SQE,
						     IB_QPS_RTS));
	mutex_unlock(&f->qp->modify_lock);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
}

static void a_datagram_is_no_longer_than_the_mtu(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UD);

	post_datagram(f, svt_fake_av(f->fake)->number, 0, MTU + 1);
	requester_push(f);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_LOC_LEN_ERR);
}

static void a_datagram_with_a_reserved_field_is_refused(struct kunit *test)
{
	struct requester_fixture *f = open_type(test, IB_QPT_UD);
	struct svt_send_wqe wqe = {
		.opcode = IB_UVERBS_WR_SEND,
		.ud = { .ah = svt_fake_av(f->fake)->number, .remote_qpn = 1, .reserved = 1 },
	};

	requester_post_wqe(f, &wqe, NULL);
	requester_push(f);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_LOC_QP_OP_ERR);
}

static struct kunit_case requester_datagram_cases[] = {
	KUNIT_CASE(uc_is_done_when_it_is_sent),
	KUNIT_CASE(uc_is_not_done_while_the_backend_has_no_room),
	KUNIT_CASE(a_datagram_goes_where_its_address_vector_says),
	KUNIT_CASE(an_error_of_a_datagram_stops_the_queue_until_rts),
	KUNIT_CASE(a_queue_that_makes_no_sense_does_not_come_back_to_rts),
	KUNIT_CASE(a_datagram_is_no_longer_than_the_mtu),
	KUNIT_CASE(a_datagram_with_a_reserved_field_is_refused),
	{}
};

static struct kunit_suite requester_datagram_suite = {
	.name = "svt-requester-datagram",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = requester_datagram_cases,
};

kunit_test_suite(requester_datagram_suite);
