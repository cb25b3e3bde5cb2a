// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How a QP ends for a request, and begins with one, for all types. Under recv.half.lock.
 */
#include "../../wire/aeth.h"
#include "../qp/drop.h"
#include "../qp/half.h"
#include "rqe.h"
#include "verdict.h"

/* IBTA 9.9.3 and 11.6.2: what each fault means to the peer, to the receive, and to the owner */
static const struct svt_refusal svt_refusals[SVT_VERDICTS] = {
	[SVT_VERDICT_INVALID] = {
		SVT_NAK_INVALID_REQUEST, IB_WC_REM_INV_REQ_ERR, IB_EVENT_QP_REQ_ERR },
	[SVT_VERDICT_LENGTH] = {
		SVT_NAK_INVALID_REQUEST, IB_WC_LOC_LEN_ERR, -1 },
	[SVT_VERDICT_ACCESS] = {
		SVT_NAK_REMOTE_ACCESS, IB_WC_LOC_ACCESS_ERR, IB_EVENT_QP_ACCESS_ERR },
	[SVT_VERDICT_PROTECTION] = {
		SVT_NAK_REMOTE_OPERATIONAL, IB_WC_LOC_PROT_ERR, -1 },
	[SVT_VERDICT_OPERATION] = {
		SVT_NAK_REMOTE_OPERATIONAL, IB_WC_LOC_QP_OP_ERR, -1 },
	[SVT_VERDICT_QUEUE] = {
		SVT_NAK_REMOTE_OPERATIONAL, IB_WC_LOC_QP_OP_ERR, IB_EVENT_QP_FATAL },
};

/* Class A (IBTA 9.9.3): ends a QP of any type */
bool svt_is_local_fault(enum svt_verdict verdict)
{
	return verdict >= SVT_VERDICT_PROTECTION;
}

/* @verdict: SVT_VERDICT_INVALID or later. The end of the batch flushes other receives */
const struct svt_refusal *svt_responder_refuse(struct svt_qp *qp, enum svt_verdict verdict)
{
	const struct svt_refusal *refusal = &svt_refusals[verdict];
	struct svt_cqe cqe = {
		.status = refusal->status,
		.opcode = IB_WC_RECV,
	};

	if (qp->recv.wqe_valid) {
		svt_rqe_complete(qp, &cqe, true);
		svt_count(svt_qp_counters(qp), SVT_COUNT_RESP_CQE_ERROR);
	}
	svt_qp_fail(qp, &qp->recv.half, refusal->event);
	return refusal;
}

void svt_responder_drop(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_counter reason)
{
	svt_drop(svt_qp_counters(qp), rx->skb, reason);
}

/* COMM_EST (IBTA 11.6.3.1), for an rdmacm program that waits for the end of the handshake */
void svt_responder_established(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;

	if (recv->com_est_raised || READ_ONCE(qp->state) != IB_QPS_RTR)
		return;
	recv->com_est_raised = true;
	svt_notify_qp(&recv->half, IB_EVENT_COMM_EST);
}
