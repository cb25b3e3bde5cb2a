/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Frames: see raw.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_RAW_H
#define SVT_TRANSPORT_RESPONDER_RAW_H

#include "../qp/qp.h"

void svt_responder_frame(struct svt_qp *qp, struct sk_buff *skb);

#endif
