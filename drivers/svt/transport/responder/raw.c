// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Frames to a raw packet QP: each fills a receive. A frame that cannot be delivered is dropped, as
 * a datagram is. Under recv.half.lock.
 */
#include "raw.h"
#include "rqe.h"
#include "ud.h"

static enum svt_verdict svt_frame_put(struct svt_qp *qp, const struct svt_rx_packet *rx)
{
	enum svt_verdict verdict = svt_rqe_take(qp);

	if (verdict != SVT_VERDICT_OK)
		return verdict;
	if (rx->skb->len > qp->recv.wqe_length)
		return SVT_VERDICT_LENGTH;
	return svt_rqe_payload(qp, 0, rx);
}

/**
 * svt_responder_frame - deliver a frame
 * @qp: raw packet QP in a state to receive
 * @skb: as for svt_receive_frame()
 *
 * Context: recv.half.lock held, BH off, RCU read section.
 */
void svt_responder_frame(struct svt_qp *qp, struct sk_buff *skb)
{
	struct svt_counters __percpu *counters = svt_qp_counters(qp);
	struct svt_rx_target target = {};
	struct svt_rx_packet rx = {
		.packet.payload_length = skb->len,
		.skb = skb, .stride = skb->len, .run = 1, .target = &target,
	};
	struct svt_cqe cqe = {
		.opcode = IB_WC_RECV,
		.byte_len = skb->len,
		.flags = svt_rx_cb(skb)->checked ? SVT_CQE_IP_CSUM_OK : 0,
	};
	enum svt_verdict verdict;

	lockdep_assert_held(&qp->recv.half.lock);
	verdict = svt_frame_put(qp, &rx);
	if (verdict == SVT_VERDICT_OK)
		svt_rqe_complete(qp, &cqe, false);
	else
		svt_responder_lose(qp, &rx, verdict);
	WRITE_ONCE(qp->recv.arrivals, qp->recv.arrivals + 1);
	svt_count(counters, SVT_COUNT_RX_PACKETS);
	svt_count_add(counters, SVT_COUNT_RX_BYTES, skb->len);
}
