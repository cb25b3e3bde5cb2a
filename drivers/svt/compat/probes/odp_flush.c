// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.16: names for FLUSH and ATOMIC WRITE of memory that is paged on demand */
#include <rdma/ib_verbs.h>

#ifndef OLD
const u64 names[] = { IB_ODP_SUPPORT_FLUSH, IB_ODP_SUPPORT_ATOMIC_WRITE };
#endif
