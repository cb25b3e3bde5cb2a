/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Device memory.
 */
#ifndef SVT_DM_H
#define SVT_DM_H

#include "rdma-core.h"

/**
 * struct svt_dm - device memory
 * @verbs: what the library and the application see
 * @start: where it is mapped
 * @length: bytes that may be copied
 * @mapped: bytes of the mapping
 */
struct svt_dm {
	struct verbs_dm verbs;
	uint8_t *start;
	size_t length;
	size_t mapped;
};

struct ibv_dm *svt_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr);
int svt_free_dm(struct ibv_dm *dm);
struct ibv_dm *svt_import_dm(struct ibv_context *context, uint32_t handle);
void svt_unimport_dm(struct ibv_dm *dm);
struct ibv_mr *svt_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length,
			     unsigned int access);

#endif
