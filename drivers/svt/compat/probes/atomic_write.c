// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.2: names for ATOMIC WRITE */
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

#ifndef OLD
const u64 names[] = {
	IB_OPCODE_RC_ATOMIC_WRITE, IB_UVERBS_WR_ATOMIC_WRITE, IB_UVERBS_WC_ATOMIC_WRITE,
	IB_WR_ATOMIC_WRITE, IB_DEVICE_ATOMIC_WRITE,
};
#endif
