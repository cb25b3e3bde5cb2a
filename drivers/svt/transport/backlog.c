// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How packets get from svt_receive() to a half of a QP: responses go to the send half, requests to
 * the receive half. The owner of the half takes them from its backlog.
 */
#include "backlog.h"
#include "qp/drop.h"
#include "qp/half.h"

/* False when the packet is shorter than a BTH */
bool svt_peek(const struct sk_buff *skb, u32 offset, struct svt_destination *destination)
{
	const u8 *bth = svt_skb_bytes(skb, offset, SVT_BTH_BYTES);
	u8 buffer[SVT_BTH_BYTES];

	if (!bth)
		bth = skb_header_pointer(skb, offset, sizeof(buffer), buffer);
	if (!bth)
		return false;
	destination->qpn = bth[5] << 16 | bth[6] << 8 | bth[7];
	destination->response = svt_opcode_info(bth[0])->flags & SVT_OP_RESPONSE;
	return true;
}

/* @skb: all for that half; consumed. BH off; @qp was found in this RCU read section. */
void svt_half_receive(struct svt_qp *qp, struct sk_buff *skb, bool response)
{
	struct svt_half *half = response ? &qp->send.half : &qp->recv.half;

	if (skb_queue_len_lockless(&half->backlog) >= SVT_BACKLOG_MAX) {
		svt_drop_skb(qp->core->counters, skb, SVT_COUNT_RX_DROPPED_BACKLOG);
		return;
	}
	skb_queue_tail(&half->backlog, skb);
	if (response)
		svt_send_schedule(qp, SVT_WORK_PACKETS);
	else
		svt_recv_schedule(qp, SVT_WORK_PACKETS);
}

/* As svt_half_receive(), to the half that the first BTH says */
void svt_qp_receive(struct svt_qp *qp, struct sk_buff *skb)
{
	struct svt_destination destination;

	if (!svt_peek(skb, svt_rx_cb(skb)->offset, &destination))
		svt_drop_skb(qp->core->counters, skb, SVT_COUNT_RX_DROPPED_MALFORMED);
	else
		svt_half_receive(qp, skb, destination.response);
}

/* As svt_half_receive(), for a raw packet QP and a frame of svt_receive_frame() */
void svt_qp_receive_frame(struct svt_qp *qp, struct sk_buff *skb)
{
	svt_half_receive(qp, skb, false);
}
