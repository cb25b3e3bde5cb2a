// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.16: struct rdma_counter is allocated by the size that the driver says */
#include <rdma/ib_verbs.h>

#ifndef OLD
const struct ib_device_ops ops = {
	.size_rdma_counter = 1,
};
#endif
