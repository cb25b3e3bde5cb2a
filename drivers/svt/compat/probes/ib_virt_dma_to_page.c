// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.2: from a DMA address of a device without DMA to its page */
#include <rdma/ib_verbs.h>

#ifdef OLD
#define ib_virt_dma_to_page(address)	virt_to_page((void *)(address))
#endif

struct page *probe(u64 address)
{
	return ib_virt_dma_to_page(address);
}
