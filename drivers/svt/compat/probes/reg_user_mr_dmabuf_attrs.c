// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.11: reg_user_mr_dmabuf() is given the whole command; 6.17 added the DMA handle before it */
#include <linux/build_bug.h>
#include <rdma/ib_verbs.h>

#ifdef OLD
#define COMMAND	struct ib_udata *
#else
#define COMMAND	struct uverbs_attr_bundle *
#endif

struct ib_dmah;
struct ib_mr *without(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
		      COMMAND command);
struct ib_mr *with(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
		   struct ib_dmah *dmah, COMMAND command);

#define OPERATION	typeof_member(const struct ib_device_ops, reg_user_mr_dmabuf)

static_assert(__same_type(OPERATION, &without) || __same_type(OPERATION, &with));
