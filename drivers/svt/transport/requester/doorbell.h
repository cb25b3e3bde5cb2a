/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * When a poster has to ring: see doorbell.c.
 */
#ifndef SVT_TRANSPORT_REQUESTER_DOORBELL_H
#define SVT_TRANSPORT_REQUESTER_DOORBELL_H

#include "../qp/qp.h"

void svt_doorbell_rest(struct svt_qp *qp, int work, bool idle);
void svt_doorbell_reset(struct svt_qp *qp);

#endif
