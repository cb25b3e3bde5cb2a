/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester: see requester.c. Called by the owner of send.half.
 */
#ifndef SVT_TRANSPORT_REQUESTER_REQUESTER_H
#define SVT_TRANSPORT_REQUESTER_REQUESTER_H

#include "../qp/qp.h"

void svt_requester_run(struct svt_qp *qp, int work);
void svt_requester_reset(struct svt_qp *qp);
void svt_requester_start(struct svt_qp *qp);
void svt_requester_move_reads(const struct svt_send_half *send, u32 *read_ends, u32 entries);

#endif
