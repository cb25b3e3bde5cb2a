/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_FLOW_H
#define SVT_FLOW_H

#include "rdma-core.h"

struct ibv_flow *svt_create_flow(struct ibv_qp *qp, struct ibv_flow_attr *attr);
int svt_destroy_flow(struct ibv_flow *flow);

#endif
