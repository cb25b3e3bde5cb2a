// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests to an RC QP: sequence, duplicates, holes, and what is answered (IBTA 9.7).
 *
 * Only the packet with recv.epsn is carried out. A packet behind it was carried out before and is
 * only answered again. One ahead of it shows a hole and is dropped; the peer is told once, and goes
 * back. All under recv.half.lock.
 */
#include <linux/bitops.h>
#include <linux/log2.h>

#include "../../wire/aeth.h"
#include "../../wire/psn.h"
#include "../qp/xrc.h"
#include "ack.h"
#include "message.h"
#include "rc.h"
#include "rd_atomic.h"
#include "verdict.h"

#define SVT_RC_KINDS	(SVT_OP_SEND | SVT_OP_WRITE | SVT_OP_ANSWERED)

typedef enum svt_verdict (*svt_rc_operation)(struct svt_qp *qp, struct svt_rx_packet *rx);

static const svt_rc_operation svt_rc_operations[] = {
	[ilog2(SVT_OP_SEND)] = svt_message_packet,
	[ilog2(SVT_OP_WRITE)] = svt_message_packet,
	[ilog2(SVT_OP_READ)] = svt_resource_read,
	[ilog2(SVT_OP_ATOMIC)] = svt_resource_atomic,
	[ilog2(SVT_OP_FLUSH)] = svt_resource_flush,
	[ilog2(SVT_OP_ATOMIC_WRITE)] = svt_resource_atomic_write,
};

/*
 * The peer is told of a hole once (IBTA 9.7.5.1.2). If the first packet behind it comes a second
 * time, the peer went back and epsn was lost again: it is told again, or only its timer would help.
 * A packet that is merely out of order comes once.
 */
static void svt_rc_ahead(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	struct svt_recv_half *recv = &qp->recv;
	u32 psn = rx->packet.psn;

	svt_responder_drop(qp, rx, SVT_COUNT_OUT_OF_SEQUENCE);
	if (!recv->nak_sent || (recv->hole_seen && psn == recv->hole_psn)) {
		recv->nak_sent = true;
		svt_ack_due(recv, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE, recv->epsn);
	}
	if (!recv->hole_seen) {
		recv->hole_seen = true;
		recv->hole_psn = psn;
	}
}

/*
 * IBTA 9.7.5.1.4: a repeated SEND or WRITE is acknowledged up to the last one carried out. A
 * repeated READ or atomic is answered again, or dropped if it is not known any more or differs. A
 * NAK that is due says more than an ACK would.
 */
static void svt_rc_duplicate(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_recv_half *recv = &qp->recv;

	if (packet->info->flags & SVT_OP_RESERVED) {
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_OPCODE);
		return;
	}
	svt_count(svt_qp_counters(qp), SVT_COUNT_DUPLICATE_REQUEST);
	if (packet->info->flags & SVT_OP_ANSWERED) {
		if (!svt_resource_replay(qp, packet))
			svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_PSN);
	} else if (!recv->ack_due) {
		svt_ack_due(recv, SVT_AETH_ACK, svt_psn(recv->epsn - 1));
	}
}

/* A NAK not sent yet stays for a hole partly filled: the packet at hole_psn was dropped */
static void svt_rc_settle_hole(struct svt_recv_half *recv)
{
	if (svt_ack_is_nak(recv) && svt_psn_diff(recv->hole_psn, recv->epsn) >= 0) {
		recv->ack_psn = recv->epsn;
		return;
	}
	recv->nak_sent = false;
	recv->hole_seen = false;
	if (recv->ack_due && recv->ack_syndrome != SVT_AETH_ACK)
		svt_ack_due(recv, SVT_AETH_ACK, svt_psn(recv->epsn - 1));
}

static void svt_rc_advance(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_recv_half *recv = &qp->recv;
	u32 flags = packet->info->flags, packets = rx->run;

	if (flags & SVT_OP_READ)
		packets = svt_read_packets(packet->dma_length, qp->mtu);
	recv->epsn = svt_psn_add(recv->epsn, packets);
	/* Of several packets with LAST each is a message */
	if (flags & SVT_OP_LAST)
		recv->msn = svt_psn_add(recv->msn, rx->run);
	if (recv->nak_sent)
		svt_rc_settle_hole(recv);
	if (svt_ack_is_nak(recv))
		return;
	/* A response acknowledges itself and what is before it */
	if (flags & SVT_OP_ANSWERED)
		recv->ack_due = false;
	else if (svt_rx_ack_request(rx))
		svt_ack_due(recv, SVT_AETH_ACK, svt_psn(recv->epsn - 1));
}

/* IBTA 9.7.5.2.8; what follows is dropped without a NAK until the packet comes again */
static void svt_rc_not_ready(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	struct svt_recv_half *recv = &qp->recv;

	svt_responder_drop(qp, rx, SVT_COUNT_OUT_OF_BUFFER);
	recv->nak_sent = true;
	recv->hole_seen = false;
	svt_ack_due(recv, SVT_AETH_RNR | (qp->attr.min_rnr_timer & SVT_AETH_VALUE_MASK),
		    recv->epsn);
}

/* A packet that tells somebody of data waits for each earlier FLUSH to persistent memory */
static bool svt_rc_waits(const struct svt_recv_half *recv, const struct svt_packet *packet)
{
	return recv->persisting && packet->info->flags & (SVT_OP_SEND | SVT_OP_IMM | SVT_OP_ATOMIC |
							  SVT_OP_ATOMIC_WRITE);
}

/* As if lost: an RNR NAK would make the peer wait longer, and use up retries that may be few */
static void svt_rc_absent(struct svt_qp *qp, const struct svt_rx_packet *rx,
			  enum svt_counter reason)
{
	struct svt_recv_half *recv = &qp->recv;

	svt_responder_drop(qp, rx, reason);
	recv->nak_sent = true;
	recv->hole_seen = false;
	recv->absent = true;
	recv->absent_psn = recv->epsn;
}

/* As if lost. When the peer has repeated it there is room, or it is told again */
static void svt_rc_full(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	struct svt_recv_half *recv = &qp->recv;

	svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_BACKLOG);
	recv->nak_sent = true;
	recv->hole_seen = false;
	svt_ack_due(recv, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE, recv->epsn);
}

static void svt_rc_expected(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	enum svt_verdict verdict = SVT_VERDICT_INVALID;

	if (svt_rc_waits(&qp->recv, packet)) {
		svt_rc_absent(qp, rx, SVT_COUNT_RX_DROPPED_BACKLOG);
		return;
	}
	if (!(packet->info->flags & SVT_OP_RESERVED) &&
	    svt_message_follows(&qp->recv, packet) && svt_xrc_admit(qp, packet))
		verdict = svt_rc_operations[__ffs(packet->info->flags & SVT_RC_KINDS)](qp, rx);
	switch (verdict) {
	case SVT_VERDICT_OK:
		svt_rc_advance(qp, rx);
		break;
	case SVT_VERDICT_NOT_READY:
		svt_rc_not_ready(qp, rx);
		break;
	case SVT_VERDICT_ABSENT:
		svt_rc_absent(qp, rx, SVT_COUNT_RX_DROPPED_PAGES);
		break;
	case SVT_VERDICT_FULL:
		svt_rc_full(qp, rx);
		break;
	case SVT_VERDICT_BROKEN:
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_MALFORMED);
		break;
	default:
		svt_ack_due(&qp->recv, SVT_AETH_NAK | svt_responder_refuse(qp, verdict)->nak,
			    qp->recv.epsn);
	}
}

/**
 * svt_responder_rc_request - take a request to an RC or XRC TGT QP
 * @qp: QP in a state to receive
 * @rx: packet of its service from the QP's peer
 *
 * Context: recv.half.lock held, BH off, RCU read section.
 */
void svt_responder_rc_request(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	struct svt_recv_half *recv = &qp->recv;
	s32 distance;

	lockdep_assert_held(&recv->half.lock);
	if (!(rx->packet.info->flags & SVT_OP_REQUEST)) {
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_OPCODE);
		return;
	}
	svt_responder_established(qp);
	distance = svt_psn_diff(rx->packet.psn, recv->epsn);
	if (distance > 0)
		svt_rc_ahead(qp, rx);
	else if (distance < 0)
		svt_rc_duplicate(qp, rx);
	else
		svt_rc_expected(qp, rx);
}
