/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Acknowledgments that wait for the program, as the requester and the QP see them.
 */
#ifndef SVT_TRANSPORT_HOLD_H
#define SVT_TRANSPORT_HOLD_H

#include "qp.h"
#include "train.h"

void svt_hold_init(struct svt_qp *qp);
int svt_hold_send(struct svt_qp *qp, struct svt_train_builder *builder);

#endif
