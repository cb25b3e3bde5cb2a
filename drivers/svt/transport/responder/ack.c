// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an RC responder sends: read responses and atomic ACKs in PSN order, then one ACK or NAK for
 * the batch. A FLUSH to persistent memory holds back all that stands behind it.
 *
 * An ACK or NAK acknowledges everything before its PSN. So it waits until nothing is pending before
 * it, and a later one replaces an earlier one. Responses reference the pages of the region. It is
 * looked up anew for every train: nothing is held from one RCU read section to the next. All under
 * recv.half.lock.
 */
#include "../../wire/aeth.h"
#include "../../wire/psn.h"
#include "../qp/half.h"
#include "../qp/train.h"
#include "../qp/xrc.h"
#include "absent.h"
#include "ack.h"
#include "rd_atomic.h"
#include "rqe.h"

/* Trains of one run; then packets that came meanwhile have their turn */
#define SVT_ANSWER_TRAINS	16

/* SVT_AETH_ACK gets its credits when it is sent. @psn: of the AETH's packet */
void svt_ack_due(struct svt_recv_half *recv, u8 syndrome, u32 psn)
{
	recv->ack_due = true;
	recv->ack_syndrome = syndrome;
	recv->ack_psn = psn;
}

/* An RNR NAK does not count */
bool svt_ack_is_nak(const struct svt_recv_half *recv)
{
	return recv->ack_due && (recv->ack_syndrome & SVT_AETH_TYPE_MASK) == SVT_AETH_NAK;
}

static u8 svt_answer_ack_syndrome(const struct svt_qp *qp)
{
	if (qp->srq || qp->type->target)
		return SVT_AETH_ACK | SVT_AETH_NO_CREDITS;
	return SVT_AETH_ACK | svt_aeth_encode_credits(svt_rqe_credits(qp));
}

static void svt_answer_packet(const struct svt_qp *qp, struct svt_packet *packet, u8 opcode,
			      u32 psn)
{
	memset(packet, 0, sizeof(*packet));
	packet->opcode = svt_qp_opcode(qp, opcode);
	packet->info = svt_opcode_info(packet->opcode);
	packet->psn = psn;
	packet->dest_qpn = qp->attr.dest_qp_num;
	packet->pkey = SVT_DEFAULT_PKEY;
	packet->migrated = true;
	packet->msn = qp->recv.msn;
	packet->syndrome = svt_answer_ack_syndrome(qp);
}

static u8 svt_read_opcode(const struct svt_resource *resource, u32 psn)
{
	bool first = psn == resource->request_psn, last = psn == resource->end_psn;

	if (first)
		return last ? IB_OPCODE_RDMA_READ_RESPONSE_ONLY :
			      IB_OPCODE_RDMA_READ_RESPONSE_FIRST;
	return last ? IB_OPCODE_RDMA_READ_RESPONSE_LAST :
		      IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE;
}

/* Behind a MIDDLE: as many more from @psn on as the train has room for */
static u32 svt_read_middles(const struct svt_qp *qp, struct svt_train_builder *builder,
			    const struct svt_resource *resource, const struct svt_region *region,
			    u32 psn, u32 offset)
{
	u32 more = min_t(u32, svt_psn(resource->end_psn - psn), svt_builder_room(builder));
	struct svt_builder_mark mark;

	if (!more)
		return 0;
	svt_builder_mark(builder, &mark);
	if (!svt_builder_payload_region(builder, region, offset, more * qp->mtu)) {
		svt_builder_undo(builder, &mark);
		return 0;
	}
	svt_builder_repeat(builder, psn, more);
	return more;
}

/* Responses from next_psn on, as many as make one train; @region is the rest of the read */
static void svt_read_fill(const struct svt_qp *qp, struct svt_train_builder *builder,
			  const struct svt_resource *resource, const struct svt_region *region)
{
	u32 psn = resource->next_psn, offset = 0;
	struct svt_builder_mark mark;
	struct svt_packet packet;
	u32 length, more;

	svt_answer_packet(qp, &packet, svt_read_opcode(resource, psn), psn);
	for (;;) {
		length = min_t(u64, region->length - offset, qp->mtu);
		if (!svt_builder_fits(builder, packet.info->header_length, length))
			return;
		packet.pad = -length & 3;
		svt_builder_mark(builder, &mark);
		svt_builder_add(builder, &packet, length);
		if (!svt_builder_payload_region(builder, region, offset, length)) {
			svt_builder_undo(builder, &mark);
			return;
		}
		if (psn == resource->end_psn)
			return;
		offset += length;
		psn = svt_psn_add(psn, 1);
		if (packet.opcode == svt_qp_opcode(qp, IB_OPCODE_RDMA_READ_RESPONSE_MIDDLE)) {
			more = svt_read_middles(qp, builder, resource, region, psn, offset);
			offset += more * qp->mtu;
			psn = svt_psn_add(psn, more);
		}
		packet.psn = psn;
		packet.opcode = svt_qp_opcode(qp, svt_read_opcode(resource, psn));
		packet.info = svt_opcode_info(packet.opcode);
	}
}

/* NULL: the XRC SRQ is gone */
static const struct ib_pd *svt_answer_pd(const struct svt_qp *qp,
					 const struct svt_resource *resource)
{
	const struct svt_srq *srq;

	if (!qp->type->target)
		return qp->recv.pd;
	srq = svt_xrc_srq(qp, resource->srq_num);
	return srq ? srq->ibsrq.pd : NULL;
}

/* Looks up and holds what is behind the first @done bytes of a read; false: it is gone */
static bool svt_answer_region(const struct svt_qp *qp, struct svt_train_builder *builder,
			      const struct svt_resource *resource, u32 done)
{
	const struct ib_pd *pd = svt_answer_pd(qp, resource);

	return pd && !svt_region_remote(&qp->core->keys, pd, qp->qpn, resource->rkey,
					resource->remote_addr + done, resource->end - done,
					IB_ACCESS_REMOTE_READ, &builder->region) &&
	       svt_builder_hold(builder, &builder->region);
}

/* A train's worth of pages is brought in: -EBUSY; there is no such memory: -EACCES; else 0 */
static int svt_answer_absent(struct svt_qp *qp, const struct svt_region *region)
{
	u32 length = min_t(u64, region->length, SVT_TRAIN_BYTES);

	if (!length)
		return 0;
	switch (svt_responder_absent(qp, region, 0, length, SVT_VERDICT_ACCESS)) {
	case SVT_VERDICT_ABSENT:
		return -EBUSY;
	case SVT_VERDICT_ACCESS:
		return -EACCES;
	default:
		return 0;
	}
}

/* -EACCES: memory is gone, or no room behind other responses; -EBUSY: it is not there yet */
static int svt_answer_add_read(struct svt_qp *qp, struct svt_train_builder *builder,
			       const struct svt_resource *resource)
{
	u32 before = builder->train.packets;
	u32 done = svt_psn(resource->next_psn - resource->psn) * qp->mtu;

	builder->region.length = 0;
	if (resource->end - done && !svt_answer_region(qp, builder, resource, done))
		return -EACCES;
	svt_read_fill(qp, builder, resource, &builder->region);
	return builder->train.packets == before ? svt_answer_absent(qp, &builder->region) : 0;
}

static void svt_answer_add_atomic(const struct svt_qp *qp, struct svt_train_builder *builder,
				  const struct svt_resource *resource)
{
	struct svt_packet packet;

	svt_answer_packet(qp, &packet, IB_OPCODE_ATOMIC_ACKNOWLEDGE, resource->psn);
	packet.atomic_original = resource->atomic_original;
	if (svt_builder_fits(builder, packet.info->header_length, 0))
		svt_builder_add(builder, &packet, 0);
}

/* Returns how many responses were added, or as svt_answer_add_read() */
static int svt_answer_add(struct svt_qp *qp, struct svt_train_builder *builder,
			  struct svt_resource *resource)
{
	u32 before = builder->train.packets;
	int ret = 0;

	if (resource->flush_left)
		ret = svt_resource_persist(qp, resource);
	if (ret)
		return ret;
	if (svt_opcode_info(resource->opcode)->flags & SVT_OP_ATOMIC)
		svt_answer_add_atomic(qp, builder, resource);
	else
		ret = svt_answer_add_read(qp, builder, resource);
	return ret ?: builder->train.packets - before;
}

static int svt_answer_send(struct svt_qp *qp, const struct svt_packet *packet)
{
	struct svt_train_builder *builder = svt_builder_start(qp, &qp->recv.half, &qp->path);
	int ret;

	svt_builder_add(builder, packet, 0);
	ret = svt_builder_send(builder, qp);
	svt_builder_finish(builder, qp);
	return ret;
}

/* A duplicate is not worth a QP: the peer may have all it wants, and ask for nothing */
static void svt_answer_lost(struct svt_qp *qp, const struct svt_resource *resource)
{
	struct svt_recv_half *recv = &qp->recv;

	if (resource->replay) {
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_LENGTH);
		svt_resource_give_up(recv);
		return;
	}
	svt_ack_due(recv, SVT_AETH_NAK | SVT_NAK_REMOTE_ACCESS, resource->next_psn);
	svt_resource_forget(recv);
	svt_qp_fail(qp, &recv->half, IB_EVENT_QP_ACCESS_ERR);
}

/* Returns 0, -EAGAIN of svt_builder_send(), or -EBUSY: SVT_WORK_PAGES or a worker comes first */
static int svt_answer_train(struct svt_qp *qp, struct svt_resource *resource)
{
	struct svt_train_builder *builder = svt_builder_start(qp, &qp->recv.half, &qp->path);
	u32 psn = resource->next_psn, first = psn, back = qp->recv.resource_pending;
	const struct svt_resource *oldest = resource;
	int ret, added;

	for (; resource && resource->next_psn == psn;
	     resource = svt_resource_pending(&qp->recv, &back)) {
		added = svt_answer_add(qp, builder, resource);
		if (added <= 0)
			break;
		psn = svt_psn_add(psn, added);
		resource->next_psn = psn;
	}
	if (svt_builder_empty(builder)) {
		svt_builder_release(builder);
		svt_builder_finish(builder, qp);
		if (added == -EBUSY)
			return -EBUSY;
		svt_answer_lost(qp, oldest);
		return 0;
	}
	ret = svt_builder_send(builder, qp);
	svt_builder_finish(builder, qp);
	if (ret)
		svt_resource_take_back(&qp->recv, first, psn);
	return ret;
}

/* False: something is left that has to be sent before an ACK or NAK */
static bool svt_answer_resources(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;
	unsigned int budget = SVT_ANSWER_TRAINS;

	for (;;) {
		struct svt_resource *resource;
		u32 back;
		int ret;

		svt_resource_settle(recv);
		back = recv->resource_pending;
		resource = svt_resource_pending(recv, &back);
		if (!resource)
			return true;
		if (!budget--) {
			atomic_or(SVT_WORK_BUDGET, &recv->half.work);
			return false;
		}
		ret = svt_answer_train(qp, resource);
		if (ret) {
			recv->flow_blocked = ret == -EAGAIN;
			return false;
		}
	}
}

static enum svt_counter svt_answer_counter(u8 syndrome)
{
	switch (syndrome & SVT_AETH_TYPE_MASK) {
	case SVT_AETH_RNR:
		return SVT_COUNT_RNR_NAKS_SENT;
	case SVT_AETH_NAK:
		return SVT_COUNT_NAKS_SENT;
	default:
		return SVT_COUNT_ACKS_SENT;
	}
}

static void svt_answer_acknowledge(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;
	struct svt_packet packet;

	svt_answer_packet(qp, &packet, IB_OPCODE_ACKNOWLEDGE, recv->ack_psn);
	if (recv->ack_syndrome != SVT_AETH_ACK)
		packet.syndrome = recv->ack_syndrome;
	if (svt_answer_send(qp, &packet)) {
		recv->flow_blocked = true;
		return;
	}
	recv->ack_due = false;
	svt_count(svt_qp_counters(qp), svt_answer_counter(recv->ack_syndrome));
}

/* BH off, RCU read section. If the backend has no room: due until svt_flow_ready() */
void svt_ack_run(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;

	if (recv->flow_blocked)
		return;
	if (recv->resource_pending && !svt_answer_resources(qp))
		return;
	if (recv->ack_due)
		svt_answer_acknowledge(qp);
}
