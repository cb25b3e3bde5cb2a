/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_RDMA_IB_USER_VERBS_H
#define SVT_COMPAT_RDMA_IB_USER_VERBS_H

#include_next <rdma/ib_user_verbs.h>

/* Work requests that ib_core has no names for, and passes on as the numbers that they are */
#ifndef SVT_HAVE_FLUSH
#define IB_UVERBS_WR_FLUSH		14
#define IB_UVERBS_WC_FLUSH		8
#endif

#ifndef SVT_HAVE_ATOMIC_WRITE
#define IB_UVERBS_WR_ATOMIC_WRITE	15
#define IB_UVERBS_WC_ATOMIC_WRITE	9
#endif

#endif
