// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues. The engine adds CQEs under svt_cq.lock. User space takes them out of the
 * mapped ring, kernel clients call svt_cq_poll(). svt_cq_add() returns events, and its caller
 * raises them by svt_cq_notify() once it holds no lock. A moderated event stays armed in the ring
 * until enough completions have come or the timer of the CQ fires. The completion handler is called
 * where the event is raised, or by a work item on the CPU that the CQ is bound to (svt_cq_bind()).
 */
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <rdma/svt.h>

#include "cq.h"

static struct workqueue_struct *callers;

int svt_callers_init(void)
{
	/* WQ_MEM_RECLAIM: writing pages to storage waits for completions */
	callers = alloc_workqueue("svt_callers", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_PERCPU, 0);
	return callers ? 0 : -ENOMEM;
}

void svt_callers_exit(void)
{
	destroy_workqueue(callers);
}

static bool is_moderated(struct svt_cq *cq, u32 count)
{
	struct svt_cq_moderation *moderation = &cq->moderation;

	/* Events that waited when moderation ended are raised now */
	if (!moderation->period && !moderation->waiting)
		return false;
	moderation->waiting += count;
	if (!moderation->period || moderation->waiting >= moderation->count) {
		moderation->waiting = 0;
		/* If it is about to fire, it finds nothing that waits, or raises that early */
		hrtimer_try_to_cancel(&moderation->timer);
		return false;
	}
	if (!hrtimer_is_queued(&moderation->timer))
		hrtimer_start(&moderation->timer, ns_to_ktime(moderation->period * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_SOFT);
	return true;
}

/*
 * Takes the request for an event, if @count completions and @solicited meet it. The word may change
 * between the read and the xchg(): a consumer looks at the ring after it has set the word.
 */
static unsigned int disarm(struct svt_cq *cq, u32 count, bool solicited)
{
	u32 *arm = &cq->ring.control->arm;
	u32 value = READ_ONCE(*arm);

	lockdep_assert_held(&cq->lock);
	if (value != SVT_CQ_ARM_NEXT && !(value == SVT_CQ_ARM_SOLICITED && solicited))
		return SVT_CQ_QUIET;
	if (is_moderated(cq, count))
		return SVT_CQ_QUIET;
	xchg(arm, SVT_CQ_ARM_NONE);
	return SVT_CQ_COMPLETION;
}

/* The period is over. The request was met when the first completion that waits came. */
static enum hrtimer_restart moderation_ends(struct hrtimer *timer)
{
	struct svt_cq *cq = container_of(timer, struct svt_cq, moderation.timer);
	unsigned int events = SVT_CQ_QUIET;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->moderation.waiting) {
		cq->moderation.waiting = cq->moderation.count;
		events = disarm(cq, 0, true);
		cq->moderation.waiting = 0;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	svt_cq_notify(cq, events);
	return HRTIMER_NORESTART;
}

/**
 * svt_cq_moderate() - let events wait for more completions
 * @cq: the CQ
 * @count: that raise an event
 * @period: us after the first one that raise it; 0, or a @count below 2, ends moderation
 *
 * An event that waits already comes when its period is over, or, once moderation has ended, with
 * the next completion that meets the request.
 */
void svt_cq_moderate(struct svt_cq *cq, u16 count, u16 period)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->moderation.count = count;
	cq->moderation.period = count > 1 ? period : 0;
	spin_unlock_irqrestore(&cq->lock, flags);
}

/* Once per event that was raised: a client that armed twice waits for two calls */
static void call_handler(struct work_struct *work)
{
	struct svt_cq *cq = container_of(work, struct svt_cq, call);
	int calls = atomic_xchg(&cq->calls, 0);

	for (; calls; calls--) {
		/* As in direct calls: handlers may rely on softirq context */
		local_bh_disable();
		cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
		local_bh_enable();
	}
}

/* n: handler runs on the n-th possible CPU; 0, or that CPU is offline: on the CPU that completes */
void svt_cq_bind(struct svt_cq *cq, u32 vector)
{
	cq->cpu = vector ? cpumask_nth(vector, cpu_possible_mask) : nr_cpu_ids;
}

static bool is_elsewhere(const struct svt_cq *cq)
{
	return cq->cpu < nr_cpu_ids && cq->cpu != raw_smp_processor_id() && cpu_online(cq->cpu);
}

/**
 * svt_cq_init() - make an empty completion queue
 * @cq: zeroed but for @ibcq
 * @entries: at least 1, rounded up to a power of two
 * @kernel: polled by svt_cq_poll()
 * Return: 0, -EINVAL or -ENOMEM
 */
int svt_cq_init(struct svt_cq *cq, u32 entries, bool kernel)
{
	int ret;

	spin_lock_init(&cq->lock);
	hrtimer_setup(&cq->moderation.timer, moderation_ends, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	INIT_WORK(&cq->call, call_handler);
	svt_cq_bind(cq, 0);
	ret = svt_ring_alloc(&cq->ring, entries, sizeof(struct svt_cqe));
	if (ret || !kernel)
		return ret;
	cq->qps = kvcalloc(cq->ring.entries, sizeof(cq->qps[0]), SVT_GFP_CHARGED);
	if (cq->qps)
		return 0;
	svt_ring_free(&cq->ring);
	return -ENOMEM;
}

/* Nothing is added any more, and from here on no event is raised. May sleep. */
void svt_cq_stop(struct svt_cq *cq)
{
	hrtimer_cancel(&cq->moderation.timer);
	cancel_work_sync(&cq->call);
}

/*
 * Raises the events that wait and sees the handlers of a kernel client return: none may run when
 * the QP is gone, or after ib_free_cq() has stopped what it starts. May sleep.
 */
void svt_cq_flush(struct svt_cq *cq)
{
	if (hrtimer_cancel(&cq->moderation.timer)) {
		local_bh_disable();
		moderation_ends(&cq->moderation.timer);
		local_bh_enable();
	}
	flush_work(&cq->call);
}

/* If a process may still have @ring mapped, verbs calls svt_cq_stop() and clears @ring before */
void svt_cq_free(struct svt_cq *cq)
{
	svt_cq_stop(cq);
	kvfree(cq->qps);
	cq->qps = NULL;
	svt_ring_free(&cq->ring);
}

/* The padding behind the last member is not set, so user space must not see it */
static void fill(struct svt_cq *cq, struct svt_cqe *element, const struct svt_cqe *cqe)
{
	memcpy(element, cqe, offsetofend(struct svt_cqe, reserved));
	if (cq->timestamps) {
		element->timestamp = ktime_get_ns();
		element->wall_clock = ktime_get_real_ns();
	}
}

/**
 * svt_cq_add() - add completions
 * @cq: the CQ
 * @cqes: copied, with time stamps where the CQ has them
 * @count: how many
 * @qp: its CQEs; a kernel client's CQ uses it until svt_cq_forget()
 * @solicited: one was solicited by the sender, or failed (IBTA 11.4.2.2)
 *
 * Adds those that there is room for. A CQ that is full, or has a wrong consumer index, then fails
 * for good (IBTA C11-38), and the QP has to fail as well. With @ignore_overrun the rest is dropped.
 * Context: Any.
 * Return: enum svt_cq_event flags, for svt_cq_notify()
 */
unsigned int svt_cq_add(struct svt_cq *cq, const struct svt_cqe *cqes, u32 count,
			struct ib_qp *qp, bool solicited)
{
	struct svt_ring *ring = &cq->ring;
	unsigned int events = SVT_CQ_QUIET;
	u32 first, used;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->failed) {
		events = SVT_CQ_LOST;
		goto unlock;
	}

	first = ring->index;
	/* The consumer's reads of the elements that we overwrite come before */
	used = ring->index - smp_load_acquire(&ring->control->consumer);
	for (; count && used < ring->entries; count--, used++, cqes++) {
		fill(cq, svt_ring_element(ring, ring->index), cqes);
		if (cq->qps)
			cq->qps[ring->index & (ring->entries - 1)] = qp;
		ring->index++;
	}
	if (count && cq->ignore_overrun) {
		events = SVT_CQ_DROPPED;
	} else if (count) {
		cq->failed = true;
		events = SVT_CQ_OVERRUN;
	}
	if (ring->index == first)
		goto unlock;
	/* Pairs with the acquire of @producer in polling */
	smp_store_release(&ring->control->producer, ring->index);
	/*
	 * Pairs with the fence in arming, between the write of @arm and the read of @producer. One
	 * of us sees the other's write, so that a CQE is either found or announced.
	 */
	smp_mb();
	events |= disarm(cq, ring->index - first, solicited);
unlock:
	spin_unlock_irqrestore(&cq->lock, flags);
	return events;
}

/**
 * svt_cq_notify() - call the handlers; the completion handler later if bound to another CPU
 * @cq: the CQ
 * @events: from svt_cq_add(), or'ed
 * Context: Softirq or process, as the handlers allow. No lock held that svt_cq_poll(), post or
 * destroy takes: handlers call these.
 */
void svt_cq_notify(struct svt_cq *cq, unsigned int events)
{
	struct ib_cq *ibcq = &cq->ibcq;

	if (events & SVT_CQ_COMPLETION && ibcq->comp_handler) {
		if (is_elsewhere(cq)) {
			atomic_inc(&cq->calls);
			/* If the CPU goes offline meanwhile, another one does the work */
			queue_work_on(cq->cpu, callers, &cq->call);
		} else {
			ibcq->comp_handler(ibcq, ibcq->cq_context);
		}
	}
	if (events & SVT_CQ_OVERRUN && ibcq->event_handler) {
		struct ib_event event = {
			.device = ibcq->device,
			.element.cq = ibcq,
			.event = IB_EVENT_CQ_ERR,
		};

		ibcq->event_handler(&event, ibcq->cq_context);
	}
}

static int wc_flags(const struct svt_cqe *cqe)
{
	return (cqe->flags & SVT_CQE_GRH ? IB_WC_GRH : 0) |
	       (cqe->flags & SVT_CQE_WITH_IMM ? IB_WC_WITH_IMM : 0) |
	       (cqe->flags & SVT_CQE_WITH_INV ? IB_WC_WITH_INVALIDATE : 0) |
	       (cqe->flags & SVT_CQE_WITH_VLAN ? IB_WC_WITH_VLAN : 0) |
	       (cqe->flags & SVT_CQE_IP_CSUM_OK ? IB_WC_IP_CSUM_OK : 0);
}

static void cqe_to_wc(const struct svt_cqe *cqe, struct ib_qp *qp, struct ib_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cqe->wr_id;
	wc->status = (__force enum ib_wc_status)cqe->status;
	wc->opcode = (__force enum ib_wc_opcode)cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	wc->qp = qp;
	if (cqe->flags & SVT_CQE_WITH_INV)
		wc->ex.invalidate_rkey = cqe->invalidated_rkey;
	else
		wc->ex.imm_data = cqe->imm_data;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = wc_flags(cqe);
	wc->pkey_index = cqe->pkey_index;
	wc->sl = cqe->sl;
	wc->vlan_id = cqe->vlan_id;
	wc->port_num = 1;
}

/*
 * ib_device_ops.poll_cq. Drops completions of QPs that are gone (svt_cq_forget()). -EINVAL: a
 * user's CQ, which uverbs lets a process try.
 */
int svt_cq_poll(struct svt_cq *cq, int count, struct ib_wc *wc)
{
	struct svt_ring *ring = &cq->ring;
	unsigned long flags;
	u32 consumer;
	int polled = 0;

	if (!cq->qps)
		return -EINVAL;
	spin_lock_irqsave(&cq->lock, flags);
	/* Both indices are written under the lock only */
	for (consumer = ring->control->consumer;
	     consumer != ring->index && polled < count; consumer++) {
		struct ib_qp *qp = cq->qps[consumer & (ring->entries - 1)];

		if (qp)
			cqe_to_wc(svt_ring_element(ring, consumer), qp, &wc[polled++]);
	}
	ring->control->consumer = consumer;
	spin_unlock_irqrestore(&cq->lock, flags);
	return polled;
}

/* ib_device_ops.req_notify_cq. IB_CQ_SOLICITED does not weaken IB_CQ_NEXT_COMP (IBTA 11.4.2.2). */
int svt_cq_arm(struct svt_cq *cq, enum ib_cq_notify_flags flags)
{
	struct svt_ring_control *control;
	unsigned long irq_flags;
	int missed;

	spin_lock_irqsave(&cq->lock, irq_flags);
	control = cq->ring.control;
	if ((flags & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP)
		WRITE_ONCE(control->arm, SVT_CQ_ARM_NEXT);
	else
		cmpxchg(&control->arm, SVT_CQ_ARM_NONE, SVT_CQ_ARM_SOLICITED);
	missed = flags & IB_CQ_REPORT_MISSED_EVENTS &&
		 cq->ring.index != READ_ONCE(control->consumer);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return missed;
}

static int pending_range(const struct svt_cq *cq, const struct svt_ring *to, u32 *consumer)
{
	u32 pending;

	lockdep_assert_held(&cq->lock);
	/* Acquire: as in svt_cq_add() */
	*consumer = smp_load_acquire(&cq->ring.control->consumer);
	pending = cq->ring.index - *consumer;
	return pending > cq->ring.entries || pending > to->entries ? -EINVAL : 0;
}

/*
 * Copies what is pending without the lock, up to *@copied: a large CQ takes milliseconds. Pending
 * elements do not change, as svt_cq_add() writes free ones.
 */
static int copy_ahead(struct svt_cq *cq, struct svt_ring *to, u32 *copied)
{
	struct svt_ring from;
	unsigned long flags;
	u32 consumer;
	int ret;

	spin_lock_irqsave(&cq->lock, flags);
	ret = pending_range(cq, to, &consumer);
	from = cq->ring;
	spin_unlock_irqrestore(&cq->lock, flags);
	if (ret)
		return ret;
	svt_ring_copy(&from, to, consumer, from.index);
	*copied = from.index;
	return 0;
}

/* Moves the rest, and the indices; entries before @copied are there already */
static int move_pending(struct svt_cq *cq, struct svt_ring *to, u32 copied, struct ib_qp **qps)
{
	const struct svt_ring *from = &cq->ring;
	u32 i, consumer;
	int ret;

	ret = pending_range(cq, to, &consumer);
	if (ret)
		return ret;
	svt_ring_copy(from, to, copied, from->index);
	for (i = consumer; qps && i != from->index; i++)
		qps[i & (to->entries - 1)] = cq->qps[i & (from->entries - 1)];

	to->index = from->index;
	to->control->consumer = consumer;
	to->control->arm = READ_ONCE(from->control->arm);
	/* Release: as in svt_cq_add() */
	smp_store_release(&to->control->producer, to->index);
	return 0;
}

/**
 * svt_cq_replace() - give a CQ another ring: resize
 * @cq: one call at a time
 * @ring: with the stride of a CQE; belongs to @cq on success
 * @old: set; to be freed once no process has it mapped
 *
 * Pending entries keep their indices, and @arm its value. User space holds its own lock until it
 * has mapped the new ring, and consumes nothing meanwhile. May sleep.
 * Return: 0, -ENOMEM, or -EINVAL when the pending CQEs do not fit; the CQ is then as it was
 */
int svt_cq_replace(struct svt_cq *cq, struct svt_ring *ring, struct svt_ring *old)
{
	struct ib_qp **qps = NULL;
	unsigned long flags;
	u32 copied;
	int ret;

	if (cq->qps) {
		qps = kvcalloc(ring->entries, sizeof(qps[0]), SVT_GFP_CHARGED);
		if (!qps)
			return -ENOMEM;
	}
	ret = copy_ahead(cq, ring, &copied);
	if (ret)
		goto free;

	spin_lock_irqsave(&cq->lock, flags);
	ret = move_pending(cq, ring, copied, qps);
	if (!ret) {
		*old = cq->ring;
		cq->ring = *ring;
		swap(cq->qps, qps);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
free:
	kvfree(qps);
	return ret;
}

/* Drops CQEs of a QP that goes from a kernel client's CQ; a user's provider does that itself */
void svt_cq_forget(struct svt_cq *cq, struct ib_qp *qp)
{
	struct svt_ring *ring = &cq->ring;
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->qps) {
		for (i = ring->control->consumer; i != ring->index; i++)
			if (cq->qps[i & (ring->entries - 1)] == qp)
				cq->qps[i & (ring->entries - 1)] = NULL;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}
