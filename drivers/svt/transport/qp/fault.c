// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Page faults of the engine. It may not sleep, so a half that meets memory that is paged on demand
 * and not there leaves its request as it is, has the pages brought by the workqueue of the process
 * that has the memory, and is scheduled when they are there (SVT_WORK_PAGES); then it tries again.
 * What could not be brought is found out when it tries: svt_fault_begin() says so for the same
 * bytes.
 *
 * A half waits for one thing at a time. The owner of the half sets svt_fault.state to PENDING, and
 * then all of struct svt_fault but @forgotten is the worker's, until it sets it to something else
 * (release, paired with the acquire of who reads it).
 */
#include "../../mem/paging.h"
#include "fault.h"
#include "half.h"

/* Has it been tried, in vain? Then it is told once */
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
 * @half: the half of it that waits for them
 * @region: svt_region_absent(), from a look-up
 * @offset: of the first byte in @region
 * @length: bytes
 *
 * Context: @half->lock held, the RCU read section of the look-up.
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

/* Pages that left faster than they came are asked for again */
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

/**
 * svt_faults_init - make both halves of a new QP ready to wait for pages
 * @qp: QP
 */
void svt_faults_init(struct svt_qp *qp)
{
	INIT_WORK(&qp->send.half.fault.work, svt_send_fault);
	INIT_WORK(&qp->recv.half.fault.work, svt_recv_fault);
}

/**
 * svt_faults_stop - wait for what is brought for a QP that goes
 * @qp: QP in RESET that nobody can find any more
 *
 * Context: may sleep.
 */
void svt_faults_stop(struct svt_qp *qp)
{
	flush_work(&qp->send.half.fault.work);
	flush_work(&qp->recv.half.fault.work);
}
