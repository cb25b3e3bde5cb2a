// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * When a poster has to ring the doorbell. All under send.half.lock.
 *
 * While `wakeup` in the ring is 0, the requester is certain to look at the ring again: it waits for
 * an answer, the backend or a timer, or it watches the empty ring. To sleep it sets `wakeup` and
 * looks once more. Then the next poster rings.
 *
 * It watches for eight intervals; the interval is the mean time between two finds. So a stream of
 * posts makes hardly a system call. A watch in vain doubles the interval, and a QP at rest costs
 * nothing. It does not watch if the peer sent something since the last find: the program posts in
 * answer to its peer, and a doorbell is the fastest way.
 */
#include <linux/percpu.h>

#include "doorbell.h"

/* With a longer interval a QP is not watched: it makes few calls */
#define SVT_INTERVAL_WATCHED_NS	(5 * NSEC_PER_MSEC)
/* The first and the longest interval */
#define SVT_INTERVAL_MAX_NS	(20 * NSEC_PER_MSEC)
#define SVT_WATCH_INTERVALS		8
#define SVT_WATCH_MAX_NS	(10 * NSEC_PER_MSEC)
/* Between two looks: a quarter of the interval, within these bounds */
#define SVT_LOOK_MIN_NS		(20 * NSEC_PER_USEC)
#define SVT_LOOK_MAX_NS		(100 * NSEC_PER_USEC)
/* But not more often than this for all the QPs that a CPU watches: a look then finds more */
#define SVT_LOOK_SHARE_NS	(8 * NSEC_PER_USEC)

/* QPs of all devices that each CPU watches */
static DEFINE_PER_CPU(atomic_t, svt_watched_qps);

/* Pairs with the WRITE_ONCE() under recv.half.lock; a stale value costs a doorbell or a look */
static bool svt_doorbell_answering(struct svt_qp *qp)
{
	u32 arrivals = READ_ONCE(qp->recv.arrivals);
	bool changed = arrivals != qp->send.arrivals_seen;

	qp->send.arrivals_seen = arrivals;
	return changed;
}

/* A QP that waits for its peer or the backend does not count */
static void svt_doorbell_count(struct svt_send_half *send)
{
	bool watched = send->idle_until;

	if (watched == !!send->watched_by)
		return;
	if (watched) {
		send->watched_by = smp_processor_id() + 1;
		atomic_inc(this_cpu_ptr(&svt_watched_qps));
	} else {
		/* Maybe from another CPU, so the counter is atomic */
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
	/* A corrupt ring has no work: its QP is in the error state */
	if (!svt_ring_sleep(&send->ring) && svt_ring_pending(&send->ring) > 0)
		atomic_or(SVT_WORK_QUEUE, &send->half.work);
	else
		send->asleep = true;
}

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

/* The end of a round. @idle: the ring was empty; else something else brings the next round */
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
