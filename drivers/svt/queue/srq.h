/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues.
 */
#ifndef SVT_QUEUE_SRQ_H
#define SVT_QUEUE_SRQ_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "ring.h"
#include "wqe.h"

/**
 * struct svt_srq - a shared receive queue
 * @ibsrq: of ib_core
 * @lock: protects @ring.index, @ring against replacement, @limit, @error; taken with interrupts
 *	off, inside a QP's receive lock and inside @post_lock
 * @post_lock: protects the producer, and @ring against replacement; taken with interrupts off, as
 *	kernel clients may post so
 * @ring: receive WQEs
 * @wqe_limits: of a WQE
 * @max_wr: for query
 * @limit: IB_EVENT_SRQ_LIMIT_REACHED is due when fewer WQEs are left; 0: not armed
 * @error: IB_EVENT_SRQ_ERR was raised; nothing is taken any more
 * @srq_num: for user space; in an XRCETH for an XRC SRQ
 * @pending_cq_events: of an XRC SRQ: enum svt_cq_event flags for @notify_work; atomic
 * @pending_events: likewise, bit i: enum ib_event_type i
 * @notify_work: for a QP that turned to another SRQ before it could deliver them
 * @mmap_entry: of a user's SRQ; owned by verbs
 * @resize_lock: one resize at a time; outermost; owned by verbs
 */
struct svt_srq {
	struct ib_srq ibsrq;
	spinlock_t lock;	/* see above */
	spinlock_t post_lock;	/* see above */
	struct svt_ring ring;
	struct svt_wqe_limits wqe_limits;
	u32 max_wr;
	u32 limit;
	bool error;
	u32 srq_num;
	atomic_t pending_cq_events;
	atomic_t pending_events;
	struct work_struct notify_work;
	struct rdma_user_mmap_entry *mmap_entry;
	struct mutex resize_lock; /* see above */
};

static inline struct svt_srq *to_svt_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct svt_srq, ibsrq);
}

enum svt_srq_take {
	SVT_SRQ_TAKEN,
	SVT_SRQ_EMPTY,
	SVT_SRQ_ERROR,
	SVT_SRQ_BAD_WQE,	/* taken, but not valid: complete it with *status */
};

enum svt_srq_take svt_srq_take(struct svt_srq *srq, struct svt_recv_wqe *copy, u32 *length,
			       enum ib_wc_status *status, int *event);
int svt_srq_replace(struct svt_srq *srq, struct svt_ring *ring, u32 max_wr);
int svt_srq_set_limit(struct svt_srq *srq, u32 limit);
void svt_srq_raise(struct svt_srq *srq, int event);
void svt_srq_notify(struct svt_srq *srq, unsigned int cq_events, unsigned long events);
void svt_srq_notify_pending(struct work_struct *work);

#endif
