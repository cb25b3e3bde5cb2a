// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: resize_cq() was renamed, and has an unsigned number */
#include <rdma/ib_verbs.h>

#ifdef OLD
#define resize_user_cq	resize_cq
static int resize(struct ib_cq *cq, int cqe, struct ib_udata *udata)
#else
static int resize(struct ib_cq *cq, unsigned int cqe, struct ib_udata *udata)
#endif
{
	return 0;
}

const struct ib_device_ops ops = {
	.resize_user_cq = resize,
};
