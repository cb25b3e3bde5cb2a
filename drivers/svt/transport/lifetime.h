/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The life of a QP, for verbs: see lifetime.c.
 */
#ifndef SVT_TRANSPORT_LIFETIME_H
#define SVT_TRANSPORT_LIFETIME_H

#include "qp/qp.h"

/*
 * Before svt_qp_init(): ibqp, dev, core, user, uid, sq_sig_all, cap, send_cq, recv_cq, srq,
 * send.ring, send.limits (without opcodes and max_message), recv.ring, recv.limits and both
 * post_lock are set; the rest is zero.
 */
int svt_qp_init(struct svt_qp *qp, enum ib_qp_type type, u32 port);
void svt_qp_stop(struct svt_qp *qp);

#endif
