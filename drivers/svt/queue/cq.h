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

/* How long an event may wait for more completions: not at all if @count is below 2 or @period 0 */
struct svt_cq_moderation {
	u16 count;
	u16 period;	/* us after the first completion */
	u32 waiting;	/* completions since the last event */
	struct hrtimer timer; /* runs while @waiting is not 0 */
};

/**
 * struct svt_cq - a completion queue
 * @ibcq: of ib_core
 * @lock: protects @ring, @qps, @failed and @moderation; taken with interrupts off, as kernel
 *	clients poll and arm so; innermost, and no handler is called under it
 * @ring: CQEs
 * @qps: by element, for a kernel client, else NULL; NULL once that QP is gone
 * @failed: overrun; nothing is added any more (IBTA C11-38)
 * @timestamps: CQEs carry the time; set at creation
 * @ignore_overrun: drop without room, do not fail; set at creation
 * @moderation: of events
 * @cpu: of the completion handler; nr_cpu_ids: any; set at creation
 * @calls: of the handler, left to @call; atomic
 * @call: work on @cpu
 * @mmap_entry: of a user's CQ; owned by verbs
 * @resize_lock: one resize at a time; outermost; owned by verbs
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

/* For svt_cq_notify() */
enum svt_cq_event {
	SVT_CQ_QUIET		= 0,
	SVT_CQ_COMPLETION	= 1 << 0,
	SVT_CQ_OVERRUN		= 1 << 1,	/* IB_EVENT_CQ_ERR; the completion is lost */
	SVT_CQ_LOST		= 1 << 2,	/* likewise, of a CQ that failed before */
	SVT_CQ_DROPPED		= 1 << 3,	/* likewise, with @ignore_overrun */
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
