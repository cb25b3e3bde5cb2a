// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC (IBTA annex A14): a TGT QP has no receive queue and no PD. Each request names an SRQ of the
 * QP's XRC domain. The SRQ's PD is that of the memory, and its CQ gets the completions.
 *
 * An SRQ may be gone with the next packet, so a QP keeps its number and never a pointer:
 * svt_xrc_remove() waits for RCU readers. A run keeps pending notifications for one SRQ at a time
 * (svt_notify.srq_num); when the peer turns to another, the SRQ's own work delivers them. A number
 * that is gone comes back after 2^24 others. Called under recv.half.lock unless said otherwise.
 */
#include <linux/xarray.h>

#include "xrc.h"

/* No packet finds @srq before svt_xrc_publish(). May sleep. -ENOMEM: also no number is left. */
int svt_xrc_reserve(struct svt_core *core, struct svt_srq *srq)
{
	int ret = xa_alloc_cyclic(&core->xrc_srqs, &srq->srq_num, NULL,
				  XA_LIMIT(1, SVT_SRQN_MASK), &core->xrc_srq_next,
				  SVT_GFP_CHARGED);

	return ret < 0 ? -ENOMEM : 0;
}

/* From now on packets may be for @srq. May sleep. */
void svt_xrc_publish(struct svt_core *core, struct svt_srq *srq)
{
	/* Allocates nothing: the entry exists */
	WARN_ON(xa_is_err(xa_store(&core->xrc_srqs, srq->srq_num, srq, GFP_KERNEL)));
}

/* May sleep; waits for an RCU grace period. Afterwards nobody uses @srq or its CQ. */
void svt_xrc_remove(struct svt_core *core, struct svt_srq *srq)
{
	bool published = xa_erase(&core->xrc_srqs, srq->srq_num);

	synchronize_rcu_expedited();
	cancel_work_sync(&srq->notify_work);
	/* A run may not have found the SRQ for its event. One event too many does no harm. */
	if (published)
		svt_cq_notify(to_svt_cq(srq->ibsrq.ext.cq),
			      SVT_CQ_COMPLETION | atomic_xchg(&srq->pending_cq_events, 0));
}

/* NULL: not of the XRC domain of @qp. RCU read section; the SRQ is good until its end. */
struct svt_srq *svt_xrc_srq(const struct svt_qp *qp, u32 srq_num)
{
	struct svt_srq *srq = xa_load(&qp->core->xrc_srqs, srq_num);

	return srq && srq->ibsrq.ext.xrc.xrcd == qp->xrcd ? srq : NULL;
}

/**
 * svt_xrc_admit - may the SRQ that a request names have it?
 * @qp: QP
 * @packet: request with the expected PSN, whose opcode may come now
 *
 * A message stays with the SRQ that it began with; so does a receive that was taken from it.
 *
 * Context: RCU read section.
 * Return: true: it may, or @qp is not of XRC.
 */
bool svt_xrc_admit(struct svt_qp *qp, const struct svt_packet *packet)
{
	struct svt_recv_half *recv = &qp->recv;
	struct svt_srq *srq;

	if (!qp->type->target)
		return true;
	srq = svt_xrc_srq(qp, packet->srq_num);
	if (!srq)
		return false;
	if ((!(packet->info->flags & SVT_OP_FIRST) || recv->wqe_valid) &&
	    packet->srq_num != recv->srq_num)
		return false;
	recv->srq_num = packet->srq_num;
	recv->pd = srq->ibsrq.pd;
	return true;
}

/* From now on notifications are for @srq, found in this RCU read section */
void svt_xrc_notify_later(struct svt_qp *qp, const struct svt_srq *srq)
{
	struct svt_notify *notify = &qp->recv.half.notify;
	struct svt_srq *before;

	if (notify->srq_num == srq->srq_num)
		return;
	if (notify->cq_events || notify->srq_events) {
		before = svt_xrc_srq(qp, notify->srq_num);
		if (before) {
			atomic_or(notify->cq_events, &before->pending_cq_events);
			atomic_or(notify->srq_events, &before->pending_events);
			queue_work(qp->core->workqueue, &before->notify_work);
		}
		notify->cq_events = 0;
		notify->srq_events = 0;
	}
	notify->srq_num = srq->srq_num;
}

/* NULL: the SRQ of the receive under way is gone. RCU read section. */
struct svt_cq *svt_xrc_cq(struct svt_qp *qp)
{
	struct svt_srq *srq = svt_xrc_srq(qp, qp->recv.srq_num);

	if (!srq)
		return NULL;
	svt_xrc_notify_later(qp, srq);
	return container_of(srq->ibsrq.ext.cq, struct svt_cq, ibcq);
}

/* After a run of the receive half. BH off, RCU read section, no lock held. */
void svt_xrc_notify(const struct svt_qp *qp, const struct svt_notify *notify)
{
	struct svt_srq *srq;

	if (!notify->cq_events && !notify->srq_events)
		return;
	srq = svt_xrc_srq(qp, notify->srq_num);
	if (srq)
		svt_srq_notify(srq, notify->cq_events, notify->srq_events);
}
