/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * LOCAL_INV, BIND_MW and REG_MR: see local.c.
 */
#ifndef SVT_TRANSPORT_REQUESTER_LOCAL_H
#define SVT_TRANSPORT_REQUESTER_LOCAL_H

#include "request.h"

void svt_requester_local(struct svt_qp *qp, struct svt_send_request *request);

#endif
