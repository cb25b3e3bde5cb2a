// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams to a UD QP or to QP 1 (IBTA 9.6.1.5, 9.8.3). A datagram that cannot be delivered is
 * dropped and leaves its receive. Under recv.half.lock.
 */
#include <rdma/ib_mad.h>

#include "message.h"
#include "rqe.h"
#include "ud.h"
#include "verdict.h"

static u32 svt_ud_qkey(const struct svt_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI ? IB_QP1_QKEY : qp->attr.qkey;
}

/* From the BTH to the end of the trailer */
static u32 svt_ud_length(const struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;

	return packet->header_length + packet->payload_length + packet->pad +
	       svt_rx_cb(rx->skb)->trailer;
}

/* The receiver finds 40 bytes of network header in front of its data (IBTA 11.4.1.2) */
static enum svt_verdict svt_ud_deliver(struct svt_qp *qp, const struct svt_rx_packet *rx,
				       const struct svt_rx_address *address)
{
	enum svt_verdict verdict;

	verdict = svt_rqe_take(qp);
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	if ((u64)sizeof(address->grh) + rx->packet.payload_length > qp->recv.wqe_length)
		return SVT_VERDICT_LENGTH;
	verdict = svt_rqe_bytes(qp, 0, &address->grh, sizeof(address->grh));
	if (verdict != SVT_VERDICT_OK)
		return verdict;
	return svt_rqe_payload(qp, sizeof(address->grh), rx);
}

static void svt_ud_complete(struct svt_qp *qp, const struct svt_rx_packet *rx,
			    const struct svt_rx_address *address)
{
	const struct svt_packet *packet = &rx->packet;
	const struct svt_rx_cb *cb = svt_rx_cb(rx->skb);
	struct svt_cqe cqe = {
		.opcode = IB_WC_RECV,
		.byte_len = sizeof(address->grh) + packet->payload_length,
		.src_qp = packet->src_qpn,
		.flags = SVT_CQE_GRH,
		.sl = qp->user ? address->packet_type : address->sl,
	};

	/* Kernel clients: ib_core finds by it the GID to answer from */
	if (!qp->user && cb->tagged) {
		cqe.vlan_id = cb->vlan_id;
		cqe.flags |= SVT_CQE_WITH_VLAN;
	}
	svt_message_complete(qp, packet, &cqe);
}

/* Drops a datagram or a frame. Only faults of this host end the QP. */
void svt_responder_lose(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_verdict verdict)
{
	if (verdict == SVT_VERDICT_BROKEN)
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_MALFORMED);
	else if (verdict == SVT_VERDICT_ABSENT)
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_PAGES);
	else if (verdict == SVT_VERDICT_LENGTH || verdict == SVT_VERDICT_PROTECTION)
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_LENGTH);
	else
		svt_responder_drop(qp, rx, SVT_COUNT_OUT_OF_BUFFER);
	if (svt_is_local_fault(verdict))
		svt_responder_refuse(qp, verdict);
}

/**
 * svt_responder_ud_request - take a datagram
 * @qp: UD QP or QP 1 in a state to receive
 * @rx: packet of the UD service
 *
 * Context: recv.half.lock held, BH off, RCU read section.
 */
void svt_responder_ud_request(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	struct svt_core *core = qp->core;
	struct svt_rx_address address;
	enum svt_verdict verdict;

	lockdep_assert_held(&qp->recv.half.lock);
	BUILD_BUG_ON(sizeof(address.grh) != 40);
	if (rx->packet.qkey != svt_ud_qkey(qp)) {
		/* For query_port only: a violation counted on two CPUs at once may count as one */
		WRITE_ONCE(core->qkey_violation_count, READ_ONCE(core->qkey_violation_count) + 1);
		svt_responder_drop(qp, rx, SVT_COUNT_RX_DROPPED_QKEY);
		return;
	}
	qp->dev->ops->rx_address(qp->dev, rx->skb, svt_ud_length(rx), &address);
	verdict = svt_ud_deliver(qp, rx, &address);
	if (verdict == SVT_VERDICT_OK)
		svt_ud_complete(qp, rx, &address);
	else
		svt_responder_lose(qp, rx, verdict);
}
