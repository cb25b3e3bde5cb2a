// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SEND and WRITE messages of RC and UC, packet by packet: order of opcodes, lengths, keys, data,
 * completion. The type decides what follows from a verdict.
 *
 * A packet that does not end in SVT_VERDICT_OK leaves in_message and message_offset as they were,
 * so that its repetition finds what it found. Under recv.half.lock.
 */
#include "../qp/copy.h"
#include "message.h"
#include "rqe.h"

#define SVT_MESSAGE_KINDS	(SVT_OP_SEND | SVT_OP_WRITE)

/* FIRST, MIDDLE and LAST of one kind, with nothing in between (IBTA 9.7.4.1.2) */
bool svt_message_follows(const struct svt_recv_half *recv, const struct svt_packet *packet)
{
	u32 flags = packet->info->flags;

	if (flags & SVT_OP_FIRST)
		return !recv->in_message;
	return recv->in_message &&
	       !((flags ^ svt_opcode_info(recv->message)->flags) & SVT_MESSAGE_KINDS);
}

/* IBTA 9.7.4.1.6: all packets but the last are full */
static bool svt_payload_length_valid(const struct svt_qp *qp, const struct svt_packet *packet)
{
	u32 flags = packet->info->flags;

	if (!(flags & SVT_OP_LAST))
		return packet->payload_length == qp->mtu;
	return packet->payload_length <= qp->mtu &&
	       (packet->payload_length || (flags & SVT_OP_FIRST));
}

/* @cqe: opcode, byte_len and what else is known; @packet: the last one */
void svt_message_complete(struct svt_qp *qp, const struct svt_packet *packet,
			  struct svt_cqe *cqe)
{
	cqe->status = IB_WC_SUCCESS;
	if (packet->info->flags & SVT_OP_IMM) {
		cqe->imm_data = packet->imm_data;
		cqe->flags |= SVT_CQE_WITH_IMM;
	}
	svt_rqe_complete(qp, cqe, packet->solicited);
}

static enum svt_verdict svt_message_send_end(struct svt_qp *qp, const struct svt_packet *packet,
					     u32 length)
{
	struct svt_cqe cqe = {
		.opcode = IB_WC_RECV,
		.byte_len = length,
		.src_qp = qp->attr.dest_qp_num,
	};

	if (packet->info->flags & SVT_OP_IETH) {
		if (svt_key_invalidate(&qp->core->keys, qp->recv.pd, qp->qpn,
				       packet->invalidate_rkey))
			return SVT_VERDICT_ACCESS;
		cqe.invalidated_rkey = packet->invalidate_rkey;
		cqe.flags = SVT_CQE_WITH_INV;
	}
	svt_message_complete(qp, packet, &cqe);
	return SVT_VERDICT_OK;
}

static enum svt_verdict svt_message_send(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_recv_half *recv = &qp->recv;
	u32 offset = packet->info->flags & SVT_OP_FIRST ? 0 : recv->message_offset;
	u32 length = rx->run * packet->payload_length;
	enum svt_verdict verdict;

	verdict = svt_rqe_take(qp);
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	if (length > min(recv->wqe_length, SVT_MAX_MESSAGE) - offset)
		return SVT_VERDICT_LENGTH;
	verdict = svt_rqe_payload(qp, offset, rx);
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	offset += length;
	if (packet->info->flags & SVT_OP_LAST)
		verdict = svt_message_send_end(qp, packet, offset);
	if (verdict == SVT_VERDICT_OK)
		recv->message_offset = offset;
	return verdict;
}

/* Sets target->region to the WRITE under way, from @offset to its end */
static bool svt_write_allowed(struct svt_qp *qp, struct svt_rx_target *target, u32 offset)
{
	const struct svt_recv_half *recv = &qp->recv;

	target->sge = NULL;
	target->offset = offset;
	target->write = !svt_region_remote(&qp->core->keys, qp->recv.pd, qp->qpn, recv->write_rkey,
					   recv->write_addr + offset, recv->write_length - offset,
					   IB_ACCESS_REMOTE_WRITE, &target->region);
	return target->write;
}

/* All of it is checked before the first byte is written (IBTA 9.7.4.1.5) */
static enum svt_verdict svt_message_write_begin(struct svt_qp *qp,
						const struct svt_packet *packet,
						struct svt_rx_target *target)
{
	struct svt_recv_half *recv = &qp->recv;

	if (!(qp->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE) ||
	    packet->dma_length > SVT_MAX_MESSAGE)
		return SVT_VERDICT_INVALID;
	recv->write_addr = packet->remote_addr;
	recv->write_rkey = packet->rkey;
	recv->write_length = packet->dma_length;
	if (recv->write_length && !svt_write_allowed(qp, target, 0))
		return SVT_VERDICT_ACCESS;
	return SVT_VERDICT_OK;
}

static void svt_message_write_end(struct svt_qp *qp, const struct svt_packet *packet)
{
	struct svt_cqe cqe = {
		.opcode = IB_WC_RECV_RDMA_WITH_IMM,
		.byte_len = qp->recv.write_length,
		.src_qp = qp->attr.dest_qp_num,
	};

	svt_message_complete(qp, packet, &cqe);
}

static enum svt_verdict svt_message_write(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	u32 flags = packet->info->flags, length = rx->run * packet->payload_length;
	u32 offset = 0, left;
	struct svt_recv_half *recv = &qp->recv;
	struct svt_rx_target *target = rx->target;
	enum svt_verdict verdict = SVT_VERDICT_OK;

	if (flags & SVT_OP_FIRST)
		verdict = svt_message_write_begin(qp, packet, target);
	else
		offset = recv->message_offset;
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	left = recv->write_length - offset;
	if (flags & SVT_OP_LAST ? length != left : length >= left)
		return SVT_VERDICT_INVALID;
	if (length && !target->write && !svt_write_allowed(qp, target, offset))
		return SVT_VERDICT_ACCESS;
	/* Without a receive for the immediate data nothing may be written (IBTA 9.7.5.2.8) */
	if (flags & SVT_OP_IMM)
		verdict = svt_rqe_take(qp);
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	if (length && svt_region_fill_payload(&target->region, offset - target->offset, length, rx,
					      0))
		return svt_responder_absent(qp, &target->region, offset - target->offset, length,
					    SVT_VERDICT_ACCESS);
	recv->message_offset = offset + length;
	target->write &= !(flags & SVT_OP_LAST);
	if (flags & SVT_OP_IMM)
		svt_message_write_end(qp, packet);
	return SVT_VERDICT_OK;
}

static enum svt_verdict svt_message_run(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_recv_half *recv = &qp->recv;
	enum svt_verdict verdict;

	if (!svt_payload_length_valid(qp, packet))
		return SVT_VERDICT_INVALID;
	verdict = packet->info->flags & SVT_OP_SEND ? svt_message_send(qp, rx) :
						      svt_message_write(qp, rx);
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	if (packet->info->flags & SVT_OP_FIRST)
		recv->message = packet->opcode;
	recv->in_message = !(packet->info->flags & SVT_OP_LAST);
	return SVT_VERDICT_OK;
}

/* Messages of one packet: rx->run of them succeeded; if none, why the first did not */
static enum svt_verdict svt_message_onlies(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	struct svt_cqe_batch batch;
	struct svt_rx_packet one = *rx;
	enum svt_verdict verdict;

	one.run = 1;
	svt_rqe_batch_begin(qp, &batch);
	for (rx->run = 0; rx->run <= rx->more; rx->run++) {
		verdict = svt_message_run(qp, &one);
		if (verdict != SVT_VERDICT_OK)
			break;
		one.payload += one.stride;
	}
	svt_rqe_batch_end(qp);
	if (rx->run)
		return SVT_VERDICT_OK;
	rx->run = 1;
	return verdict;
}

/*
 * Carries out all packets that are alike at once. If one from the middle of a message fails, then
 * the first alone; of whole messages those in front of it. The verdict is of @rx->run packets.
 * Needs an RCU read section.
 */
enum svt_verdict svt_message_packet(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	enum svt_verdict verdict, alone;

	if (rx->more && rx->packet.info->flags & SVT_OP_LAST)
		return svt_message_onlies(qp, rx);
	rx->run = 1 + rx->more;
	verdict = svt_message_run(qp, rx);
	if (verdict == SVT_VERDICT_OK || rx->run == 1)
		return verdict;
	rx->run = 1;
	alone = svt_message_run(qp, rx);
	/* A failure to bring pages in is told once: the message ends with it */
	if (alone == SVT_VERDICT_ABSENT &&
	    (verdict == SVT_VERDICT_ACCESS || verdict == SVT_VERDICT_PROTECTION))
		return verdict;
	return alone;
}
