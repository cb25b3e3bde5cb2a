/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions.
 */
#ifndef SVT_MR_H
#define SVT_MR_H

#include "rdma-core.h"

struct ibv_mr *svt_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va,
			  int access);
struct ibv_mr *svt_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				 int fd, int access);
int svt_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access);
int svt_dereg_mr(struct verbs_mr *mr);
struct ibv_mr *svt_import_mr(struct ibv_pd *pd, uint32_t handle);
void svt_unimport_mr(struct ibv_mr *mr);

#endif
