/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * SEND and WRITE of RC and UC: see message.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_MESSAGE_H
#define SVT_TRANSPORT_RESPONDER_MESSAGE_H

#include "absent.h"

bool svt_message_follows(const struct svt_recv_half *recv, const struct svt_packet *packet);
enum svt_verdict svt_message_packet(struct svt_qp *qp, struct svt_rx_packet *rx);
void svt_message_complete(struct svt_qp *qp, const struct svt_packet *packet,
			  struct svt_cqe *cqe);

#endif
