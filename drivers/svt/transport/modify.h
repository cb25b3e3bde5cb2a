/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * States and attributes of a QP: see modify.c.
 */
#ifndef SVT_TRANSPORT_MODIFY_H
#define SVT_TRANSPORT_MODIFY_H

#include "qp/qp.h"

void svt_qp_reset_halves(struct svt_qp *qp);
void svt_qp_release_path(struct svt_qp *qp);
int svt_qp_modify(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
		  enum ib_qp_state state, enum ib_qp_state new_state);
void svt_qp_query(struct svt_qp *qp, struct ib_qp_attr *attr);

#endif
