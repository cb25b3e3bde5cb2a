/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * QPs by their numbers: see table.c.
 */
#ifndef SVT_TRANSPORT_QP_TABLE_H
#define SVT_TRANSPORT_QP_TABLE_H

#include "qp.h"

int svt_qp_table_init(struct svt_core *core);
void svt_qp_table_destroy(struct svt_core *core);
int svt_qp_insert(struct svt_qp *qp);
void svt_qp_remove(struct svt_qp *qp);
struct svt_qp *svt_qp_lookup(struct svt_core *core, u32 qpn);

#endif
