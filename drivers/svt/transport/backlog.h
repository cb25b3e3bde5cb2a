/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets for a QP: see backlog.c.
 */
#ifndef SVT_TRANSPORT_BACKLOG_H
#define SVT_TRANSPORT_BACKLOG_H

#include "qp/qp.h"

struct svt_destination {
	u32 qpn;
	bool response;	/* for the send half */
};

bool svt_peek(const struct sk_buff *skb, u32 offset, struct svt_destination *destination);
void svt_half_receive(struct svt_qp *qp, struct sk_buff *skb, bool response);
void svt_qp_receive(struct svt_qp *qp, struct sk_buff *skb);
void svt_qp_receive_frame(struct svt_qp *qp, struct sk_buff *skb);

#endif
