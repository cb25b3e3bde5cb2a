// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receive under way: taken from the RQ or SRQ, filled from packets, completed.
 *
 * It is a copy in kernel memory (recv.wqe): from svt_rqe_take() to svt_rqe_complete()
 * wqe_valid is set, and the ring is not looked at again. A message that is dropped on its way
 * (UC) leaves the receive for the next one. Data goes from the skb straight to the pages of the
 * region; it is there before svt_cq_add() releases the completion. All under recv.half.lock.
 */
#include "../qp/copy.h"
#include "../qp/half.h"
#include "../qp/xrc.h"
#include "rqe.h"

/* Receives that one round flushes */
#define SVT_FLUSH_BUDGET	256

/* Receives that are posted; negative when the ring holds nonsense. A QP may have no ring. */
static int svt_receive_pending(const struct svt_recv_half *recv)
{
	return recv->ring.control ? svt_ring_pending(&recv->ring) : 0;
}

/**
 * svt_rqe_credits - how many messages the peer may send that need a receive
 * @qp: RC QP without an SRQ
 *
 * The one under way counts: its message is not in recv.msn yet, on which the peer adds the
 * credits (IBTA 9.7.7.2).
 *
 * Context: recv.half.lock held.
 * Return: receives.
 */
u32 svt_rqe_credits(const struct svt_qp *qp)
{
	return max(svt_receive_pending(&qp->recv), 0) + qp->recv.wqe_valid;
}

static enum svt_verdict svt_taken(struct svt_recv_half *recv, enum ib_wc_status status)
{
	recv->wqe_valid = true;
	recv->takes++;
	return status == IB_WC_SUCCESS ? SVT_VERDICT_OK : SVT_VERDICT_OPERATION;
}

static enum svt_verdict svt_receive_take_own(struct svt_recv_half *recv)
{
	struct svt_ring *ring = &recv->ring;
	int pending = svt_receive_pending(recv);
	enum ib_wc_status status;

	if (!pending)
		return SVT_VERDICT_NOT_READY;
	if (pending < 0)
		return SVT_VERDICT_QUEUE;
	status = svt_recv_wqe_copy(ring, ring->index, &recv->limits, recv->wqe, &recv->wqe_length);
	svt_ring_publish_consumer(ring, ++ring->index);
	return svt_taken(recv, status);
}

static enum svt_verdict svt_receive_take_shared(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;
	enum ib_wc_status status = IB_WC_SUCCESS;
	struct svt_srq *srq = qp->srq;
	enum svt_srq_take take;
	int event;

	if (qp->type->target) {
		srq = svt_xrc_srq(qp, recv->srq_num);
		if (!srq)
			return SVT_VERDICT_INVALID;
		svt_xrc_notify_later(qp, srq);
	}
	take = svt_srq_take(srq, recv->wqe, &recv->wqe_length, &status, &event);
	if (event >= 0)
		recv->half.notify.srq_events |= BIT(event);
	switch (take) {
	case SVT_SRQ_TAKEN:
	case SVT_SRQ_BAD_WQE:
		return svt_taken(recv, status);
	case SVT_SRQ_EMPTY:
		return SVT_VERDICT_NOT_READY;
	case SVT_SRQ_ERROR:
		break;
	}
	return SVT_VERDICT_QUEUE;
}

/**
 * svt_rqe_take - have a receive under way
 * @qp: QP
 *
 * Context: recv.half.lock held.
 * Return: SVT_VERDICT_OK, also when there was one already; SVT_VERDICT_NOT_READY,
 * SVT_VERDICT_OPERATION, SVT_VERDICT_QUEUE; SVT_VERDICT_INVALID: the XRC SRQ is gone.
 */
enum svt_verdict svt_rqe_take(struct svt_qp *qp)
{
	if (qp->recv.wqe_valid)
		return SVT_VERDICT_OK;
	return qp->srq || qp->type->target ? svt_receive_take_shared(qp) :
					     svt_receive_take_own(&qp->recv);
}

/* Where bytes come from: the payload of @rx, or @data when there is no packet; @done of them */
struct svt_source {
	const struct svt_rx_packet *rx;
	const void *data;
	u32 done;
};

/* To the beginning of @region, @offset bytes on. -EFAULT: the skb has not that many. */
static int svt_source_copy(struct svt_source *source, const struct svt_region *region, u32 offset,
			   u32 length)
{
	u32 from = source->done;

	source->done += length;
	if (source->rx)
		return svt_region_fill_payload(region, offset, length, source->rx, from);
	return svt_region_fill(region, offset, length, source->data + from);
}

/* Is all of @sge what target->region is? Looked up for the first packet of an skb that it meets */
static bool svt_target_is(struct svt_qp *qp, struct svt_rx_target *target,
			  const struct svt_sge *sge)
{
	if (target->sge == sge && target->take == qp->recv.takes)
		return true;
	target->write = false;
	target->sge = NULL;
	if (svt_region_local(&qp->core->keys, qp->recv.pd, sge, IB_ACCESS_LOCAL_WRITE,
			     &target->region))
		return false;
	target->sge = sge;
	target->take = qp->recv.takes;
	return true;
}

/* An entry may say more than its region has: what counts is what arrives */
static enum svt_verdict svt_scatter_to(struct svt_qp *qp, const struct svt_sge *sge, u32 offset,
				       struct svt_source *source, u32 length)
{
	struct svt_rx_target *target = source->rx ? source->rx->target : NULL;
	struct svt_region region = {};
	struct svt_sge part;

	if (target && svt_target_is(qp, target, sge)) {
		if (!svt_source_copy(source, &target->region, offset, length))
			return SVT_VERDICT_OK;
		return svt_responder_absent(qp, &target->region, offset, length,
					    SVT_VERDICT_PROTECTION);
	}
	part.addr = sge->addr + offset;
	part.length = length;
	part.lkey = sge->lkey;
	if (svt_region_local(&qp->core->keys, qp->recv.pd, &part, IB_ACCESS_LOCAL_WRITE, &region))
		return SVT_VERDICT_PROTECTION;
	if (!svt_source_copy(source, &region, 0, length))
		return SVT_VERDICT_OK;
	return svt_responder_absent(qp, &region, 0, length, SVT_VERDICT_PROTECTION);
}

/* Bytes for the message from @offset on; the receive has room for them */
static enum svt_verdict svt_receive_scatter(struct svt_qp *qp, u32 offset,
					    struct svt_source *source, u32 length)
{
	const struct svt_sge *sge = qp->recv.wqe->sge;
	enum svt_verdict verdict;

	for (; length; sge++) {
		u32 part;

		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		part = min(sge->length - offset, length);
		verdict = svt_scatter_to(qp, sge, offset, source, part);
		if (verdict != SVT_VERDICT_OK)
			return verdict;
		length -= part;
		offset = 0;
	}
	return SVT_VERDICT_OK;
}

/**
 * svt_rqe_payload - payload of packets into the receive under way
 * @qp: QP
 * @offset: where in the receive; @offset and the payload are not beyond wqe_length
 * @rx: packets: @rx->run of them
 *
 * Context: recv.half.lock held, RCU read section.
 * Return: SVT_VERDICT_OK, SVT_VERDICT_PROTECTION, SVT_VERDICT_ABSENT, SVT_VERDICT_BROKEN.
 */
enum svt_verdict svt_rqe_payload(struct svt_qp *qp, u32 offset, const struct svt_rx_packet *rx)
{
	struct svt_source source = { .rx = rx };

	return svt_receive_scatter(qp, offset, &source, rx->run * rx->packet.payload_length);
}

/**
 * svt_rqe_bytes - bytes of the kernel into the receive under way
 * @qp: QP
 * @offset: where in the receive; @offset + @length is not beyond wqe_length
 * @data: bytes
 * @length: how many
 *
 * Context: recv.half.lock held, RCU read section.
 * Return: SVT_VERDICT_OK, SVT_VERDICT_PROTECTION, SVT_VERDICT_ABSENT.
 */
enum svt_verdict svt_rqe_bytes(struct svt_qp *qp, u32 offset, const void *data, u32 length)
{
	struct svt_source source = { .data = data };

	return svt_receive_scatter(qp, offset, &source, length);
}

static void svt_batch_flush(struct svt_qp *qp)
{
	struct svt_cqe_batch *batch = qp->recv.batch;

	if (batch->count)
		svt_complete(qp, &qp->recv.half, batch->cqes, batch->count, batch->solicited);
	batch->count = 0;
	batch->solicited = false;
}

/**
 * svt_rqe_batch_begin - receives that complete from now on may be kept back
 * @qp: QP
 * @batch: for them, until svt_rqe_batch_end()
 *
 * Context: recv.half.lock held.
 */
void svt_rqe_batch_begin(struct svt_qp *qp, struct svt_cqe_batch *batch)
{
	batch->count = 0;
	batch->solicited = false;
	qp->recv.batch = batch;
}

/**
 * svt_rqe_batch_end - complete what was kept back
 * @qp: QP
 *
 * Context: recv.half.lock held.
 */
void svt_rqe_batch_end(struct svt_qp *qp)
{
	svt_batch_flush(qp);
	qp->recv.batch = NULL;
}

/**
 * svt_rqe_complete - the receive under way is done
 * @qp: QP with wqe_valid
 * @cqe: all but wr_id, and what svt_complete() sets; an error is not for a batch
 * @solicited: the peer asks for a solicited event
 *
 * Context: recv.half.lock held.
 */
void svt_rqe_complete(struct svt_qp *qp, struct svt_cqe *cqe, bool solicited)
{
	struct svt_recv_half *recv = &qp->recv;
	struct svt_cqe_batch *batch = recv->batch;

	cqe->wr_id = recv->wqe->wr_id;
	recv->wqe_valid = false;
	if (!batch) {
		svt_complete(qp, &recv->half, cqe, 1, solicited);
		return;
	}
	batch->cqes[batch->count++] = *cqe;
	batch->solicited |= solicited;
	if (batch->count == ARRAY_SIZE(batch->cqes))
		svt_batch_flush(qp);
}

/* The receive under way, if there is one, is over */
static bool svt_receive_abandon(struct svt_qp *qp)
{
	struct svt_cqe cqe = {
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
	};

	if (!qp->recv.wqe_valid)
		return false;
	svt_rqe_complete(qp, &cqe, true);
	return true;
}

/* The receive under way if there is one, else the oldest of the ring. False: none is left. */
static bool svt_receive_flush_one(struct svt_qp *qp)
{
	if (!qp->recv.wqe_valid && !qp->srq)
		svt_receive_take_own(&qp->recv);
	return svt_receive_abandon(qp);
}

/* IBTA 10.3.1: consumers of an SRQ learn when the QP takes no more from it */
static void svt_receive_last(struct svt_qp *qp)
{
	if (qp->recv.last_wqe_raised)
		return;
	qp->recv.last_wqe_raised = true;
	svt_notify_qp(&qp->recv.half, IB_EVENT_QP_LAST_WQE_REACHED);
}

/**
 * svt_rqe_flush - complete in error what is posted to a QP in ERR
 * @qp: QP
 *
 * When all is flushed the ring goes to sleep, so that a receive posted later rings the doorbell
 * and is flushed too.
 *
 * Context: recv.half.lock held.
 */
void svt_rqe_flush(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;
	unsigned int budget = SVT_FLUSH_BUDGET;

	while (budget && svt_receive_flush_one(qp))
		budget--;
	if (qp->srq || qp->type->target)
		svt_receive_last(qp);
	else if (recv->ring.control && !svt_ring_sleep(&recv->ring) &&
		 svt_receive_pending(recv) > 0)
		atomic_or(SVT_WORK_BUDGET, &recv->half.work);
}

/**
 * svt_rqe_reset - forget what is posted, and the receive under way
 * @qp: QP
 *
 * A TGT QP took it from an SRQ that may be another process's, which cannot bring the QP to ERR
 * first, as IBTA 10.3.1 has it, to get it back. So there it completes.
 *
 * Context: recv.half.lock held; the caller schedules the half when it has let go of the lock.
 */
void svt_rqe_reset(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;
	struct svt_ring *ring = &recv->ring;

	if (qp->type->target) {
		rcu_read_lock();
		if (svt_receive_abandon(qp))
			atomic_or(SVT_WORK_STATE, &recv->half.work);
		rcu_read_unlock();
	}
	recv->wqe_valid = false;
	if (ring->control)
		svt_ring_reset(ring);
}
