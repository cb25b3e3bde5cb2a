// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.17: a DMA handle for reg_user_mr_dmabuf() */
#include <linux/build_bug.h>
#include <rdma/ib_verbs.h>

struct ib_dmah;
struct ib_mr *with(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
		   struct ib_dmah *dmah, struct uverbs_attr_bundle *attrs);
struct ib_mr *without(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
		      struct uverbs_attr_bundle *attrs);
struct ib_mr *of_udata(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
		       struct ib_udata *udata);

#define OPERATION	typeof_member(const struct ib_device_ops, reg_user_mr_dmabuf)

#ifdef OLD
static_assert(__same_type(OPERATION, &without) || __same_type(OPERATION, &of_udata));
#else
static_assert(__same_type(OPERATION, &with));
#endif
