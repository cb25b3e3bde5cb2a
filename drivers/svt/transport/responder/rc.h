/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests of RC and XRC: see rc.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_RC_H
#define SVT_TRANSPORT_RESPONDER_RC_H

#include "../qp/qp.h"

void svt_responder_rc_request(struct svt_qp *qp, struct svt_rx_packet *rx);

#endif
