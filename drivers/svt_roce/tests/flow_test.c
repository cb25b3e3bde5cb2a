// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of flows: packets that are freed after their flow was closed, and when a flow is refused.
 * No packet is freed while its flow was refused, for there is no QP to be told.
 */
#include <kunit/test.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>

#include "../flow.h"
#include "../roce.h"

struct flow_fixture {
	struct roce_device device;
	struct svt_flow flow;
	struct sk_buff *skb;	/* in flight */
};

static int flow_init(struct kunit *test)
{
	struct flow_fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);
	struct roce_flow *priv;

	KUNIT_ASSERT_NOT_NULL(test, fixture);
	fixture->device.net = &init_net;
	KUNIT_ASSERT_EQ(test, roce_flow_open(&fixture->device.svt, &fixture->flow), 0);
	fixture->skb = alloc_skb(100, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->skb);
	priv = to_roce_flow(&fixture->flow);
	skb_set_owner_w(fixture->skb, priv->sk);
	test->priv = fixture;
	return 0;
}

static void close_then_free(struct kunit *test)
{
	struct flow_fixture *fixture = test->priv;

	roce_flow_close(&fixture->device.svt, &fixture->flow);
	KUNIT_EXPECT_NULL(test, fixture->flow.priv);
	kfree_skb(fixture->skb);
}

static void a_packet_may_outlive_its_flow(struct kunit *test)
{
	close_then_free(test);
}

/* The memory is given back at once, so that a delay limits nobody, and the socket referred to */
static void a_packet_delayed_by_netem_may_outlive_its_flow(struct kunit *test)
{
	struct flow_fixture *fixture = test->priv;

	skb_orphan_partial(fixture->skb);
	KUNIT_ASSERT_NOT_NULL(test, fixture->skb->sk);
	close_then_free(test);
}

static bool has_room(struct flow_fixture *fixture)
{
	bool room;

	local_bh_disable();
	room = roce_flow_has_room(to_roce_flow(&fixture->flow));
	local_bh_enable();
	return room;
}

static void much_in_flight_is_enough(struct kunit *test)
{
	struct flow_fixture *fixture = test->priv;
	struct sock *sk = fixture->skb->sk;
	int much = 1024 * 1024;

	KUNIT_EXPECT_TRUE(test, has_room(fixture));
	refcount_add(much, &sk->sk_wmem_alloc);
	fixture->skb->truesize += much;
	KUNIT_EXPECT_FALSE(test, has_room(fixture));
	close_then_free(test);
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE(a_packet_may_outlive_its_flow),
	KUNIT_CASE(a_packet_delayed_by_netem_may_outlive_its_flow),
	KUNIT_CASE(much_in_flight_is_enough),
	{}
};

static struct kunit_suite flow_suite = {
	.name = "svt_roce_flow",
	.init = flow_init,
	.test_cases = flow_cases,
};

kunit_test_suite(flow_suite);
