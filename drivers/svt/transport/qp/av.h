/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Address vectors: see av.c.
 */
#ifndef SVT_TRANSPORT_QP_AV_H
#define SVT_TRANSPORT_QP_AV_H

#include "qp.h"

void svt_path_address(struct svt_path *path, const struct rdma_ah_attr *attr);
struct svt_av *svt_av_create(struct svt_device *dev, struct ib_pd *pd,
			     const struct rdma_ah_attr *attr, gfp_t gfp);
void svt_av_forget(struct svt_av *av);
void svt_av_put(struct svt_av *av);

#endif
