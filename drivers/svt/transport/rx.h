/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_TRANSPORT_RX_H
#define SVT_TRANSPORT_RX_H

#include "qp/qp.h"

void svt_qp_receive(struct svt_qp *qp, struct sk_buff *skb);
void svt_qp_receive_frame(struct svt_qp *qp, struct sk_buff *skb);
void svt_side_packets(struct svt_qp *qp, struct svt_side *side);
void svt_side_train(struct svt_qp *qp, struct svt_side *side, const struct svt_train *train);

#endif
