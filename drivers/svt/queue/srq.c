// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: responders of many QPs take WQEs under svt_srq.lock. Events are returned
 * to the taker, who raises them by svt_srq_raise() once it holds no lock.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>

#include "cq.h"
#include "srq.h"

/* Of a resize: WQEs that are copied with interrupts off, and attempts to have no more left */
#define MOST_UNDER_LOCK		256
#define COPIES_AHEAD		8

static enum svt_srq_take fail(struct svt_srq *srq, int *event)
{
	srq->error = true;
	*event = IB_EVENT_SRQ_ERR;
	return SVT_SRQ_ERROR;
}

/* The ring is sound and not empty */
static enum svt_srq_take take(struct svt_srq *srq, struct svt_recv_wqe *copy, u32 *length,
			      enum ib_wc_status *status)
{
	struct svt_ring *ring = &srq->ring;

	*status = svt_recv_wqe_copy(ring, ring->index, &srq->wqe_limits, copy, length);
	svt_ring_publish_consumer(ring, ++ring->index);
	return *status == IB_WC_SUCCESS ? SVT_SRQ_TAKEN : SVT_SRQ_BAD_WQE;
}

/**
 * svt_srq_take() - take the next WQE
 * @srq: the SRQ
 * @copy: svt_recv_wqe_stride(@srq->wqe_limits.max_sge) bytes; as from svt_recv_wqe_copy()
 * @length: set to the bytes that fit into the WQE
 * @status: set when a WQE was taken
 * @event: set to -1, or to the enum ib_event_type to give svt_srq_raise(): once
 *	IB_EVENT_SRQ_LIMIT_REACHED when the WQEs left fall below the limit, which is disarmed by
 *	it (IBTA 10.2.9.1.2); once IB_EVENT_SRQ_ERR
 *
 * Context: Any. Takes @srq->lock.
 * Return: SVT_SRQ_TAKEN; SVT_SRQ_EMPTY; SVT_SRQ_BAD_WQE when a WQE was taken that is not valid;
 * SVT_SRQ_ERROR when the producer index can not be right, now and for good.
 */
enum svt_srq_take svt_srq_take(struct svt_srq *srq, struct svt_recv_wqe *copy, u32 *length,
			       enum ib_wc_status *status, int *event)
{
	enum svt_srq_take result = SVT_SRQ_ERROR;
	unsigned long flags;
	int pending;

	*event = -1;
	spin_lock_irqsave(&srq->lock, flags);
	if (srq->error)
		goto unlock;
	pending = svt_ring_pending(&srq->ring);
	if (pending < 0) {
		result = fail(srq, event);
	} else if (!pending) {
		result = SVT_SRQ_EMPTY;
	} else {
		result = take(srq, copy, length, status);
		if (pending - 1 < srq->limit) {
			srq->limit = 0;
			*event = IB_EVENT_SRQ_LIMIT_REACHED;
		}
	}
unlock:
	spin_unlock_irqrestore(&srq->lock, flags);
	return result;
}

/* The pending entries, if they fit into @to: from srq->ring.index to *@end */
static int pending_range(struct svt_srq *srq, const struct svt_ring *to, u32 *end)
{
	int pending;

	lockdep_assert_held(&srq->lock);
	pending = svt_ring_pending(&srq->ring);
	if (pending < 0 || pending > to->entries)
		return -EINVAL;
	*end = srq->ring.index + pending;
	return 0;
}

/*
 * Copies what is pending now without the locks, as a large SRQ takes milliseconds: a posted element
 * does not change. *@copied is set to the index up to which it went.
 */
static int copy_ahead(struct svt_srq *srq, struct svt_ring *to, u32 *copied)
{
	struct svt_ring from;
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&srq->lock, flags);
	ret = pending_range(srq, to, copied);
	from = srq->ring;
	spin_unlock_irqrestore(&srq->lock, flags);
	if (!ret)
		svt_ring_copy(&from, to, from.index, *copied);
	return ret;
}

/*
 * Moves the rest, and the indices; entries before @copied are there already. What is left is what
 * was posted meanwhile: not much, or user space writes to the index what it likes.
 */
static int move_pending(struct svt_srq *srq, struct svt_ring *to, u32 copied)
{
	const struct svt_ring *from = &srq->ring;
	u32 end;
	int ret;

	ret = pending_range(srq, to, &end);
	if (ret)
		return ret;
	/* More was taken than there was, or what user space says now is behind: copy all */
	if (end - copied > end - from->index)
		copied = from->index;
	if (end - copied > MOST_UNDER_LOCK)
		return -EAGAIN;
	svt_ring_copy(from, to, copied, end);

	to->index = from->index;
	to->control->consumer = from->index;
	/* Release: pairs with the acquire in svt_ring_pending() */
	smp_store_release(&to->control->producer, end);
	return 0;
}

static int replace_once(struct svt_srq *srq, struct svt_ring *ring, u32 max_wr)
{
	unsigned long flags;
	u32 copied;
	int ret;

	ret = copy_ahead(srq, ring, &copied);
	if (ret)
		return ret;

	spin_lock_irqsave(&srq->post_lock, flags);
	spin_lock(&srq->lock);
	ret = srq->limit <= max_wr ? move_pending(srq, ring, copied) : -EINVAL;
	if (!ret) {
		swap(srq->ring, *ring);
		srq->max_wr = max_wr;
	}
	spin_unlock(&srq->lock);
	spin_unlock_irqrestore(&srq->post_lock, flags);
	return ret;
}

/**
 * svt_srq_replace() - give an SRQ another ring: resize
 * @srq: the SRQ
 * @ring: from svt_ring_alloc() with the stride of the ring before; on success set to that one, for
 *	the caller to free once no process has it mapped
 * @max_wr: as query is to report
 *
 * What is pending moves, under the same indices. User space holds its own lock from before the
 * call until it has the new ring mapped, and posts nothing meanwhile.
 *
 * Context: may sleep; the caller sees to it that one SRQ is not resized twice at once. Takes
 * @srq->post_lock and @srq->lock.
 * Return: 0, or -EINVAL when the pending WQEs do not fit, or the limit is above @max_wr, or the
 * producer index can not be right; -EAGAIN when so much is posted meanwhile that it does not get
 * done. The SRQ is then as it was.
 */
int svt_srq_replace(struct svt_srq *srq, struct svt_ring *ring, u32 max_wr)
{
	int ret, i;

	for (i = 0; i < COPIES_AHEAD; i++) {
		ret = replace_once(srq, ring, max_wr);
		if (ret != -EAGAIN)
			break;
		cond_resched();
	}
	return ret;
}

/**
 * svt_srq_set_limit() - arm or disarm the limit event
 * @srq: the SRQ
 * @limit: WQEs; 0 disarms
 *
 * The event is for falling below the limit: a queue that holds less already gets it with the next
 * WQE that is taken.
 *
 * Context: Any. Takes @srq->lock.
 * Return: 0, or -EINVAL when the queue can not hold @limit WQEs.
 */
int svt_srq_set_limit(struct svt_srq *srq, u32 limit)
{
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&srq->lock, flags);
	if (limit <= srq->max_wr) {
		srq->limit = limit;
		ret = 0;
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}

/**
 * svt_srq_raise() - call the event handler
 * @srq: the SRQ
 * @event: from svt_srq_take(); -1 does nothing
 *
 * Context: Softirq or process, as the handler allows. No lock held.
 */
void svt_srq_raise(struct svt_srq *srq, int event)
{
	struct ib_srq *ibsrq = &srq->ibsrq;
	struct ib_event raised = {
		.device = ibsrq->device,
		.element.srq = ibsrq,
		.event = event,
	};

	if (event >= 0 && ibsrq->event_handler)
		ibsrq->event_handler(&raised, ibsrq->srq_context);
}

/**
 * svt_srq_notify() - deliver what an XRC SRQ and its CQ are owed
 * @srq: an XRC SRQ
 * @cq_events: enum svt_cq_event flags
 * @events: bit i: enum ib_event_type i of the SRQ
 *
 * Context: Softirq or process, as the handlers allow. No lock held.
 */
void svt_srq_notify(struct svt_srq *srq, unsigned int cq_events, unsigned long events)
{
	unsigned int event;

	if (cq_events)
		svt_cq_notify(container_of(srq->ibsrq.ext.cq, struct svt_cq, ibcq), cq_events);
	for_each_set_bit(event, &events, 32)
		svt_srq_raise(srq, event);
}

/**
 * svt_srq_notify_pending() - svt_srq.notify_work
 * @work: of the SRQ
 *
 * Context: Process.
 */
void svt_srq_notify_pending(struct work_struct *work)
{
	struct svt_srq *srq = container_of(work, struct svt_srq, notify_work);
	unsigned int cq_events = atomic_xchg(&srq->pending_cq_events, 0);

	svt_srq_notify(srq, cq_events, atomic_xchg(&srq->pending_events, 0));
}
