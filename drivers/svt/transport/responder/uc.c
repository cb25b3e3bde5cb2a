// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests to a UC QP (IBTA 9.8). Nothing is answered. A packet that does not fit drops its
 * message. The next FIRST or ONLY begins anew, whatever its PSN, and takes the receive of the
 * dropped message. Under recv.half.lock.
 */
#include "../../wire/psn.h"
#include "message.h"
#include "uc.h"
#include "verdict.h"

static const enum svt_counter svt_uc_reasons[SVT_VERDICTS] = {
	[SVT_VERDICT_NOT_READY] = SVT_COUNT_OUT_OF_BUFFER,
	[SVT_VERDICT_BROKEN] = SVT_COUNT_RX_DROPPED_MALFORMED,
	[SVT_VERDICT_ABSENT] = SVT_COUNT_RX_DROPPED_PAGES,
	[SVT_VERDICT_INVALID] = SVT_COUNT_RX_DROPPED_LENGTH,
	[SVT_VERDICT_LENGTH] = SVT_COUNT_RX_DROPPED_LENGTH,
	[SVT_VERDICT_ACCESS] = SVT_COUNT_RX_DROPPED_LENGTH,
	[SVT_VERDICT_PROTECTION] = SVT_COUNT_RX_DROPPED_LENGTH,
	[SVT_VERDICT_OPERATION] = SVT_COUNT_OUT_OF_BUFFER,
	[SVT_VERDICT_QUEUE] = SVT_COUNT_OUT_OF_BUFFER,
};

/**
 * svt_responder_uc_request - take a request to a UC QP
 * @qp: in a state to receive
 * @rx: packet of the UC service from the QP's peer
 *
 * Context: recv.half.lock held, BH off, RCU read section.
 */
void svt_responder_uc_request(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_recv_half *recv = &qp->recv;
	bool in_sequence = packet->psn == recv->epsn;
	enum svt_verdict verdict;

	lockdep_assert_held(&recv->half.lock);
	svt_responder_established(qp);
	recv->epsn = svt_psn_add(packet->psn, 1);
	/* IBTA 9.8.2.2.2: a hole, or a message without an end, does not hurt the next message */
	if (!in_sequence || (packet->info->flags & SVT_OP_FIRST))
		recv->in_message = false;
	if (!svt_message_follows(recv, packet)) {
		recv->in_message = false;
		svt_responder_drop(qp, rx, SVT_COUNT_OUT_OF_SEQUENCE);
		return;
	}
	verdict = svt_message_packet(qp, rx);
	recv->epsn = svt_psn_add(packet->psn, rx->run);
	if (verdict == SVT_VERDICT_OK)
		return;
	recv->in_message = false;
	svt_responder_drop(qp, rx, svt_uc_reasons[verdict]);
	if (svt_is_local_fault(verdict))
		svt_responder_refuse(qp, verdict);
}
