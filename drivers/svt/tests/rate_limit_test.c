// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rate limit of a QP: how much goes at once, and when more may.
 */
#include "tests/requester_fixture.h"
#include "transport/modify.h"
#include "transport/requester/rate_limit.h"

/* Nothing is repeated there, however much time passes */
#define RATE_UC	((struct svt_fake_options) {				\
	.type = IB_QPT_UC, .state = IB_QPS_RTS, .sq_psn = 0xfffffd })

#define RATE_RC	((struct svt_fake_options) {				\
	.type = IB_QPT_RC, .state = IB_QPS_RTS, .sq_psn = 0xfffffd, .timeout = 14, .retry_cnt = 7 })

/* Two packets take almost a millisecond, three more */
#define THREE_PACKETS	(2 * MTU * BITS_PER_BYTE + 1024)

/* So slow, 8 s for a packet, that the time that the test takes does not matter */
#define SLOW	1
#define LONG	(10 * (s64)NSEC_PER_SEC)

static void set_rate(struct requester_fixture *f, u32 kbps)
{
	const struct ib_qp_attr attr = { .rate_limit = kbps };

	KUNIT_ASSERT_EQ(f->test, svt_fake_modify_attr(f->qp, &attr, IB_QP_RATE_LIMIT, IB_QPS_RTS),
			0);
}

static void one_packet_goes_at_a_time_when_it_takes_long(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);

	set_rate(f, SLOW);
	requester_send(f, WR_SEND, 0, 3 * MTU);
	requester_expect_data(f, IB_OPCODE_UC_SEND_FIRST, 0, 0, MTU);
	requester_expect_silence(f);
	requester_let_pass(f, LONG);
	requester_expect_data(f, IB_OPCODE_UC_SEND_MIDDLE, 1, MTU, MTU);
	requester_expect_silence(f);
	requester_let_pass(f, LONG);
	requester_expect_data(f, IB_OPCODE_UC_SEND_LAST, 2, 2 * MTU, MTU);
	requester_expect_silence(f);
}

static void the_timer_fires_when_more_may_go(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);
	struct svt_send_half *send = &f->qp->send;

	set_rate(f, SLOW);
	requester_send(f, WR_SEND, 0, 3 * MTU);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(&send->timer));
	KUNIT_EXPECT_LE(test, hrtimer_get_softexpires(&send->timer), send->rate_next);
}

static void a_rest_gives_no_burst(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);

	set_rate(f, SLOW);
	requester_send(f, WR_SEND, 0, 8);
	requester_expect_data(f, IB_OPCODE_UC_SEND_ONLY, 0, 0, 8);
	requester_let_pass(f, HOUR / 2);
	requester_send(f, WR_SEND, 0, 3 * MTU);
	requester_expect_data(f, IB_OPCODE_UC_SEND_FIRST, 1, 0, MTU);
	requester_expect_silence(f);
}

static void a_limit_that_is_lifted_holds_nothing_back(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);

	set_rate(f, SLOW);
	requester_send(f, WR_SEND, 0, 3 * MTU);
	requester_expect_data(f, IB_OPCODE_UC_SEND_FIRST, 0, 0, MTU);
	requester_expect_silence(f);
	set_rate(f, 0);
	requester_expect_data(f, IB_OPCODE_UC_SEND_MIDDLE, 1, MTU, MTU);
	requester_expect_data(f, IB_OPCODE_UC_SEND_LAST, 2, 2 * MTU, MTU);
	requester_expect_silence(f);
}

static void a_high_limit_leaves_trains_long(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);
	unsigned int n;

	set_rate(f, U32_MAX);
	requester_send(f, WR_SEND, 0, 8 * MTU);
	for (n = 0; n < 8; n++) {
		const struct svt_fake_sent *sent = svt_fake_next(f->fake);

		KUNIT_ASSERT_NOT_NULL(test, sent);
		KUNIT_EXPECT_EQ(test, sent->train, 0);
	}
}

/* Of the first train; time that the test takes may bring more */
static unsigned int packets_of_a_train(struct requester_fixture *f)
{
	const struct svt_fake_sent *sent;
	unsigned int n = 0;

	while ((sent = svt_fake_next(f->fake)))
		n += !sent->train;
	return n;
}

static void a_train_of_a_message_is_as_short_as_the_limit_has_it(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);

	set_rate(f, THREE_PACKETS);
	requester_send(f, WR_SEND, 0, 20 * MTU);
	KUNIT_EXPECT_EQ(test, packets_of_a_train(f), 3);
}

static void a_train_of_messages_is_as_short_as_the_limit_has_it(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);
	unsigned int i;

	set_rate(f, THREE_PACKETS);
	for (i = 0; i < 8; i++)
		requester_post(f, WR_SEND, i * MTU, MTU);
	requester_push(f);
	KUNIT_EXPECT_EQ(test, packets_of_a_train(f), 3);
}

/* What is behind it may come later than the peer's answer is waited for */
static void the_last_packet_for_a_while_asks_for_an_answer(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_RC);
	static const u8 opcodes[] = { IB_OPCODE_RC_SEND_FIRST, IB_OPCODE_RC_SEND_MIDDLE,
				      IB_OPCODE_RC_SEND_LAST };
	unsigned int n;

	set_rate(f, SLOW);
	requester_send(f, WR_SEND, 0, 3 * MTU);
	for (n = 0; n < ARRAY_SIZE(opcodes); n++) {
		const struct svt_fake_sent *sent = requester_expect(f, opcodes[n], n);

		KUNIT_ASSERT_NOT_NULL(test, sent);
		KUNIT_EXPECT_TRUE(test, sent->packet.ack_request);
		requester_expect_silence(f);
		requester_ack(f, n);
		requester_let_pass(f, LONG);
	}
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

/* Attributes that nobody has to set again */
static void a_reset_lifts_the_limit_and_asks_for_no_event(struct kunit *test)
{
	const struct ib_qp_attr attr = { .en_sqd_async_notify = 1 };
	struct requester_fixture *f = requester_open(test, &RATE_UC);
	struct ib_qp_attr now;

	set_rate(f, SLOW);
	KUNIT_ASSERT_EQ(test, 0, svt_fake_modify_attr(f->qp, &attr, IB_QP_EN_SQD_ASYNC_NOTIFY,
						      IB_QPS_SQD));
	KUNIT_ASSERT_EQ(test, svt_fake_modify(f->qp, IB_QPS_RESET), 0);
	svt_qp_query(f->qp, &now);
	KUNIT_EXPECT_EQ(test, now.rate_limit, 0);
	KUNIT_EXPECT_EQ(test, now.en_sqd_async_notify, 0);
}

static void a_reset_forgets_what_was_sent(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &RATE_UC);

	set_rate(f, SLOW);
	requester_send(f, WR_SEND, 0, MTU);
	KUNIT_EXPECT_NE(test, f->qp->send.rate_next, 0);
	KUNIT_ASSERT_EQ(test, svt_fake_modify(f->qp, IB_QPS_RESET), 0);
	KUNIT_EXPECT_EQ(test, f->qp->send.rate_next, 0);
}

static struct kunit_case pace_cases[] = {
	KUNIT_CASE(one_packet_goes_at_a_time_when_it_takes_long),
	KUNIT_CASE(the_timer_fires_when_more_may_go),
	KUNIT_CASE(a_rest_gives_no_burst),
	KUNIT_CASE(a_limit_that_is_lifted_holds_nothing_back),
	KUNIT_CASE(a_high_limit_leaves_trains_long),
	KUNIT_CASE(a_train_of_a_message_is_as_short_as_the_limit_has_it),
	KUNIT_CASE(a_train_of_messages_is_as_short_as_the_limit_has_it),
	KUNIT_CASE(the_last_packet_for_a_while_asks_for_an_answer),
	KUNIT_CASE(a_reset_lifts_the_limit_and_asks_for_no_event),
	KUNIT_CASE(a_reset_forgets_what_was_sent),
	{}
};

static struct kunit_suite pace_suite = {
	.name = "svt-rate-limit",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = pace_cases,
};

kunit_test_suite(pace_suite);
