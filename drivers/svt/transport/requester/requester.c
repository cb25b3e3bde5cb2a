// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester: sends what the send queue holds, as far as it may. It runs in any context that
 * owns the send half: a doorbell, an incoming acknowledgment, the timer. A run sends trains until
 * there is nothing to send, it has to wait, or the budget is used up. Under send.half.lock.
 */
#include "../qp/fault.h"
#include "../qp/half.h"
#include "../qp/loopback.h"
#include "doorbell.h"
#include "packetize.h"
#include "rate_limit.h"
#include "recovery.h"
#include "request.h"
#include "requester.h"
#include "timer.h"

/* Trains of one run, and requests that it flushes */
#define SVT_SEND_BUDGET		32
/*
 * Requests without packets of a kernel client, which may poll for them without yielding to the
 * workqueue. A process has none: it may refill its ring for ever.
 */
#define SVT_LOCAL_BUDGET	1024
#define SVT_FLUSH_BUDGET	256

struct svt_send_budget {
	unsigned int trains;
	unsigned int local;
};

static bool svt_may_send(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	enum ib_qp_state state = READ_ONCE(qp->state);

	return (state == IB_QPS_RTS || state == IB_QPS_SQD) && !send->flow_blocked &&
	       !send->rnr_until && !svt_fault_pending(&send->half) &&
	       svt_rate_may_send(send) && svt_recovery_may_send(send);
}

/*
 * The first packet of a WRITE is a train by itself, for its RETH. The next train asks for both ACKs
 * if it goes soon for certain, without an answer to this one: the message goes on, what is
 * outstanding does not hold it back (SVT_SEND_FULL), this is no probe for credits
 * (builder->closed), and neither the rate limit nor a repeat by the timer delays it. Backend and
 * budget bring the next round themselves.
 */
static bool svt_next_train_asks(const struct svt_qp *qp, const struct svt_train_builder *builder,
				enum svt_send_step step)
{
	const struct svt_send_half *send = &qp->send;

	return step == SVT_SEND_FULL && builder->train.packets == 1 && !builder->closed &&
	       send->cursor.offset && !send->probing && !qp->attr.rate_limit;
}

static bool svt_send_train(struct svt_qp *qp, struct svt_train_builder *builder,
			   const struct svt_send_cursor *before, enum svt_send_step step)
{
	struct svt_send_half *send = &qp->send;
	bool ask = !svt_next_train_asks(qp, builder, step);

	if (svt_builder_empty(builder))
		return true;
	if (qp->type->reliable && ask)
		svt_builder_request_ack(builder);
	if (svt_builder_send(builder, qp)) {
		send->cursor = *before;
		send->flow_blocked = true;
		return false;
	}
	svt_rate_sent(qp, builder->bytes);
	if (qp->type->reliable)
		svt_recovery_sent(qp, ask);
	if (builder->peer)
		svt_loopback_respond(qp, builder->peer);
	return true;
}

static enum svt_send_step svt_send_one_train(struct svt_qp *qp)
{
	struct svt_train_builder *builder = svt_builder_start(qp, &qp->send.half, &qp->path);
	struct svt_send_cursor before;
	enum svt_send_step step;
	bool sent;

	do {
		/* Local requests in front of the first packet must not run again */
		if (svt_builder_empty(builder))
			before = qp->send.cursor;
		step = svt_requester_packet(qp, builder);
		if (step == SVT_SEND_MORE && svt_rate_is_full(qp, builder))
			step = SVT_SEND_FULL;
	} while (step == SVT_SEND_MORE);
	sent = svt_send_train(qp, builder, &before, step);
	svt_builder_finish(builder, qp);
	return sent ? step : SVT_SEND_BLOCKED;
}

/* A step without packets is not charged as a train, unless it moved nothing */
static void svt_charge(const struct svt_send_half *send, u32 psn, u32 request,
		       struct svt_send_budget *budget)
{
	if (budget->local && send->cursor.psn == psn && send->cursor.request != request)
		budget->local--;
	else
		budget->trains--;
}

static enum svt_send_step svt_requester_send(struct svt_qp *qp, struct svt_send_budget *budget)
{
	struct svt_send_half *send = &qp->send;

	while (budget->trains) {
		u32 psn = send->cursor.psn, request = send->cursor.request;
		enum svt_send_step step;

		if (!svt_may_send(qp))
			return SVT_SEND_BLOCKED;
		step = svt_send_one_train(qp);
		svt_charge(send, psn, request, budget);
		if (step == SVT_SEND_BLOCKED && svt_window_grow(&qp->send))
			continue;
		if (step != SVT_SEND_FULL)
			return step;
	}
	queue_work(qp->core->workqueue, &qp->send.half.defer);
	return SVT_SEND_LATER;
}

/* Repeats if a peer on this host has answered; else an answer, a timer or the backend comes */
static enum svt_send_step svt_requester_work(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	struct svt_send_budget budget = {
		.trains = SVT_SEND_BUDGET,
		.local = qp->user ? 0 : SVT_LOCAL_BUDGET,
	};
	enum svt_send_step step;
	u32 tail, una;

	do {
		svt_send_advance(qp);
		svt_send_retire(qp);
		tail = send->tail;
		una = send->una;
		step = svt_requester_send(qp, &budget);
		svt_send_advance(qp);
		svt_send_retire(qp);
	} while (step == SVT_SEND_BLOCKED && (tail != send->tail || una != send->una));
	return step;
}

/* IBTA 10.3.1.6: in SQD requests that were begun are finished, and no others begun */
static void svt_check_drained(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	if (READ_ONCE(qp->state) != IB_QPS_SQD || send->drained ||
	    send->tail != send->cursor.started)
		return;
	send->drained = true;
	if (qp->attr.en_sqd_async_notify)
		svt_notify_qp(&send->half, IB_EVENT_SQ_DRAINED);
}

/**
 * svt_requester_run - one round of the owner of the send half
 * @qp: QP
 * @work: enum svt_work
 *
 * Context: send.half.lock held, BH off, RCU read section.
 */
void svt_requester_run(struct svt_qp *qp, int work)
{
	struct svt_send_half *send = &qp->send;
	enum svt_send_step step;

	lockdep_assert_held(&send->half.lock);
	send->now = ktime_get();
	if (work & SVT_WORK_FLOW)
		send->flow_blocked = false;
	if (work & SVT_WORK_TIMER)
		svt_recovery_timer(qp, send->now);
	if (work & SVT_WORK_PAGES && send->answer_lost) {
		send->answer_lost = false;
		svt_recovery_hole(qp);
	}
	switch (READ_ONCE(qp->state)) {
	case IB_QPS_RESET:
	case IB_QPS_INIT:
	case IB_QPS_RTR:
		return;
	default:
		step = svt_requester_work(qp);
	}
	if (svt_send_in_error(qp)) {
		step = SVT_SEND_IDLE;
		if (!svt_send_flush(qp, SVT_FLUSH_BUDGET)) {
			atomic_or(SVT_WORK_BUDGET, &send->half.work);
			step = SVT_SEND_LATER;
		}
	}
	svt_check_drained(qp);
	svt_doorbell_rest(qp, work, step == SVT_SEND_IDLE);
	svt_send_timer_arm(qp);
}

/**
 * svt_requester_reset - back to the state of a new QP
 * @qp: enters RESET, or is destroyed
 *
 * Context: send.half.lock held.
 */
void svt_requester_reset(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	for (; send->tail != send->head; send->tail++)
		svt_request_release(svt_request(send, send->tail));
	send->head = 0;
	send->tail = 0;
	send->ack_request = 0;
	send->read_tail = 0;
	memset(&send->cursor, 0, sizeof(send->cursor));
	send->credit_limited = false;
	send->flow_blocked = false;
	send->answer_lost = false;
	svt_fault_forget(&send->half);
	atomic_set(&send->half.late_runs, 0);
	send->rate_next = 0;
	send->drained = false;
	svt_send_timer_stop(qp);
	svt_ring_reset(&send->ring);
	svt_doorbell_reset(qp);
}

/**
 * svt_requester_move_reads - copy the ring of outstanding reads and atomics
 * @send: send half
 * @read_ends: ring to fill
 * @entries: of @read_ends, a power of two not below send->read_entries
 */
void svt_requester_move_reads(const struct svt_send_half *send, u32 *read_ends, u32 entries)
{
	u32 i;

	lockdep_assert_held(&send->half.lock);
	for (i = send->read_tail; i != send->cursor.read_head; i++)
		read_ends[i & (entries - 1)] = send->read_ends[i & (send->read_entries - 1)];
}

/**
 * svt_requester_start - begin to work on the send queue
 * @qp: enters RTS, attributes set
 *
 * Context: send.half.lock held.
 */
void svt_requester_start(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	send->cursor.psn = svt_psn(qp->attr.sq_psn);
	send->cursor.next_psn = send->cursor.psn;
	send->cursor.ssn = 1;
	send->una = send->cursor.psn;
	send->repeat_psn = send->una;
	svt_recovery_init(qp);
}
