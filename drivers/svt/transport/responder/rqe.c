// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receive under way: taken from the RQ or SRQ, filled from packets, completed.
 *
 * It is a copy in kernel memory (recv.wqe). From svt_rqe_take() to svt_rqe_complete() wqe_valid is
 * set, and nobody looks at the ring again. A message that is dropped on its way (UC) leaves the
 * receive for the next one. Data goes from the skb straight to the pages of the region, before
 * svt_cq_add() releases the completion. All under recv.half.lock.
 */
#include "../qp/copy.h"
#include "../qp/half.h"
#include "../qp/xrc.h"
#include "rqe.h"

#define SVT_FLUSH_BUDGET	256

/* Posted receives; negative: the ring is corrupt. A QP may have no ring. */
static int svt_receive_pending(const struct svt_recv_half *recv)
{
	return recv->ring.control ? svt_ring_pending(&recv->ring) : 0;
}

/* Counts the receive under way: its message is not in recv.msn yet (IBTA 9.7.7.2) */
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

/* Does nothing if one is under way. SVT_VERDICT_INVALID: the XRC SRQ is gone */
enum svt_verdict svt_rqe_take(struct svt_qp *qp)
{
	if (qp->recv.wqe_valid)
		return SVT_VERDICT_OK;
	return qp->srq || qp->type->target ? svt_receive_take_shared(qp) :
					     svt_receive_take_own(&qp->recv);
}

/* Bytes of the payload of @rx, or of @data without a packet; @done of them are copied */
struct svt_source {
	const struct svt_rx_packet *rx;
	const void *data;
	u32 done;
};

/* -EFAULT: the skb has not that many bytes */
static int svt_source_copy(struct svt_source *source, const struct svt_region *region, u32 offset,
			   u32 length)
{
	u32 from = source->done;

	source->done += length;
	if (source->rx)
		return svt_region_fill_payload(region, offset, length, source->rx, from);
	return svt_region_fill(region, offset, length, source->data + from);
}

/* Whether target->region is all of @sge; looked up once for the packets of an skb */
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

/* An SGE may be longer than its region: only the bytes that arrive count */
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

/* The receive has room for the bytes */
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

/* @offset and the payload are not beyond wqe_length. Needs an RCU read section. */
enum svt_verdict svt_rqe_payload(struct svt_qp *qp, u32 offset, const struct svt_rx_packet *rx)
{
	struct svt_source source = { .rx = rx };

	return svt_receive_scatter(qp, offset, &source, rx->run * rx->packet.payload_length);
}

/* As svt_rqe_payload(), for bytes of the kernel */
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

/* @batch may keep receives that complete until svt_rqe_batch_end() */
void svt_rqe_batch_begin(struct svt_qp *qp, struct svt_cqe_batch *batch)
{
	batch->count = 0;
	batch->solicited = false;
	qp->recv.batch = batch;
}

void svt_rqe_batch_end(struct svt_qp *qp)
{
	svt_batch_flush(qp);
	qp->recv.batch = NULL;
}

/* @cqe: all but wr_id and what svt_complete() sets; an error is not for a batch */
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

/* Flushes the receive under way; false: there is none */
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

/* The receive under way, else the oldest of the ring. False: none is left. */
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

/* The ring goes to sleep: a receive posted later rings the doorbell and is flushed too */
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

/*
 * A TGT QP took its receive from an SRQ that may be another process's, which cannot bring the QP to
 * ERR to get it back (IBTA 10.3.1). So it completes. The caller schedules the half when it has let
 * go of the lock.
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
