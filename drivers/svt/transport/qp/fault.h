/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A half of a QP that waits for pages. See fault.c.
 */
#ifndef SVT_TRANSPORT_QP_FAULT_H
#define SVT_TRANSPORT_QP_FAULT_H

#include "qp.h"

void svt_faults_init(struct svt_qp *qp);
bool svt_fault_begin(struct svt_qp *qp, struct svt_half *half, const struct svt_region *region,
		     u64 offset, u64 length);
void svt_faults_stop(struct svt_qp *qp);

/* Caller holds @half->lock. True: SVT_WORK_PAGES follows. */
static inline bool svt_fault_pending(const struct svt_half *half)
{
	/* Pairs with the release in svt_fault_carry_out() */
	return smp_load_acquire(&half->fault.state) == SVT_FAULT_PENDING;
}

/* Refused bytes may be asked for again. Caller holds @half->lock. */
static inline void svt_fault_forget(struct svt_half *half)
{
	half->fault.forgotten = true;
}

#endif
