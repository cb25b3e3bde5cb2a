// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of a QP: nothing of it is at work any more, whatever it waited for. And its handlers,
 * which may use the objects that call them.
 */
#include <linux/delay.h>

#include "tests/fake.h"
#include "transport/modify.h"
#include "verbs/verbs.h"
#include "wire/aeth.h"

/* 10 us: code 1 of an RNR NAK */
#define RNR_SHORTEST	1
#define ROUNDS		100

/* Without data, so that it needs no memory */
static void post(struct svt_fake *fake, struct svt_qp *qp, u64 wr_id)
{
	const struct svt_send_wqe wqe = {
		.wr_id = wr_id,
		.opcode = IB_UVERBS_WR_SEND,
		.flags = SVT_SEND_SIGNALED,
	};

	KUNIT_EXPECT_EQ(fake->test, svt_fake_post_send(qp, &wqe, NULL), 0);
	svt_send_schedule(qp, SVT_WORK_QUEUE);
}

static void answer(struct svt_fake *fake, struct svt_qp *qp, u32 psn, u8 syndrome)
{
	struct svt_packet packet = svt_fake_packet(qp, IB_OPCODE_RC_ACKNOWLEDGE, psn);

	packet.syndrome = syndrome;
	svt_fake_receive(fake, qp, &packet, NULL, 0);
}

static void expect_at_rest(struct kunit *test, struct svt_qp *qp)
{
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&qp->send.timer));
	KUNIT_EXPECT_EQ(test, work_busy(&qp->send.half.defer), 0);
	KUNIT_EXPECT_EQ(test, work_busy(&qp->recv.half.defer), 0);
	KUNIT_EXPECT_EQ(test, work_busy(&qp->send.half.late.work), 0);
	KUNIT_EXPECT_EQ(test, work_busy(&qp->recv.half.late.work), 0);
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&qp->send.half.backlog));
	KUNIT_EXPECT_TRUE(test, skb_queue_empty(&qp->recv.half.backlog));
}

/* The memory of the QP is the test's and stays until its end */
static void a_qp_that_ends_leaves_no_timer(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	struct svt_fake *fake = svt_fake_create(test);
	struct svt_qp *qp = svt_fake_qp(fake, &options);

	post(fake, qp, 1);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&qp->send.timer));
	svt_fake_destroy(fake);
	expect_at_rest(test, qp);
}

static void a_qp_that_is_reset_leaves_no_timer(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	struct svt_fake *fake = svt_fake_create(test);
	struct svt_qp *qp = svt_fake_qp(fake, &options);

	post(fake, qp, 1);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&qp->send.timer));
	KUNIT_EXPECT_EQ(test, svt_fake_modify(qp, IB_QPS_RESET), 0);
	expect_at_rest(test, qp);
	svt_fake_destroy(fake);
}

/*
 * The timer of a wait for the peer fires all the time: before the end begins, while it waits, or in
 * the middle of what it takes down. Afterwards nothing is sent.
 */
static void destroy_races_with_the_timer(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	unsigned int i, trains;

	for (i = 0; i < ROUNDS; i++) {
		struct svt_fake *fake = svt_fake_create(test);
		struct svt_qp *qp = svt_fake_qp(fake, &options);

		post(fake, qp, 1);
		answer(fake, qp, options.sq_psn, SVT_AETH_RNR | RNR_SHORTEST);
		udelay(i % 20);
		svt_fake_destroy(fake);
		trains = fake->trains;
		expect_at_rest(test, qp);
		usleep_range(20, 40);
		KUNIT_EXPECT_EQ(test, fake->trains, trains);
	}
}

/* Deferred work is what a QP does that used up its budget: it refills its ring for ever */
static void a_qp_that_ends_leaves_no_work(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		struct svt_fake *fake = svt_fake_create(test);
		struct svt_qp *qp = svt_fake_qp(fake, &options);

		post(fake, qp, 1);
		queue_work(fake->core.workqueue, &qp->send.half.defer);
		queue_work(fake->core.workqueue, &qp->recv.half.defer);
		queue_delayed_work(fake->core.workqueue, &qp->send.half.late, i % 2);
		queue_delayed_work(fake->core.workqueue, &qp->recv.half.late, i % 2);
		svt_fake_destroy(fake);
		expect_at_rest(test, qp);
	}
}

/* Posts to a QP in ERR until it makes them wait: false when it never does */
static bool post_until_they_wait(struct svt_qp *qp)
{
	const struct ib_recv_wr wr = {}, *bad;
	int before, i;

	for (i = 0; i < ROUNDS; i++) {
		before = atomic_read(&qp->recv.half.late_runs);
		if (svt_post_recv(&qp->ibqp, &wr, &bad))
			return false;
		flush_delayed_work(&qp->recv.half.late);
		if (atomic_read(&qp->recv.half.late_runs) == before)
			return true;
	}
	return false;
}

static void many_late_posts_wait_until_reset(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	struct svt_fake *fake = svt_fake_create(test);
	struct svt_qp *qp = svt_fake_qp(fake, &options);

	KUNIT_ASSERT_EQ(test, svt_fake_modify(qp, IB_QPS_ERR), 0);
	KUNIT_EXPECT_TRUE(test, post_until_they_wait(qp));
	KUNIT_ASSERT_EQ(test, svt_fake_modify(qp, IB_QPS_RESET), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&qp->recv.half.late_runs), 0);
	svt_fake_destroy(fake);
}

/* Between the check of a modify and the change itself the peer may end the QP */
static void a_modify_that_comes_late_leaves_the_qp_in_error(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	const int mask = IB_QP_MIN_RNR_TIMER | IB_QP_MAX_DEST_RD_ATOMIC;
	struct svt_fake *fake = svt_fake_create(test);
	struct svt_qp *qp = svt_fake_qp(fake, &options);
	struct ib_qp_attr attr = qp->attr;
	u32 resources = qp->recv.resource_entries;

	attr.min_rnr_timer++;
	attr.max_dest_rd_atomic++;
	post(fake, qp, 1);
	answer(fake, qp, options.sq_psn, SVT_AETH_NAK | SVT_NAK_REMOTE_ACCESS);
	KUNIT_ASSERT_EQ(test, qp->state, IB_QPS_ERR);
	mutex_lock(&qp->modify_lock);
	KUNIT_EXPECT_EQ(test, svt_qp_modify(qp, &attr, mask, IB_QPS_RTS, IB_QPS_RTS), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_qp_modify(qp, &attr, mask, IB_QPS_RTS, IB_QPS_SQD), -EINVAL);
	KUNIT_EXPECT_EQ(test, qp->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, qp->attr.min_rnr_timer, attr.min_rnr_timer - 1);
	KUNIT_EXPECT_EQ(test, qp->attr.max_dest_rd_atomic, attr.max_dest_rd_atomic - 1);
	KUNIT_EXPECT_EQ(test, qp->recv.resource_entries, resources);
	/* To the end there is a way from any state */
	KUNIT_EXPECT_EQ(test, svt_qp_modify(qp, &attr, 0, IB_QPS_RTS, IB_QPS_ERR), 0);
	mutex_unlock(&qp->modify_lock);
	svt_fake_destroy(fake);
}

/**
 * struct player - a QP whose completion handler acts
 * @fake: device
 * @qp: QP
 * @psn: of the next answer of the peer
 * @calls: of the handler
 * @polled: completions that it took
 */
struct player {
	struct svt_fake *fake;
	struct svt_qp *qp;
	u32 psn;
	unsigned int calls;
	unsigned int polled;
};

/* All that a client may do here takes the locks under which the completion was made */
static void act(struct ib_cq *ibcq, void *context)
{
	struct player *player = context;
	struct svt_qp *qp = player->qp;
	struct svt_cq *cq = to_svt_cq(ibcq);
	struct kunit *test = player->fake->test;
	struct ib_wc wc;

	lockdep_assert_not_held(&cq->lock);
	lockdep_assert_not_held(&qp->send.half.lock);
	lockdep_assert_not_held(&qp->recv.half.lock);
	player->calls++;
	while (svt_cq_poll(cq, 1, &wc) == 1) {
		KUNIT_EXPECT_EQ(test, wc.status, IB_WC_SUCCESS);
		player->polled++;
	}
	svt_cq_arm(cq, IB_CQ_NEXT_COMP);
	if (player->polled < SVT_FAKE_DEPTH)
		post(player->fake, qp, player->polled);
}

static void a_handler_may_poll_arm_and_post(struct kunit *test)
{
	const struct svt_fake_options options = SVT_FAKE_RC;
	struct svt_fake *fake = svt_fake_create(test);
	struct svt_qp *qp = svt_fake_qp(fake, &options);
	struct player player = { .fake = fake, .qp = qp, .psn = options.sq_psn };
	unsigned int i;

	qp->send_cq->ibcq.comp_handler = act;
	qp->send_cq->ibcq.cq_context = &player;
	svt_cq_arm(qp->send_cq, IB_CQ_NEXT_COMP);
	post(fake, qp, 0);
	for (i = 0; i < SVT_FAKE_DEPTH; i++)
		answer(fake, qp, (player.psn + i) & 0xffffff, SVT_AETH_ACK | SVT_AETH_NO_CREDITS);
	KUNIT_EXPECT_EQ(test, player.calls, SVT_FAKE_DEPTH);
	KUNIT_EXPECT_EQ(test, player.polled, SVT_FAKE_DEPTH);
	svt_fake_destroy(fake);
}

static struct kunit_case lifetime_cases[] = {
	KUNIT_CASE(a_qp_that_ends_leaves_no_timer),
	KUNIT_CASE(a_qp_that_is_reset_leaves_no_timer),
	KUNIT_CASE(destroy_races_with_the_timer),
	KUNIT_CASE(a_qp_that_ends_leaves_no_work),
	KUNIT_CASE(many_late_posts_wait_until_reset),
	KUNIT_CASE(a_modify_that_comes_late_leaves_the_qp_in_error),
	KUNIT_CASE(a_handler_may_poll_arm_and_post),
	{}
};

static struct kunit_suite lifetime_suite = {
	.name = "svt-lifetime",
	.test_cases = lifetime_cases,
};

kunit_test_suite(lifetime_suite);
