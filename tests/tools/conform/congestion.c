// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets that were marked on their way, and notifications of congestion: they may slow a QP down,
 * but nothing is refused, lost or repeated.
 */
#include "conform.h"

#define ECN_CE		3
#define STORM		200
#define SENDS		3
#define GRH_BYTES	40

static void storm(struct test *t)
{
	u32 i;

	for (i = 1; i < STORM; i++)
		peer_send(&t->w->peer, &t->out);
	note(t->input, "%u of these", STORM);
}

static void notified_idle(struct test *t)
{
	const int *psn = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	notify_congestion(t, *psn);
	expect_silence(t, 0);
	notify_congestion(t, *psn);
	storm(t);
	expect_silence(t, 1);
}

static void notified_in_message(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receives(t, 2, 4 * MTU);
	ask(t, OP_SEND_FIRST, 0, MTU);
	notify_congestion(t, 1);
	ask(t, OP_SEND_LAST, 1, 8);
	expect_ack(t, 1);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len,
		     MTU + 8);
	expect_no_completion(t);
}

/* The peer has asked for a READ */
static void notified_in_response(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 8 * MTU);
	notify_congestion(t, 8);
	expect_read(t, 0, 0, 8 * MTU);
	expect_silence(t, 8);
}

/* The requester is the one that has to be slower */
static void notified_requester(struct test *t)
{
	u32 i;

	connect_requester(t);
	for (i = 0; i < SENDS; i++)
		post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	notify_congestion(t, 0);
	storm(t);
	for (i = 1; i < SENDS; i++)
		expect_request(t, OP_SEND_ONLY, i, 8);
	expect_no_completion(t);
	answer(t, 0, SENDS - 1);
	for (i = 0; i < SENDS; i++)
		expect_completion(t, i, IBV_WC_SUCCESS);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, SENDS, 8);
}

static void notified_before_response(struct test *t)
{
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	notify_congestion(t, 0);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	notify_congestion(t, 0);
	respond(t, OP_READ_RESPONSE_LAST, 1, MTU, MTU);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_sink(t, 2 * MTU);
}

static void notified_datagrams(struct test *t)
{
	connect_qp(t, IBV_QPT_UD);
	post_receives(t, 2, GRH_BYTES + 64);
	notify_congestion(t, 0);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len,
		     GRH_BYTES + 8);
	expect_no_completion(t);
	expect_nothing(t);
}

static void notified_uc(struct test *t)
{
	connect_qp(t, IBV_QPT_UC);
	post_receives(t, 2, 4 * MTU);
	ask(t, OP_SEND_FIRST, 0, MTU);
	notify_congestion(t, 1);
	ask(t, OP_SEND_LAST, 1, 8);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len,
		     MTU + 8);
	expect_nothing(t);
}

static void mark(struct test *t)
{
	t->traffic_class = ECN_CE;
	note(t->input, "all marked CE");
}

static void marked_message(struct test *t)
{
	mark(t);
	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 4 * MTU);
	ask(t, OP_SEND_FIRST, 0, MTU);
	ask(t, OP_SEND_MIDDLE, 1, MTU);
	ask(t, OP_SEND_LAST, 2, 8);
	expect_ack(t, 2);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_received(t, 2 * MTU + 8);
	expect_no_other(t, 3);
}

static void marked_read(struct test *t)
{
	mark(t);
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_READ_REQUEST, 0, 2 * MTU);
	expect_read(t, 0, 0, 2 * MTU);
	expect_no_other(t, 2);
}

static void marked_ack(struct test *t)
{
	mark(t);
	connect_requester(t);
	post(t, IBV_WR_SEND, 8);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

static void marked_response(struct test *t)
{
	mark(t);
	connect_requester(t);
	post(t, IBV_WR_RDMA_READ, 2 * MTU);
	expect_request(t, OP_READ_REQUEST, 0, 2 * MTU);
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
	respond(t, OP_READ_RESPONSE_LAST, 1, MTU, MTU);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_sink(t, 2 * MTU);
}

static void marked_datagram(struct test *t)
{
	mark(t);
	connect_qp(t, IBV_QPT_UD);
	post_receives(t, 2, GRH_BYTES + 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_value(t, "bytes", expect_completion(t, RECEIVE, IBV_WC_SUCCESS)->byte_len,
		     GRH_BYTES + 8);
	expect_nothing(t);
}

#define CLAUSE	"A17.9"
#define IDLE	"a notification of congestion is no request, whatever its PSN"
#define SLOWER	"a notification of congestion loses and repeats nothing"
#define MARKED	"what was marked as congested is taken all the same"

const struct rule congestion_rules[] = {
	{ "cnp_due", notified_idle, CLAUSE, IDLE, &(const int){ 0 } },
	{ "cnp_ahead", notified_idle, CLAUSE, IDLE, &(const int){ 7 } },
	{ "cnp_behind", notified_idle, CLAUSE, IDLE, &(const int){ -1 } },
	{ "cnp_in_message", notified_in_message, CLAUSE, SLOWER },
	{ "cnp_in_response", notified_in_response, CLAUSE, SLOWER },
	{ "cnp_requester", notified_requester, CLAUSE, SLOWER },
	{ "cnp_before_response", notified_before_response, CLAUSE, SLOWER },
	{ "cnp_uc", notified_uc, CLAUSE, SLOWER },
	{ "cnp_ud", notified_datagrams, CLAUSE, SLOWER },
	{ "ecn_message", marked_message, CLAUSE, MARKED },
	{ "ecn_read", marked_read, CLAUSE, MARKED },
	{ "ecn_ack", marked_ack, CLAUSE, MARKED },
	{ "ecn_response", marked_response, CLAUSE, MARKED },
	{ "ecn_ud", marked_datagram, CLAUSE, MARKED },
	{ }
};
