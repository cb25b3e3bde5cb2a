// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From send requests to packets: adds the packet at the cursor to the train, and moves the cursor.
 *
 * The cursor alone says what is sent; a repeat is a cursor put back. So the first packet of a
 * repeated message may be in its middle, and a repeated READ asks for the rest only. A long READ is
 * asked for in parts, each a request of its own on the wire. So answers of at most one part more
 * than may be outstanding are under way. Called by the requester, under send.half.lock.
 */
#include "../../wire/frame.h"
#include "../qp/fault.h"
#include "local.h"
#include "packetize.h"
#include "rate_limit.h"
#include "recovery.h"
#include "request.h"

/* With this bit in the work request's Q_Key the QP's own is used (IBTA 10.2.5) */
#define SVT_QKEY_CONTROLLED	0x80000000

/* Bytes in front of a RETH */
static u32 svt_base_header(const struct svt_qp *qp)
{
	return qp->type->service == SVT_SERVICE_XRC ? SVT_BTH_BYTES + SVT_XRCETH_BYTES :
						      SVT_BTH_BYTES;
}

static void svt_packet_common(const struct svt_qp *qp, struct svt_packet *packet, u8 opcode)
{
	memset(packet, 0, sizeof(*packet));
	packet->opcode = svt_qp_opcode(qp, opcode);
	packet->info = svt_opcode_info(packet->opcode);
	packet->migrated = true;
	packet->pkey = SVT_DEFAULT_PKEY;
	packet->psn = qp->send.cursor.psn;
	packet->dest_qpn = qp->attr.dest_qp_num;
}

/* Sets builder->region to that of @sge, if an earlier packet did not */
static bool svt_gather_from(struct svt_qp *qp, struct svt_train_builder *builder,
			    struct svt_send_request *request, const struct svt_sge *sge)
{
	if (builder->sge == sge)
		return true;
	builder->sge = NULL;
	if (svt_region_local(&qp->core->keys, qp->ibqp.pd, sge, 0, &builder->region)) {
		request->status = IB_WC_LOC_PROT_ERR;
		return false;
	}
	builder->sge = sge;
	return true;
}

/* False: pages were absent and are brought in, or the request fails */
static bool svt_pages_there(struct svt_qp *qp, struct svt_send_request *request,
			    const struct svt_region *region, u32 offset, u32 length)
{
	if (!svt_region_absent(region, offset, length))
		return true;
	if (!svt_fault_begin(qp, &qp->send.half, region, offset, length))
		request->status = IB_WC_LOC_PROT_ERR;
	return false;
}

static bool svt_gather_part(struct svt_qp *qp, struct svt_train_builder *builder,
			    struct svt_send_request *request, u32 offset, u32 length)
{
	const struct svt_region *region = &builder->region;

	if (svt_builder_payload_region(builder, region, offset, length))
		return true;
	svt_pages_there(qp, request, region, offset, length);
	return false;
}

/* Adds payload [@offset, @offset + @length). False: no room, no pages, or request->status is set */
static bool svt_gather(struct svt_qp *qp, struct svt_train_builder *builder,
		       struct svt_send_request *request, u32 offset, u32 length)
{
	const struct svt_sge *sge = request->wqe.sge;

	if (request->wqe.flags & SVT_SEND_INLINE)
		return svt_builder_payload_kernel(builder, (void *)sge + offset, length);
	for (; length; sge++) {
		u32 part;

		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		part = min(sge->length - offset, length);
		if (!svt_gather_from(qp, builder, request, sge) ||
		    !svt_gather_part(qp, builder, request, offset, part))
			return false;
		length -= part;
		offset = 0;
	}
	return true;
}

static enum svt_send_step svt_not_gathered(const struct svt_qp *qp,
					   const struct svt_send_request *request)
{
	return request->status == IB_WC_SUCCESS && !svt_fault_pending(&qp->send.half) ?
	       SVT_SEND_FULL : SVT_SEND_BLOCKED;
}

/* Adds packet and payload, or leaves the builder as it was */
static enum svt_send_step svt_packet_add(struct svt_qp *qp, struct svt_train_builder *builder,
					 struct svt_send_request *request,
					 struct svt_packet *packet, u32 length)
{
	struct svt_builder_mark mark;

	packet->pad = -length & 3;
	if (!svt_builder_fits(builder, packet->info->header_length, length))
		return SVT_SEND_FULL;
	svt_builder_mark(builder, &mark);
	svt_builder_add(builder, packet, length);
	if (svt_gather(qp, builder, request, qp->send.cursor.offset, length))
		return SVT_SEND_MORE;
	svt_builder_undo(builder, &mark);
	return svt_not_gathered(qp, request);
}

static void svt_cursor_next_request(struct svt_send_half *send)
{
	send->cursor.request++;
	send->cursor.offset = 0;
}

static void svt_cursor_advance(struct svt_send_half *send, u32 packets)
{
	struct svt_send_cursor *cursor = &send->cursor;

	cursor->psn = svt_psn_add(cursor->psn, packets);
	if (svt_psn_diff(cursor->psn, cursor->next_psn) > 0)
		cursor->next_psn = cursor->psn;
}

/* IBTA 9.7.7.2.5: without a credit one packet may be out; its ACK or RNR NAK tells of credits */
static bool svt_out_of_credit(const struct svt_send_half *send,
			      const struct svt_send_request *request)
{
	return send->credit_limited && (request->info->flags & SVT_REQUEST_CREDIT) &&
	       svt_psn_diff(request->ssn, send->cursor.credit_ssn) > 0;
}

static u8 svt_data_opcode(const struct svt_request_info *info, bool first, bool last)
{
	if (first)
		return last ? info->only : info->first;
	return last ? info->last : info->middle;
}

static void svt_packet_message(struct svt_packet *packet, const struct svt_send_request *request,
			       bool last)
{
	const struct svt_send_wqe *wqe = &request->wqe;

	packet->srq_num = wqe->srq_num;
	packet->remote_addr = wqe->rdma.remote_addr;
	packet->rkey = wqe->rdma.rkey;
	packet->dma_length = request->length;
	packet->imm_data = wqe->imm_data;
	packet->invalidate_rkey = wqe->invalidate_rkey;
	packet->solicited = last && (request->info->flags & SVT_REQUEST_CREDIT) &&
			    (wqe->flags & SVT_SEND_SOLICITED);
}

static u32 svt_packets_left(const struct svt_qp *qp, const struct svt_train_builder *builder)
{
	const struct svt_send_half *send = &qp->send;
	u32 room = svt_builder_room(builder);

	if (!qp->type->reliable)
		return room;
	return min_t(s32, room, max((s32)send->unacked_limit_x8 / 8 -
				    svt_psn_diff(send->cursor.psn, send->una), 0));
}

/* Behind a MIDDLE: as many more as fit. If their payload does not, they go one by one */
static void svt_packet_middles(struct svt_qp *qp, struct svt_train_builder *builder,
			       struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	u32 more = min3((request->length - send->cursor.offset - 1) / qp->mtu,
			svt_packets_left(qp, builder),
			svt_rate_packets(qp, builder, builder->train.header_length + qp->mtu));
	struct svt_builder_mark mark;

	if (!more)
		return;
	svt_builder_mark(builder, &mark);
	if (!svt_gather(qp, builder, request, send->cursor.offset, more * qp->mtu)) {
		svt_builder_undo(builder, &mark);
		return;
	}
	svt_builder_repeat(builder, send->cursor.psn, more);
	send->cursor.offset += more * qp->mtu;
	svt_cursor_advance(send, more);
}

/* Messages as the peer counts them: each part of a long READ is one */
static u32 svt_request_messages(const struct svt_send_request *request)
{
	if (!(request->info->flags & SVT_REQUEST_WIRE))
		return 0;
	if ((request->info->flags & (SVT_REQUEST_ANSWERED | SVT_REQUEST_ATOMIC)) ==
	    SVT_REQUEST_ANSWERED)
		return DIV_ROUND_UP(request->packets, SVT_READ_PACKETS);
	return 1;
}

/* A message that takes no receive leaves its credit to the next (IBTA 9.7.7.2.5) */
static void svt_request_start(struct svt_send_half *send, struct svt_send_request *request)
{
	struct svt_send_cursor *cursor = &send->cursor;
	u32 messages;

	if (cursor->request != cursor->started)
		return;
	messages = svt_request_messages(request);
	cursor->started++;
	request->first_psn = cursor->psn;
	request->ssn = cursor->ssn;
	cursor->ssn = svt_psn_add(cursor->ssn, messages);
	if (!(request->info->flags & SVT_REQUEST_CREDIT))
		cursor->credit_ssn = svt_psn_add(cursor->credit_ssn, messages);
}

/* Their headers differ by the PSN and the RETH only */
static bool svt_are_alike(const struct svt_send_request *a, const struct svt_send_request *b)
{
	return b->status == IB_WC_SUCCESS && a->info == b->info && a->length == b->length &&
	       a->wqe.srq_num == b->wqe.srq_num &&
	       !((a->wqe.flags ^ b->wqe.flags) & SVT_SEND_SOLICITED) &&
	       !(b->wqe.flags & SVT_SEND_FENCE);
}

/* Adds the message at the cursor, which is like the one before. False: nothing was done */
static bool svt_packet_alike(struct svt_qp *qp, struct svt_train_builder *builder,
			     struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	struct svt_send_cursor before = send->cursor;
	unsigned int bvecs = builder->bvecs;
	u32 base = svt_base_header(qp);

	svt_request_start(send, request);
	if (svt_out_of_credit(send, request) ||
	    !svt_gather(qp, builder, request, 0, request->length)) {
		builder->bvecs = bvecs;
		send->cursor = before;
		return false;
	}
	svt_builder_repeat(builder, send->cursor.psn, 1);
	if (builder->train.header_length != base)
		svt_reth_build(svt_builder_header(builder) + base,
			       request->wqe.rdma.remote_addr, request->wqe.rdma.rkey,
			       request->length);
	svt_cursor_advance(send, 1);
	svt_cursor_next_request(send);
	return true;
}

/* Behind a message of one packet: as many more of its kind as there are and may go */
static void svt_packet_onlies(struct svt_qp *qp, struct svt_train_builder *builder,
			      const struct svt_send_request *first)
{
	struct svt_send_half *send = &qp->send;
	u32 more = svt_packets_left(qp, builder);

	if (first->info->flags & (SVT_REQUEST_IMM | SVT_REQUEST_INV))
		return;
	while (more-- && !svt_rate_is_full(qp, builder)) {
		struct svt_send_request *request;

		if (send->cursor.request == send->head && !svt_request_pull(qp))
			return;
		request = svt_request(send, send->cursor.request);
		if (!svt_are_alike(first, request) || READ_ONCE(qp->state) != IB_QPS_RTS ||
		    !svt_packet_alike(qp, builder, request))
			return;
	}
}

/* SEND and WRITE on RC and UC */
static enum svt_send_step svt_packet_data(struct svt_qp *qp, struct svt_train_builder *builder,
					  struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	u32 length = min(request->length - send->cursor.offset, qp->mtu);
	bool last = send->cursor.offset + length == request->length;
	bool probe = qp->type->reliable && svt_out_of_credit(send, request);
	enum svt_send_step step;
	struct svt_packet packet;

	if (probe && send->cursor.psn != send->una)
		return svt_builder_empty(builder) ? SVT_SEND_BLOCKED : SVT_SEND_FULL;
	svt_packet_common(qp, &packet,
			  svt_data_opcode(request->info, !send->cursor.offset, last));
	svt_packet_message(&packet, request, last);
	step = svt_packet_add(qp, builder, request, &packet, length);
	if (step != SVT_SEND_MORE)
		return step;
	builder->closed |= probe;
	send->cursor.offset += length;
	svt_cursor_advance(send, 1);
	if (last)
		svt_cursor_next_request(send);
	if (packet.opcode == svt_qp_opcode(qp, request->info->only))
		svt_packet_onlies(qp, builder, request);
	else if (packet.opcode == svt_qp_opcode(qp, request->info->middle))
		svt_packet_middles(qp, builder, request);
	return SVT_SEND_MORE;
}

static enum svt_send_step svt_packet_datagram(struct svt_qp *qp,
					      struct svt_train_builder *builder,
					      struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	const struct svt_send_wqe *wqe = &request->wqe;
	enum svt_send_step step;
	struct svt_packet packet;

	if (!svt_builder_empty(builder) && builder->train.path != &request->av->path)
		return SVT_SEND_FULL;
	builder->train.path = &request->av->path;
	svt_packet_common(qp, &packet, request->info->only);
	svt_packet_message(&packet, request, true);
	packet.dest_qpn = wqe->ud.remote_qpn & SVT_QPN_MASK;
	packet.qkey = wqe->ud.remote_qkey & SVT_QKEY_CONTROLLED ? qp->attr.qkey :
								   wqe->ud.remote_qkey;
	packet.src_qpn = qp->qpn;
	step = svt_packet_add(qp, builder, request, &packet, request->length);
	if (step != SVT_SEND_MORE)
		return step;
	svt_cursor_advance(send, 1);
	svt_cursor_next_request(send);
	return SVT_SEND_MORE;
}

/* A VLAN tag comes on top of the link's frame length */
static bool svt_frame_fits(const struct svt_qp *qp, const struct svt_train_builder *builder,
			   u32 length)
{
	u8 header[SVT_ETHERNET_BYTES];

	if (!svt_builder_peek(builder, header, sizeof(header)))
		return false;
	return length <= READ_ONCE(qp->core->link.frame) +
			 (svt_frame_has_tag(header) ? SVT_TAG_BYTES : 0);
}

static enum svt_send_step svt_packet_frame(struct svt_qp *qp, struct svt_train_builder *builder,
					   struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	struct svt_builder_mark mark;

	if (!svt_builder_empty(builder))
		return SVT_SEND_FULL;
	svt_builder_mark(builder, &mark);
	svt_builder_add_frame(builder, request->length, request->wqe.flags & SVT_SEND_IP_CSUM);
	if (svt_gather(qp, builder, request, 0, request->length)) {
		if (svt_frame_fits(qp, builder, request->length)) {
			svt_cursor_advance(send, 1);
			svt_cursor_next_request(send);
			return SVT_SEND_MORE;
		}
		request->status = IB_WC_LOC_LEN_ERR;
	}
	svt_builder_undo(builder, &mark);
	return svt_not_gathered(qp, request);
}

/* Checks all memory of the answer before asking for it, and brings in the next @length bytes */
static bool svt_answer_writable(struct svt_qp *qp, struct svt_train_builder *builder,
				struct svt_send_request *request, u32 length)
{
	u32 i, begin = 0, from = qp->send.cursor.offset, to = from + length;

	if (request->info->flags & SVT_REQUEST_CARRIES)
		return true;
	builder->sge = NULL;
	for (i = 0; i < request->wqe.num_sge; i++) {
		const struct svt_sge *sge = &request->wqe.sge[i];
		u32 end = begin + sge->length;

		if (!sge->length)
			continue;
		if (svt_region_local(&qp->core->keys, qp->ibqp.pd, sge, IB_ACCESS_LOCAL_WRITE,
				     &builder->region)) {
			request->status = IB_WC_LOC_PROT_ERR;
			return false;
		}
		if (begin < to && end > from &&
		    !svt_pages_there(qp, request, &builder->region, max(from, begin) - begin,
				     min(to, end) - max(from, begin)))
			return false;
		begin = end;
	}
	return true;
}

/* Fixed boundaries: a peer may refuse a duplicate that asks for more (IBTA 9.7.5.1.3) */
static u32 svt_read_part(const struct svt_qp *qp, const struct svt_send_request *request)
{
	u32 part = SVT_READ_PACKETS * qp->mtu;
	u32 offset = qp->send.cursor.offset;

	return min(request->length - offset, part - offset % part);
}

/* @length: of the answer to the part at the cursor, or of the payload it carries */
static void svt_packet_question(const struct svt_qp *qp, struct svt_packet *packet,
				const struct svt_send_request *request, u32 length)
{
	const struct svt_send_wqe *wqe = &request->wqe;

	svt_packet_common(qp, packet, request->info->only);
	packet->srq_num = wqe->srq_num;
	if (request->info->flags & SVT_REQUEST_ATOMIC) {
		packet->remote_addr = wqe->atomic.remote_addr;
		packet->rkey = wqe->atomic.rkey;
		packet->compare = wqe->atomic.compare_add;
		packet->swap_add = wqe->opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ?
				   wqe->atomic.swap : wqe->atomic.compare_add;
	} else if (wqe->opcode == IB_UVERBS_WR_FLUSH) {
		packet->remote_addr = wqe->flush.remote_addr;
		packet->rkey = wqe->flush.rkey;
		packet->dma_length = wqe->flush.length;
		packet->placement = wqe->flush.placement;
		packet->selectivity = wqe->flush.selectivity;
	} else {
		packet->remote_addr = wqe->rdma.remote_addr + qp->send.cursor.offset;
		packet->rkey = wqe->rdma.rkey;
		packet->dma_length = length;
	}
}

/* READ, atomics, FLUSH and ATOMIC WRITE: one packet; only the last has payload */
static enum svt_send_step svt_packet_asking(struct svt_qp *qp, struct svt_train_builder *builder,
					    struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	bool atomic = request->info->flags & SVT_REQUEST_ATOMIC;
	bool carries = request->info->flags & SVT_REQUEST_CARRIES;
	u32 length = atomic ? 0 : svt_read_part(qp, request);
	u32 packets = max_t(u32, DIV_ROUND_UP(length, qp->mtu), 1);
	enum svt_send_step step;
	struct svt_packet packet;

	/* It may have become 0 in SQD */
	if (!qp->attr.max_rd_atomic)
		request->status = IB_WC_LOC_QP_OP_ERR;
	if (send->cursor.read_head - send->read_tail >= qp->attr.max_rd_atomic)
		return SVT_SEND_BLOCKED;
	if (!svt_answer_writable(qp, builder, request, atomic ? sizeof(u64) : length))
		return SVT_SEND_BLOCKED;
	svt_packet_question(qp, &packet, request, length);
	step = svt_packet_add(qp, builder, request, &packet, carries ? length : 0);
	if (step != SVT_SEND_MORE)
		return step;
	send->cursor.offset += length;
	svt_cursor_advance(send, packets);
	send->read_ends[send->cursor.read_head++ & (send->read_entries - 1)] = send->cursor.psn;
	if (atomic || send->cursor.offset == request->length)
		svt_cursor_next_request(send);
	return SVT_SEND_MORE;
}

static enum svt_send_step svt_packet_local(struct svt_qp *qp,
					   const struct svt_train_builder *builder,
					   struct svt_send_request *request)
{
	struct svt_send_half *send = &qp->send;
	bool again = send->cursor.request != send->cursor.started;

	/* A refused train is built again from its first packet on */
	if (!svt_builder_empty(builder))
		return SVT_SEND_FULL;
	if (!again) {
		/* Earlier requests may be repeated: they need their keys until they are done */
		if ((request->info->flags & SVT_REQUEST_DRAIN) &&
		    send->tail != send->cursor.request)
			return SVT_SEND_BLOCKED;
		svt_requester_local(qp, request);
		if (request->status != IB_WC_SUCCESS)
			return SVT_SEND_BLOCKED;
	}
	svt_request_start(send, request);
	svt_cursor_next_request(send);
	return SVT_SEND_MORE;
}

static bool svt_request_may_start(struct svt_qp *qp, const struct svt_send_request *request)
{
	const struct svt_send_half *send = &qp->send;

	if (send->cursor.request != send->cursor.started)
		return true;
	if (READ_ONCE(qp->state) != IB_QPS_RTS)
		return false;
	return !(request->wqe.flags & SVT_SEND_FENCE) ||
	       send->cursor.read_head == send->read_tail;
}

/* BH off, RCU read section */
enum svt_send_step svt_requester_packet(struct svt_qp *qp, struct svt_train_builder *builder)
{
	struct svt_send_half *send = &qp->send;
	struct svt_send_request *request;
	enum svt_send_step step;
	struct svt_send_cursor before = send->cursor;

	if (send->cursor.request == send->head && !svt_request_pull(qp))
		return send->head - send->tail == send->window_entries ? SVT_SEND_BLOCKED :
									 SVT_SEND_IDLE;
	request = svt_request(send, send->cursor.request);
	if (request->status != IB_WC_SUCCESS || !svt_request_may_start(qp, request))
		return SVT_SEND_BLOCKED;
	if (!(request->info->flags & SVT_REQUEST_WIRE))
		return svt_packet_local(qp, builder, request);
	if (qp->type->reliable &&
	    svt_psn_diff(send->cursor.psn, send->una) >= (s32)send->unacked_limit_x8 / 8)
		return SVT_SEND_BLOCKED;

	svt_request_start(send, request);
	if (request->info->flags & SVT_REQUEST_ANSWERED)
		step = svt_packet_asking(qp, builder, request);
	else if (qp->type->frame)
		step = svt_packet_frame(qp, builder, request);
	else if (qp->type->connected)
		step = svt_packet_data(qp, builder, request);
	else
		step = svt_packet_datagram(qp, builder, request);
	if (step != SVT_SEND_MORE)
		send->cursor = before;
	return step;
}
