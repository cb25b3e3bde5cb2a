// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * When a poster has to ring the doorbell.
 *
 * While `wakeup` in the ring is 0 somebody is certain to look at the ring again: the requester
 * waits for an answer, for the backend or for a timer, or it has run out of work and looks
 * again every SVT_IDLE_NS, idle_left times more. Then it sets `wakeup`, looks once more, and
 * sleeps; the next poster rings.
 *
 * How often it looks in vain before it sleeps is learnt: a doorbell soon after falling asleep
 * doubles it, a watch without a find halves it. So a stream of posts makes no system call, and
 * a QP that is used now and then, or waits for its peer, no timer interrupt. All under
 * send.side.lock.
 */
#include "doorbell.h"

#define SVT_IDLE_NS		(20 * NSEC_PER_USEC)
#define SVT_IDLE_BUDGET_MAX	16
/* A doorbell that comes sooner than this after falling asleep was one too many */
#define SVT_IDLE_TOO_SOON_NS	(SVT_IDLE_NS * SVT_IDLE_BUDGET_MAX)

static void svt_doorbell_woken(struct svt_send_side *send)
{
	s64 slept = ktime_to_ns(ktime_sub(send->now, send->slept));

	if (slept < SVT_IDLE_TOO_SOON_NS)
		send->idle_budget = min_t(u32, send->idle_budget * 2 + 1, SVT_IDLE_BUDGET_MAX);
	send->asleep = false;
	send->watched = send->ring.index;
	send->idle_left = send->idle_budget;
	svt_ring_awake(&send->ring);
}

static void svt_doorbell_sleep(struct svt_qp *qp)
{
	struct svt_send_side *send = &qp->send;

	send->idle_until = 0;
	/* A ring that makes no sense never has work: its QP is in the error state */
	if (!svt_ring_sleep(&send->ring) && svt_ring_pending(&send->ring) > 0) {
		atomic_or(SVT_WORK_QUEUE, &send->side.work);
		return;
	}
	send->asleep = true;
	send->slept = send->now;
}

/**
 * svt_doorbell_rest - the end of a round: watch the ring, or sleep
 * @qp: QP
 * @work: what brought this round
 * @idle: the ring was empty; else something else brings the next round
 *
 * Context: send.side.lock held.
 */
void svt_doorbell_rest(struct svt_qp *qp, int work, bool idle)
{
	struct svt_send_side *send = &qp->send;

	lockdep_assert_held(&send->side.lock);
	if (send->asleep) {
		if (!(work & SVT_WORK_QUEUE))
			return;
		svt_doorbell_woken(send);
	}
	if (!idle) {
		send->idle_until = 0;
		return;
	}
	if (send->watched != send->ring.index) {
		/* Something was found since the last look: watch for as long again */
		send->watched = send->ring.index;
		send->idle_left = send->idle_budget;
		send->idle_until = 0;
	}
	if (!send->idle_left) {
		svt_doorbell_sleep(qp);
		return;
	}
	if (send->idle_until && ktime_compare(send->now, send->idle_until) < 0)
		return;
	if (send->idle_until && !--send->idle_left) {
		send->idle_budget /= 2;
		svt_doorbell_sleep(qp);
		return;
	}
	send->idle_until = ktime_add_ns(send->now, SVT_IDLE_NS);
}

/**
 * svt_doorbell_reset - asleep, with nothing learnt
 * @qp: QP that enters RESET
 */
void svt_doorbell_reset(struct svt_qp *qp)
{
	struct svt_send_side *send = &qp->send;

	send->asleep = true;
	send->slept = 0;
	send->idle_until = 0;
	send->idle_budget = 0;
	send->idle_left = 0;
	send->watched = 0;
	WRITE_ONCE(send->ring.control->wakeup, 1);
}
