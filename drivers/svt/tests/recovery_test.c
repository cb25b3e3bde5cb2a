// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recovery of an RC requester: holes that the peer reports, receives that it lacks, a lost tail,
 * and when to give up. Time is that of requester_let_pass().
 */
#include "tests/requester_fixture.h"
#include "transport/qp/train.h"
#include "transport/requester/recovery.h"

#define RNR_SHORT	1
#define RTO_FIRST	(100 * NSEC_PER_MSEC)
/* That of REQUESTER_RC, as in its attribute and in ns */
#define TIMEOUT_CODE	31
#define TIMEOUT		((s64)4096 << TIMEOUT_CODE)
/* Packets of MTU in a train */
#define TRAIN		(SVT_TRAIN_BYTES / (IB_BTH_BYTES + MTU))

static struct requester_fixture *open_sends(struct kunit *test,
					    const struct svt_fake_options *options,
					    unsigned int count)
{
	struct requester_fixture *f = requester_open(test, options);

	while (count--)
		requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	requester_drop_sent(f);
	return f;
}

static struct requester_fixture *open_with_retries(struct kunit *test, u8 timeout, u8 retry_cnt,
						   unsigned int count)
{
	struct svt_fake_options options = REQUESTER_RC;

	options.timeout = timeout;
	options.retry_cnt = retry_cnt;
	return open_sends(test, &options, count);
}

static void expect_given_up(struct requester_fixture *f, enum ib_wc_status status,
			    enum svt_counter counter, u64 end)
{
	requester_expect_done(f, 0, status);
	requester_expect_flushed(f, 1, end);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(f->test, f->qp->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(f->test, requester_count(f, counter), 1);
}

/* ---- a hole that the peer reports ---- */

static void a_hole_is_repaired_at_once_and_once(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 6);

	f->qp->send.srtt = HOUR;
	requester_nak(f, 2, SVT_NAK_PSN_SEQUENCE);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
	requester_expect_not_done(f);
	requester_expect_sends(f, 2, 6);
	requester_nak(f, 2, SVT_NAK_PSN_SEQUENCE);
	requester_expect_silence(f);
	/* Another hole is repaired as well */
	requester_nak(f, 4, SVT_NAK_PSN_SEQUENCE);
	requester_expect_sends(f, 4, 6);
	requester_nak(f, 4, SVT_NAK_PSN_SEQUENCE);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RETRIES_NAK), 2);
	requester_ack(f, 5);
	requester_expect_done(f, 2, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void a_hole_that_opens_again_is_repaired_again(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 4);

	f->qp->send.srtt = 8 * NSEC_PER_SEC;
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_expect_sends(f, 1, 4);
	requester_let_pass(f, 3 * (s64)NSEC_PER_SEC);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_expect_silence(f);
	requester_let_pass(f, 3 * (s64)NSEC_PER_SEC);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_expect_sends(f, 1, 4);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RETRIES_NAK), 2);
}

static void a_read_response_that_is_lost_again_is_asked_for_again(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	requester_send(f, WR_READ, 0, 3 * MTU);
	requester_drop_sent(f);
	f->qp->send.srtt = 8 * NSEC_PER_SEC;
	/* The timer is later than all of this */
	f->qp->send.rttvar = 8 * NSEC_PER_SEC;
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE, 1, MTU, MTU);
	requester_expect_read(f, 0, 0, 3 * MTU);
	requester_let_pass(f, 7 * (s64)NSEC_PER_SEC);
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE, 1, MTU, MTU);
	requester_expect_silence(f);
	requester_let_pass(f, 2 * (s64)NSEC_PER_SEC);
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE, 1, MTU, MTU);
	requester_expect_read(f, 0, 0, 3 * MTU);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_IMPLIED_NAK_SEQ_ERR), 2);
}

/*
 * The first response never comes, and @show shows that in each quarter of a timeout. The timer ends
 * it, after eight timeouts.
 */
static void expect_hole_is_given_up(struct kunit *test, void (*show)(struct requester_fixture *f))
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 1, 0);
	unsigned int i;

	requester_post(f, WR_READ, 0, 3 * MTU);
	requester_post(f, WR_SEND, 0, 8);
	requester_push(f);
	f->qp->send.srtt = TIMEOUT / 8;
	f->qp->send.rttvar = TIMEOUT;
	for (i = 0; i < 100 && f->qp->state == IB_QPS_RTS; i++) {
		requester_drop_sent(f);
		show(f);
		requester_let_pass(f, TIMEOUT / 4);
	}
	requester_drop_sent(f);
	KUNIT_EXPECT_GE(test, i, 8 * 4);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_IMPLIED_NAK_SEQ_ERR), 7);
	expect_given_up(f, IB_WC_RETRY_EXC_ERR, SVT_COUNT_RETRY_EXCEEDED, 2);
}

static void show_by_response(struct requester_fixture *f)
{
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE, 1, MTU, MTU);
}

static void a_response_that_never_comes_is_the_end(struct kunit *test)
{
	expect_hole_is_given_up(test, show_by_response);
}

/* The peer expects a PSN within the READ */
static void show_by_nak(struct requester_fixture *f)
{
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
}

static void a_nak_within_a_read_for_ever_is_the_end(struct kunit *test)
{
	expect_hole_is_given_up(test, show_by_nak);
}

static void a_repeat_begins_in_the_middle_of_a_message(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	requester_send(f, IB_UVERBS_WR_RDMA_WRITE, 64, 4 * MTU + 8);
	requester_drop_sent(f);
	requester_nak(f, 2, SVT_NAK_PSN_SEQUENCE);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, 2, 64 + 2 * MTU, MTU);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, 3, 64 + 3 * MTU, MTU);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_LAST, 4, 64 + 4 * MTU, 8);
	requester_expect_silence(f);
	requester_ack(f, 4);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void new_requests_follow_the_repeated_ones(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 2);

	requester_post(f, WR_READ, 0, 2 * MTU);
	requester_post(f, WR_SEND, 0, 8);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 1);
	requester_expect_read(f, 2, 0, 2 * MTU);
	requester_expect(f, IB_OPCODE_RC_SEND_ONLY, 4);
	requester_expect_silence(f);
}

static void without_retries_a_hole_is_the_end(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 0, 3);

	requester_nak(f, 0, SVT_NAK_PSN_SEQUENCE);
	expect_given_up(f, IB_WC_RETRY_EXC_ERR, SVT_COUNT_RETRY_EXCEEDED, 3);
}

static void progress_restores_the_retries(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 1, 5);
	int n;

	for (n = 0; n < 5; n++) {
		requester_nak(f, n, SVT_NAK_PSN_SEQUENCE);
		requester_expect_sends(f, n, 5);
	}
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void an_answer_to_the_first_copy_stops_the_repeat(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 5);

	f->fake->busy = true;
	requester_let_pass(f, HOUR);
	requester_ack(f, 3);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect_sends(f, 4, 5);
	requester_ack(f, 4);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void what_the_backend_holds_up_is_not_repeated(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 2);

	f->fake->busy = true;
	requester_send(f, WR_SEND, 0, 8);
	requester_let_pass(f, HOUR);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 0);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect_sends(f, 2, 3);
}

/* ---- a receive that the peer lacks ---- */

static void not_ready(struct requester_fixture *f, int n)
{
	requester_answer(f, n, SVT_AETH_RNR | RNR_SHORT, 0);
}

static void a_peer_that_is_not_ready_is_waited_for(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 4);

	/* 655 ms */
	requester_answer(f, 1, SVT_AETH_RNR | 0, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, 655360 * NSEC_PER_USEC,
			ktime_sub(f->qp->send.rnr_until, f->qp->send.progress));
	/* Whatever comes meanwhile */
	requester_send(f, WR_SEND, 0, 8);
	requester_answer(f, 1, SVT_AETH_RNR | 0, 0);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	svt_fake_ready(f->fake, f->qp);
	requester_expect_silence(f);
	requester_let_pass(f, HOUR);
	requester_expect_sends(f, 1, 5);
	requester_ack(f, 4);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
}

static void a_hole_behind_a_peer_that_is_not_ready_waits_too(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 3);

	not_ready(f, 1);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RETRIES_NAK), 0);
	requester_let_pass(f, NSEC_PER_SEC);
	requester_expect_sends(f, 1, 3);
}

static void an_acknowledgment_ends_a_wait_for_the_peer(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 3);

	not_ready(f, 1);
	requester_ack(f, 1);
	requester_expect_sends(f, 2, 3);
}

static void rnr_retries_are_used_up(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;
	unsigned int i;

	options.rnr_retry = 2;
	f = open_sends(test, &options, 3);
	for (i = 0; i < 2; i++) {
		not_ready(f, 0);
		requester_expect_not_done(f);
		requester_let_pass(f, HOUR);
		requester_expect_sends(f, 0, 3);
	}
	not_ready(f, 0);
	expect_given_up(f, IB_WC_RNR_RETRY_EXC_ERR, SVT_COUNT_RNR_RETRY_EXCEEDED, 3);
}

static void progress_restores_the_rnr_retries(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct requester_fixture *f;
	int n;

	options.rnr_retry = 1;
	f = open_sends(test, &options, 4);
	for (n = 0; n < 4; n++) {
		not_ready(f, n);
		requester_let_pass(f, HOUR);
		requester_expect_sends(f, n, 4);
	}
	KUNIT_EXPECT_EQ(test, f->qp->state, IB_QPS_RTS);
}

static void rnr_retry_7_is_for_ever(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 1);
	unsigned int i;

	for (i = 0; i < 20; i++) {
		not_ready(f, 0);
		requester_let_pass(f, HOUR);
		requester_expect_sends(f, 0, 1);
	}
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void a_wait_for_the_peer_is_not_held_against_it(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 0, 1);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		not_ready(f, 0);
		requester_let_pass(f, 3 * TIMEOUT);
		requester_expect_sends(f, 0, 1);
	}
	requester_expect_not_done(f);
}

/* ---- a lost tail ---- */

static void a_lost_tail_is_repeated_by_the_timer(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 4);

	requester_ack(f, 1);
	/* It is not due yet, whatever the machine does */
	f->qp->send.deadline = ktime_add_ns(f->qp->send.deadline, 2 * HOUR);
	requester_let_pass(f, HOUR);
	requester_expect_silence(f);
	requester_let_pass(f, 2 * HOUR);
	requester_expect_sends(f, 2, 4);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 1);
	requester_ack(f, 3);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	/* Nothing is out, nothing is repeated */
	requester_let_pass(f, HOUR);
	requester_expect_silence(f);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 1);
}

/* The peer may have got it all, and be slow */
static void the_timer_repeats_one_train_until_there_is_an_answer(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);
	unsigned int i;

	requester_send(f, WR_WRITE, 0, 4 * MTU);
	requester_drop_sent(f);
	for (i = 0; i < 2; i++) {
		requester_let_pass(f, HOUR);
		requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_FIRST, 0);
		requester_send(f, WR_SEND, 0, 8);
		requester_expect_silence(f);
	}
	requester_ack(f, 2);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_LAST, 3);
	requester_expect_sends(f, 4, 6);
}

/* The timer repeats a train of 200 packets, and 192 may be out */
static struct requester_fixture *open_repeated_train(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	f->qp->send.unacked_limit_x8 = 2 * 8 * 192;
	requester_send(f, WR_SEND, 0, 200 * MTU);
	requester_drop_sent(f);
	requester_let_pass(f, HOUR);
	requester_expect_part(f, 0, TRAIN);
	return f;
}

static void an_answer_to_just_the_repeated_train_lets_the_rest_go(struct kunit *test)
{
	struct requester_fixture *f = open_repeated_train(test);

	requester_ack(f, TRAIN - 1);
	requester_expect_data(f, IB_OPCODE_RC_SEND_MIDDLE, TRAIN, TRAIN * MTU, MTU);
	requester_drop_sent(f);
	KUNIT_EXPECT_EQ(test, f->qp->send.cursor.psn, requester_psn(f, 200));
	requester_ack(f, 199);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

/* It had them all along: who repeats all adds to what it has to work off */
static void an_answer_to_more_than_the_repeated_train_lets_one_more_go(struct kunit *test)
{
	struct requester_fixture *f = open_repeated_train(test);

	requester_ack(f, 79);
	requester_expect_part(f, 80, 80 + TRAIN);
	requester_ack(f, 199);
	requester_expect_silence(f);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

/* What the timer was set to in the last run */
static s64 rto(const struct requester_fixture *f)
{
	return ktime_to_ns(ktime_sub(f->qp->send.deadline, f->qp->send.now));
}

/* What it was set to by an acknowledgment */
static s64 rto_of_progress(const struct requester_fixture *f)
{
	return ktime_to_ns(ktime_sub(f->qp->send.deadline, f->qp->send.progress));
}

static void the_timer_doubles_until_a_round_trip_is_measured(struct kunit *test)
{
	/* 268 ms; the timer is never longer than four times that */
	struct requester_fixture *f = open_with_retries(test, 16, 255, 2);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, rto(f), RTO_FIRST);
	for (i = 1; i < 6; i++) {
		requester_let_pass(f, rto(f));
		requester_expect_sends(f, 0, 2);
		KUNIT_EXPECT_EQ(test, rto(f), min_t(s64, RTO_FIRST << i, 4 * (4096LL << 16)));
	}
	requester_ack(f, 0);
	/* No sample was taken from what was repeated */
	KUNIT_EXPECT_EQ(test, f->qp->send.srtt, 0);
	KUNIT_EXPECT_EQ(test, rto_of_progress(f), 4 * (4096LL << 16));
	requester_ack(f, 1);
	requester_send(f, WR_SEND, 0, 8);
	requester_ack(f, 2);
	KUNIT_EXPECT_GT(test, f->qp->send.srtt, 0);
	KUNIT_EXPECT_EQ(test, f->qp->send.rto_shift, 0);
}

static void the_timer_fires_when_patience_ends(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, 16, 0, 2);
	unsigned int i;

	/* 100, 200 and 400 ms */
	for (i = 0; i < 3; i++)
		requester_let_pass(f, rto(f));
	KUNIT_EXPECT_EQ(test, rto_of_progress(f), 4 * (4096LL << 16));
}

static void the_first_answers_say_how_much_may_be_out(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	svt_recovery_init(f->qp);
	requester_send(f, WR_SEND, 0, 600 * MTU);
	requester_expect_part(f, 0, 64);
	requester_ack(f, 63);
	requester_expect_part(f, 64, 64 + 64 + 8);
}

/* A slow peer has all of it in front of it, and what is repeated behind that */
static void each_repeat_by_the_timer_halves_what_may_be_out(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);
	unsigned int n;

	requester_send(f, WR_SEND, 0, 600 * MTU);
	for (n = 1; n <= 7; n++) {
		requester_let_pass(f, HOUR);
		KUNIT_EXPECT_EQ(test, f->qp->send.unacked_limit_x8,
				8 * max(512U >> n, 16U));
	}
	requester_drop_sent(f);
	/* For eight packets that arrive one more may be out */
	requester_ack(f, 511);
	requester_expect_part(f, 512, 512 + 16 + 512 / 8);
	requester_ack(f, 512 + 16 + 512 / 8 - 1);
	requester_drop_sent(f);
	requester_ack(f, 599);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void expect_first_that_asks(struct requester_fixture *f)
{
	const struct svt_fake_sent *sent =
		requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_FIRST, 0, 0, MTU);

	KUNIT_EXPECT_TRUE(f->test, sent->packet.ack_request);
	requester_expect_silence(f);
}

/* Else nobody would, and only the timer would go on */
static void the_first_packet_of_a_write_asks_when_no_other_may_follow(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	f->qp->send.unacked_limit_x8 = 8;
	requester_send(f, IB_UVERBS_WR_RDMA_WRITE, 0, 3 * MTU);
	expect_first_that_asks(f);
	requester_ack(f, 0);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, 1, MTU, MTU);
	requester_expect_silence(f);
}

static void the_first_packet_of_a_write_asks_when_the_timer_repeats_it(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	requester_send(f, IB_UVERBS_WR_RDMA_WRITE, 0, 3 * MTU);
	requester_drop_sent(f);
	requester_let_pass(f, HOUR);
	expect_first_that_asks(f);
	requester_ack(f, 0);
	requester_expect_data(f, IB_OPCODE_RC_RDMA_WRITE_MIDDLE, 1, MTU, MTU);
}

static void the_timer_follows_the_round_trip(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 1);
	const struct svt_send_half *send = &f->qp->send;

	/* The machine may be slow: a sample is no less than this, but may be more */
	f->qp->send.rtt_start = ktime_sub_ns(f->qp->send.rtt_start, 100 * NSEC_PER_SEC);
	requester_send(f, WR_SEND, 0, 8);
	requester_ack(f, 0);
	KUNIT_EXPECT_GE(test, send->srtt, 100 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, send->rttvar, send->srtt / 2);
	KUNIT_EXPECT_EQ(test, rto_of_progress(f),
			min_t(u64, send->srtt + 4 * send->rttvar, TIMEOUT));
}

static void the_timer_leaves_4_ms_beyond_the_round_trip(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 1);

	requester_send(f, WR_SEND, 0, 8);
	f->qp->send.srtt = 1000;
	f->qp->send.rttvar = 0;
	f->qp->send.rtt_start = 0;
	requester_ack(f, 0);
	KUNIT_EXPECT_EQ(test, rto_of_progress(f), 4 * NSEC_PER_MSEC + 1000);
}

static void nothing_for_all_the_retries_is_the_end(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 2, 3);
	unsigned int i;

	/* Twelve timeouts; early repeats use up nothing */
	for (i = 0; i < 23; i++) {
		requester_let_pass(f, TIMEOUT / 2);
		requester_expect_sends(f, 0, 3);
		requester_expect_not_done(f);
	}
	requester_let_pass(f, TIMEOUT / 2);
	expect_given_up(f, IB_WC_RETRY_EXC_ERR, SVT_COUNT_RETRY_EXCEEDED, 3);
}

/* Answers may be in a queue of the machine that stood still */
static void a_standstill_uses_up_one_timer(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 2, 3);
	unsigned int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 2; i++) {
			requester_let_pass(f, 20 * TIMEOUT);
			requester_expect_sends(f, round, 3);
			KUNIT_EXPECT_GT(test, rto(f), 0);
		}
		requester_ack(f, round);
		requester_expect_done(f, round, IB_WC_SUCCESS);
	}
	for (i = 0; i < 3; i++)
		requester_let_pass(f, 20 * TIMEOUT);
	requester_expect_done(f, 2, IB_WC_RETRY_EXC_ERR);
}

static void progress_starts_the_count_of_time_anew(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 0, 6);
	int n;

	for (n = 0; n < 5; n++) {
		requester_let_pass(f, 3 * TIMEOUT);
		requester_expect_sends(f, n, 6);
		requester_ack(f, n);
		requester_expect_done(f, n, IB_WC_SUCCESS);
	}
	requester_let_pass(f, 5 * TIMEOUT);
	requester_expect_done(f, 5, IB_WC_RETRY_EXC_ERR);
}

static void idle_time_is_not_held_against_the_peer(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 0, 1);

	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_let_pass(f, 100 * TIMEOUT);
	requester_send(f, WR_SEND, 0, 8);
	requester_expect_sends(f, 1, 2);
	requester_let_pass(f, TIMEOUT);
	requester_expect_sends(f, 1, 2);
	requester_expect_not_done(f);
}

/*
 * Work that brings nothing forward, of which there may be any amount: old acknowledgments, also
 * with credits, of what was not sent, data that nobody asked for, new requests, room.
 */
static void be_busy(struct requester_fixture *f)
{
	requester_answer(f, 0, SVT_AETH_ACK | 5, 1);
	requester_ack(f, 0);
	requester_ack(f, 500);
	requester_atomic(f, 0, 1);
	requester_read(f, IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY, 0, 0, 8);
	requester_send(f, WR_SEND, 0, 8);
	svt_fake_ready(f->fake, f->qp);
	requester_push(f);
}

static void busy_work_of_the_completer_does_not_push_the_timer_back(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 3);
	unsigned int i;

	/* It is not due yet, whatever the machine does */
	f->qp->send.srtt = 10 * HOUR;
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	for (i = 0; i < 8; i++) {
		ktime_t deadline = f->qp->send.deadline;
		ktime_t progress = f->qp->send.progress;

		be_busy(f);
		KUNIT_EXPECT_EQ(test, f->qp->send.deadline, deadline);
		KUNIT_EXPECT_EQ(test, f->qp->send.progress, progress);
		requester_let_pass(f, NSEC_PER_SEC);
	}
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 0);
	requester_drop_sent(f);
	requester_let_pass(f, 3 * HOUR);
	requester_expect_sends(f, 1, 11);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 1);
	requester_expect_not_done(f);
}

static void busy_work_of_the_completer_does_not_keep_a_dead_peer_alive(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, TIMEOUT_CODE, 0, 2);
	unsigned int i;

	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	for (i = 0; i < 3; i++) {
		be_busy(f);
		requester_let_pass(f, TIMEOUT);
		requester_expect_not_done(f);
	}
	be_busy(f);
	requester_let_pass(f, TIMEOUT);
	requester_expect_done(f, 1, IB_WC_RETRY_EXC_ERR);
	requester_expect_flushed(f, 2, 6);
}

/* The answer to each comes in three quarters of the time that the timer gives it */
static void nothing_is_repeated_as_long_as_answers_come(struct kunit *test)
{
	struct requester_fixture *f = open_sends(test, &REQUESTER_RC, 2);
	int n;

	for (n = 0; n < 50; n++) {
		f->qp->send.srtt = HOUR;
		f->qp->send.rttvar = 0;
		f->qp->send.rtt_start = 0;
		requester_ack(f, n);
		requester_expect_done(f, n, IB_WC_SUCCESS);
		requester_let_pass(f, HOUR / 4 * 3);
		requester_send(f, WR_SEND, 0, 8);
		requester_expect_sends(f, n + 2, n + 3);
	}
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR), 0);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RETRIES_NAK), 0);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_IMPLIED_NAK_SEQ_ERR), 0);
}

static void timeout_0_is_for_ever(struct kunit *test)
{
	struct requester_fixture *f = open_with_retries(test, 0, 0, 1);
	unsigned int i;

	for (i = 0; i < 30; i++) {
		requester_let_pass(f, 10 * TIMEOUT);
		requester_expect_sends(f, 0, 1);
		KUNIT_EXPECT_LE(test, rto(f), 4 * NSEC_PER_SEC);
	}
	requester_ack(f, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
}

static void a_read_that_got_no_answer_is_repeated(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	requester_post(f, WR_READ, 0, 2 * MTU);
	requester_post(f, IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD, 4096, 8);
	requester_push(f);
	requester_drop_sent(f);
	requester_let_pass(f, HOUR);
	requester_expect_read(f, 0, 0, 2 * MTU);
	requester_expect_silence(f);
	requester_read_range(f, 0, 2, 0);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	requester_expect(f, IB_OPCODE_RC_FETCH_ADD, 2);
	requester_atomic(f, 2, 1);
	requester_expect_done(f, 1, IB_WC_SUCCESS);
}

static struct kunit_case recovery_cases[] = {
	KUNIT_CASE(the_first_packet_of_a_write_asks_when_no_other_may_follow),
	KUNIT_CASE(the_first_packet_of_a_write_asks_when_the_timer_repeats_it),
	KUNIT_CASE(a_hole_is_repaired_at_once_and_once),
	KUNIT_CASE(a_hole_that_opens_again_is_repaired_again),
	KUNIT_CASE(a_read_response_that_is_lost_again_is_asked_for_again),
	KUNIT_CASE(a_response_that_never_comes_is_the_end),
	KUNIT_CASE(a_nak_within_a_read_for_ever_is_the_end),
	KUNIT_CASE(a_repeat_begins_in_the_middle_of_a_message),
	KUNIT_CASE(new_requests_follow_the_repeated_ones),
	KUNIT_CASE(without_retries_a_hole_is_the_end),
	KUNIT_CASE(progress_restores_the_retries),
	KUNIT_CASE(an_answer_to_the_first_copy_stops_the_repeat),
	KUNIT_CASE(what_the_backend_holds_up_is_not_repeated),
	KUNIT_CASE(a_peer_that_is_not_ready_is_waited_for),
	KUNIT_CASE(a_hole_behind_a_peer_that_is_not_ready_waits_too),
	KUNIT_CASE(an_acknowledgment_ends_a_wait_for_the_peer),
	KUNIT_CASE(rnr_retries_are_used_up),
	KUNIT_CASE(progress_restores_the_rnr_retries),
	KUNIT_CASE(rnr_retry_7_is_for_ever),
	KUNIT_CASE(a_wait_for_the_peer_is_not_held_against_it),
	KUNIT_CASE(a_lost_tail_is_repeated_by_the_timer),
	KUNIT_CASE(the_timer_repeats_one_train_until_there_is_an_answer),
	KUNIT_CASE(an_answer_to_just_the_repeated_train_lets_the_rest_go),
	KUNIT_CASE(an_answer_to_more_than_the_repeated_train_lets_one_more_go),
	KUNIT_CASE(the_timer_doubles_until_a_round_trip_is_measured),
	KUNIT_CASE(the_timer_fires_when_patience_ends),
	KUNIT_CASE(the_first_answers_say_how_much_may_be_out),
	KUNIT_CASE(each_repeat_by_the_timer_halves_what_may_be_out),
	KUNIT_CASE(the_timer_follows_the_round_trip),
	KUNIT_CASE(the_timer_leaves_4_ms_beyond_the_round_trip),
	KUNIT_CASE(nothing_for_all_the_retries_is_the_end),
	KUNIT_CASE(a_standstill_uses_up_one_timer),
	KUNIT_CASE(progress_starts_the_count_of_time_anew),
	KUNIT_CASE(idle_time_is_not_held_against_the_peer),
	KUNIT_CASE(busy_work_of_the_completer_does_not_push_the_timer_back),
	KUNIT_CASE(busy_work_of_the_completer_does_not_keep_a_dead_peer_alive),
	KUNIT_CASE(nothing_is_repeated_as_long_as_answers_come),
	KUNIT_CASE(timeout_0_is_for_ever),
	KUNIT_CASE(a_read_that_got_no_answer_is_repeated),
	{}
};

static struct kunit_suite recovery_suite = {
	.name = "svt-recovery",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = recovery_cases,
};

kunit_test_suite(recovery_suite);
