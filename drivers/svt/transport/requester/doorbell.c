// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * When a poster has to ring the doorbell.
 *
 * While `wakeup` in the ring is 0 somebody is certain to look at the ring again: the requester
 * waits for an answer, for the backend or for a timer, or it has run out of work and watches:
 * it looks from time to time. When it stops watching it sets `wakeup`, looks once more, and
 * sleeps; the next poster rings.
 *
 * Whether, how often and how long it watches follows the interval, the mean time between two finds:
 * it watches a QP that posts often, for eight intervals, and a watch in vain doubles it.
 * It does not watch a QP to which the peer sent something since the last find: who posts in answer
 * to its peer waits for nothing more than this one post, and the doorbell is the fastest way. A
 * CPU that watches many QPs looks at each less often, so that its time is not spent on looks and a
 * look finds more at once. So a stream of posts makes hardly a system call, request and response
 * see no timer, and a QP at rest costs nothing.
 *
 * All under send.half.lock.
 */
#include <linux/percpu.h>

#include "doorbell.h"

/* With a longer interval a QP is not watched: the calls that it makes are few */
#define SVT_INTERVAL_WATCHED_NS	(5 * NSEC_PER_MSEC)
/* Of a QP that has posted nothing yet, and the longest that is kept */
#define SVT_INTERVAL_MAX_NS	(20 * NSEC_PER_MSEC)
#define SVT_WATCH_INTERVALS		8
#define SVT_WATCH_MAX_NS	(10 * NSEC_PER_MSEC)
/* Between two looks: a quarter of the interval, within these bounds */
#define SVT_LOOK_MIN_NS		(20 * NSEC_PER_USEC)
#define SVT_LOOK_MAX_NS		(100 * NSEC_PER_USEC)
/* But not more often than this for all the QPs that a CPU watches */
#define SVT_LOOK_SHARE_NS	(8 * NSEC_PER_USEC)

/* QPs of all devices that are to be looked at, by the CPU that decided so */
static DEFINE_PER_CPU(atomic_t, svt_watched_qps);

/* Pairs with the WRITE_ONCE() under recv.half.lock; a stale value costs a doorbell or a look */
static bool svt_doorbell_answering(struct svt_qp *qp)
{
	u32 arrivals = READ_ONCE(qp->recv.arrivals);
	bool changed = arrivals != qp->send.arrivals_seen;

	qp->send.arrivals_seen = arrivals;
	return changed;
}

/* One that waits for its peer or the backend is not looked at, though it may be watched later */
static void svt_doorbell_count(struct svt_send_half *send)
{
	bool watched = send->idle_until;

	if (watched == !!send->watched_by)
		return;
	if (watched) {
		send->watched_by = smp_processor_id() + 1;
		atomic_inc(this_cpu_ptr(&svt_watched_qps));
	} else {
		/* Maybe on another CPU: hence atomic, but once for a watch */
		atomic_dec(per_cpu_ptr(&svt_watched_qps, send->watched_by - 1));
		send->watched_by = 0;
	}
}

static u64 svt_doorbell_interval(const struct svt_send_half *send)
{
	u64 share = SVT_LOOK_SHARE_NS * atomic_read(this_cpu_ptr(&svt_watched_qps));

	return max(share, clamp_t(u64, send->interval / 4, SVT_LOOK_MIN_NS, SVT_LOOK_MAX_NS));
}

static void svt_doorbell_found(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	u64 gap = min_t(u64, ktime_to_ns(ktime_sub(send->now, send->found)),
			SVT_INTERVAL_MAX_NS);

	send->watched = send->ring.index;
	send->found = send->now;
	send->interval = send->interval - send->interval / 4 + gap / 4;
	send->idle_until = 0;
	send->watch_until = 0;
	if (!svt_doorbell_answering(qp) && send->interval <= SVT_INTERVAL_WATCHED_NS) {
		gap = min_t(u64, SVT_WATCH_MAX_NS, SVT_WATCH_INTERVALS * send->interval);
		send->watch_until = ktime_add_ns(send->now, gap);
	}
}

static void svt_doorbell_sleep(struct svt_send_half *send)
{
	send->idle_until = 0;
	/* A ring that makes no sense never has work: its QP is in the error state */
	if (!svt_ring_sleep(&send->ring) && svt_ring_pending(&send->ring) > 0)
		atomic_or(SVT_WORK_QUEUE, &send->half.work);
	else
		send->asleep = true;
}

/* The ring was empty: look again later? */
static bool svt_doorbell_watch(struct svt_send_half *send)
{
	if (!send->watch_until)
		return false;
	if (ktime_compare(send->now, send->watch_until) >= 0) {
		send->watch_until = 0;
		send->interval = min_t(u64, 2 * send->interval, SVT_INTERVAL_MAX_NS);
		return false;
	}
	if (!send->idle_until || ktime_compare(send->now, send->idle_until) >= 0)
		send->idle_until = ktime_add_ns(send->now, svt_doorbell_interval(send));
	return true;
}

/**
 * svt_doorbell_rest - the end of a round: watch the ring, or sleep
 * @qp: QP
 * @work: what brought this round
 * @idle: the ring was empty; else something else brings the next round
 *
 * Context: send.half.lock held.
 */
void svt_doorbell_rest(struct svt_qp *qp, int work, bool idle)
{
	struct svt_send_half *send = &qp->send;

	lockdep_assert_held(&send->half.lock);
	if (send->asleep && (work & SVT_WORK_QUEUE)) {
		send->asleep = false;
		svt_ring_awake(&send->ring);
	}
	if (send->watched != send->ring.index)
		svt_doorbell_found(qp);
	if (!idle && !send->asleep)
		send->idle_until = 0;
	else if (!send->asleep && !svt_doorbell_watch(send))
		svt_doorbell_sleep(send);
	svt_doorbell_count(send);
}

/**
 * svt_doorbell_reset - asleep, with nothing learnt
 * @qp: QP that enters RESET
 *
 * Context: send.half.lock held.
 */
void svt_doorbell_reset(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	send->asleep = true;
	send->idle_until = 0;
	send->watch_until = 0;
	svt_doorbell_count(send);
	send->found = 0;
	send->interval = SVT_INTERVAL_MAX_NS;
	send->watched = 0;
	WRITE_ONCE(send->ring.control->wakeup, 1);
}
