/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRC: the SRQs that packets name, see xrc.c.
 */
#ifndef SVT_TRANSPORT_QP_XRC_H
#define SVT_TRANSPORT_QP_XRC_H

#include "qp.h"

int svt_xrc_reserve(struct svt_core *core, struct svt_srq *srq);
void svt_xrc_publish(struct svt_core *core, struct svt_srq *srq);
void svt_xrc_remove(struct svt_core *core, struct svt_srq *srq);
struct svt_srq *svt_xrc_srq(const struct svt_qp *qp, u32 srq_num);
bool svt_xrc_admit(struct svt_qp *qp, const struct svt_packet *packet);
struct svt_cq *svt_xrc_cq(struct svt_qp *qp);
void svt_xrc_notify_later(struct svt_qp *qp, const struct svt_srq *srq);
void svt_xrc_notify(const struct svt_qp *qp, const struct svt_notify *notify);

#endif
