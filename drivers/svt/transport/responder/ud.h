/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Datagrams: see ud.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_UD_H
#define SVT_TRANSPORT_RESPONDER_UD_H

#include "absent.h"

void svt_responder_ud_request(struct svt_qp *qp, struct svt_rx_packet *rx);
void svt_responder_lose(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_verdict verdict);

#endif
