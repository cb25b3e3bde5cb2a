/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder: see responder.c. Called by the owner of recv.half.
 */
#ifndef SVT_TRANSPORT_RESPONDER_RESPONDER_H
#define SVT_TRANSPORT_RESPONDER_RESPONDER_H

#include "../qp/qp.h"

void svt_responder_run(struct svt_qp *qp, int work);
void svt_responder_reset(struct svt_qp *qp);

#endif
