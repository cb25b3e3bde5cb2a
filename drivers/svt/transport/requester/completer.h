/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The completer: see completer.c.
 */
#ifndef SVT_TRANSPORT_REQUESTER_COMPLETER_H
#define SVT_TRANSPORT_REQUESTER_COMPLETER_H

#include "../qp/qp.h"

void svt_completer_response(struct svt_qp *qp, struct svt_rx_packet *rx);

#endif
