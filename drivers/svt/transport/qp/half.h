/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who works on a half of a QP, and what it owes to others: see half.c.
 */
#ifndef SVT_TRANSPORT_QP_HALF_H
#define SVT_TRANSPORT_QP_HALF_H

#include "qp.h"

void svt_halves_init(struct svt_qp *qp, void (*send_run)(struct svt_qp *qp, int work),
		     void (*recv_run)(struct svt_qp *qp, int work));

/* Run a half, or leave the bits to the one that runs it. Any context but hard interrupts. */
void svt_send_schedule(struct svt_qp *qp, int work);
void svt_recv_schedule(struct svt_qp *qp, int work);

/*
 * To the error state, from inside @half, whose lock the caller holds. @event: an ib_event_type to
 * raise, or -1. Both halves flush their queues on their next round.
 */
void svt_qp_fail(struct svt_qp *qp, struct svt_half *half, int event);

/* Collected under the half's lock, delivered after it */
static inline void svt_notify_qp(struct svt_half *half, enum ib_event_type event)
{
	lockdep_assert_held(&half->lock);
	half->notify.qp_events |= BIT(event);
}

/* Adds CQEs of @qp to the CQ of @half, whose lock the caller holds; fills in qp_num */
void svt_complete(struct svt_qp *qp, struct svt_half *half, struct svt_cqe *cqes, u32 count,
		  bool solicited);

#endif
