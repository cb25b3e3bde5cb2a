/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who works on a half of a QP, and what it owes to others: see half.c.
 */
#ifndef SVT_TRANSPORT_QP_HALF_H
#define SVT_TRANSPORT_QP_HALF_H

#include "qp.h"

void svt_sides_init(struct svt_qp *qp, void (*send_run)(struct svt_qp *qp, int work),
		    void (*recv_run)(struct svt_qp *qp, int work));

/* Run a side, or leave the bits to the one that runs it. Any context but hard interrupts. */
void svt_send_kick(struct svt_qp *qp, int work);
void svt_recv_kick(struct svt_qp *qp, int work);

/*
 * To the error state, from inside @side, whose lock the caller holds. @event: an ib_event_type to
 * raise, or -1. Both sides flush their queues on their next round.
 */
void svt_qp_fail(struct svt_qp *qp, struct svt_side *side, int event);

/* Collected under the side's lock, delivered after it */
static inline void svt_notify_qp(struct svt_side *side, enum ib_event_type event)
{
	lockdep_assert_held(&side->lock);
	side->notify.qp_events |= BIT(event);
}

/* Adds CQEs of @qp to the CQ of @side, whose lock the caller holds; fills in qp_num */
void svt_complete(struct svt_qp *qp, struct svt_side *side, struct svt_cqe *cqes, u32 count,
		  bool solicited);

#endif
