// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What every packet has to pass before it may change the state of a QP: from the backend's
 * svt_receive() to the half that it is for.
 */
#include <linux/unaligned.h>

#include "tests/responder_fixture.h"
#include "wire/aeth.h"
#include "wire/psn.h"

#define PAYLOAD	8

static struct responder_fixture *open(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	responder_post(f, 1, 0, PAYLOAD);
	return f;
}

/* What is on the wire comes to the device */
static void arrive(struct responder_fixture *f)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&f->fake->wire))) {
		local_bh_disable();
		svt_receive(&f->fake->dev, skb);
		local_bh_enable();
	}
}

static struct svt_packet send_only(const struct responder_fixture *f)
{
	return responder_packet(f, IB_OPCODE_RC_SEND_ONLY, 0);
}

static void arrive_packet(struct responder_fixture *f, const struct svt_packet *packet)
{
	svt_fake_put(f->fake, packet, f->data, PAYLOAD);
	arrive(f);
}

/* An skb of these bytes */
static void arrive_bytes(struct responder_fixture *f, const u8 *bytes, u32 length, u32 trailer)
{
	struct sk_buff *skb = alloc_skb(length + 1, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(f->test, skb);
	skb_put_data(skb, bytes, length);
	*svt_rx_cb(skb) = (struct svt_rx_cb) {
		.length = length, .stride = length, .trailer = trailer,
	};
	skb_queue_tail(&f->fake->wire, skb);
	arrive(f);
}

static u64 dropped(struct responder_fixture *f)
{
	u64 sum = 0;
	int i;

	for (i = SVT_COUNT_RX_DROPPED_BACKEND; i <= SVT_COUNT_RX_DROPPED_LENGTH; i++)
		sum += svt_fake_count(f->fake, i);
	return sum;
}

/* It was dropped for this reason, and the QP is as it was: it takes the packet that it waits for */
static void expect_dropped(struct responder_fixture *f, enum svt_counter reason)
{
	struct svt_packet good = send_only(f);

	KUNIT_EXPECT_EQ(f->test, svt_fake_count(f->fake, reason), 1);
	KUNIT_EXPECT_EQ(f->test, dropped(f), 1);
	responder_expect_silence(f);
	responder_expect_no_recv(f);
	arrive_packet(f, &good);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(f->test, dropped(f), 1);
}

static void a_packet_from_the_peer_is_taken(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	arrive_packet(f, &packet);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
	responder_expect_ack(f, 0, 1);
	KUNIT_EXPECT_EQ(test, dropped(f), 0);
}

static void a_packet_from_another_source_changes_nothing(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	f->fake->address.sgid.raw[15] ^= 1;
	arrive_packet(f, &packet);
	f->fake->address.sgid.raw[15] ^= 1;
	expect_dropped(f, SVT_COUNT_RX_DROPPED_ADDRESS);
}

static void a_packet_to_another_address_changes_nothing(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	f->fake->address.dgid.raw[0] ^= 0x80;
	arrive_packet(f, &packet);
	f->fake->address.dgid.raw[0] ^= 0x80;
	expect_dropped(f, SVT_COUNT_RX_DROPPED_ADDRESS);
}

/* The QP lives on netdev 5 of namespace 3 */
static void live_there(struct responder_fixture *f)
{
	f->qp->path.netns = 3;
	f->qp->path.ifindex = 5;
	f->fake->netns = 3;
	f->fake->ifindex = 5;
}

/* What comes in at another place changes nothing */
static void expect_not_heard_at(struct kunit *test, u32 netns, u32 ifindex)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	live_there(f);
	f->fake->netns = netns;
	f->fake->ifindex = ifindex;
	arrive_packet(f, &packet);
	live_there(f);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_ADDRESS);
}

static void a_packet_of_another_namespace_changes_nothing(struct kunit *test)
{
	expect_not_heard_at(test, 0, 5);
}

static void a_packet_of_another_netdev_changes_nothing(struct kunit *test)
{
	expect_not_heard_at(test, 3, 6);
}

static void what_did_not_leave_the_host_is_for_any_netdev(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	live_there(f);
	f->fake->ifindex = 0;
	arrive_packet(f, &packet);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
}

/* A datagram from namespace 3 to a QP that was made in @netns, by a process or by the kernel */
static struct responder_fixture *datagram_to(struct kunit *test, u32 netns, bool user,
					     bool everywhere)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct responder_fixture *f;
	struct svt_packet packet;

	options.type = IB_QPT_UD;
	f = responder_open(test, &options);
	responder_post(f, 1, 0, 40 + PAYLOAD);
	f->qp->user = user;
	f->qp->flow.netns = netns;
	f->qp->flow.everywhere = everywhere;
	f->fake->netns = 3;
	packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY, 0);
	arrive_packet(f, &packet);
	/* It is one of the test's when it ends */
	f->qp->user = false;
	return f;
}

static void a_process_hears_datagrams_of_its_namespace_only(struct kunit *test)
{
	struct responder_fixture *f = datagram_to(test, 2, true, false);

	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_ADDRESS), 1);
	responder_expect_no_recv(f);
}

static void a_process_hears_datagrams_of_its_namespace(struct kunit *test)
{
	responder_expect_recv(datagram_to(test, 3, true, false), 1, IB_WC_SUCCESS);
}

static void a_process_with_a_moved_device_hears_datagrams_of_both_namespaces(struct kunit *test)
{
	responder_expect_recv(datagram_to(test, 2, true, true), 1, IB_WC_SUCCESS);
}

static void a_kernel_client_hears_datagrams_of_all_namespaces(struct kunit *test)
{
	responder_expect_recv(datagram_to(test, 0, false, false), 1, IB_WC_SUCCESS);
}

static void a_namespace_that_ends_takes_its_qps_along(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	live_there(f);
	svt_netns_gone(&f->fake->dev, 2);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
	svt_netns_gone(&f->fake->dev, 3);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_ERR);
	responder_expect_recv(f, 1, IB_WC_WR_FLUSH_ERR);
}

static void an_answer_from_another_source_changes_nothing(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, PAYLOAD);
	const struct svt_send_wqe wqe = {
		.opcode = IB_UVERBS_WR_SEND, .num_sge = 1, .flags = SVT_SEND_SIGNALED,
	};
	struct svt_packet ack;
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, svt_fake_post_send(f->qp, &wqe, &sge), 0);
	KUNIT_ASSERT_NOT_NULL(test, svt_fake_next(f->fake));
	ack = svt_fake_packet(f->qp, IB_OPCODE_RC_ACKNOWLEDGE, SVT_FAKE_RC.sq_psn);
	ack.syndrome = SVT_AETH_NAK | SVT_NAK_REMOTE_ACCESS;
	f->fake->address.sgid.raw[12] ^= 4;
	svt_fake_put(f->fake, &ack, NULL, 0);
	arrive(f);
	f->fake->address.sgid.raw[12] ^= 4;
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_ADDRESS), 1);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
	KUNIT_EXPECT_FALSE(test, svt_fake_poll_send(f->qp, &wc));

	ack.syndrome = SVT_AETH_ACK;
	svt_fake_put(f->fake, &ack, NULL, 0);
	arrive(f);
	KUNIT_ASSERT_TRUE(test, svt_fake_poll_send(f->qp, &wc));
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
}

static void another_partition_is_dropped_and_counted(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	packet.pkey = 0x8001;
	arrive_packet(f, &packet);
	KUNIT_EXPECT_EQ(test, f->fake->core.bad_pkey_count, 1);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_PKEY);
}

static void a_limited_member_of_the_partition_is_heard(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	packet.pkey = SVT_DEFAULT_PKEY & 0x7fff;
	arrive_packet(f, &packet);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
}

static void an_opcode_of_another_service_is_dropped(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UC_SEND_ONLY, 0);

	arrive_packet(f, &packet);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_OPCODE);
}

static void a_number_of_no_qp_is_dropped(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);

	packet.dest_qpn ^= 1;
	arrive_packet(f, &packet);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_NO_QP);
}

static void there_may_be_no_gsi(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY, 0);

	packet.dest_qpn = SVT_QPN_GSI;
	arrive_packet(f, &packet);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_NO_QP);
}

static void a_qp_that_is_not_ready_drops(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);
	struct ib_wc wc;

	KUNIT_ASSERT_EQ(test, svt_fake_modify(f->qp, IB_QPS_ERR), 0);
	KUNIT_EXPECT_TRUE(test, svt_fake_poll_recv(f->qp, &wc));
	arrive_packet(f, &packet);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_STATE), 1);
	KUNIT_EXPECT_EQ(test, dropped(f), 1);
	responder_expect_silence(f);
}

/* One packet of 48 bytes with opcode 0xff read out of bounds elsewhere, with no QP at all */
static void no_opcode_of_48_bytes_or_less_reads_out_of_bounds(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 opcode, length, to_qp;
	u64 count = 0;
	u8 bytes[48];

	memset(bytes, 0xff, sizeof(bytes));
	for (to_qp = 0; to_qp < 2; to_qp++) {
		put_unaligned_be32(to_qp ? f->qp->qpn : 0xffffff, bytes + 4);
		/* A PSN far behind: what is well formed is an old duplicate, or answers nothing */
		put_unaligned_be32(svt_psn(f->psn - 0x400000), bytes + 8);
		for (opcode = 0; opcode < 256; opcode++) {
			bytes[0] = opcode;
			for (length = 1; length <= sizeof(bytes); length++)
				arrive_bytes(f, bytes, length, min(length, 4U));
			count += sizeof(bytes);
		}
	}
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
	KUNIT_EXPECT_GE(test, dropped(f) + svt_fake_count(f->fake, SVT_COUNT_DUPLICATE_REQUEST),
			count);
	responder_expect_no_recv(f);
}

static void a_pad_count_beyond_the_payload_is_malformed(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);
	u8 bytes[SVT_BTH_BYTES + 2 + 4] = {};

	packet.pad = 3;
	svt_packet_build(&packet, bytes);
	arrive_bytes(f, bytes, sizeof(bytes), 4);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_MALFORMED);
}

static void a_trailer_longer_than_the_packet_is_malformed(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = send_only(f);
	u8 bytes[SVT_BTH_BYTES];

	svt_packet_build(&packet, bytes);
	arrive_bytes(f, bytes, sizeof(bytes), sizeof(bytes) + 4);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_MALFORMED);
}

static void nothing_at_all_is_malformed(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	arrive_bytes(f, f->data, 0, 0);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_MALFORMED);
}

static void an_atomic_without_its_header_is_malformed(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, IB_OPCODE_RC_COMPARE_SWAP, 0);
	u8 bytes[SVT_HEADER_MAX];

	svt_packet_build(&packet, bytes);
	arrive_bytes(f, bytes, SVT_BTH_BYTES + SVT_ATOMIC_ETH_BYTES - 4 + 4, 4);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_MALFORMED);
}

/* Merges of an offload: each packet goes to its own QP, in order */
static void an_skb_of_packets_for_two_qps_is_split(struct kunit *test)
{
	static const u8 receivers[] = { 0, 0, 1, 0, 1 };
	const u32 stride = SVT_BTH_BYTES + PAYLOAD + 4;
	struct responder_fixture *f = open(test);
	struct svt_qp *qps[] = { f->qp, svt_fake_qp(f->fake, &SVT_FAKE_RC) };
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, PAYLOAD);
	u8 bytes[ARRAY_SIZE(receivers) * (SVT_BTH_BYTES + PAYLOAD + 4)] = {};
	struct sk_buff *skb = alloc_skb(sizeof(bytes), GFP_KERNEL);
	u32 i, next[2] = {}, done[2] = {};
	struct ib_wc wc;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	for (i = 0; i < ARRAY_SIZE(receivers); i++) {
		u8 to = receivers[i];
		struct svt_packet packet = svt_fake_packet(qps[to], IB_OPCODE_RC_SEND_ONLY,
							   f->psn + next[to]++);

		svt_packet_build(&packet, bytes + i * stride);
		/* The first QP has one receive already */
		if (to || next[to] > 1)
			KUNIT_ASSERT_EQ(test, svt_fake_post_recv(qps[to], 1, &sge, 1), 0);
	}
	skb_put_data(skb, bytes, sizeof(bytes));
	*svt_rx_cb(skb) = (struct svt_rx_cb) {
		.length = sizeof(bytes), .stride = stride, .trailer = 4,
	};
	skb_queue_tail(&f->fake->wire, skb);
	arrive(f);
	for (i = 0; i < 2; i++)
		while (svt_fake_poll_recv(qps[i], &wc) && wc.status == IB_WC_SUCCESS)
			done[i]++;
	KUNIT_EXPECT_EQ(test, done[0], 3);
	KUNIT_EXPECT_EQ(test, done[1], 2);
	KUNIT_EXPECT_EQ(test, dropped(f), 0);
}

static void a_qp_that_falls_behind_drops_the_rest(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct sk_buff_head *backlog = &f->qp->recv.half.backlog;
	struct svt_packet packet = send_only(f);
	u32 i;

	svt_fake_put(f->fake, &packet, f->data, PAYLOAD);
	/* As if somebody were working it off */
	spin_lock_bh(&f->qp->recv.half.lock);
	for (i = 0; i < SVT_BACKLOG_MAX; i++) {
		struct sk_buff *skb = alloc_skb(1, GFP_ATOMIC);

		if (!skb)
			break;
		*svt_rx_cb(skb) = (struct svt_rx_cb) {};
		skb_queue_tail(backlog, skb);
	}
	arrive(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_BACKLOG), 1);
	skb_queue_purge(backlog);
	spin_unlock_bh(&f->qp->recv.half.lock);
	KUNIT_EXPECT_EQ(test, i, SVT_BACKLOG_MAX);
	expect_dropped(f, SVT_COUNT_RX_DROPPED_BACKLOG);
}

/* A number that could be guessed from another would let a stranger find the QP */
static void qp_numbers_are_random_over_their_full_width(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 set = 0, clear = 0, steps = 0, last = f->qp->qpn;
	int i;

	for (i = 0; i < 64; i++) {
		u32 qpn = svt_fake_qp(f->fake, &SVT_FAKE_RC)->qpn;

		set |= qpn;
		clear |= ~qpn;
		steps |= qpn - last;
		last = qpn;
	}
	/* Each bit is the same in 64 numbers once in 2^63 */
	KUNIT_EXPECT_EQ(test, set, SVT_QPN_MASK);
	KUNIT_EXPECT_EQ(test, clear & SVT_QPN_MASK, SVT_QPN_MASK);
	KUNIT_EXPECT_EQ(test, steps & SVT_QPN_MASK, SVT_QPN_MASK);
}

static struct kunit_case receive_cases[] = {
	KUNIT_CASE(a_packet_from_the_peer_is_taken),
	KUNIT_CASE(a_packet_from_another_source_changes_nothing),
	KUNIT_CASE(a_packet_to_another_address_changes_nothing),
	KUNIT_CASE(a_packet_of_another_namespace_changes_nothing),
	KUNIT_CASE(a_packet_of_another_netdev_changes_nothing),
	KUNIT_CASE(what_did_not_leave_the_host_is_for_any_netdev),
	KUNIT_CASE(a_process_hears_datagrams_of_its_namespace_only),
	KUNIT_CASE(a_process_hears_datagrams_of_its_namespace),
	KUNIT_CASE(a_process_with_a_moved_device_hears_datagrams_of_both_namespaces),
	KUNIT_CASE(a_kernel_client_hears_datagrams_of_all_namespaces),
	KUNIT_CASE(a_namespace_that_ends_takes_its_qps_along),
	KUNIT_CASE(an_answer_from_another_source_changes_nothing),
	KUNIT_CASE(another_partition_is_dropped_and_counted),
	KUNIT_CASE(a_limited_member_of_the_partition_is_heard),
	KUNIT_CASE(an_opcode_of_another_service_is_dropped),
	KUNIT_CASE(a_number_of_no_qp_is_dropped),
	KUNIT_CASE(there_may_be_no_gsi),
	KUNIT_CASE(a_qp_that_is_not_ready_drops),
	KUNIT_CASE(no_opcode_of_48_bytes_or_less_reads_out_of_bounds),
	KUNIT_CASE(a_pad_count_beyond_the_payload_is_malformed),
	KUNIT_CASE(a_trailer_longer_than_the_packet_is_malformed),
	KUNIT_CASE(nothing_at_all_is_malformed),
	KUNIT_CASE(an_atomic_without_its_header_is_malformed),
	KUNIT_CASE(an_skb_of_packets_for_two_qps_is_split),
	KUNIT_CASE(a_qp_that_falls_behind_drops_the_rest),
	KUNIT_CASE(qp_numbers_are_random_over_their_full_width),
	{}
};

static struct kunit_suite receive_suite = {
	.name = "svt-receive",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = receive_cases,
};

kunit_test_suite(receive_suite);
