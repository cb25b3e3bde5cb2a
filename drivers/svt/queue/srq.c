// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: responders of many QPs take WQEs under svt_srq.lock. svt_srq_take()
 * returns events. Its caller raises them by svt_srq_raise() once it holds no lock.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>

#include "cq.h"
#include "srq.h"

/* Of a resize: WQEs copied with interrupts off, and attempts to have no more left */
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
 * @copy: as for svt_recv_wqe_copy()
 * @length: as from svt_recv_wqe_copy()
 * @status: set if a WQE was taken
 * @event: for svt_srq_raise(), or -1: once IB_EVENT_SRQ_LIMIT_REACHED when the WQEs left fall below
 *	the limit, which disarms it (IBTA 10.2.9.1.2); once IB_EVENT_SRQ_ERR
 * Return: enum svt_srq_take; SVT_SRQ_ERROR, when the producer index is wrong, is for good
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
 * Copies what is pending without the locks, up to *@copied: a large SRQ takes milliseconds. A
 * posted element does not change.
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
 * Moves the indices, and the entries from @copied on: those posted meanwhile. They are few, unless
 * user space writes nonsense to the index.
 */
static int move_pending(struct svt_srq *srq, struct svt_ring *to, u32 copied)
{
	const struct svt_ring *from = &srq->ring;
	u32 end;
	int ret;

	ret = pending_range(srq, to, &end);
	if (ret)
		return ret;
	/* More was taken than was copied, or the producer index went back: copy all */
	if (end - copied > end - from->index)
		copied = from->index;
	if (end - copied > MOST_UNDER_LOCK)
		return -EAGAIN;
	svt_ring_copy(from, to, copied, end);

	to->index = from->index;
	to->control->consumer = from->index;
	/* Pairs with the acquire in svt_ring_pending() */
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
 * @srq: one call at a time
 * @ring: of the same stride; set to the old one, to be freed once no process has it mapped
 * @max_wr: for query
 *
 * Pending entries keep their indices. User space holds its own lock until it has mapped the new
 * ring, and posts nothing meanwhile. May sleep.
 * Return: 0; -EINVAL the pending WQEs do not fit, the limit is above @max_wr, or the producer index
 * is wrong; -EAGAIN too much is posted meanwhile. On an error the SRQ is as it was.
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

/*
 * 0 disarms. A queue that already holds less gets the event with the next WQE that is taken.
 * -EINVAL: the queue can not hold @limit WQEs.
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

/* @event: from svt_srq_take(). Softirq or process, as the handler allows; no lock held. */
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

/* Of an XRC SRQ. @events: bit i is enum ib_event_type i. Context: as for svt_cq_notify(). */
void svt_srq_notify(struct svt_srq *srq, unsigned int cq_events, unsigned long events)
{
	unsigned int event;

	if (cq_events)
		svt_cq_notify(container_of(srq->ibsrq.ext.cq, struct svt_cq, ibcq), cq_events);
	for_each_set_bit(event, &events, 32)
		svt_srq_raise(srq, event);
}

void svt_srq_notify_pending(struct work_struct *work)
{
	struct svt_srq *srq = container_of(work, struct svt_srq, notify_work);
	unsigned int cq_events = atomic_xchg(&srq->pending_cq_events, 0);

	svt_srq_notify(srq, cq_events, atomic_xchg(&srq->pending_events, 0));
}
