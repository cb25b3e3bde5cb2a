/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Between qp.c and state.c.
 */
#ifndef SVT_TRANSPORT_STATE_H
#define SVT_TRANSPORT_STATE_H

#include "qp.h"

void svt_qp_reset_sides(struct svt_qp *qp);
void svt_qp_release_path(struct svt_qp *qp);

#endif
