// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of a QP. {rc,uc,ud}.c decide whether a packet counts, message.c and rd_atomic.c
 * carry it out, rqe.c has the receive queue, ack.c the responses. Here is what all types share: the
 * end of a batch, errors, reset.
 *
 * The owner of recv.half (svt_recv_schedule()) calls a request function of the type for each packet
 * of a batch, then svt_responder_run() once, so that a batch costs one ACK. Only modify and query
 * touch svt_recv_half besides, under the same lock.
 */
#include "../../wire/aeth.h"
#include "../qp/fault.h"
#include "ack.h"
#include "rd_atomic.h"
#include "responder.h"
#include "rqe.h"

/* Tells the peer to repeat what was dropped, if it has not by itself */
static void svt_responder_pages(struct svt_recv_half *recv)
{
	bool due = recv->absent && recv->absent_psn == recv->epsn;

	recv->absent = false;
	if (due && (!recv->ack_due || recv->ack_syndrome == SVT_AETH_ACK))
		svt_ack_due(recv, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE, recv->epsn);
}

/* A QP in ERR sends only the NAK that says why, and what was asked for before */
static bool svt_nak_is_due(const struct svt_recv_half *recv)
{
	return svt_ack_is_nak(recv) &&
	       recv->ack_syndrome != (SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
}

/**
 * svt_responder_run - end a batch: send what is due, and flush a QP in ERR
 * @qp: QP
 * @work: enum svt_work
 *
 * Context: recv.half.lock held, BH off, RCU read section.
 */
void svt_responder_run(struct svt_qp *qp, int work)
{
	struct svt_recv_half *recv = &qp->recv;

	lockdep_assert_held(&recv->half.lock);
	if (work & SVT_WORK_FLOW)
		recv->flow_blocked = false;
	if (work & SVT_WORK_PAGES)
		svt_responder_pages(recv);
	if (READ_ONCE(qp->state) == IB_QPS_ERR && !svt_nak_is_due(recv)) {
		recv->ack_due = false;
		svt_resource_forget(recv);
	}
	svt_ack_run(qp);
	recv->persisted = 0;
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		svt_rqe_flush(qp);
}

/**
 * svt_responder_reset - back to the state of a new QP
 * @qp: QP
 *
 * Posted receives go without completions (IBTA 10.3.1). Modify owns the memory of the resources.
 */
void svt_responder_reset(struct svt_qp *qp)
{
	struct svt_recv_half *recv = &qp->recv;

	lockdep_assert_held(&recv->half.lock);
	svt_rqe_reset(qp);
	svt_resource_forget(recv);
	recv->epsn = 0;
	recv->msn = 0;
	recv->message_offset = 0;
	recv->in_message = false;
	recv->nak_sent = false;
	recv->hole_seen = false;
	recv->absent = false;
	svt_fault_forget(&recv->half);
	atomic_set(&recv->half.late_runs, 0);
	recv->ack_due = false;
	recv->flow_blocked = false;
	recv->last_wqe_raised = false;
	recv->com_est_raised = false;
}
