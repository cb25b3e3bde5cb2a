// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Turns: how much a half of a QP does at once, and that it comes back for the rest.
 */
#include <linux/kthread.h>
#include <linux/preempt.h>

#include "tests/requester_fixture.h"
#include "wire/psn.h"

static struct requester_fixture *open(struct kunit *test)
{
	return requester_open(test, &REQUESTER_RC);
}

/* A WRITE of nothing, by the peer */
static struct svt_packet write_packet(const struct requester_fixture *f, u32 n)
{
	return svt_fake_packet(f->qp, IB_OPCODE_RC_RDMA_WRITE_ONLY,
			       svt_psn(REQUESTER_RC.rq_psn + n));
}

static void a_long_queue_is_worked_off_by_the_workqueue(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	unsigned int n;

	/* Three trains each, more than one run may send */
	for (n = 0; n < 16; n++)
		requester_post(f, WR_WRITE, 0, 3 * MTU);
	svt_send_schedule(f->qp, SVT_WORK_QUEUE);
	flush_workqueue(f->fake->core.workqueue);
	for (n = 0; n < 16; n++) {
		requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_FIRST, 3 * n);
		requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, 3 * n + 1);
		requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_LAST, 3 * n + 2);
	}
	requester_expect_silence(f);
}

/* More than somebody who came by may keep BH off for: a worker goes on */
static void a_long_backlog_is_worked_off_by_the_workqueue(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct sk_buff_head *backlog = &f->qp->recv.half.backlog;
	const struct svt_fake_sent *ack;
	unsigned int n;
	u32 left;

	for (n = 0; n < SVT_BACKLOG_MAX; n++) {
		struct svt_packet packet = write_packet(f, n);

		packet.ack_request = n == SVT_BACKLOG_MAX - 1;
		svt_fake_put(f->fake, &packet, NULL, 0);
	}
	preempt_disable();
	svt_fake_deliver(f->fake, f->qp);
	left = skb_queue_len(backlog);
	preempt_enable();
	KUNIT_EXPECT_GT(test, left, 0);
	KUNIT_EXPECT_LT(test, left, SVT_BACKLOG_MAX);
	flush_workqueue(f->fake->core.workqueue);
	KUNIT_EXPECT_EQ(test, skb_queue_len(backlog), 0);
	ack = svt_fake_next(f->fake);
	KUNIT_ASSERT_NOT_NULL(test, ack);
	KUNIT_EXPECT_EQ(test, ack->packet.opcode, IB_OPCODE_RC_ACKNOWLEDGE);
	KUNIT_EXPECT_EQ(test, ack->packet.psn, write_packet(f, n - 1).psn);
	requester_expect_silence(f);
}

static void a_long_queue_is_flushed_to_its_end(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;
	unsigned int n;

	options.sq_depth = 1024;
	f = requester_open(test, &options);
	f->fake->busy = true;
	for (n = 0; n < options.sq_depth; n++)
		requester_post(f, WR_SEND, 0, 8);
	requester_modify(f, IB_QPS_ERR);
	requester_expect_flushed(f, 0, options.sq_depth);
	requester_expect_silence(f);
}

/* There is always more to send than the backend has room for */
static void requests_and_answers_take_turns(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct svt_packet packet = write_packet(f, 0);
	unsigned int n, trains;

	f->fake->busy = true;
	for (n = 0; n < 8; n++)
		requester_post(f, WR_WRITE, 0, 3 * MTU);
	requester_push(f);
	packet.ack_request = true;
	svt_fake_put(f->fake, &packet, NULL, 0);
	svt_fake_deliver(f->fake, f->qp);
	for (n = 0; n < 2; n++) {
		f->fake->room = 1;
		f->fake->busy = false;
		svt_fake_ready(f->fake, f->qp);
	}
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_ACKS_SENT), 1);
	KUNIT_EXPECT_EQ(test, f->fake->trains, 2);
	trains = f->fake->trains;
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	KUNIT_EXPECT_GT(test, f->fake->trains, trains);
}

static int want_the_cpu(void *unused)
{
	while (!kthread_should_stop())
		schedule();
	return 0;
}

/* Somebody else wants this CPU, to which the caller stays bound until let_go() */
static struct task_struct *compete(struct kunit *test)
{
	struct task_struct *other = kthread_create(want_the_cpu, NULL, "svt_test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	migrate_disable();
	kthread_bind(other, smp_processor_id());
	wake_up_process(other);
	return other;
}

static void let_go(struct task_struct *other)
{
	kthread_stop(other);
	migrate_enable();
}

/* Return: how many trains went before anybody else had the CPU */
static unsigned int trains_at_once(struct requester_fixture *f)
{
	unsigned int trains = f->fake->trains, sent;

	preempt_disable();
	f->fake->room = 1;
	f->fake->busy = false;
	svt_flow_ready(&f->qp->flow);
	sent = f->fake->trains - trains;
	preempt_enable();
	flush_workqueue(f->fake->core.workqueue);
	KUNIT_EXPECT_EQ(f->test, f->fake->trains, trains + 1);
	return sent;
}

static void a_requester_gives_way_once_when_it_told_somebody(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct task_struct *other;
	unsigned int n;

	requester_send(f, WR_SEND, 0, 8);
	f->fake->busy = true;
	for (n = 0; n < 4; n++)
		requester_post(f, WR_WRITE, 0, 3 * MTU);
	requester_push(f);
	svt_cq_arm(f->qp->send_cq, IB_CQ_NEXT_COMP);
	requester_ack(f, 0);
	KUNIT_EXPECT_EQ(test, f->fake->completions, 1);

	other = compete(test);
	KUNIT_EXPECT_EQ(test, trains_at_once(f), 0);
	KUNIT_EXPECT_EQ(test, trains_at_once(f), 1);
	let_go(other);
}

/* Nobody would wait for the worker of a QP that is destroyed */
static void a_requester_that_was_reset_leaves_nothing_to_the_workqueue(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	struct task_struct *other;

	svt_cq_arm(f->qp->send_cq, IB_CQ_NEXT_COMP);
	requester_send(f, WR_SEND, 0, 8);
	requester_ack(f, 0);
	KUNIT_EXPECT_EQ(test, f->fake->completions, 1);
	requester_modify(f, IB_QPS_RESET);

	other = compete(test);
	preempt_disable();
	svt_flow_ready(&f->qp->flow);
	KUNIT_EXPECT_FALSE(test, work_pending(&f->qp->send.half.defer));
	preempt_enable();
	let_go(other);
}

#define INVALIDATIONS	64

/* How many are done before who posted them gives way; the rest is left to the workqueue */
static unsigned int invalidated_at_once(struct kunit *test, bool user)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct svt_send_wqe wqe = { .opcode = IB_UVERBS_WR_LOCAL_INV, .flags = SVT_SEND_SIGNALED };
	struct requester_fixture *f;
	unsigned int n, done = 0;
	struct ib_wc wc;

	options.sq_depth = INVALIDATIONS;
	f = requester_open(test, &options);
	f->qp->user = user;
	wqe.invalidate_rkey = svt_fake_window(f->fake)->key.key;
	for (n = 0; n < INVALIDATIONS; n++)
		requester_post_wqe(f, &wqe, NULL);
	preempt_disable();
	svt_send_schedule(f->qp, SVT_WORK_QUEUE);
	while (svt_fake_poll_send(f->qp, &wc))
		done += wc.status == IB_WC_SUCCESS;
	preempt_enable();
	flush_workqueue(f->fake->core.workqueue);
	for (n = done; n < INVALIDATIONS; n++)
		KUNIT_EXPECT_TRUE(test, svt_fake_poll_send(f->qp, &wc));
	return done;
}

static void a_client_that_polls_waits_for_no_worker(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, invalidated_at_once(test, false), INVALIDATIONS);
}

static void a_process_gives_way_after_a_while(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, invalidated_at_once(test, true), INVALIDATIONS);
}

static struct kunit_case turns_cases[] = {
	KUNIT_CASE(a_long_queue_is_worked_off_by_the_workqueue),
	KUNIT_CASE(a_long_backlog_is_worked_off_by_the_workqueue),
	KUNIT_CASE(a_long_queue_is_flushed_to_its_end),
	KUNIT_CASE(requests_and_answers_take_turns),
	KUNIT_CASE(a_requester_gives_way_once_when_it_told_somebody),
	KUNIT_CASE(a_client_that_polls_waits_for_no_worker),
	KUNIT_CASE(a_process_gives_way_after_a_while),
	KUNIT_CASE(a_requester_that_was_reset_leaves_nothing_to_the_workqueue),
	{}
};

static struct kunit_suite turns_suite = {
	.name = "svt-turns",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = turns_cases,
};

kunit_test_suite(turns_suite);
