// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: a driver says that it keeps the rules for what it and processes say */
#include <rdma/ib_verbs.h>

#ifndef OLD
const struct ib_device_ops ops = {
	.uverbs_robust_udata = 1,
};
#endif
