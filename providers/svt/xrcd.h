/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * XRC domains.
 */
#ifndef SVT_XRCD_H
#define SVT_XRCD_H

#include "rdma-core.h"

struct ibv_xrcd *svt_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr);
int svt_close_xrcd(struct ibv_xrcd *xrcd);

#endif
