// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The doorbell: when a poster has to ring, and for how long the engine looks by itself.
 */
#include "tests/requester_fixture.h"

/* Longer than any watch */
#define LONG		(1000 * (s64)NSEC_PER_SEC)

static u32 wakeup(const struct requester_fixture *f)
{
	return READ_ONCE(f->qp->send.ring.control->wakeup);
}

/* Like a program: rings when the ring says so, and only then */
static void post(struct requester_fixture *f)
{
	const struct svt_send_wqe wqe = requester_wqe(f, WR_SEND, 0);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, 8);

	KUNIT_ASSERT_EQ(f->test, svt_fake_post_send(f->qp, &wqe, &sge), 0);
}

static struct requester_fixture *open(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;

	/* UC: nothing is out after it was sent */
	options.type = IB_QPT_UC;
	return requester_open(test, &options);
}

/*
 * Opens a QP that posts every 5 ms at most, the longest interval that is watched: whatever the time
 * since the last find, it counts as no more than 20 ms, and as a quarter.
 */
static struct requester_fixture *open_fast(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	post(f);
	requester_drop_sent(f);
	requester_let_pass(f, LONG);
	KUNIT_ASSERT_EQ(test, wakeup(f), 1);
	f->qp->send.interval = 0;
	return f;
}

static void nobody_watches_a_new_queue(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	post(f);
	requester_expect(f, IB_OPCODE_UC_SEND_ONLY, 0);
	/* One post in a while says nothing of an interval */
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
}

static void who_waits_for_the_backend_is_awake(struct kunit *test)
{
	struct requester_fixture *f = open(test);
	int n;

	f->fake->busy = true;
	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	/* No doorbell, and it is not lost */
	post(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_TX_BUSY), 1);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	for (n = 0; n < 2; n++)
		requester_expect(f, IB_OPCODE_UC_SEND_ONLY, n);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
}

static void who_waits_for_an_answer_in_front_of_work_is_awake(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;

	options.rd_atomic = 1;
	f = requester_open(test, &options);
	requester_post(f, IB_UVERBS_WR_RDMA_READ, 0, 8);
	requester_post(f, IB_UVERBS_WR_RDMA_READ, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	post(f);
	requester_expect_silence(f);
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, 0, 0, 8);
	requester_expect_read(f, 1, 0, 8);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 2);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
}

static void who_waits_for_a_receive_of_the_peer_is_awake(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	post(f);
	requester_expect_sends(f, 0, 1);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	requester_answer(f, 0, SVT_AETH_RNR | 1, 0);
	requester_push(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	post(f);
	requester_let_pass(f, HOUR);
	requester_expect_sends(f, 0, 2);
}

static void a_fast_pace_is_watched(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);
	struct svt_send_half *send = &f->qp->send;

	post(f);
	requester_expect(f, IB_OPCODE_UC_SEND_ONLY, 1);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	KUNIT_EXPECT_EQ(test, send->interval, 5 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, ktime_sub(send->watch_until, send->found), 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, ktime_sub(send->idle_until, send->found), 100 * NSEC_PER_USEC);
}

/* They share the time that their CPU has for looks */
static void many_qps_are_looked_at_less_often(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f = open_fast(test);
	struct svt_qp *one = f->qp, *others[20];
	unsigned int i;

	options.type = IB_QPT_UC;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = requester_qp(f, &options);
		others[i]->send.interval = 0;
		f->qp = others[i];
		post(f);
		KUNIT_EXPECT_EQ(test, wakeup(f), 0);
		/* Longer than this machine can take */
		others[i]->send.watch_until = ktime_add_ns(ktime_get(), LONG / 2);
	}
	f->qp = one;
	post(f);
	KUNIT_EXPECT_EQ(test, ktime_sub(one->send.idle_until, one->send.now),
			ARRAY_SIZE(others) * 8 * NSEC_PER_USEC);
	/* Who is not watched any more is not counted */
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		f->qp = others[i];
		requester_let_pass(f, LONG);
		KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	}
	f->qp = one;
	requester_let_pass(f, LONG);
	one->send.interval = 0;
	post(f);
	KUNIT_EXPECT_EQ(test, ktime_sub(one->send.idle_until, one->send.now), 100 * NSEC_PER_USEC);
}

/* They post often, but nobody looks at them as long as their peer is not ready */
static void qps_that_are_blocked_take_no_looks_from_others(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);
	struct svt_qp *one = f->qp;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		f->qp = requester_qp(f, &REQUESTER_RC);
		f->qp->send.interval = 0;
		post(f);
		KUNIT_ASSERT_NE(test, f->qp->send.idle_until, 0);
		requester_answer(f, 0, SVT_AETH_RNR, 0);
		KUNIT_EXPECT_EQ(test, wakeup(f), 0);
		KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
	}
	f->qp = one;
	post(f);
	KUNIT_EXPECT_EQ(test, ktime_sub(one->send.idle_until, one->send.now), 100 * NSEC_PER_USEC);
}

static void a_slow_pace_is_not_watched(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);

	f->qp->send.interval = 8 * NSEC_PER_MSEC;
	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	/* Three quarters of what it was, and a quarter of the longest time that counts */
	KUNIT_EXPECT_EQ(test, f->qp->send.interval, 11 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
}

static void a_watch_in_vain_ends_and_makes_the_pace_slower(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);

	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	requester_let_pass(f, LONG);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
	KUNIT_EXPECT_EQ(test, f->qp->send.interval, 10 * NSEC_PER_MSEC);
}

static void a_watch_goes_on_after_a_look_in_vain(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);
	struct svt_send_half *send = &f->qp->send;
	unsigned int i;

	post(f);
	requester_drop_sent(f);
	/* Longer than this machine can take */
	send->watch_until = ktime_add_ns(send->watch_until, 20 * LONG);
	for (i = 0; i < 10; i++) {
		requester_let_pass(f, LONG);
		KUNIT_EXPECT_EQ(test, wakeup(f), 0);
		KUNIT_EXPECT_EQ(test, ktime_sub(send->idle_until, send->now),
				100 * NSEC_PER_USEC);
		KUNIT_EXPECT_EQ(test, send->interval, 5 * NSEC_PER_MSEC);
	}
}

static void a_watch_finds_what_nobody_rang_for_and_starts_anew(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);
	unsigned int i;

	post(f);
	requester_drop_sent(f);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, wakeup(f), 0);
		post(f);
		requester_expect_silence(f);
		f->qp->send.interval = 0;
		requester_let_pass(f, LONG);
		requester_expect(f, IB_OPCODE_UC_SEND_ONLY, 2 + i);
	}
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	requester_let_pass(f, LONG);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
}

static void who_answers_its_peer_is_not_watched(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);
	struct svt_packet packet = svt_fake_packet(f->qp, IB_OPCODE_UC_SEND_ONLY,
						   REQUESTER_RC.rq_psn);

	KUNIT_ASSERT_EQ(test, svt_fake_post_recv(f->qp, 1, NULL, 0), 0);
	svt_fake_receive(f->fake, f->qp, &packet, NULL, 0);
	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
	/* Nothing has come since: this is not an answer */
	f->qp->send.interval = 0;
	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
}

static void an_answer_does_not_wake_a_sleeper(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
}

static void a_qp_in_error_sleeps(struct kunit *test)
{
	struct requester_fixture *f = open(test);

	f->fake->busy = true;
	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	requester_modify(f, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	requester_expect_flushed(f, 0, 1);
}

static void reset_forgets_what_was_learnt(struct kunit *test)
{
	struct requester_fixture *f = open_fast(test);

	post(f);
	KUNIT_EXPECT_EQ(test, wakeup(f), 0);
	requester_modify(f, IB_QPS_RESET);
	KUNIT_EXPECT_EQ(test, wakeup(f), 1);
	KUNIT_EXPECT_EQ(test, f->qp->send.interval, 20 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, f->qp->send.idle_until, 0);
	KUNIT_EXPECT_EQ(test, f->qp->send.watch_until, 0);
}

static struct kunit_case doorbell_cases[] = {
	KUNIT_CASE(nobody_watches_a_new_queue),
	KUNIT_CASE(who_waits_for_the_backend_is_awake),
	KUNIT_CASE(who_waits_for_an_answer_in_front_of_work_is_awake),
	KUNIT_CASE(who_waits_for_a_receive_of_the_peer_is_awake),
	KUNIT_CASE(a_fast_pace_is_watched),
	KUNIT_CASE(many_qps_are_looked_at_less_often),
	KUNIT_CASE(qps_that_are_blocked_take_no_looks_from_others),
	KUNIT_CASE(a_slow_pace_is_not_watched),
	KUNIT_CASE(a_watch_in_vain_ends_and_makes_the_pace_slower),
	KUNIT_CASE(a_watch_goes_on_after_a_look_in_vain),
	KUNIT_CASE(a_watch_finds_what_nobody_rang_for_and_starts_anew),
	KUNIT_CASE(who_answers_its_peer_is_not_watched),
	KUNIT_CASE(an_answer_does_not_wake_a_sleeper),
	KUNIT_CASE(a_qp_in_error_sleeps),
	KUNIT_CASE(reset_forgets_what_was_learnt),
	{}
};

static struct kunit_suite doorbell_suite = {
	.name = "svt-doorbell",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = doorbell_cases,
};

kunit_test_suite(doorbell_suite);
