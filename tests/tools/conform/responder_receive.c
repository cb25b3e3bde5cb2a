// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: receives, what they bring, and where there are none.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "clock.h"
#include "conform.h"

#define EVENT_MS	3000
#define RNR_TIMER	14

static void none_posted(struct test *t)
{
	const u8 *operation = t->rule->arg;
	u32 receive;

	t->path.min_rnr_timer = RNR_TIMER;
	connect_qp(t, IBV_QPT_RC);
	ask(t, *operation, 0, 8);
	expect_rnr(t, RNR_TIMER, 0);
	receive = post_receive(t, 64);
	ask(t, *operation, 0, 8);
	expect_ack(t, 0);
	expect_completion(t, receive, IBV_WC_SUCCESS);
}

static void none_needed(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_WRITE_ONLY, 0, 8);
	expect_ack(t, 0);
	request(t, OP_READ_REQUEST, 1, 8)->address += 64;
	put(t);
	expect_read(t, 1, 64, 8);
}

/* What follows is for after the repeat: no hole */
static void follows_rnr(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_rnr(t, t->path.min_rnr_timer, 0);
	ask(t, OP_SEND_ONLY, 1, 8);
	expect_silence(t, 0);
}

static void brings_immediate(struct test *t)
{
	const u8 *operation = t->rule->arg;
	struct ibv_wc *wc;
	u32 receive;

	connect_qp(t, IBV_QPT_RC);
	receive = post_receive(t, 64);
	ask(t, *operation, 0, 8);
	expect_ack(t, 0);
	wc = expect_completion(t, receive, IBV_WC_SUCCESS);
	expect_that(t, wc->wc_flags & IBV_WC_WITH_IMM, "immediate data");
	expect_value(t, "immediate", __builtin_bswap32(wc->imm_data), t->out.immediate);
	expect_value(t, "bytes", wc->byte_len, 8);
}

static bool has_event(struct test *t, u32 ms)
{
	struct pollfd readable = { .fd = t->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&readable, 1, clock_left_ms(clock_limit(ms))) <= 0)
		return false;
	MUST(!ibv_get_cq_event(t->channel, &cq, &context), "ibv_get_cq_event: %s",
	     strerror(errno));
	ibv_ack_cq_events(cq, 1);
	return true;
}

static void solicited(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receives(t, 2, 64);
	MUST(!ibv_req_notify_cq(t->cq, 1), "ibv_req_notify_cq: %s", strerror(errno));
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_value(t, "events", has_event(t, 0), 0);
	request(t, OP_SEND_ONLY, 1, 8)->solicited = true;
	but(t, "SE 1");
	put(t);
	expect_ack(t, 1);
	expect_value(t, "events", has_event(t, EVENT_MS), 1);
}

static void wrong_lkey(struct test *t)
{
	const enum zone *zone = t->rule->arg;
	u32 receive;

	connect_qp(t, IBV_QPT_RC);
	receive = post_receive_in(t, *zone, 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_nak(t, NAK_REMOTE_OPERATIONAL, 0);
	expect_completion(t, receive, IBV_WC_LOC_PROT_ERR);
	expect_error_state(t);
}

/* Receives that are left, and the code for as many or the next lower number that has one */
struct credits {
	u32 left;
	u8 code;
};

static void tells_credits(struct test *t)
{
	const struct credits *c = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	post_receives(t, c->left + 1, 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	if (t->in.syndrome == CREDITS_NONE)
		SKIP("the device tells of no credits");
	expect_value(t, "credit code", t->in.syndrome, c->code);
}

#define RNR(name, operation) \
	{ "receive_none_" name, none_posted, "9.7.5.2.8", \
	  "without a receive the peer is told to wait, and the repeat is taken", \
	  &(const u8){ operation } }
#define IMMEDIATE(name, operation) \
	{ "receive_imm_" name, brings_immediate, "9.3, 9.4", \
	  "a receive brings the immediate data, and how many bytes there were", \
	  &(const u8){ operation } }
#define LKEY(name, from) \
	{ "receive_lkey_" name, wrong_lkey, "9.7.4.1.7, 9.9.3", \
	  "a receive into memory that it may not write is the responder's fault", \
	  &(const enum zone){ from } }
#define CREDITS(name, left, code) \
	{ "credits_told_" name, tells_credits, "9.7.7.2", \
	  "an ACK tells how many receives there are, if anything", \
	  &(const struct credits){ left, code } }

const struct rule receive_rules[] = {
	RNR("send", OP_SEND_ONLY),
	RNR("send_imm", OP_SEND_ONLY_IMM),
	RNR("write_imm", OP_WRITE_ONLY_IMM),
	{ "receive_not_needed", none_needed, "9.7.5.2.8", "WRITE and READ need no receive" },
	{ "receive_after_rnr", follows_rnr, "9.7.5.2.8",
	  "what follows a request that has to wait is dropped without a word" },
	IMMEDIATE("send", OP_SEND_ONLY_IMM),
	IMMEDIATE("write", OP_WRITE_ONLY_IMM),
	{ "receive_solicited", solicited, "9.2, 11.4.2.2",
	  "only a message with SE wakes who asked for that" },
	LKEY("right", ZONE_READ),
	LKEY("pd", ZONE_OTHER_PD),
	CREDITS("0", 0, 0),
	CREDITS("1", 1, 1),
	CREDITS("2", 2, 2),
	CREDITS("4", 4, 4),
	CREDITS("5", 5, 4),
	CREDITS("6", 6, 5),
	{ }
};
