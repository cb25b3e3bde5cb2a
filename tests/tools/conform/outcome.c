// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device's own program must see: completions, states, memory.
 */
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "completion.h"
#include "conform.h"

#define AWAIT_MS	10000

static void note_completion(char *column, u32 number, enum ibv_wc_status status)
{
	note(column, "%s %u: %s", number & RECEIVE ? "receive" : "request", number & ~RECEIVE,
	     ibv_wc_status_str(status));
}

bool has_completed(struct test *t)
{
	t->has_wc = t->has_wc || ibv_poll_cq(t->cq, 1, &t->wc) > 0;
	return t->has_wc;
}

static struct ibv_wc *next_completion(struct test *t)
{
	if (!t->has_wc && completion_next(t->cq, &t->wc, AWAIT_MS)) {
		note(t->seen, "no completion");
		deviates(t);
	}
	t->has_wc = false;
	note_completion(t->seen, t->wc.wr_id, t->wc.status);
	return &t->wc;
}

static bool is_wanted(const struct ibv_wc *wc, u32 number, enum ibv_wc_status status)
{
	return wc->wr_id == number && wc->status == status;
}

struct ibv_wc *expect_completion(struct test *t, u32 number, enum ibv_wc_status status)
{
	struct ibv_wc *wc;

	note_completion(t->expected, number, status);
	wc = next_completion(t);
	if (!is_wanted(wc, number, status))
		deviates(t);
	return wc;
}

void expect_failure(struct test *t, u32 number, enum ibv_wc_status status,
		    enum ibv_wc_status other)
{
	struct ibv_wc *wc;

	note_completion(t->expected, number, status);
	note(t->expected, "or %s", ibv_wc_status_str(other));
	wc = next_completion(t);
	if (!is_wanted(wc, number, status) && !is_wanted(wc, number, other))
		deviates(t);
}

void expect_no_completion(struct test *t)
{
	note(t->expected, "no completion");
	if (has_completed(t)) {
		note_completion(t->seen, t->wc.wr_id, t->wc.status);
		deviates(t);
	}
	note(t->seen, "no completion");
}

void expect_error_state(struct test *t)
{
	const u64 limit = clock_limit(AWAIT_MS);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	note(t->expected, "QP in ERR");
	do {
		MUST(!ibv_query_qp(t->qp, &attr, IBV_QP_STATE, &init), "ibv_query_qp: %s",
		     strerror(errno));
		if (attr.qp_state == IBV_QPS_ERR) {
			note(t->seen, "QP in ERR");
			return;
		}
		clock_sleep_ms(1);
	} while (!clock_passed(limit));
	note(t->seen, "QP in state %d", attr.qp_state);
	deviates(t);
}

static void expect_payload(struct test *t, const u8 *memory, u32 length)
{
	u32 i;

	for (i = 0; i < length; i++)
		if (memory[i] != payload_byte(i % MTU))
			break;
	expect_that(t, i == length, "the bytes that were sent");
}

void expect_received(struct test *t, u32 length)
{
	expect_payload(t, t->w->memory[ZONE_LOCAL], length);
}

void expect_one_delivery(struct test *t)
{
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_ack(t, 0);
	expect_no_completion(t);
}

void expect_written(struct test *t, u32 length)
{
	expect_payload(t, t->w->memory[ZONE_REMOTE], length);
}

void await_written(struct test *t)
{
	const u8 *first = t->w->memory[ZONE_REMOTE];
	const u64 limit = clock_limit(AWAIT_MS);

	while (*first != payload_byte(0) && !clock_passed(limit))
		clock_sleep_ms(1);
	expect_that(t, *first == payload_byte(0), "memory that is written");
}

void expect_unwritten(struct test *t, u32 offset)
{
	expect_that(t, t->w->memory[ZONE_REMOTE][offset] == pattern(ZONE_REMOTE, offset),
		    "memory as it was");
}

void expect_sink(struct test *t, u32 length)
{
	u32 i;

	for (i = 0; i < length; i++)
		if (t->w->memory[ZONE_SINK][i] != payload_byte(i))
			break;
	expect_that(t, i == length, "the bytes of the responses");
}
