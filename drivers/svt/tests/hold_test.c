// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Acknowledgments that wait for the program's message: for an hour, unless the test says otherwise.
 */
#include <linux/delay.h>

#include "tests/responder_fixture.h"
#include "transport/state.h"
#include "wire/aeth.h"
#include "wire/psn.h"

/* Requests that a program has to answer before an acknowledgment waits for it */
#define PATIENCE	4
#define LENGTH		64
#define HOUR		(3600 * NSEC_PER_SEC)

static void put_request(struct responder_fixture *f, int n)
{
	responder_post(f, n, 0, LENGTH);
	responder_put(f, IB_OPCODE_RC_SEND_ONLY, n, 0, LENGTH);
}

static void request(struct responder_fixture *f, int n)
{
	put_request(f, n);
	responder_deliver(f);
}

static void answer(struct responder_fixture *f, u32 length)
{
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, length);
	const struct svt_send_wqe wqe = {
		.opcode = IB_UVERBS_WR_SEND, .num_sge = 1,
	};

	KUNIT_ASSERT_EQ(f->test, svt_fake_post_send(f->qp, &wqe, &sge), 0);
	svt_send_kick(f->qp, SVT_WORK_QUEUE);
}

/* The @n-th message of the program. Return: number of its train */
static unsigned int expect_message(struct responder_fixture *f, int n)
{
	const struct svt_fake_sent *sent = svt_fake_next(f->fake);

	KUNIT_ASSERT_NOT_NULL(f->test, sent);
	KUNIT_EXPECT_TRUE(f->test, sent->packet.info->flags & SVT_OP_SEND);
	KUNIT_EXPECT_TRUE(f->test, sent->packet.ack_request);
	KUNIT_EXPECT_EQ(f->test, sent->packet.psn, svt_psn(f->qp->attr.sq_psn + n));
	return sent->train;
}

/* PATIENCE requests were answered; those that follow have @n from PATIENCE on */
static struct responder_fixture *open_with(struct kunit *test,
					   const struct svt_fake_options *options)
{
	struct responder_fixture *f = responder_open(test, options);
	int n;

	for (n = 0; n < PATIENCE; n++) {
		request(f, n);
		responder_expect_ack(f, n, n + 1);
		answer(f, LENGTH);
		expect_message(f, n);
		responder_expect_silence(f);
	}
	return f;
}

static struct responder_fixture *open(struct kunit *test)
{
	return open_with(test, &SVT_FAKE_RC);
}

static void expect_held(struct responder_fixture *f)
{
	responder_expect_silence(f);
	KUNIT_EXPECT_TRUE(f->test, f->qp->recv.ack_held);
}

/* A request that is not acknowledged yet */
static struct responder_fixture *open_held(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	put_request(f, PATIENCE);
	/* Not before the timer is looked at anew */
	local_bh_disable();
	responder_deliver(f);
	f->qp->recv.hold_until = ktime_add_ns(ktime_get(), HOUR);
	local_bh_enable();
	expect_held(f);
	return f;
}

static void the_message_takes_the_acknowledgment_along(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);
	unsigned int train;

	answer(f, LENGTH);
	train = expect_message(f, PATIENCE);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
	KUNIT_EXPECT_EQ(test, f->fake->taken->train, train);
	KUNIT_EXPECT_EQ(test, f->fake->taken->length, 0);
	responder_expect_silence(f);
	KUNIT_EXPECT_FALSE(test, f->qp->recv.ack_due);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_ACKS_SENT), PATIENCE + 1);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_ACKS_CARRIED), 1);
}

static void a_program_that_does_not_answer_is_not_waited_for(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);
	int n;

	for (n = 0; n < 2 * PATIENCE; n++) {
		request(f, n);
		responder_expect_ack(f, n, n + 1);
	}
}

static void the_next_request_ends_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	request(f, PATIENCE + 1);
	responder_expect_ack(f, PATIENCE + 1, PATIENCE + 2);
	responder_expect_silence(f);
	/* It has to answer several times again */
	answer(f, LENGTH);
	expect_message(f, PATIENCE);
	request(f, PATIENCE + 2);
	responder_expect_ack(f, PATIENCE + 2, PATIENCE + 3);
}

static void the_timer_ends_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);
	unsigned int i;

	f->qp->recv.hold_until = ktime_add_ns(ktime_get(), NSEC_PER_MSEC);
	for (i = 0; i < 500 && READ_ONCE(f->qp->recv.ack_due); i++)
		msleep(20);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
	responder_expect_silence(f);
	answer(f, LENGTH);
	expect_message(f, PATIENCE);
	request(f, PATIENCE + 1);
	responder_expect_ack(f, PATIENCE + 1, PATIENCE + 2);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_ACKS_CARRIED), 0);
}

static void a_round_in_between_does_not_end_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	svt_recv_kick(f->qp, SVT_WORK_STATE);
	svt_recv_kick(f->qp, SVT_WORK_TIMER);
	expect_held(f);
}

static void a_duplicate_ends_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	responder_send(f, IB_OPCODE_RC_SEND_ONLY, PATIENCE, 0, LENGTH);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
	responder_expect_silence(f);
}

static void a_hole_ends_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	responder_send(f, IB_OPCODE_RC_SEND_ONLY, PATIENCE + 2, 0, LENGTH);
	responder_expect_nak(f, PATIENCE + 1, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_expect_silence(f);
	answer(f, LENGTH);
	expect_message(f, PATIENCE);
	responder_expect_silence(f);
}

static void a_read_response_takes_its_place(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	responder_put_read(f, PATIENCE + 1, 0, 8);
	responder_deliver(f);
	answer(f, LENGTH);
	responder_expect_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, PATIENCE + 1, 0, 8);
	expect_message(f, PATIENCE);
	responder_expect_silence(f);
}

/* Else the peer would have to find out by its timer that its last request was carried out */
static void the_error_state_ends_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	spin_lock(&f->qp->recv.side.lock);
	svt_qp_fail(f->qp, &f->qp->recv.side, -1);
	spin_unlock(&f->qp->recv.side.lock);
	svt_recv_kick(f->qp, SVT_WORK_STATE);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
	responder_expect_silence(f);
}

static void reset_ends_the_wait(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	mutex_lock(&f->qp->modify_lock);
	svt_qp_reset_sides(f->qp);
	mutex_unlock(&f->qp->modify_lock);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
	responder_expect_silence(f);
}

static void a_refused_train_leaves_it_due(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	f->fake->busy = true;
	answer(f, LENGTH);
	expect_held(f);
	f->fake->busy = false;
	svt_send_kick(f->qp, SVT_WORK_FLOW);
	expect_message(f, PATIENCE);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
	responder_expect_silence(f);
}

/* Segmentation makes no segment that is longer than those before it */
static void a_shorter_message_takes_nothing_along(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	answer(f, 0);
	expect_message(f, PATIENCE);
	expect_held(f);
	answer(f, 4);
	expect_message(f, PATIENCE + 1);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
}

static void behind_a_shorter_last_packet_is_no_room(struct kunit *test)
{
	struct responder_fixture *f = open_held(test);

	answer(f, MTU + LENGTH);
	KUNIT_EXPECT_EQ(test, f->fake->trains, 2 * PATIENCE + 1);
	svt_fake_next(f->fake);
	svt_fake_next(f->fake);
	expect_held(f);
	answer(f, 2 * MTU);
	svt_fake_next(f->fake);
	svt_fake_next(f->fake);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
}

static void who_has_much_outstanding_does_not_wait(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	answer(f, 20 * MTU);
	while (svt_fake_next(f->fake))
		;
	request(f, PATIENCE);
	responder_expect_ack(f, PATIENCE, PATIENCE + 1);
}

static void who_has_little_time_does_not_wait(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct responder_fixture *f;

	options.timeout = 7;
	f = responder_open(test, &options);
	f->qp->recv.answers = PATIENCE;
	f->qp->send.trains = 1;
	request(f, 0);
	responder_expect_ack(f, 0, 1);
}

static struct kunit_case hold_cases[] = {
	KUNIT_CASE(the_message_takes_the_acknowledgment_along),
	KUNIT_CASE(a_program_that_does_not_answer_is_not_waited_for),
	KUNIT_CASE(the_next_request_ends_the_wait),
	KUNIT_CASE(the_timer_ends_the_wait),
	KUNIT_CASE(a_round_in_between_does_not_end_the_wait),
	KUNIT_CASE(a_duplicate_ends_the_wait),
	KUNIT_CASE(a_hole_ends_the_wait),
	KUNIT_CASE(a_read_response_takes_its_place),
	KUNIT_CASE(the_error_state_ends_the_wait),
	KUNIT_CASE(reset_ends_the_wait),
	KUNIT_CASE(a_refused_train_leaves_it_due),
	KUNIT_CASE(a_shorter_message_takes_nothing_along),
	KUNIT_CASE(behind_a_shorter_last_packet_is_no_room),
	KUNIT_CASE(who_has_much_outstanding_does_not_wait),
	KUNIT_CASE(who_has_little_time_does_not_wait),
	{}
};

static struct kunit_suite hold_suite = {
	.name = "svt-hold",
	.init = responder_fixture_init,
	.exit = responder_fixture_exit,
	.test_cases = hold_cases,
};

kunit_test_suite(hold_suite);
