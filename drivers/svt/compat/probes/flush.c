// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.2: names for FLUSH */
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

#ifndef OLD
const u64 names[] = {
	IB_OPCODE_RC_FLUSH, IB_UVERBS_WR_FLUSH, IB_UVERBS_WC_FLUSH, IB_WR_FLUSH,
	IB_ACCESS_FLUSH_GLOBAL, IB_ACCESS_FLUSH_PERSISTENT, IB_DEVICE_FLUSH_GLOBAL,
	IB_DEVICE_FLUSH_PERSISTENT,
};
#endif
