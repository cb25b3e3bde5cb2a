// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How a QP ends for a request, and how it begins with one: what all types have alike.
 *
 * Under recv.half.lock.
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

/**
 * svt_is_local_fault - whether a verdict ends a QP of any type
 * @verdict: verdict
 *
 * Return: true for the faults of class A (IBTA 9.9.3).
 */
bool svt_is_local_fault(enum svt_verdict verdict)
{
	return verdict >= SVT_VERDICT_PROTECTION;
}

/**
 * svt_responder_refuse - the QP ends because of a request
 * @qp: QP
 * @verdict: of SVT_VERDICT_INVALID and later
 *
 * The receive under way completes in error; the rest is flushed at the end of the batch.
 *
 * Context: recv.half.lock held.
 * Return: what the verdict means.
 */
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

/**
 * svt_responder_drop - count a packet that has no effect
 * @qp: QP
 * @rx: packet
 * @reason: counter
 *
 * Context: recv.half.lock held.
 */
void svt_responder_drop(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_counter reason)
{
	svt_drop(svt_qp_counters(qp), rx->skb, reason);
}

/**
 * svt_responder_established - a packet of the peer was accepted
 * @qp: RC or UC QP
 *
 * The first one in RTR raises COMM_EST (IBTA 11.6.3.1): an rdmacm program that waits for the
 * peer's last message of the handshake learns that it may go on.
 *
 * Context: recv.half.lock held.
 */
void svt_responder_established(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;

	if (recv->com_est_raised || READ_ONCE(qp->state) != IB_QPS_RTR)
		return;
	recv->com_est_raised = true;
	svt_notify_qp(&recv->half, IB_EVENT_COMM_EST);
}
