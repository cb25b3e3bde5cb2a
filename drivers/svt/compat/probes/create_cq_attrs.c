// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.11: create_cq() is given the whole command instead of the driver's part of it */
#include <rdma/ib_verbs.h>

#ifdef OLD
static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
#else
static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		     struct uverbs_attr_bundle *attrs)
#endif
{
	return 0;
}

const struct ib_device_ops ops = {
	.create_cq = create_cq,
};
