// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.5: a driver's own attributes of SRQs */
#include <rdma/ib_verbs.h>

#ifndef OLD
static int fill_res_srq_entry(struct sk_buff *msg, struct ib_srq *srq)
{
	return 0;
}

const struct ib_device_ops ops = {
	.fill_res_srq_entry = fill_res_srq_entry,
};
#endif
