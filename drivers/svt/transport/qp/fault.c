// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Page faults of the engine, which may not sleep. A half that meets absent pages leaves its request
 * as it is. The workqueue of the process that has the memory brings the pages and schedules the
 * half (SVT_WORK_PAGES), which tries again; svt_fault_begin() fails if they could not be brought.
 *
 * A half waits for one thing at a time. Its owner sets svt_fault.state to PENDING; then the worker
 * has struct svt_fault but @forgotten, until it sets another state (release; readers acquire).
 */
#include "../../mem/paging.h"
#include "fault.h"
#include "half.h"

/* True once for bytes that could not be brought */
static bool svt_fault_was_refused(struct svt_fault *fault, u64 id, u64 first)
{
	if (fault->state != SVT_FAULT_REFUSED)
		return false;
	fault->state = SVT_FAULT_NONE;
	return !fault->forgotten && fault->id == id && fault->offset == first;
}

/**
 * svt_fault_begin - have pages of a region brought
 * @qp: QP
 * @half: that waits for them
 * @region: svt_region_absent()
 * @offset: in @region
 * @length: bytes
 *
 * Context: RCU read section of the look-up.
 * Return: true: SVT_WORK_PAGES follows; false: there is no such memory.
 */
bool svt_fault_begin(struct svt_qp *qp, struct svt_half *half, const struct svt_region *region,
		     u64 offset, u64 length)
{
	u64 first = region->addr + offset - region->mr->key.start;
	struct svt_fault *fault = &half->fault;
	struct svt_paging *paging;

	lockdep_assert_held(&half->lock);
	if (svt_fault_pending(half))
		return true;
	paging = rcu_dereference(region->mr->paging);
	if (svt_fault_was_refused(fault, paging->id, first))
		return false;
	fault->paging = svt_paging_get(region);
	fault->id = paging->id;
	fault->offset = first;
	fault->length = length;
	fault->write = region->write;
	fault->forgotten = false;
	WRITE_ONCE(fault->state, SVT_FAULT_PENDING);
	queue_work(paging->queue, &fault->work);
	return true;
}

/* -EBUSY: the pages left faster than they came; the half asks again */
static void svt_fault_carry_out(struct svt_qp *qp, struct svt_fault *fault)
{
	enum svt_paging_want want = fault->write ? SVT_PAGING_WRITE : SVT_PAGING_READ;
	int ret = svt_paging_fault(fault->paging, fault->offset, fault->length, want,
				   &fault->paging->faults);

	svt_paging_put(fault->paging);
	rcu_read_lock();
	svt_count(svt_qp_counters(qp), SVT_COUNT_PAGE_FAULTS);
	rcu_read_unlock();
	/* Pairs with the acquire in svt_fault_pending() */
	smp_store_release(&fault->state,
			  ret && ret != -EBUSY ? SVT_FAULT_REFUSED : SVT_FAULT_NONE);
}

static void svt_send_fault(struct work_struct *work)
{
	struct svt_qp *qp = container_of(work, struct svt_qp, send.half.fault.work);

	svt_fault_carry_out(qp, &qp->send.half.fault);
	svt_send_schedule(qp, SVT_WORK_PAGES);
}

static void svt_recv_fault(struct work_struct *work)
{
	struct svt_qp *qp = container_of(work, struct svt_qp, recv.half.fault.work);

	svt_fault_carry_out(qp, &qp->recv.half.fault);
	svt_recv_schedule(qp, SVT_WORK_PAGES);
}

void svt_faults_init(struct svt_qp *qp)
{
	INIT_WORK(&qp->send.half.fault.work, svt_send_fault);
	INIT_WORK(&qp->recv.half.fault.work, svt_recv_fault);
}

/* @qp is in RESET and nobody finds it any more. May sleep. */
void svt_faults_stop(struct svt_qp *qp)
{
	flush_work(&qp->send.half.fault.work);
	flush_work(&qp->recv.half.fault.work);
}
