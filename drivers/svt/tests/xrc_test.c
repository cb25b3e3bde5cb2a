// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC: a TGT QP and the SRQs that requests name, and what an INI QP sends.
 */
#include "queue/cq.h"
#include "tests/requester_fixture.h"
#include "tests/responder_fixture.h"
#include "transport/modify.h"
#include "transport/qp/xrc.h"
#include "wire/psn.h"

#define SEND_FIRST	0xa0
#define SEND_LAST	0xa2
#define SEND_ONLY	0xa4
#define WRITE_ONLY	0xaa
#define WRITE_ONLY_IMM	0xab
#define READ_REQUEST	0xac
#define XRC_READ_ONLY	0xb0
#define ACKNOWLEDGE	0xb1
#define ATOMIC_ACK	0xb2
#define COMPARE_SWAP	0xb3
#define FETCH_ADD	0xb4

#define SRQS	3

/**
 * struct xrc_fixture - a TGT QP and SRQs
 * @responder: QP, memory and peer; first, so that it is what responder_fixture.h expects
 * @domain: of the QP
 * @other: another domain
 * @srqs: two of @domain, one of @other; each has a CQ of its own
 * @cqs: theirs
 * @removed: bit i: @srqs[i] is not found any more
 */
struct xrc_fixture {
	struct responder_fixture responder;
	struct ib_xrcd domain;
	struct ib_xrcd other;
	struct svt_srq *srqs[SRQS];
	struct svt_cq cqs[SRQS];
	u32 removed;
};

static void add_srq(struct xrc_fixture *x, int i, struct ib_xrcd *domain)
{
	struct responder_fixture *f = &x->responder;
	struct svt_srq *srq = svt_fake_srq(f->fake);

	x->cqs[i].ibcq.device = &f->fake->dev.ibdev;
	KUNIT_ASSERT_EQ(f->test, svt_cq_init(&x->cqs[i], SVT_FAKE_CQE, true), 0);
	srq->ibsrq.srq_type = IB_SRQT_XRC;
	srq->ibsrq.pd = &f->fake->pd;
	srq->ibsrq.ext.cq = &x->cqs[i].ibcq;
	srq->ibsrq.ext.xrc.xrcd = domain;
	INIT_WORK(&srq->notify_work, svt_srq_notify_pending);
	KUNIT_ASSERT_EQ(f->test, svt_xrc_reserve(f->qp->core, srq), 0);
	svt_xrc_publish(f->qp->core, srq);
	x->srqs[i] = srq;
}

static void remove_srq(struct xrc_fixture *x, int i)
{
	if (!x->srqs[i] || x->removed & BIT(i))
		return;
	svt_xrc_remove(&x->responder.fake->core, x->srqs[i]);
	x->removed |= BIT(i);
}

static int xrc_init(struct kunit *test)
{
	struct xrc_fixture *x = kunit_kzalloc(test, sizeof(*x), GFP_KERNEL);
	int ret = responder_fixture_init(test);

	if (!x || ret)
		return ret ?: -ENOMEM;
	x->responder = *(struct responder_fixture *)test->priv;
	test->priv = x;
	return 0;
}

static void xrc_exit(struct kunit *test)
{
	struct xrc_fixture *x = test->priv;
	int i;

	for (i = 0; i < SRQS; i++)
		remove_srq(x, i);
	responder_fixture_exit(test);
	for (i = 0; i < SRQS; i++)
		if (x->srqs[i])
			svt_cq_free(&x->cqs[i]);
}

static struct xrc_fixture *open(struct kunit *test)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct xrc_fixture *x = test->priv;

	options.type = IB_QPT_XRC_TGT;
	options.state = IB_QPS_RTR;
	options.xrcd = &x->domain;
	responder_open(test, &options);
	add_srq(x, 0, &x->domain);
	add_srq(x, 1, &x->domain);
	add_srq(x, 2, &x->other);
	return x;
}

static void post(struct xrc_fixture *x, int i, u64 wr_id, u32 offset, u32 length)
{
	struct svt_sge sge = svt_fake_sge(x->responder.memory, offset, length);

	KUNIT_ASSERT_EQ(x->responder.test, svt_fake_post_srq(x->srqs[i], wr_id, &sge, 1), 0);
}

/* A packet that names SRQ @i; its memory is at @offset */
static void send(struct xrc_fixture *x, u8 opcode, int n, int i, u32 offset, u32 length)
{
	struct responder_fixture *f = &x->responder;
	struct svt_packet packet = responder_packet(f, opcode, n);

	packet.srq_num = x->srqs[i]->srq_num;
	packet.remote_addr = (unsigned long)f->memory->bytes + offset;
	packet.rkey = f->memory->mr.key.key;
	packet.dma_length = length;
	packet.swap_add = 5;
	svt_fake_put(f->fake, &packet, f->data + offset,
		     packet.info->flags & SVT_OP_PAYLOAD ? length : 0);
	responder_deliver(f);
	flush_workqueue(f->fake->core.workqueue);
}

static void expect_ack(struct xrc_fixture *x, int n)
{
	struct svt_packet packet = responder_sent(&x->responder, ACKNOWLEDGE,
						  responder_psn(&x->responder, n));

	/* An SRQ has no credits to give (IBTA 9.7.7.2) */
	KUNIT_EXPECT_EQ(x->responder.test, packet.syndrome, SVT_AETH_ACK | SVT_AETH_NO_CREDITS);
}

static void expect_nak(struct xrc_fixture *x, int n, u8 syndrome)
{
	struct svt_packet packet = responder_sent(&x->responder, ACKNOWLEDGE,
						  responder_psn(&x->responder, n));

	KUNIT_EXPECT_EQ(x->responder.test, packet.syndrome, syndrome);
}

static void expect_refused(struct xrc_fixture *x, int n, u8 nak)
{
	expect_nak(x, n, SVT_AETH_NAK | nak);
	KUNIT_EXPECT_EQ(x->responder.test, x->responder.qp->state, IB_QPS_ERR);
}

static void expect_recv(struct xrc_fixture *x, int i, u64 wr_id, enum ib_wc_status status)
{
	struct kunit *test = x->responder.test;
	struct ib_wc wc = {};

	KUNIT_ASSERT_EQ(test, svt_cq_poll(&x->cqs[i], 1, &wc), 1);
	KUNIT_EXPECT_EQ(test, wc.wr_id, wr_id);
	KUNIT_EXPECT_EQ(test, wc.status, status);
	KUNIT_EXPECT_PTR_EQ(test, wc.qp, &x->responder.qp->ibqp);
}

static void expect_no_recv(struct xrc_fixture *x)
{
	struct ib_wc wc;
	int i;

	for (i = 0; i < SRQS; i++)
		KUNIT_EXPECT_EQ(x->responder.test, svt_cq_poll(&x->cqs[i], 1, &wc), 0);
}

static void a_message_takes_a_receive_of_the_srq_that_it_names(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	post(x, 0, 10, 0, 100);
	post(x, 1, 11, 200, 100);
	send(x, SEND_ONLY, 0, 1, 200, 50);
	expect_ack(x, 0);
	expect_recv(x, 1, 11, IB_WC_SUCCESS);
	expect_no_recv(x);
	responder_expect_data(&x->responder, 200, 200, 50);
	send(x, WRITE_ONLY_IMM, 1, 0, 400, 30);
	expect_ack(x, 1);
	expect_recv(x, 0, 10, IB_WC_SUCCESS);
	expect_no_recv(x);
	responder_expect_data(&x->responder, 400, 400, 30);
}

static void reads_and_atomics_are_answered(struct kunit *test)
{
	struct xrc_fixture *x = open(test);
	u64 *word = (u64 *)(x->responder.memory->bytes + 64);

	*word = 37;
	send(x, READ_REQUEST, 0, 0, 0, 500);
	responder_expect_read(&x->responder, XRC_READ_ONLY, 0, 0, 500);
	send(x, FETCH_ADD, 1, 1, 64, 0);
	KUNIT_EXPECT_EQ(test, 37, responder_sent(&x->responder, ATOMIC_ACK,
						 responder_psn(&x->responder, 1)).atomic_original);
	KUNIT_EXPECT_EQ(test, *word, 42);
	send(x, COMPARE_SWAP, 2, 1, 64, 0);
	KUNIT_EXPECT_EQ(test, 42, responder_sent(&x->responder, ATOMIC_ACK,
						 responder_psn(&x->responder, 2)).atomic_original);
	KUNIT_EXPECT_EQ(test, *word, 42);
}

static void the_memory_is_that_of_the_srqs_pd(struct kunit *test)
{
	struct xrc_fixture *x = open(test);
	struct ib_pd other = { .device = &x->responder.fake->dev.ibdev };

	send(x, WRITE_ONLY, 0, 0, 0, 20);
	expect_ack(x, 0);
	x->srqs[1]->ibsrq.pd = &other;
	send(x, WRITE_ONLY, 1, 1, 100, 20);
	expect_refused(x, 1, SVT_NAK_REMOTE_ACCESS);
	KUNIT_EXPECT_EQ(test, x->responder.memory->bytes[100], 0);
}

static void a_number_that_nobody_has_is_refused(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	x->srqs[0]->srq_num += 100;
	send(x, WRITE_ONLY, 0, 0, 0, 20);
	x->srqs[0]->srq_num -= 100;
	expect_refused(x, 0, SVT_NAK_INVALID_REQUEST);
	KUNIT_EXPECT_EQ(test, x->responder.memory->bytes[0], 0);
	KUNIT_EXPECT_EQ(test, x->responder.fake->events[IB_EVENT_QP_REQ_ERR], 1);
}

static void an_srq_of_another_domain_is_refused(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	post(x, 2, 12, 0, 100);
	send(x, SEND_ONLY, 0, 2, 0, 20);
	expect_refused(x, 0, SVT_NAK_INVALID_REQUEST);
	expect_no_recv(x);
	KUNIT_EXPECT_EQ(test, x->responder.memory->bytes[0], 0);
}

static void a_message_stays_with_its_srq(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	post(x, 0, 10, 0, 2 * MTU);
	post(x, 1, 11, 0, 2 * MTU);
	send(x, SEND_FIRST, 0, 0, 0, MTU);
	send(x, SEND_LAST, 1, 1, MTU, 10);
	expect_refused(x, 1, SVT_NAK_INVALID_REQUEST);
	expect_recv(x, 0, 10, IB_WC_REM_INV_REQ_ERR);
	expect_no_recv(x);
	KUNIT_EXPECT_EQ(test, x->responder.memory->bytes[MTU], 0);
}

static void without_a_receive_the_srq_is_not_ready(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	post(x, 1, 11, 0, 100);
	send(x, SEND_ONLY, 0, 0, 0, 20);
	expect_nak(x, 0, SVT_AETH_RNR | 12);
	post(x, 0, 10, 0, 100);
	send(x, SEND_ONLY, 0, 0, 0, 20);
	expect_ack(x, 0);
	expect_recv(x, 0, 10, IB_WC_SUCCESS);
}

static void an_srq_that_is_gone_takes_nothing(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	post(x, 0, 10, 0, 2 * MTU);
	send(x, SEND_FIRST, 0, 0, 0, MTU);
	remove_srq(x, 0);
	send(x, SEND_LAST, 1, 0, MTU, 10);
	expect_refused(x, 1, SVT_NAK_INVALID_REQUEST);
	/* The receive under way went with its SRQ */
	expect_no_recv(x);
	KUNIT_EXPECT_EQ(test, x->responder.memory->bytes[MTU], 0);
}

static void count_call(struct ib_cq *ibcq, void *context)
{
	(*(int *)context)++;
}

static void a_receive_under_way_does_not_go_with_the_qp(struct kunit *test)
{
	struct xrc_fixture *x = open(test);
	int calls = 0;

	x->cqs[1].ibcq.comp_handler = count_call;
	x->cqs[1].ibcq.cq_context = &calls;
	svt_cq_arm(&x->cqs[1], IB_CQ_NEXT_COMP);
	post(x, 1, 10, 0, 2 * MTU);
	send(x, SEND_FIRST, 0, 1, 0, MTU);
	expect_no_recv(x);
	svt_qp_reset_halves(x->responder.qp);
	flush_workqueue(x->responder.fake->core.workqueue);
	expect_recv(x, 1, 10, IB_WC_WR_FLUSH_ERR);
	expect_no_recv(x);
	KUNIT_EXPECT_EQ(test, calls, 1);
	x->cqs[1].ibcq.comp_handler = NULL;
}

static void a_duplicate_read_of_an_srq_that_is_gone_does_no_harm(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	send(x, READ_REQUEST, 0, 0, 0, 500);
	responder_expect_read(&x->responder, XRC_READ_ONLY, 0, 0, 500);
	remove_srq(x, 0);
	send(x, READ_REQUEST, 0, 0, 0, 500);
	responder_expect_silence(&x->responder);
	KUNIT_EXPECT_EQ(test, x->responder.qp->state, IB_QPS_RTR);
}

static void events_of_an_srq_reach_its_owner(struct kunit *test)
{
	struct xrc_fixture *x = open(test);

	post(x, 0, 10, 0, 100);
	post(x, 1, 11, 0, 100);
	KUNIT_ASSERT_EQ(test, svt_srq_set_limit(x->srqs[0], 1), 0);
	send(x, SEND_ONLY, 0, 0, 0, 20);
	send(x, SEND_ONLY, 1, 1, 0, 20);
	KUNIT_EXPECT_EQ(test, x->responder.fake->srq_events[IB_EVENT_SRQ_LIMIT_REACHED], 1);
	expect_recv(x, 0, 10, IB_WC_SUCCESS);
	expect_recv(x, 1, 11, IB_WC_SUCCESS);
}

/* As if a QP that owed it had not found the SRQ any more */
static void a_pending_event_is_not_lost_with_its_srq(struct kunit *test)
{
	struct xrc_fixture *x = open(test);
	int calls = 0;

	x->cqs[0].ibcq.comp_handler = count_call;
	x->cqs[0].ibcq.cq_context = &calls;
	remove_srq(x, 0);
	x->cqs[0].ibcq.comp_handler = NULL;
	KUNIT_EXPECT_EQ(test, calls, 1);
}

static void a_number_is_not_given_out_again_soon(struct kunit *test)
{
	struct xrc_fixture *x = open(test);
	struct svt_core *core = &x->responder.fake->core;
	u32 before = x->srqs[2]->srq_num;

	svt_xrc_remove(core, x->srqs[2]);
	KUNIT_ASSERT_EQ(test, svt_xrc_reserve(core, x->srqs[2]), 0);
	KUNIT_EXPECT_NE(test, x->srqs[2]->srq_num, before);
	KUNIT_EXPECT_PTR_EQ(test, svt_xrc_srq(x->responder.qp, x->srqs[2]->srq_num), NULL);
}

/* ---- requester ---- */

static struct requester_fixture *open_initiator(struct kunit *test)
{
	struct svt_fake_options options = REQUESTER_RC;

	options.type = IB_QPT_XRC_INI;
	return requester_open(test, &options);
}

static void acknowledge(struct requester_fixture *f, int n)
{
	struct svt_packet packet = svt_fake_packet(f->qp, ACKNOWLEDGE, requester_psn(f, n));

	packet.syndrome = SVT_AETH_ACK | SVT_AETH_NO_CREDITS;
	svt_fake_put(f->fake, &packet, NULL, 0);
	svt_fake_deliver(f->fake, f->qp);
}

static void post_to(struct requester_fixture *f, u8 opcode, u32 srq_num, u32 length)
{
	struct svt_send_wqe wqe = requester_wqe(f, opcode, 0);
	const struct svt_sge sge = svt_fake_sge(f->memory, 0, length);

	wqe.srq_num = srq_num;
	requester_post_wqe(f, &wqe, &sge);
}

static void each_request_names_its_srq(struct kunit *test)
{
	static const u32 numbers[] = { 0x123456, 0x123456, 7, 8 };
	struct requester_fixture *f = open_initiator(test);
	const struct svt_fake_sent *sent;
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		post_to(f, i == 3 ? WR_WRITE : WR_SEND, numbers[i], 40);
	requester_push(f);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		sent = requester_expect(f, i == 3 ? WRITE_ONLY : SEND_ONLY, i);
		KUNIT_EXPECT_EQ(test, sent->packet.srq_num, numbers[i]);
		KUNIT_EXPECT_EQ(test, sent->length, 40);
	}
	KUNIT_EXPECT_EQ(test, sent->packet.remote_addr, REQUESTER_REMOTE);
	KUNIT_EXPECT_EQ(test, sent->packet.rkey, REQUESTER_RKEY);
	acknowledge(f, 3);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		requester_expect_done(f, i, IB_WC_SUCCESS);
}

static void a_number_beyond_24_bits_is_an_error(struct kunit *test)
{
	struct requester_fixture *f = open_initiator(test);

	post_to(f, WR_SEND, 0x1000000, 40);
	requester_push(f);
	requester_expect_done(f, 0, IB_WC_LOC_QP_OP_ERR);
	requester_expect_silence(f);
}

static void an_initiator_takes_no_requests(struct kunit *test)
{
	struct requester_fixture *f = open_initiator(test);
	struct svt_packet packet = svt_fake_packet(f->qp, SEND_ONLY, 77);

	svt_fake_put(f->fake, &packet, NULL, 0);
	svt_fake_deliver(f->fake, f->qp);
	KUNIT_EXPECT_EQ(test, requester_count(f, SVT_COUNT_RX_DROPPED_OPCODE), 1);
	requester_expect_silence(f);
}

static struct kunit_case xrc_cases[] = {
	KUNIT_CASE(a_message_takes_a_receive_of_the_srq_that_it_names),
	KUNIT_CASE(reads_and_atomics_are_answered),
	KUNIT_CASE(the_memory_is_that_of_the_srqs_pd),
	KUNIT_CASE(a_number_that_nobody_has_is_refused),
	KUNIT_CASE(an_srq_of_another_domain_is_refused),
	KUNIT_CASE(a_message_stays_with_its_srq),
	KUNIT_CASE(without_a_receive_the_srq_is_not_ready),
	KUNIT_CASE(an_srq_that_is_gone_takes_nothing),
	KUNIT_CASE(a_receive_under_way_does_not_go_with_the_qp),
	KUNIT_CASE(a_duplicate_read_of_an_srq_that_is_gone_does_no_harm),
	KUNIT_CASE(events_of_an_srq_reach_its_owner),
	KUNIT_CASE(a_pending_event_is_not_lost_with_its_srq),
	KUNIT_CASE(a_number_is_not_given_out_again_soon),
	{}
};

static struct kunit_suite xrc_suite = {
	.name = "svt-xrc",
	.init = xrc_init,
	.exit = xrc_exit,
	.test_cases = xrc_cases,
};

static struct kunit_case initiator_cases[] = {
	KUNIT_CASE(each_request_names_its_srq),
	KUNIT_CASE(a_number_beyond_24_bits_is_an_error),
	KUNIT_CASE(an_initiator_takes_no_requests),
	{}
};

static struct kunit_suite initiator_suite = {
	.name = "svt-xrc-initiator",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = initiator_cases,
};

kunit_test_suites(&xrc_suite, &initiator_suite);
