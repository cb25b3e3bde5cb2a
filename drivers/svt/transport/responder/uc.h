/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests of UC: see uc.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_UC_H
#define SVT_TRANSPORT_RESPONDER_UC_H

#include "../qp/qp.h"

void svt_responder_uc_request(struct svt_qp *qp, struct svt_rx_packet *rx);

#endif
