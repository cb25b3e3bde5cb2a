/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The timer of the requester: see timer.c.
 */
#ifndef SVT_TRANSPORT_REQUESTER_TIMER_H
#define SVT_TRANSPORT_REQUESTER_TIMER_H

#include "../qp/qp.h"

void svt_send_timer_stop(struct svt_qp *qp);
void svt_send_timer_arm(struct svt_qp *qp);

#endif
