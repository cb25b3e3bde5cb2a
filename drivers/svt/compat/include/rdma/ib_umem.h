/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_RDMA_IB_UMEM_H
#define SVT_COMPAT_RDMA_IB_UMEM_H

#include_next <rdma/ib_umem.h>

#ifndef SVT_HAVE_IB_UMEM_GET_VA
static inline struct ib_umem *ib_umem_get_va(struct ib_device *ibdev, unsigned long address,
					     size_t size, int access)
{
	return ib_umem_get(ibdev, address, size, access);
}
#endif

#endif
