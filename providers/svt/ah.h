/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Address handles.
 */
#ifndef SVT_AH_H
#define SVT_AH_H

#include "rdma-core.h"

struct svt_pd;

/**
 * struct svt_ah - an address handle
 * @ibv_ah: what the application sees
 * @home: its protection domain, which outlives it; a parent domain does not have to
 * @number: the kernel's name for it in a send WQE
 */
struct svt_ah {
	struct ibv_ah ibv_ah;
	struct svt_pd *home;
	uint32_t number;
};

static inline const struct svt_ah *to_svt_ah(const struct ibv_ah *ah)
{
	return container_of(ah, struct svt_ah, ibv_ah);
}

struct ibv_ah *svt_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int svt_destroy_ah(struct ibv_ah *ah);

#endif
