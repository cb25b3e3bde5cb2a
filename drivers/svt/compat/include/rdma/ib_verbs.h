/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_RDMA_IB_VERBS_H
#define SVT_COMPAT_RDMA_IB_VERBS_H

#include_next <rdma/ib_verbs.h>
#include <rdma/ib_user_verbs.h>

#ifndef SVT_HAVE_REG_USER_MR_DMAH
struct ib_dmah;
#endif

/* ib_core gives no region the right to FLUSH, so there is no capability to claim */
#ifndef SVT_HAVE_FLUSH
#define IB_WR_FLUSH			IB_UVERBS_WR_FLUSH
#define IB_ACCESS_FLUSH_GLOBAL		BIT(8)
#define IB_ACCESS_FLUSH_PERSISTENT	BIT(9)
#define IB_DEVICE_FLUSH_GLOBAL		0
#define IB_DEVICE_FLUSH_PERSISTENT	0
#endif

#ifndef SVT_HAVE_ATOMIC_WRITE
#define IB_WR_ATOMIC_WRITE		IB_UVERBS_WR_ATOMIC_WRITE
#define IB_DEVICE_ATOMIC_WRITE		BIT_ULL(40)
#endif

/* ib_core passes on what a driver claims */
#ifndef SVT_HAVE_ODP_FLUSH
#define IB_ODP_SUPPORT_FLUSH		(IB_DEVICE_FLUSH_GLOBAL ? BIT(6) : 0)
#define IB_ODP_SUPPORT_ATOMIC_WRITE	BIT(7)
#endif

#ifndef SVT_HAVE_IB_VIRT_DMA_TO_PAGE
static inline struct page *ib_virt_dma_to_page(u64 address)
{
	return virt_to_page((void *)(uintptr_t)address);
}
#endif

#ifndef SVT_HAVE_IB_ALLOC_DEVICE_NET
static inline struct ib_device *svt_compat_alloc_device(size_t size, struct net *net)
{
	struct ib_device *ibdev = _ib_alloc_device(size);

	/* Nobody has seen it yet */
	if (ibdev)
		write_pnet(&ibdev->coredev.rdma_net, net);
	return ibdev;
}

#define _ib_alloc_device	svt_compat_alloc_device
#endif

#ifndef SVT_HAVE_IB_MARK_NAME_ASSIGNED_BY_USER
static inline void ib_mark_name_assigned_by_user(struct ib_device *ibdev)
{
}
#endif

#endif
