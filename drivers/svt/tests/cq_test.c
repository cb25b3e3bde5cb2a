// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: order, overrun, arming, moderation, polling by kernel clients, resize.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "queue/cq.h"

#define ENTRIES	8

struct fixture {
	struct svt_cq cq;
	struct ib_qp qp;
	struct ib_qp other_qp;
	unsigned int completions;
	unsigned int errors;
};

static void count_completion(struct ib_cq *ibcq, void *context)
{
	((struct fixture *)context)->completions++;
}

static void count_error(struct ib_event *event, void *context)
{
	struct fixture *f = context;

	if (event->event == IB_EVENT_CQ_ERR && event->element.cq == &f->cq.ibcq)
		f->errors++;
}

static int cq_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->cq.ibcq.comp_handler = count_completion;
	f->cq.ibcq.event_handler = count_error;
	f->cq.ibcq.cq_context = f;
	return svt_cq_init(&f->cq, ENTRIES, true);
}

static void cq_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_free(&f->cq);
}

static void make_user(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_free(&f->cq);
	KUNIT_ASSERT_EQ(test, svt_cq_init(&f->cq, ENTRIES, false), 0);
}

/* As if 2^32 - 3 completions had gone through */
static void age(struct fixture *f)
{
	f->cq.ring.index = -3;
	f->cq.ring.control->producer = -3;
	f->cq.ring.control->consumer = -3;
}

static unsigned int add_of(struct fixture *f, u64 wr_id, struct ib_qp *qp, bool solicited)
{
	struct svt_cqe cqe = { .wr_id = wr_id };

	return svt_cq_add(&f->cq, &cqe, 1, qp, solicited);
}

static unsigned int add(struct fixture *f, u64 wr_id)
{
	return add_of(f, wr_id, &f->qp, false);
}

static void expect_poll(struct kunit *test, u64 first, u64 last)
{
	struct fixture *f = test->priv;
	struct ib_wc wc;
	u64 wr_id;

	for (wr_id = first; wr_id <= last; wr_id++) {
		KUNIT_ASSERT_EQ(test, svt_cq_poll(&f->cq, 1, &wc), 1);
		KUNIT_EXPECT_EQ(test, wc.wr_id, wr_id);
	}
	KUNIT_EXPECT_EQ(test, svt_cq_poll(&f->cq, 1, &wc), 0);
}

static void completions_come_out_in_order_for_many_rounds(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i, n;

	age(f);
	for (i = 0; i < 50; i += n) {
		for (n = 0; n < 1 + i % ENTRIES; n++)
			KUNIT_EXPECT_EQ(test, add(f, i + n), SVT_CQ_QUIET);
		expect_poll(test, i, i + n - 1);
	}
}

static void a_poll_takes_no_more_than_there_is_room_for(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_wc wc[ENTRIES];
	u64 i;

	for (i = 0; i < 5; i++)
		add(f, i);
	KUNIT_EXPECT_EQ(test, svt_cq_poll(&f->cq, 0, wc), 0);
	KUNIT_EXPECT_EQ(test, svt_cq_poll(&f->cq, 3, wc), 3);
	KUNIT_EXPECT_EQ(test, wc[2].wr_id, 2);
	KUNIT_EXPECT_EQ(test, svt_cq_poll(&f->cq, ENTRIES, wc), 2);
	KUNIT_EXPECT_EQ(test, wc[1].wr_id, 4);
}

static void a_poll_gives_every_field(struct kunit *test)
{
	struct svt_cqe cqe = {
		.wr_id = 1, .byte_len = 2, .imm_data = cpu_to_be32(3), .src_qp = 4,
		.vendor_err = 5, .pkey_index = 6, .status = IB_WC_REM_ACCESS_ERR, .sl = 7,
		.opcode = IB_WC_RECV_RDMA_WITH_IMM, .flags = SVT_CQE_GRH | SVT_CQE_WITH_IMM,
	};
	struct fixture *f = test->priv;
	struct ib_wc wc;

	svt_cq_add(&f->cq, &cqe, 1, &f->qp, false);
	KUNIT_ASSERT_EQ(test, svt_cq_poll(&f->cq, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, wc.wr_id, 1);
	KUNIT_EXPECT_EQ(test, wc.byte_len, 2);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(wc.ex.imm_data), 3);
	KUNIT_EXPECT_EQ(test, wc.src_qp, 4);
	KUNIT_EXPECT_EQ(test, wc.vendor_err, 5);
	KUNIT_EXPECT_EQ(test, wc.pkey_index, 6);
	KUNIT_EXPECT_EQ(test, wc.status, IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, wc.sl, 7);
	KUNIT_EXPECT_EQ(test, wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_GRH | IB_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, wc.port_num, 1);
	KUNIT_EXPECT_PTR_EQ(test, wc.qp, &f->qp);
}

static void a_poll_gives_the_invalidated_key(struct kunit *test)
{
	struct svt_cqe cqe = { .invalidated_rkey = 0x12345678, .flags = SVT_CQE_WITH_INV };
	struct fixture *f = test->priv;
	struct ib_wc wc;

	svt_cq_add(&f->cq, &cqe, 1, &f->qp, false);
	KUNIT_ASSERT_EQ(test, svt_cq_poll(&f->cq, 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, wc.ex.invalidate_rkey, 0x12345678);
	KUNIT_EXPECT_EQ(test, wc.wc_flags, IB_WC_WITH_INVALIDATE);
}

static void what_has_room_of_many_completions_is_added_before_the_queue_fails(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_cqe cqes[ENTRIES + 2] = {};
	struct ib_wc wc[ENTRIES + 2];
	u32 i, room = f->cq.ring.entries;

	KUNIT_ASSERT_EQ(test, room, ENTRIES);
	for (i = 0; i < ARRAY_SIZE(cqes); i++)
		cqes[i].wr_id = 10 + i;
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, svt_cq_add(&f->cq, cqes, ARRAY_SIZE(cqes), &f->qp, false),
			SVT_CQ_COMPLETION | SVT_CQ_OVERRUN);
	KUNIT_ASSERT_EQ(test, svt_cq_poll(&f->cq, ARRAY_SIZE(wc), wc), room);
	for (i = 0; i < room; i++)
		KUNIT_EXPECT_EQ(test, wc[i].wr_id, 10 + i);
	KUNIT_EXPECT_EQ(test, svt_cq_add(&f->cq, cqes, 2, &f->qp, false), SVT_CQ_LOST);
}

static void a_users_queue_can_not_be_polled_through_the_kernel(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_wc wc;

	make_user(test);
	add(f, 1);
	KUNIT_EXPECT_EQ(test, svt_cq_poll(&f->cq, 1, &wc), -EINVAL);
}

static void nothing_behind_the_last_member_reaches_user_space(struct kunit *test)
{
	const size_t end = offsetofend(struct svt_cqe, reserved);
	struct fixture *f = test->priv;
	struct svt_cqe cqe;

	make_user(test);
	memset(&cqe, 0xff, sizeof(cqe));
	svt_cq_add(&f->cq, &cqe, 1, &f->qp, false);
	KUNIT_EXPECT_NULL(test, memchr_inv(svt_ring_element(&f->cq.ring, 0) + end, 0,
					   sizeof(cqe) - end));
}

static void time_stamps_are_there_when_asked_for(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_cqe *element = svt_ring_element(&f->cq.ring, 0);
	u64 before;

	add(f, 1);
	KUNIT_EXPECT_EQ(test, element->timestamp, 0);
	KUNIT_EXPECT_EQ(test, element->wall_clock, 0);

	f->cq.timestamps = true;
	before = ktime_get_ns();
	add(f, 2);
	KUNIT_EXPECT_GE(test, element[1].timestamp, before);
	KUNIT_EXPECT_LE(test, element[1].timestamp, ktime_get_ns());
	KUNIT_EXPECT_LE(test, element[1].wall_clock, ktime_get_real_ns());
	KUNIT_EXPECT_NE(test, element[1].wall_clock, 0);
}

static void a_queue_that_overruns_fails_once_and_for_good(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	age(f);
	for (i = 0; i < ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, add(f, i), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, add(f, 100), SVT_CQ_OVERRUN);
	KUNIT_EXPECT_EQ(test, add(f, 101), SVT_CQ_LOST);
	expect_poll(test, 0, ENTRIES - 1);
	KUNIT_EXPECT_EQ(test, add(f, 102), SVT_CQ_LOST);
	KUNIT_EXPECT_EQ(test, f->cq.ring.control->producer, (u32)-3 + ENTRIES);
}

static void a_consumer_index_that_can_not_be_is_an_overrun(struct kunit *test)
{
	static const u32 consumers[] = { 1, 100, 0x80000000, -ENTRIES - 1 };
	struct fixture *f = test->priv;
	unsigned int i;

	make_user(test);
	for (i = 0; i < ARRAY_SIZE(consumers); i++) {
		f->cq.failed = false;
		f->cq.ring.control->consumer = consumers[i];
		KUNIT_EXPECT_EQ(test, add(f, i), SVT_CQ_OVERRUN);
		KUNIT_EXPECT_EQ(test, f->cq.ring.index, 0);
	}
}

static void the_producer_index_in_the_ring_is_not_read_back(struct kunit *test)
{
	struct fixture *f = test->priv;

	make_user(test);
	f->cq.ring.control->producer = 0xdeadbeef;
	KUNIT_EXPECT_EQ(test, add(f, 1), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, f->cq.ring.control->producer, 1);
}

static void a_queue_that_is_not_armed_is_quiet(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, add_of(f, 1, &f->qp, true), SVT_CQ_QUIET);
}

static void an_armed_queue_reports_one_completion(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP), 0);
	KUNIT_EXPECT_EQ(test, add(f, 1), SVT_CQ_COMPLETION);
	KUNIT_EXPECT_EQ(test, add(f, 2), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, f->cq.ring.control->arm, SVT_CQ_ARM_NONE);
}

static void a_queue_armed_for_solicited_waits_for_one(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_arm(&f->cq, IB_CQ_SOLICITED);
	KUNIT_EXPECT_EQ(test, add_of(f, 1, &f->qp, false), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, add_of(f, 2, &f->qp, true), SVT_CQ_COMPLETION);
	KUNIT_EXPECT_EQ(test, add_of(f, 3, &f->qp, true), SVT_CQ_QUIET);
}

static void a_request_for_the_next_is_not_weakened(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	svt_cq_arm(&f->cq, IB_CQ_SOLICITED);
	KUNIT_EXPECT_EQ(test, add_of(f, 1, &f->qp, false), SVT_CQ_COMPLETION);

	svt_cq_arm(&f->cq, IB_CQ_SOLICITED);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, add_of(f, 2, &f->qp, false), SVT_CQ_COMPLETION);
}

static void an_arm_word_without_sense_asks_for_nothing(struct kunit *test)
{
	struct fixture *f = test->priv;

	make_user(test);
	f->cq.ring.control->arm = 0xdeadbeef;
	KUNIT_EXPECT_EQ(test, add_of(f, 1, &f->qp, true), SVT_CQ_QUIET);
}

static void arming_reports_missed_events(struct kunit *test)
{
	const enum ib_cq_notify_flags flags = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, svt_cq_arm(&f->cq, flags), 0);
	add(f, 1);
	KUNIT_EXPECT_EQ(test, svt_cq_arm(&f->cq, flags), 1);
	KUNIT_EXPECT_EQ(test, svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP), 0);
	expect_poll(test, 1, 1);
	KUNIT_EXPECT_EQ(test, svt_cq_arm(&f->cq, flags), 0);
}

static void an_overrun_is_not_announced_as_a_completion(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	for (i = 0; i < ENTRIES; i++)
		add(f, i);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, add(f, 100), SVT_CQ_OVERRUN);
}

static void an_overrun_that_is_ignored_drops_what_has_no_room(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	f->cq.ignore_overrun = true;
	for (i = 0; i < ENTRIES; i++)
		add(f, i);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, add(f, 100), SVT_CQ_DROPPED);
	expect_poll(test, 0, ENTRIES - 1);
	KUNIT_EXPECT_EQ(test, add(f, 101), SVT_CQ_COMPLETION);
	expect_poll(test, 101, 101);
	KUNIT_EXPECT_FALSE(test, f->cq.failed);
}

static void a_moderated_event_waits_for_as_many_completions(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_moderate(&f->cq, 3, U16_MAX);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, add(f, 1), SVT_CQ_QUIET);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(&f->cq.moderation.timer));
	KUNIT_EXPECT_EQ(test, add(f, 2), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, add(f, 3), SVT_CQ_COMPLETION);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(&f->cq.moderation.timer));
	/* The event is spent, and what comes unasked does not count */
	KUNIT_EXPECT_EQ(test, add(f, 4), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, f->cq.moderation.waiting, 0);
}

static void a_moderated_event_comes_when_its_period_is_over(struct kunit *test)
{
	struct fixture *f = test->priv;
	int tries;

	svt_cq_moderate(&f->cq, 3, 1000);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, add(f, 1), SVT_CQ_QUIET);
	for (tries = 0; tries < 1000 && !READ_ONCE(f->completions); tries++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, f->completions, 1);
	KUNIT_EXPECT_EQ(test, f->cq.ring.control->arm, SVT_CQ_ARM_NONE);
	KUNIT_EXPECT_EQ(test, f->cq.moderation.waiting, 0);
}

static void moderation_needs_both_a_count_and_a_period(struct kunit *test)
{
	struct fixture *f = test->priv;
	static const u16 off[][2] = { { 0, 100 }, { 1, 100 }, { 100, 0 }, { 0, 0 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(off); i++) {
		svt_cq_moderate(&f->cq, off[i][0], off[i][1]);
		svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
		KUNIT_EXPECT_EQ(test, add(f, i), SVT_CQ_COMPLETION);
	}
}

/* Else the end of the period would raise one more, of which nothing is left to tell */
static void an_event_behind_the_end_of_moderation_is_the_last(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_moderate(&f->cq, 3, U16_MAX);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	/* The timer is one of softirqs */
	local_bh_disable();
	KUNIT_EXPECT_EQ(test, add(f, 1), SVT_CQ_QUIET);
	svt_cq_moderate(&f->cq, 0, 0);
	KUNIT_EXPECT_EQ(test, add(f, 2), SVT_CQ_COMPLETION);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, f->cq.moderation.waiting, 0);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(&f->cq.moderation.timer));
}

static void moderation_counts_what_the_event_was_asked_for(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_moderate(&f->cq, 2, U16_MAX);
	svt_cq_arm(&f->cq, IB_CQ_SOLICITED);
	add(f, 1);
	add(f, 2);
	KUNIT_EXPECT_EQ(test, add_of(f, 3, &f->qp, true), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, add(f, 4), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, add_of(f, 5, &f->qp, true), SVT_CQ_COMPLETION);
}

static void events_go_to_their_handlers(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_notify(&f->cq, SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, f->completions, 0);
	KUNIT_EXPECT_EQ(test, f->errors, 0);
	svt_cq_notify(&f->cq, SVT_CQ_COMPLETION);
	KUNIT_EXPECT_EQ(test, f->completions, 1);
	KUNIT_EXPECT_EQ(test, f->errors, 0);
	svt_cq_notify(&f->cq, SVT_CQ_COMPLETION | SVT_CQ_OVERRUN);
	KUNIT_EXPECT_EQ(test, f->completions, 2);
	KUNIT_EXPECT_EQ(test, f->errors, 1);
}

/* Where there is one CPU nothing can be called elsewhere: the work item that would do it is run */
static void each_event_for_another_cpu_calls_the_handler(struct kunit *test)
{
	struct fixture *f = test->priv;

	atomic_set(&f->cq.calls, 2);
	queue_work(system_wq, &f->cq.call);
	svt_cq_flush(&f->cq);
	KUNIT_EXPECT_EQ(test, f->completions, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->cq.calls), 0);
}

static void events_are_not_sent_to_where_they_are(struct kunit *test)
{
	struct fixture *f = test->priv;

	migrate_disable();
	f->cq.cpu = smp_processor_id();
	svt_cq_notify(&f->cq, SVT_CQ_COMPLETION);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, f->completions, 1);
	/* A vector whose CPU is not there */
	svt_cq_bind(&f->cq, num_possible_cpus());
	svt_cq_notify(&f->cq, SVT_CQ_COMPLETION);
	KUNIT_EXPECT_EQ(test, f->completions, 2);
}

static void settling_raises_what_moderation_holds_back(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_moderate(&f->cq, 2, U16_MAX);
	svt_cq_arm(&f->cq, IB_CQ_NEXT_COMP);
	KUNIT_EXPECT_EQ(test, add(f, 1), SVT_CQ_QUIET);
	svt_cq_flush(&f->cq);
	KUNIT_EXPECT_EQ(test, f->completions, 1);
	svt_cq_flush(&f->cq);
	KUNIT_EXPECT_EQ(test, f->completions, 1);
}

static void missing_handlers_are_not_called(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->cq.ibcq.comp_handler = NULL;
	f->cq.ibcq.event_handler = NULL;
	svt_cq_notify(&f->cq, SVT_CQ_COMPLETION | SVT_CQ_OVERRUN);
	KUNIT_SUCCEED(test);
}

static void completions_of_a_qp_that_is_gone_are_skipped(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	age(f);
	for (i = 1; i <= 6; i++)
		add_of(f, i, i <= 3 ? &f->other_qp : &f->qp, false);
	svt_cq_forget(&f->cq, &f->other_qp);
	expect_poll(test, 4, 6);
	svt_cq_forget(&f->cq, &f->qp);
	/* All room is there again */
	for (i = 1; i <= ENTRIES; i++)
		KUNIT_EXPECT_EQ(test, add(f, i), SVT_CQ_QUIET);
}

static void forgetting_leaves_a_users_queue_alone(struct kunit *test)
{
	struct fixture *f = test->priv;

	make_user(test);
	add(f, 1);
	f->cq.ring.control->consumer = 0xdeadbeef;
	svt_cq_forget(&f->cq, &f->qp);
	KUNIT_EXPECT_EQ(test, f->cq.ring.control->producer, 1);
}

static int replace(struct fixture *f, u32 entries)
{
	struct svt_ring ring, old;
	int ret;

	ret = svt_ring_alloc(&ring, entries, sizeof(struct svt_cqe));
	if (ret)
		return ret;
	ret = svt_cq_replace(&f->cq, &ring, &old);
	svt_ring_free(ret ? &ring : &old);
	return ret;
}

static void a_resize_keeps_what_is_pending(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct ib_wc wc;
	u64 i;

	age(f);
	for (i = 1; i <= ENTRIES; i++)
		add(f, i);
	KUNIT_ASSERT_EQ(test, svt_cq_poll(&f->cq, 1, &wc), 1);
	KUNIT_ASSERT_EQ(test, replace(f, 4 * ENTRIES), 0);
	KUNIT_EXPECT_EQ(test, f->cq.ring.entries, 4 * ENTRIES);
	for (; i <= 4 * ENTRIES + 1; i++)
		KUNIT_EXPECT_EQ(test, add(f, i), SVT_CQ_QUIET);
	expect_poll(test, 2, i - 1);
}

static void a_queue_can_shrink_to_what_is_pending(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	age(f);
	for (i = 1; i <= 4; i++)
		add(f, i);
	KUNIT_EXPECT_EQ(test, replace(f, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->cq.ring.entries, ENTRIES);
	KUNIT_ASSERT_EQ(test, replace(f, 4), 0);
	expect_poll(test, 1, 4);
}

static void a_resize_keeps_the_request_for_an_event(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_cq_arm(&f->cq, IB_CQ_SOLICITED);
	KUNIT_ASSERT_EQ(test, replace(f, 2 * ENTRIES), 0);
	KUNIT_EXPECT_EQ(test, add_of(f, 1, &f->qp, false), SVT_CQ_QUIET);
	KUNIT_EXPECT_EQ(test, add_of(f, 2, &f->qp, true), SVT_CQ_COMPLETION);
}

static void a_resize_keeps_the_qps(struct kunit *test)
{
	struct fixture *f = test->priv;

	age(f);
	add_of(f, 1, &f->qp, false);
	add_of(f, 2, &f->other_qp, false);
	KUNIT_ASSERT_EQ(test, replace(f, 2 * ENTRIES), 0);
	svt_cq_forget(&f->cq, &f->other_qp);
	expect_poll(test, 1, 1);
}

static void a_resize_refuses_a_consumer_index_that_can_not_be(struct kunit *test)
{
	struct fixture *f = test->priv;

	make_user(test);
	add(f, 1);
	f->cq.ring.control->consumer = 2;
	KUNIT_EXPECT_EQ(test, replace(f, 2 * ENTRIES), -EINVAL);
	f->cq.ring.control->consumer = -ENTRIES;
	KUNIT_EXPECT_EQ(test, replace(f, 2 * ENTRIES), -EINVAL);
	f->cq.ring.control->consumer = 0;
	KUNIT_EXPECT_EQ(test, replace(f, 2 * ENTRIES), 0);
	KUNIT_EXPECT_EQ(test, f->cq.ring.control->producer, 1);
}

static struct kunit_case cq_cases[] = {
	KUNIT_CASE(completions_come_out_in_order_for_many_rounds),
	KUNIT_CASE(a_poll_takes_no_more_than_there_is_room_for),
	KUNIT_CASE(a_poll_gives_every_field),
	KUNIT_CASE(a_poll_gives_the_invalidated_key),
	KUNIT_CASE(what_has_room_of_many_completions_is_added_before_the_queue_fails),
	KUNIT_CASE(a_users_queue_can_not_be_polled_through_the_kernel),
	KUNIT_CASE(nothing_behind_the_last_member_reaches_user_space),
	KUNIT_CASE(time_stamps_are_there_when_asked_for),
	KUNIT_CASE(a_queue_that_overruns_fails_once_and_for_good),
	KUNIT_CASE(a_consumer_index_that_can_not_be_is_an_overrun),
	KUNIT_CASE(the_producer_index_in_the_ring_is_not_read_back),
	KUNIT_CASE(a_queue_that_is_not_armed_is_quiet),
	KUNIT_CASE(an_armed_queue_reports_one_completion),
	KUNIT_CASE(a_queue_armed_for_solicited_waits_for_one),
	KUNIT_CASE(a_request_for_the_next_is_not_weakened),
	KUNIT_CASE(an_arm_word_without_sense_asks_for_nothing),
	KUNIT_CASE(arming_reports_missed_events),
	KUNIT_CASE(an_overrun_is_not_announced_as_a_completion),
	KUNIT_CASE(an_overrun_that_is_ignored_drops_what_has_no_room),
	KUNIT_CASE(a_moderated_event_waits_for_as_many_completions),
	KUNIT_CASE(a_moderated_event_comes_when_its_period_is_over),
	KUNIT_CASE(moderation_needs_both_a_count_and_a_period),
	KUNIT_CASE(an_event_behind_the_end_of_moderation_is_the_last),
	KUNIT_CASE(moderation_counts_what_the_event_was_asked_for),
	KUNIT_CASE(events_go_to_their_handlers),
	KUNIT_CASE(each_event_for_another_cpu_calls_the_handler),
	KUNIT_CASE(events_are_not_sent_to_where_they_are),
	KUNIT_CASE(settling_raises_what_moderation_holds_back),
	KUNIT_CASE(missing_handlers_are_not_called),
	KUNIT_CASE(completions_of_a_qp_that_is_gone_are_skipped),
	KUNIT_CASE(forgetting_leaves_a_users_queue_alone),
	KUNIT_CASE(a_resize_keeps_what_is_pending),
	KUNIT_CASE(a_queue_can_shrink_to_what_is_pending),
	KUNIT_CASE(a_resize_keeps_the_request_for_an_event),
	KUNIT_CASE(a_resize_keeps_the_qps),
	KUNIT_CASE(a_resize_refuses_a_consumer_index_that_can_not_be),
	{ }
};

static struct kunit_suite cq_suite = {
	.name = "svt-cq",
	.init = cq_test_init,
	.exit = cq_test_exit,
	.test_cases = cq_cases,
};

kunit_test_suite(cq_suite);
