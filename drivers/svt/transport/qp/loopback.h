/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between two QPs of one host, from memory to memory: see loopback.c.
 */
#ifndef SVT_TRANSPORT_QP_LOOPBACK_H
#define SVT_TRANSPORT_QP_LOOPBACK_H

#include "qp.h"

bool svt_loopback_may(const struct svt_qp *qp, const struct svt_half *half);
struct svt_qp *svt_loopback_deliver(struct svt_qp *qp, struct svt_half *half,
				    const struct svt_train *train);
void svt_loopback_respond(struct svt_qp *qp, struct svt_qp *peer);

#endif
