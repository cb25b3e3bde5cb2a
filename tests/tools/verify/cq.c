// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Waiting for completions, by polling or in a completion channel.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#include "cq.h"
#include "res.h"

#define SLICE_MS	500
#define LATE_EVENT_MS	3000

static struct cq *new_cq(struct test *t, u32 cqe, bool channel)
{
	struct cq *cq = res_alloc(t, sizeof(*cq));

	cq->chan = channel ? res_channel(t) : NULL;
	cq->ibv = ibv_create_cq(t->dev->ctx, cqe, cq, cq->chan, 0);
	if (!cq->ibv)
		test_fail(t, "ibv_create_cq of %u: %s", cqe, strerror(errno));
	res_add_cq(t, cq->ibv);
	if ((u32)cq->ibv->cqe < cqe)
		test_fail(t, "the CQ holds %d completions, %u were asked for", cq->ibv->cqe, cqe);
	return cq;
}

struct cq *cq_new(struct test *t, u32 cqe)
{
	struct cq *cq = new_cq(t, cqe, t->run->events);

	cq->sleeps = t->run->events;
	return cq;
}

struct cq *cq_new_with_channel(struct test *t, u32 cqe)
{
	return new_cq(t, cqe, true);
}

struct cq *cq_wrap(struct test *t, struct ibv_cq *ibv)
{
	struct cq *cq = res_alloc(t, sizeof(*cq));

	cq->ibv = ibv;
	return cq;
}

u32 cq_poll(struct test *t, struct cq *cq, struct ibv_wc *wc, u32 n)
{
	int got = ibv_poll_cq(cq->ibv, n, wc);

	if (got < 0 || (u32)got > n)
		test_fail(t, "ibv_poll_cq gives %d", got);
	return got;
}

void cq_arm(struct test *t, struct cq *cq, bool solicited)
{
	int ret = ibv_req_notify_cq(cq->ibv, solicited);

	if (ret)
		test_fail(t, "ibv_req_notify_cq: %s", strerror(ret));
}

bool cq_event(struct test *t, struct cq *cq, u32 ms)
{
	struct pollfd p = { .fd = cq->chan->fd, .events = POLLIN };
	struct ibv_cq *ibv;
	void *context;

	if (poll(&p, 1, clock_scaled_ms(ms)) <= 0)
		return false;
	if (ibv_get_cq_event(cq->chan, &ibv, &context))
		test_fail(t, "ibv_get_cq_event: %s", strerror(errno));
	ibv_ack_cq_events(ibv, 1);
	if (ibv != cq->ibv || context != cq)
		test_fail(t, "the event is of another CQ");
	return true;
}

void cq_expect_event(struct test *t, struct cq *cq)
{
	if (!cq_event(t, cq, LIMIT_EVENT_MS))
		test_fail(t, "no completion event");
}

void cq_no_event(struct test *t, struct cq *cq)
{
	if (cq_event(t, cq, QUIET_MS))
		test_fail(t, "a completion event that was not asked for");
}

/* Sleeps a slice.  A completion found after a slice without an event is a lost event. */
static bool wait_in_channel(struct test *t, struct cq *cq, struct ibv_wc *wc)
{
	if (!cq->armed) {
		cq_arm(t, cq, false);
		cq->armed = true;
		return false;
	}
	if (cq_event(t, cq, SLICE_MS)) {
		cq->armed = false;
		return false;
	}
	if (!cq_poll(t, cq, wc, 1))
		return false;
	if (!cq_event(t, cq, LATE_EVENT_MS))
		test_fail(t, "a completion came without its event");
	cq->armed = false;
	return true;
}

bool cq_until(struct test *t, struct cq *cq, struct ibv_wc *wc, u64 limit)
{
	u32 turns = 0;

	for (;;) {
		if (cq_poll(t, cq, wc, 1))
			return true;
		if (cq->sleeps) {
			if (wait_in_channel(t, cq, wc))
				return true;
		} else {
			sched_yield();
		}
		if (clock_passed(limit))
			return false;
		if (!(++turns % 256) || cq->sleeps)
			test_poll_peer(t);
	}
}

void cq_next(struct test *t, struct cq *cq, struct ibv_wc *wc)
{
	if (!cq_until(t, cq, wc, clock_limit(LIMIT_EVENT_MS)))
		test_fail(t, "no completion in time");
}

void cq_next_slow(struct test *t, struct cq *cq, struct ibv_wc *wc)
{
	if (!cq_until(t, cq, wc, clock_limit(LIMIT_SLOW_MS)))
		test_fail(t, "no completion in time");
}

bool cq_try(struct test *t, struct cq *cq, struct ibv_wc *wc)
{
	return cq_until(t, cq, wc, clock_limit(QUIET_MS));
}

void cq_quiet(struct test *t, struct cq *cq)
{
	struct ibv_wc wc;

	clock_sleep_ms(clock_scaled_ms(QUIET_MS));
	if (cq_poll(t, cq, &wc, 1))
		test_fail(t, "a completion too many: wr_id %#llx, %s",
			  (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
}

/*
 * A NAK that ends the responder's QP is sent once: when the wire loses it, nothing answers the
 * requester any more.
 */
static bool lost_nak(const struct test *t, enum ibv_wc_status got, enum ibv_wc_status want)
{
	return t->run->lossy && got == IBV_WC_RETRY_EXC_ERR &&
	       (want == IBV_WC_REM_ACCESS_ERR || want == IBV_WC_REM_INV_REQ_ERR ||
		want == IBV_WC_REM_OP_ERR);
}

void wc_check(struct test *t, const struct ibv_wc *wc, u64 wr_id, enum ibv_wc_status status)
{
	if (wc->wr_id == wr_id && lost_nak(t, wc->status, status))
		return;
	if (wc->wr_id != wr_id || wc->status != status)
		test_fail(t, "completion of wr_id %#llx with `%s', expected %#llx with `%s'",
			  (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status),
			  (unsigned long long)wr_id, ibv_wc_status_str(status));
}

void cq_expect(struct test *t, struct cq *cq, u64 wr_id, enum ibv_wc_status status,
	       struct ibv_wc *wc)
{
	struct ibv_wc scratch;

	if (!wc)
		wc = &scratch;
	if (!cq_until(t, cq, wc, clock_limit(LIMIT_EVENT_MS)))
		test_fail(t, "no completion of wr_id %#llx with `%s' in time",
			  (unsigned long long)wr_id, ibv_wc_status_str(status));
	wc_check(t, wc, wr_id, status);
}

void cq_expect_ok(struct test *t, struct cq *cq, u64 wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	cq_expect(t, cq, wr_id, IBV_WC_SUCCESS, &wc);
	if (wc.opcode != opcode)
		test_fail(t, "completion of wr_id %#llx has opcode %d, expected %d",
			  (unsigned long long)wr_id, wc.opcode, opcode);
}
