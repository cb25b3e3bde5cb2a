// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2: another name for ib_umem_get() */
#include <rdma/ib_umem.h>

#ifdef OLD
#define ib_umem_get_va	ib_umem_get
#endif

struct ib_umem *probe(struct ib_device *ibdev, unsigned long start, size_t length, int access)
{
	return ib_umem_get_va(ibdev, start, length, access);
}
