// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.17: a DMA handle for reg_user_mr() */
#include <rdma/ib_verbs.h>

#ifdef OLD
static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				 struct ib_udata *udata)
#else
static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
				 struct ib_dmah *dmah, struct ib_udata *udata)
#endif
{
	return NULL;
}

const struct ib_device_ops ops = {
	.reg_user_mr = reg_user_mr,
};
