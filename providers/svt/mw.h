/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory windows.
 */
#ifndef SVT_MW_H
#define SVT_MW_H

#include "rdma-core.h"

struct ibv_mw *svt_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int svt_dealloc_mw(struct ibv_mw *mw);
int svt_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);

#endif
