// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder: what a QP does with the requests of its peer.
 *
 * {rc,uc,ud}.c decide whether a packet counts, message.c and
 * rd_atomic.c carry it out, rqe.c has the receive queue,
 * ack.c what goes back. Here is what all types have alike: the end of a batch,
 * errors, reset.
 *
 * Called by the owner of recv.side (svt_recv_kick()): a request function of the type for every
 * packet of a batch, then svt_responder_run() once, so that a batch costs one acknowledgment.
 * Nobody else touches svt_recv_side but modify and query, which hold the same lock.
 */
#include "../../trace.h"
#include "../qp/fault.h"
#include "responder.h"

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
 * Context: recv.side.lock held.
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
		svt_receive_complete(qp, &cqe, true);
		svt_count(svt_qp_counters(qp), SVT_COUNT_RESP_CQE_ERROR);
	}
	svt_qp_fail(qp, &qp->recv.side, refusal->event);
	return refusal;
}

/**
 * svt_responder_drop - count a packet that has no effect
 * @qp: QP
 * @rx: packet
 * @reason: counter
 *
 * Context: recv.side.lock held.
 */
void svt_responder_drop(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_counter reason)
{
	svt_count(svt_qp_counters(qp), reason);
	trace_svt_drop(rx->skb, reason);
}

/**
 * svt_responder_established - a packet of the peer was accepted
 * @qp: RC or UC QP
 *
 * The first one in RTR raises COMM_EST (IBTA 11.6.3.1): an rdmacm program that waits for the
 * peer's last message of the handshake learns that it may go on.
 *
 * Context: recv.side.lock held.
 */
void svt_responder_established(struct svt_qp *qp)
{
	struct svt_recv_side *recv = &qp->recv;

	if (recv->com_est_raised || READ_ONCE(qp->state) != IB_QPS_RTR)
		return;
	recv->com_est_raised = true;
	svt_notify_qp(&recv->side, IB_EVENT_COMM_EST);
}

/**
 * svt_responder_absent - what to do when bytes of a region could not be reached
 * @qp: QP
 * @region: from a look-up that allowed it
 * @offset: of the bytes in @region
 * @length: how many
 * @refused: what it means that there is no such memory
 *
 * Context: recv.side.lock held, the RCU read section of the look-up.
 * Return: SVT_VERDICT_ABSENT; @refused; SVT_VERDICT_BROKEN: the region is not paged on demand.
 */
enum svt_verdict svt_responder_absent(struct svt_qp *qp, const struct svt_region *region,
				      u64 offset, u64 length, enum svt_verdict refused)
{
	if (!svt_region_is_paged(region))
		return SVT_VERDICT_BROKEN;
	if (!svt_region_absent(region, offset, length)) {
		/* They have come meanwhile */
		atomic_or(SVT_WORK_PAGES, &qp->recv.side.work);
		return SVT_VERDICT_ABSENT;
	}
	return svt_fault_begin(qp, &qp->recv.side, region, offset, length) ?
	       SVT_VERDICT_ABSENT : refused;
}

/* The peer learns that it may repeat what was dropped, if it has not by itself */
static void svt_responder_pages(struct svt_recv_side *recv)
{
	bool due = recv->absent && recv->absent_psn == recv->epsn;

	recv->absent = false;
	if (due && (!recv->ack_due || recv->ack_syndrome == SVT_AETH_ACK))
		svt_answer_due(recv, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE, recv->epsn);
}

/*
 * Nothing more is owed to the peer of a QP in ERR, but the NAK that says why, and what was asked
 * for before.
 */
static bool svt_owes_refusal(const struct svt_recv_side *recv)
{
	return svt_answer_is_nak(recv) &&
	       recv->ack_syndrome != (SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
}

/**
 * svt_responder_run - the end of a batch
 * @qp: QP
 * @work: enum svt_work, what brought it
 *
 * Sends what is due, or as much as the budget allows; flushes the receive queue of a QP in ERR.
 *
 * Context: recv.side.lock held, BH off, RCU read section.
 */
void svt_responder_run(struct svt_qp *qp, int work)
{
	struct svt_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->side.lock);
	if (work & SVT_WORK_FLOW)
		recv->flow_blocked = false;
	if (work & SVT_WORK_PAGES)
		svt_responder_pages(recv);
	if (READ_ONCE(qp->state) == IB_QPS_ERR && !svt_owes_refusal(recv)) {
		recv->ack_due = false;
		svt_resource_forget(recv);
	}
	svt_answer_run(qp);
	recv->persisted = 0;
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		svt_receive_flush(qp);
}

/**
 * svt_responder_reset - the state of RESET
 * @qp: QP
 *
 * The receives that are posted are gone, without completions (IBTA 10.3.1). The memory of the
 * resources stays: it is the owner's of modify.
 *
 * Context: recv.side.lock held.
 */
void svt_responder_reset(struct svt_qp *qp)
{
	struct svt_recv_side *recv = &qp->recv;

	lockdep_assert_held(&recv->side.lock);
	svt_receive_reset(qp);
	svt_resource_forget(recv);
	recv->epsn = 0;
	recv->msn = 0;
	recv->message_offset = 0;
	recv->in_message = false;
	recv->nak_sent = false;
	recv->hole_seen = false;
	recv->absent = false;
	svt_fault_forget(&recv->side);
	atomic_set(&recv->side.late_runs, 0);
	recv->ack_due = false;
	recv->flow_blocked = false;
	recv->last_wqe_raised = false;
	recv->com_est_raised = false;
}
