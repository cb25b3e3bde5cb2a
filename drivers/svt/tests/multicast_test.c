// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Multicast groups: who joins, who leaves, and that each member gets a packet once.
 */
#include <linux/unaligned.h>

#include "tests/responder_fixture.h"
#include "transport/multicast.h"

#define GRH		40
#define PAYLOAD		12
#define MEMBERS		3

static const union ib_gid group = { .raw = { 0xff, 0x0e, [15] = 7 } };
static const union ib_gid other_group = { .raw = { 0xff, 0x0e, [15] = 8 } };

static struct svt_fake_options ud(void)
{
	struct svt_fake_options options = SVT_FAKE_RC;

	options.type = IB_QPT_UD;
	return options;
}

static struct responder_fixture *open(struct kunit *test)
{
	struct svt_fake_options options = ud();

	return responder_open(test, &options);
}

static void arrive(struct responder_fixture *f)
{
	struct svt_packet packet = responder_packet(f, IB_OPCODE_UD_SEND_ONLY, 0);

	packet.dest_qpn = SVT_QPN_MULTICAST;
	f->fake->address.dgid = group;
	svt_fake_put(f->fake, &packet, f->data, PAYLOAD);
	local_bh_disable();
	svt_receive(&f->fake->dev, skb_dequeue(&f->fake->wire));
	local_bh_enable();
}

static void expect_copies(struct kunit *test, struct svt_qp *qp, int copies)
{
	struct ib_wc wc;
	int found = 0;

	while (svt_fake_poll_recv(qp, &wc)) {
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, wc.byte_len, GRH + PAYLOAD);
		found++;
	}
	KUNIT_EXPECT_EQ(test, found, copies);
}

static void each_member_gets_a_packet_once(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	const struct svt_fake_options options = ud();
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, GRH + PAYLOAD);
	struct svt_qp *qps[MEMBERS + 1];
	int i, j;

	for (i = 0; i <= MEMBERS; i++) {
		qps[i] = svt_fake_qp(f->fake, &options);
		for (j = 0; j < 2; j++)
			KUNIT_ASSERT_EQ(test, svt_fake_post_recv(qps[i], 1, &sge, 1), 0);
		KUNIT_ASSERT_EQ(test, 0, svt_multicast_attach(qps[i], i < MEMBERS ? &group :
									   &other_group));
	}
	arrive(f);
	for (i = 0; i <= MEMBERS; i++)
		expect_copies(test, qps[i], i < MEMBERS);
	KUNIT_EXPECT_EQ(test, svt_multicast_detach(qps[0], &group), 0);
	arrive(f);
	for (i = 0; i <= MEMBERS; i++)
		expect_copies(test, qps[i], i && i < MEMBERS);
	for (i = 0; i <= MEMBERS; i++)
		svt_multicast_forget(qps[i]);
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 0);
}

static void a_group_without_members_is_no_qp(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	KUNIT_ASSERT_EQ(test, svt_multicast_attach(f->qp, &other_group), 0);
	arrive(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_NO_QP), 1);
	expect_copies(test, f->qp, 0);
	KUNIT_EXPECT_EQ(test, svt_multicast_detach(f->qp, &other_group), 0);
}

/* Each namespace has its own group of that address */
static void a_group_of_another_namespace_hears_nothing(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	f->qp->flow.netns = 3;
	KUNIT_ASSERT_EQ(test, svt_multicast_attach(f->qp, &group), 0);
	responder_post(f, 1, 0, GRH + PAYLOAD);
	arrive(f);
	expect_copies(test, f->qp, 0);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_NO_QP), 1);
	f->fake->netns = 3;
	arrive(f);
	expect_copies(test, f->qp, 1);
	KUNIT_EXPECT_EQ(test, svt_multicast_detach(f->qp, &group), 0);
}

static void a_qp_attached_twice_gets_one_copy_until_both_are_undone(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	int round;

	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &group), 0);
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &group), 0);
	for (round = 0; round < 3; round++) {
		responder_post(f, 2 * round, 0, GRH + PAYLOAD);
		responder_post(f, 2 * round + 1, 0, GRH + PAYLOAD);
		arrive(f);
		expect_copies(test, f->qp, round < 2);
		KUNIT_EXPECT_EQ(test, svt_multicast_detach(f->qp, &group), round < 2 ? 0 : -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 0);
}

static void a_qp_attached_twice_that_goes_leaves_its_groups(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &group), 0);
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &group), 0);
	svt_multicast_forget(f->qp);
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 0);
}

static void only_ud_qps_join_and_only_multicast_gids(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_qp *rc = svt_fake_qp(f->fake, &SVT_FAKE_RC);
	union ib_gid unicast = group;

	unicast.raw[0] = 0xfe;
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(rc, &group), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &unicast), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_multicast_detach(f->qp, &group), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 0);
}

static void a_device_has_no_more_groups_than_it_says(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	union ib_gid gid = group;

	f->fake->core.multicast_count = SVT_MAX_MULTICAST - 1;
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &gid), 0);
	put_unaligned_be32(1, gid.raw + 8);
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &gid), -ENOMEM);
	svt_multicast_forget(f->qp);
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, SVT_MAX_MULTICAST - 1);
	f->fake->core.multicast_count = 0;
}

static void a_qp_that_goes_leaves_all_its_groups(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	union ib_gid gid = group;
	u32 i;

	for (i = 0; i < 100; i++) {
		put_unaligned_be32(i, gid.raw + 8);
		KUNIT_ASSERT_EQ(test, svt_multicast_attach(f->qp, &gid), 0);
	}
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 100);
	svt_multicast_forget(f->qp);
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 0);
}

static int refuse(struct svt_device *dev, const union ib_gid *gid, u32 netns, bool join)
{
	return join ? -ENODEV : 0;
}

static void what_the_backend_refuses_is_refused(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	const struct svt_backend_ops *usual = f->fake->dev.ops;
	struct svt_backend_ops ops = *usual;

	ops.listen = refuse;
	f->fake->dev.ops = &ops;
	KUNIT_EXPECT_EQ(test, svt_multicast_attach(f->qp, &group), -ENODEV);
	KUNIT_EXPECT_EQ(test, f->fake->core.multicast_count, 0);
	f->fake->dev.ops = usual;
}

/* What the backend is told of while packets come; the test whose group it is */
static struct responder_fixture *joining;

static int arrive_meanwhile(struct svt_device *dev, const union ib_gid *gid, u32 netns, bool join)
{
	struct responder_fixture *f = joining;

	KUNIT_EXPECT_EQ(f->test, atomic_read(&f->fake->core.multicast.nelems), 0);
	arrive(f);
	expect_copies(f->test, f->qp, 0);
	return 0;
}

static void a_group_is_found_while_the_backend_hears_it_only(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	const struct svt_backend_ops *usual = f->fake->dev.ops;
	struct svt_backend_ops ops = *usual;

	joining = f;
	ops.listen = arrive_meanwhile;
	f->fake->dev.ops = &ops;
	responder_post(f, 1, 0, GRH + PAYLOAD);
	KUNIT_ASSERT_EQ(test, svt_multicast_attach(f->qp, &group), 0);
	arrive(f);
	expect_copies(test, f->qp, 1);
	responder_post(f, 2, 0, GRH + PAYLOAD);
	KUNIT_EXPECT_EQ(test, svt_multicast_detach(f->qp, &group), 0);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_NO_QP), 2);
	f->fake->dev.ops = usual;
}

static struct kunit_case multicast_cases[] = {
	KUNIT_CASE(each_member_gets_a_packet_once),
	KUNIT_CASE(a_group_without_members_is_no_qp),
	KUNIT_CASE(a_group_of_another_namespace_hears_nothing),
	KUNIT_CASE(a_qp_attached_twice_gets_one_copy_until_both_are_undone),
	KUNIT_CASE(a_qp_attached_twice_that_goes_leaves_its_groups),
	KUNIT_CASE(only_ud_qps_join_and_only_multicast_gids),
	KUNIT_CASE(a_device_has_no_more_groups_than_it_says),
	KUNIT_CASE(a_qp_that_goes_leaves_all_its_groups),
	KUNIT_CASE(what_the_backend_refuses_is_refused),
	KUNIT_CASE(a_group_is_found_while_the_backend_hears_it_only),
	{}
};

static struct kunit_suite multicast_suite = {
	.name = "svt-multicast",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = multicast_cases,
};

kunit_test_suite(multicast_suite);
