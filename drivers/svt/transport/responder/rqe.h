/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The receive under way: see rqe.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_RQE_H
#define SVT_TRANSPORT_RESPONDER_RQE_H

#include "absent.h"

u32 svt_rqe_credits(const struct svt_qp *qp);
enum svt_verdict svt_rqe_take(struct svt_qp *qp);
enum svt_verdict svt_rqe_payload(struct svt_qp *qp, u32 offset, const struct svt_rx_packet *rx);
enum svt_verdict svt_rqe_bytes(struct svt_qp *qp, u32 offset, const void *data, u32 length);
void svt_rqe_complete(struct svt_qp *qp, struct svt_cqe *cqe, bool solicited);
void svt_rqe_batch_begin(struct svt_qp *qp, struct svt_cqe_batch *batch);
void svt_rqe_batch_end(struct svt_qp *qp);
void svt_rqe_flush(struct svt_qp *qp);
void svt_rqe_reset(struct svt_qp *qp);

#endif
