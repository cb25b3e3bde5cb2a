/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * verbs/device.c sees this behind verbs.h: its table of operations is that of the newest kernel. An
 * operation that ib_core calls in an older form goes through a function here. One that ib_core does
 * not know is kept beside its table, and not called.
 */
#ifndef SVT_COMPAT_OPS_H
#define SVT_COMPAT_OPS_H

static inline struct uverbs_attr_bundle *svt_compat_command(struct ib_udata *udata)
{
	return udata ? rdma_udata_to_uverbs_attr_bundle(udata) : NULL;
}

#ifndef SVT_HAVE_CREATE_CQ_ATTRS
static int svt_compat_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
				struct ib_udata *udata)
{
	return svt_create_cq(ibcq, attr, svt_compat_command(udata));
}

#define svt_create_cq	svt_compat_create_cq
#endif

#ifndef SVT_HAVE_REG_USER_MR_DMABUF_ATTRS
static struct ib_mr *svt_compat_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
						   u64 iova, int fd, int access,
						   struct ib_udata *udata)
{
	return svt_reg_user_mr_dmabuf(pd, offset, length, iova, fd, access,
				      svt_compat_command(udata));
}

#define svt_reg_user_mr_dmabuf	svt_compat_reg_user_mr_dmabuf
#endif

struct svt_compat_ops {
	const struct ib_device_ops;
#ifndef SVT_HAVE_FILL_RES_SRQ_ENTRY
	int (*fill_res_srq_entry)(struct sk_buff *msg, struct ib_srq *ibsrq);
#endif
};

static void svt_compat_set_ops(struct ib_device *ibdev, const struct svt_compat_ops *ops)
{
	ib_set_device_ops(ibdev, (const struct ib_device_ops *)ops);
}

#define ib_device_ops		svt_compat_ops
#define ib_set_device_ops	svt_compat_set_ops

#endif
