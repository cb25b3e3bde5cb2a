// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The one hrtimer of the requester: for retransmission, RNR waits, the rate limit and the idle
 * watch. The fast path never pushes it back: it fires at the oldest deadline and is then set to the
 * next. Under send.half.lock.
 */
#include "rate_limit.h"
#include "timer.h"

void svt_send_timer_stop(struct svt_qp *qp)
{
	qp->send.deadline = 0;
	qp->send.rnr_until = 0;
	qp->send.rtt_start = 0;
}

static ktime_t svt_earlier(ktime_t a, ktime_t b)
{
	if (!a || !b)
		return a ?: b;
	return min(a, b);
}

void svt_send_timer_arm(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	ktime_t next = svt_earlier(svt_earlier(send->deadline, send->rnr_until), send->idle_until);

	if (!svt_rate_may_send(send))
		next = svt_earlier(next, send->rate_next);
	if (!next)
		return;
	if (hrtimer_is_queued(&send->timer) &&
	    ktime_compare(hrtimer_get_softexpires(&send->timer), next) <= 0)
		return;
	hrtimer_start(&send->timer, next, HRTIMER_MODE_ABS_SOFT);
}
