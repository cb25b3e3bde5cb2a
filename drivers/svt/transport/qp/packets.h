/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The packets of a half: see packets.c.
 */
#ifndef SVT_TRANSPORT_QP_PACKETS_H
#define SVT_TRANSPORT_QP_PACKETS_H

#include "qp.h"

void svt_half_packets(struct svt_qp *qp, struct svt_half *half);
void svt_half_train(struct svt_qp *qp, struct svt_half *half, const struct svt_train *train);

#endif
