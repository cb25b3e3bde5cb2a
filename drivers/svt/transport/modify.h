/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between lifetime.c and modify.c.
 */
#ifndef SVT_TRANSPORT_MODIFY_H
#define SVT_TRANSPORT_MODIFY_H

#include "qp/qp.h"

void svt_qp_reset_sides(struct svt_qp *qp);
void svt_qp_release_path(struct svt_qp *qp);

#endif
