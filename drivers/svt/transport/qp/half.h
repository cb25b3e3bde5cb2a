/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The scheduling of a half of a QP, and its pending notifications: see half.c.
 */
#ifndef SVT_TRANSPORT_QP_HALF_H
#define SVT_TRANSPORT_QP_HALF_H

#include "qp.h"

void svt_halves_init(struct svt_qp *qp, void (*send_run)(struct svt_qp *qp, int work),
		     void (*recv_run)(struct svt_qp *qp, int work));

void svt_send_schedule(struct svt_qp *qp, int work);
void svt_recv_schedule(struct svt_qp *qp, int work);

void svt_qp_fail(struct svt_qp *qp, struct svt_half *half, int event);

/* Delivered after the unlock */
static inline void svt_notify_qp(struct svt_half *half, enum ib_event_type event)
{
	lockdep_assert_held(&half->lock);
	half->notify.qp_events |= BIT(event);
}

void svt_complete(struct svt_qp *qp, struct svt_half *half, struct svt_cqe *cqes, u32 count,
		  bool solicited);

#endif
