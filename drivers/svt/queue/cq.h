/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues: the kernel produces, user space or svt_cq_poll() consumes.
 */
#ifndef SVT_QUEUE_CQ_H
#define SVT_QUEUE_CQ_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/svt-abi.h>

#include "ring.h"

/**
 * struct svt_cq_moderation - how long an event may wait for more completions
 * @count: completions that raise it; with less than 2 all events go at once
 * @period: us after the first completion that raise it; with 0 all events go at once
 * @waiting: completions since it was asked for, or since the last one
 * @timer: runs while @waiting is not 0
 */
struct svt_cq_moderation {
	u16 count;
	u16 period;
	u32 waiting;
	struct hrtimer timer;
};

/**
 * struct svt_cq - a completion queue
 * @ibcq: what ib_core sees
 * @lock: protects @ring (the kernel's index and the elements), @qps, @failed and @moderation; taken
 *	with interrupts off, as kernel clients may poll and arm with interrupts off.
 *	Innermost: no other lock is taken under it, no handler is called under it.
 * @ring: the CQEs
 * @qps: of a kernel client's CQ: element i's QP, NULL once that QP is gone; else NULL
 * @failed: the ring overran; nothing is added any more (IBTA C11-38)
 * @timestamps: CQEs carry the time; set at creation, when the user's CQ asks for it
 * @ignore_overrun: completions without room are dropped, and nothing fails; set at creation
 * @moderation: of events
 * @cpu: where the completion handler is called; nr_cpu_ids: anywhere. Set at creation
 * @calls: of the handler, that @call owes; atomic
 * @call: calls it on @cpu
 * @mmap_entry: of a user's CQ, owned by verbs
 * @resize_lock: verbs'; outermost: it is given one ring at a time
 */
struct svt_cq {
	struct ib_cq ibcq;
	spinlock_t lock;	/* see above */
	struct svt_ring ring;
	struct ib_qp **qps;
	bool failed;
	bool timestamps;
	bool ignore_overrun;
	struct svt_cq_moderation moderation;
	unsigned int cpu;
	atomic_t calls;
	struct work_struct call;
	struct rdma_user_mmap_entry *mmap_entry;
	struct mutex resize_lock; /* see above */
};

static inline struct svt_cq *to_svt_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct svt_cq, ibcq);
}

/* What the caller owes once it holds no lock: see svt_cq_notify() */
enum svt_cq_event {
	SVT_CQ_QUIET		= 0,
	SVT_CQ_COMPLETION	= 1 << 0,	/* the armed event */
	SVT_CQ_OVERRUN		= 1 << 1,	/* IB_EVENT_CQ_ERR; the completion is lost */
	SVT_CQ_LOST		= 1 << 2,	/* the CQ failed before; the completion is lost */
	SVT_CQ_DROPPED		= 1 << 3,	/* the completion is lost, as its owner wants it */
};

int svt_callers_init(void);
void svt_callers_exit(void);
int svt_cq_init(struct svt_cq *cq, u32 entries, bool kernel);
void svt_cq_bind(struct svt_cq *cq, u32 vector);
void svt_cq_flush(struct svt_cq *cq);
void svt_cq_stop(struct svt_cq *cq);
void svt_cq_free(struct svt_cq *cq);
void svt_cq_moderate(struct svt_cq *cq, u16 count, u16 period);
unsigned int svt_cq_add(struct svt_cq *cq, const struct svt_cqe *cqes, u32 count,
			struct ib_qp *qp, bool solicited);
void svt_cq_notify(struct svt_cq *cq, unsigned int events);
int svt_cq_poll(struct svt_cq *cq, int count, struct ib_wc *wc);
int svt_cq_arm(struct svt_cq *cq, enum ib_cq_notify_flags flags);
int svt_cq_replace(struct svt_cq *cq, struct svt_ring *ring, struct svt_ring *old);
void svt_cq_forget(struct svt_cq *cq, struct ib_qp *qp);

#endif
