/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What RC sends back: see ack.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_ACK_H
#define SVT_TRANSPORT_RESPONDER_ACK_H

#include "../qp/qp.h"

void svt_ack_due(struct svt_recv_half *recv, u8 syndrome, u32 psn);
bool svt_ack_is_nak(const struct svt_recv_half *recv);
void svt_ack_run(struct svt_qp *qp);

#endif
