// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of arrivals, at a device that drops whatever comes, as the packets are empty: what it
 * counts is what has arrived. The tasklet runs when BH come on again, and only then.
 */
#include <kunit/test.h>
#include <linux/delay.h>

#include "../../svt/core.h"
#include "../arrival.h"

struct arrival_fixture {
	struct svt_core core;
	struct svt_device dev;
	struct loop_arrivals arrivals;
};

static int arrival_init(struct kunit *test)
{
	struct arrival_fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);

	if (!fixture)
		return -ENOMEM;
	fixture->core.counters = alloc_percpu(struct svt_counters);
	if (!fixture->core.counters)
		return -ENOMEM;
	fixture->dev.core = &fixture->core;
	loop_arrivals_init(&fixture->arrivals, &fixture->dev);
	test->priv = fixture;
	return 0;
}

static void arrival_exit(struct kunit *test)
{
	struct arrival_fixture *fixture = test->priv;

	if (!fixture)
		return;
	loop_arrivals_stop(&fixture->arrivals);
	free_percpu(fixture->core.counters);
}

static void add(struct kunit *test, unsigned int packets, ktime_t due)
{
	struct arrival_fixture *fixture = test->priv;

	local_bh_disable();
	while (packets--) {
		struct sk_buff *skb = alloc_skb(8, GFP_ATOMIC);

		if (skb) {
			skb->tstamp = due;
			*svt_rx_cb(skb) = (struct svt_rx_cb) {};
		}
		loop_arrivals_add(&fixture->arrivals, skb);
	}
}

static u64 count(struct arrival_fixture *fixture, enum svt_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(fixture->core.counters, cpu)->value[counter];
	return sum;
}

static void expect(struct kunit *test, u64 waiting, u64 arrived, u64 lost)
{
	struct arrival_fixture *fixture = test->priv;

	KUNIT_EXPECT_EQ(test, skb_queue_len(&fixture->arrivals.queue), waiting);
	KUNIT_EXPECT_EQ(test, count(fixture, SVT_COUNT_RX_DROPPED_MALFORMED), arrived);
	KUNIT_EXPECT_EQ(test, count(fixture, SVT_COUNT_RX_DROPPED_BACKEND), lost);
}

static void all_that_is_due_arrives(struct kunit *test)
{
	struct arrival_fixture *fixture = test->priv;
	unsigned int i;

	add(test, 3 * LOOP_BUDGET, 0);
	expect(test, 3 * LOOP_BUDGET, 0, 0);
	local_bh_enable();
	/* Some may be left to ksoftirqd */
	for (i = 0; i < 500 && !skb_queue_empty_lockless(&fixture->arrivals.queue); i++)
		msleep(20);
	expect(test, 0, 3 * LOOP_BUDGET, 0);
}

/* A softirq that took all, while what it took makes more, would keep its CPU for ever */
static void only_so_many_packets_arrive_at_a_time(struct kunit *test)
{
	struct tasklet_struct *tasklet = &((struct arrival_fixture *)test->priv)->arrivals.tasklet;

	add(test, LOOP_BUDGET + 1, 0);
	tasklet->callback(tasklet);
	expect(test, 1, LOOP_BUDGET, 0);
	tasklet->callback(tasklet);
	expect(test, 0, LOOP_BUDGET + 1, 0);
	local_bh_enable();
}

static void what_is_not_due_waits_behind_what_is(struct kunit *test)
{
	add(test, 1, ktime_add_ms(ktime_get(), MSEC_PER_SEC * 3600));
	add(test, 1, 0);
	local_bh_enable();
	local_bh_enable();
	expect(test, 1, 1, 0);
}

static void what_the_queue_has_no_room_for_is_lost(struct kunit *test)
{
	add(test, LOOP_QUEUE + 2, KTIME_MAX);
	local_bh_enable();
	expect(test, LOOP_QUEUE, 0, 2);
}

static struct kunit_case arrival_cases[] = {
	KUNIT_CASE(all_that_is_due_arrives),
	KUNIT_CASE(only_so_many_packets_arrive_at_a_time),
	KUNIT_CASE(what_is_not_due_waits_behind_what_is),
	KUNIT_CASE(what_the_queue_has_no_room_for_is_lost),
	{}
};

static struct kunit_suite arrival_suite = {
	.name = "svt_loop_arrival",
	.init = arrival_init,
	.exit = arrival_exit,
	.test_cases = arrival_cases,
};

kunit_test_suite(arrival_suite);
