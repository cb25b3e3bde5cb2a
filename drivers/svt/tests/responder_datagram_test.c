// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of UC, UD and GSI QPs: nothing is answered, what does not fit is dropped and
 * counted.
 */
#include <rdma/ib_mad.h>

#include "tests/responder_fixture.h"
#include "wire/psn.h"

#define UC_SEND_FIRST	IB_OPCODE_UC_SEND_FIRST
#define UC_SEND_MIDDLE	IB_OPCODE_UC_SEND_MIDDLE
#define UC_SEND_LAST	IB_OPCODE_UC_SEND_LAST
#define UC_SEND_ONLY	IB_OPCODE_UC_SEND_ONLY
#define UC_WRITE_FIRST	IB_OPCODE_UC_RDMA_WRITE_FIRST
#define UC_WRITE_MIDDLE	IB_OPCODE_UC_RDMA_WRITE_MIDDLE
#define UC_WRITE_LAST	IB_OPCODE_UC_RDMA_WRITE_LAST
#define UC_WRITE_ONLY	IB_OPCODE_UC_RDMA_WRITE_ONLY
#define GRH		40

static struct responder_fixture *open(struct kunit *test, enum ib_qp_type type)
{
	struct svt_fake_options options = SVT_FAKE_RC;

	options.type = type;
	return responder_open(test, &options);
}

/* ---- UC ---- */

static void uc_delivers_messages(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UC);
	struct ib_wc wc;

	responder_post(f, 1, 0, 4 * MTU);
	responder_put(f, UC_SEND_FIRST, 0, 0, MTU);
	responder_put(f, UC_SEND_MIDDLE, 1, MTU, MTU);
	responder_put(f, IB_OPCODE_UC_SEND_LAST_WITH_IMMEDIATE, 2, 2 * MTU, 5);
	responder_put_write(f, UC_WRITE_FIRST, 3, 20000, MTU, MTU + 1);
	responder_put(f, UC_WRITE_LAST, 4, 20000 + MTU, 1);
	responder_deliver(f);
	wc = responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 2 * MTU + 5);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_WITH_IMM);
	responder_expect_data(f, 0, 0, 2 * MTU + 5);
	responder_expect_data(f, 20000, 20000, MTU + 1);
	responder_expect_silence(f);
}

static void uc_drops_a_message_with_a_hole_and_goes_on(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UC);

	responder_post(f, 1, 0, 4 * MTU);
	responder_post(f, 2, 10000, 4 * MTU);
	responder_put(f, UC_SEND_FIRST, 0, 0, MTU);
	responder_put(f, UC_SEND_MIDDLE, 2, MTU, MTU);
	responder_put(f, UC_SEND_LAST, 3, 2 * MTU, 5);
	responder_deliver(f);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_SEQUENCE), 2);
	/* The receive of the one that was dropped is used for the next, from its start */
	responder_send(f, UC_SEND_ONLY, 7, 100, 10);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 1, IB_WC_SUCCESS).byte_len, 10);
	KUNIT_EXPECT_EQ(test, memcmp(f->memory->bytes, f->data + 100, 10), 0);
	responder_expect_silence(f);
}

static void uc_starts_anew_in_the_middle_of_a_message(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UC);

	responder_post(f, 1, 0, 4 * MTU);
	responder_put(f, UC_SEND_FIRST, 0, 0, MTU);
	responder_put(f, UC_SEND_FIRST, 1, 3, MTU);
	responder_put(f, UC_SEND_LAST, 2, 3 + MTU, 9);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 1, IB_WC_SUCCESS).byte_len, MTU + 9);
	responder_expect_data(f, 0, 3, MTU + 9);
}

static void uc_drops_what_has_no_receive(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UC);

	responder_send(f, UC_SEND_FIRST, 0, 0, MTU);
	responder_post(f, 1, 0, 4 * MTU);
	responder_send(f, UC_SEND_LAST, 1, 0, 10);
	responder_expect_no_recv(f);
	responder_send(f, UC_SEND_ONLY, 2, 0, 10);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_BUFFER), 1);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_SEQUENCE), 1);
}

static void uc_drops_what_does_not_fit(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UC);
	struct svt_packet packet = responder_packet(f, UC_WRITE_ONLY, 2);

	responder_post(f, 1, 0, 100);
	responder_send(f, UC_SEND_ONLY, 0, 0, 101);
	responder_send(f, UC_SEND_FIRST, 1, 0, MTU - 4);
	packet.rkey = f->memory->mr.key.key ^ 1;
	packet.remote_addr = (unsigned long)f->memory->bytes + 500;
	packet.dma_length = 10;
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	f->qp->attr.qp_access_flags = 0;
	responder_put_write(f, UC_WRITE_ONLY, 3, 500, 10, 10);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_LENGTH), 4);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[500], 0);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
	responder_send(f, UC_SEND_ONLY, 4, 0, 100);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	responder_expect_silence(f);
}

static void uc_ends_with_a_receive_that_is_wrong(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UC);

	responder_post(f, 1, RESPONDER_MEMORY, 100);
	responder_post(f, 2, 0, 100);
	responder_send(f, UC_SEND_ONLY, 0, 0, 10);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	responder_expect_recv(f, 1, IB_WC_LOC_PROT_ERR);
	responder_expect_recv(f, 2, IB_WC_WR_FLUSH_ERR);
	responder_expect_silence(f);
}

/* ---- UD ---- */

/* What the completion of a datagram tells that comes by VLAN 10 */
static struct ib_wc receive_by_vlan(struct kunit *test, bool user)
{
	struct responder_fixture *f = open(test, IB_QPT_UD);
	struct svt_sge sge = svt_fake_sge(f->memory, 0, GRH + 100);
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY, 77);

	f->qp->user = user;
	f->fake->vlan_id = 10;
	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 1, &sge, 1), 0);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 100);
	return responder_expect_recv(f, 1, IB_WC_SUCCESS);
}

/* In the service level: see struct svt_rx_address */
static void a_process_is_told_what_a_datagram_came_in(struct kunit *test)
{
	struct ib_wc wc = receive_by_vlan(test, true);

	KUNIT_EXPECT_EQ(test, wc.sl, SVT_FAKE_PACKET_TYPE);
	KUNIT_EXPECT_FALSE(test, wc.wc_flags & IB_WC_WITH_VLAN);
}

static void a_kernel_client_is_told_the_vlan_of_a_datagram(struct kunit *test)
{
	struct ib_wc wc = receive_by_vlan(test, false);

	KUNIT_EXPECT_TRUE(test, wc.wc_flags & IB_WC_WITH_VLAN);
	KUNIT_EXPECT_EQ(test, wc.vlan_id, 10);
}

static void ud_delivers_behind_the_network_header(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UD);
	struct svt_sge list[] = {
		svt_fake_sge(f->memory, 0, 30),
		svt_fake_sge(f->memory, 1000, 2000),
	};
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE, 77);
	struct ib_wc wc;

	packet.src_qpn = 0xabcdef;
	packet.imm_data = cpu_to_be32(5);
	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 1, list, ARRAY_SIZE(list)), 0);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 501);
	wc = responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV);
	KUNIT_EXPECT_EQ(test, wc.byte_len, GRH + 501);
	KUNIT_EXPECT_EQ(test, wc.wc_flags & (IB_WC_GRH | IB_WC_WITH_IMM),
			IB_WC_GRH | IB_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(wc.ex.imm_data), 5);
	KUNIT_EXPECT_EQ(test, wc.src_qp, 0xabcdef);
	KUNIT_EXPECT_EQ(test, wc.sl, SVT_FAKE_SL);
	KUNIT_EXPECT_EQ(test, wc.pkey_index, 0);
	KUNIT_EXPECT_EQ(test, memcmp(f->memory->bytes, &f->fake->address.grh, 30), 0);
	KUNIT_EXPECT_EQ(test, memcmp(f->memory->bytes + 1000,
				     (u8 *)&f->fake->address.grh + 30, 10), 0);
	responder_expect_data(f, 1010, 0, 501);
	responder_expect_silence(f);
}

static void ud_drops_a_wrong_qkey(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UD);
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY, 0);

	responder_post(f, 1, 0, 1000);
	packet.qkey ^= 1;
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 10);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_QKEY), 1);
	KUNIT_EXPECT_EQ(test, f->fake->core.qkey_violation_count, 1);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[0], 0);
}

static void ud_drops_what_does_not_fit_and_keeps_the_receive(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UD);

	responder_post(f, 1, 0, GRH + 100);
	responder_send(f, IB_OPCODE_UD_SEND_ONLY, 0, 0, 101);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_LENGTH), 1);
	KUNIT_EXPECT_EQ(test, f->memory->bytes[0], 0);
	responder_send(f, IB_OPCODE_UD_SEND_ONLY, 0, 0, 100);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 1, IB_WC_SUCCESS).byte_len, GRH + 100);
	responder_expect_data(f, GRH, 0, 100);
	responder_send(f, IB_OPCODE_UD_SEND_ONLY, 0, 0, 100);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_OUT_OF_BUFFER), 1);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void ud_has_no_sequence(struct kunit *test)
{
	static const int places[] = { 5, 5, -100, 0 };
	struct responder_fixture *f = open(test, IB_QPT_UD);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		responder_post(f, i, 0, GRH + 10);
	for (i = 0; i < ARRAY_SIZE(places); i++)
		responder_put(f, IB_OPCODE_UD_SEND_ONLY, places[i], 0, 10);
	responder_deliver(f);
	for (i = 0; i < ARRAY_SIZE(places); i++)
		responder_expect_recv(f, i, IB_WC_SUCCESS);
}

static void ud_ends_with_a_receive_that_is_wrong(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_UD);

	responder_post(f, 1, RESPONDER_MEMORY - 8, 100);
	responder_send(f, IB_OPCODE_UD_SEND_ONLY, 0, 0, 10);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	responder_expect_recv(f, 1, IB_WC_LOC_PROT_ERR);
}

static void gsi_has_a_qkey_of_its_own(struct kunit *test)
{
	struct responder_fixture *f = open(test, IB_QPT_GSI);
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY, 0);

	KUNIT_EXPECT_EQ(test, packet.dest_qpn, 1);
	responder_post(f, 1, 0, GRH + 256);
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 256);
	responder_expect_no_recv(f);
	packet.qkey = IB_QP1_QKEY;
	svt_fake_receive(f->fake, f->qp, &packet, f->data, 256);
	KUNIT_EXPECT_EQ(test, responder_expect_recv(f, 1, IB_WC_SUCCESS).byte_len, GRH + 256);
}

static struct kunit_case datagram_cases[] = {
	KUNIT_CASE(uc_delivers_messages),
	KUNIT_CASE(uc_drops_a_message_with_a_hole_and_goes_on),
	KUNIT_CASE(uc_starts_anew_in_the_middle_of_a_message),
	KUNIT_CASE(uc_drops_what_has_no_receive),
	KUNIT_CASE(uc_drops_what_does_not_fit),
	KUNIT_CASE(uc_ends_with_a_receive_that_is_wrong),
	KUNIT_CASE(a_process_is_told_what_a_datagram_came_in),
	KUNIT_CASE(a_kernel_client_is_told_the_vlan_of_a_datagram),
	KUNIT_CASE(ud_delivers_behind_the_network_header),
	KUNIT_CASE(ud_drops_a_wrong_qkey),
	KUNIT_CASE(ud_drops_what_does_not_fit_and_keeps_the_receive),
	KUNIT_CASE(ud_has_no_sequence),
	KUNIT_CASE(ud_ends_with_a_receive_that_is_wrong),
	KUNIT_CASE(gsi_has_a_qkey_of_its_own),
	{}
};

static struct kunit_suite datagram_suite = {
	.name = "svt-responder-datagram",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = datagram_cases,
};

kunit_test_suite(datagram_suite);
