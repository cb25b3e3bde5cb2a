// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC (IBTA annex A14): a TGT QP has no receive queue and no PD. Each request names an SRQ by its
 * number, which has to be of the QP's XRC domain; the SRQ's PD is that of the memory, and its CQ
 * has the completions.
 *
 * An SRQ is found under RCU and may be gone with the next packet, so a QP keeps its number and
 * never a pointer: svt_xrc_remove() waits for whoever found it, and afterwards nobody uses it. What
 * a run owes to an SRQ's client is kept for one SRQ at a time (svt_notify.srq_num); when the peer
 * turns to another before it is paid, the SRQ's own work pays it. Numbers are given out in turn:
 * one that is gone comes back after 2^24 others. Called by the responder under recv.half.lock
 * unless said otherwise.
 */
#include <linux/xarray.h>

#include "xrc.h"

/**
 * svt_xrc_reserve - give an SRQ its number
 * @core: tables of the device
 * @srq: XRC SRQ; its srq_num is set. No packet finds it before svt_xrc_publish()
 *
 * Context: may sleep.
 * Return: 0, or -ENOMEM: also when no number is left.
 */
int svt_xrc_reserve(struct svt_core *core, struct svt_srq *srq)
{
	int ret = xa_alloc_cyclic(&core->xrc_srqs, &srq->srq_num, NULL,
				  XA_LIMIT(1, SVT_SRQN_MASK), &core->xrc_srq_next,
				  SVT_GFP_CHARGED);

	return ret < 0 ? -ENOMEM : 0;
}

/**
 * svt_xrc_publish - from now on packets may be for an SRQ
 * @core: tables of the device
 * @srq: with a number of svt_xrc_reserve(), ready for use
 *
 * Context: may sleep.
 */
void svt_xrc_publish(struct svt_core *core, struct svt_srq *srq)
{
	/* The entry is there: nothing is allocated */
	WARN_ON(xa_is_err(xa_store(&core->xrc_srqs, srq->srq_num, srq, GFP_KERNEL)));
}

/**
 * svt_xrc_remove - no packet is for an SRQ any more
 * @core: tables of the device
 * @srq: XRC SRQ
 *
 * Its CQ gets an event, in case that one for a completion in it was under way.
 *
 * Context: may sleep; waits for an RCU grace period. Afterwards nobody uses @srq or its CQ.
 */
void svt_xrc_remove(struct svt_core *core, struct svt_srq *srq)
{
	bool published = xa_erase(&core->xrc_srqs, srq->srq_num);

	synchronize_rcu_expedited();
	cancel_work_sync(&srq->notify_work);
	/* Who owed an event may not have found the SRQ any more. One too many does no harm. */
	if (published)
		svt_cq_notify(to_svt_cq(srq->ibsrq.ext.cq),
			      SVT_CQ_COMPLETION | atomic_xchg(&srq->pending_cq_events, 0));
}

/**
 * svt_xrc_srq - find an SRQ by its number
 * @qp: TGT QP
 * @srq_num: any number
 *
 * Context: RCU read section; the SRQ is good until its end.
 * Return: an SRQ of the XRC domain of @qp, or NULL.
 */
struct svt_srq *svt_xrc_srq(const struct svt_qp *qp, u32 srq_num)
{
	struct svt_srq *srq = xa_load(&qp->core->xrc_srqs, srq_num);

	return srq && srq->ibsrq.ext.xrc.xrcd == qp->xrcd ? srq : NULL;
}

/**
 * svt_xrc_admit - whether the SRQ that a request names may have it
 * @qp: QP
 * @packet: request with the expected PSN, whose opcode may come now
 *
 * A message stays with the SRQ that it began with; so does a receive that was taken from it.
 *
 * Context: recv.half.lock held, RCU read section.
 * Return: true when it may; always for a QP that is not of XRC.
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

/**
 * svt_xrc_notify_later - what is collected from now on is for an SRQ
 * @qp: TGT QP
 * @srq: found in this RCU read section
 *
 * Context: recv.half.lock held, RCU read section.
 */
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

/**
 * svt_xrc_cq - where the receive under way completes
 * @qp: TGT QP
 *
 * Context: recv.half.lock held, RCU read section.
 * Return: the CQ of the SRQ that it came from, or NULL: that is gone.
 */
struct svt_cq *svt_xrc_cq(struct svt_qp *qp)
{
	struct svt_srq *srq = svt_xrc_srq(qp, qp->recv.srq_num);

	if (!srq)
		return NULL;
	svt_xrc_notify_later(qp, srq);
	return container_of(srq->ibsrq.ext.cq, struct svt_cq, ibcq);
}

/**
 * svt_xrc_notify - deliver what a run of the receive half owes
 * @qp: TGT QP
 * @notify: of that run
 *
 * Context: BH off, RCU read section, no lock held.
 */
void svt_xrc_notify(const struct svt_qp *qp, const struct svt_notify *notify)
{
	struct svt_srq *srq;

	if (!notify->cq_events && !notify->srq_events)
		return;
	srq = svt_xrc_srq(qp, notify->srq_num);
	if (srq)
		svt_srq_notify(srq, notify->cq_events, notify->srq_events);
}
