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

#ifndef SVT_HAVE_RESIZE_USER_CQ
static int svt_compat_resize_cq(struct ib_cq *ibcq, int entries, struct ib_udata *udata)
{
	return svt_resize_user_cq(ibcq, entries, udata);
}

#define resize_user_cq		resize_cq
#define svt_resize_user_cq	svt_compat_resize_cq
#endif

#ifndef SVT_HAVE_REG_USER_MR_DMAH
static struct ib_mr *svt_compat_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova,
					    int access, struct ib_udata *udata)
{
	return svt_reg_user_mr(pd, start, length, iova, access, NULL, udata);
}

#define svt_reg_user_mr	svt_compat_reg_user_mr
#endif

#ifndef SVT_HAVE_REG_USER_MR_DMABUF_DMAH
#ifdef SVT_HAVE_REG_USER_MR_DMABUF_ATTRS
static struct ib_mr *svt_compat_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
						   u64 iova, int fd, int access,
						   struct uverbs_attr_bundle *command)
{
	return svt_reg_user_mr_dmabuf(pd, offset, length, iova, fd, access, NULL, command);
}
#else
static struct ib_mr *svt_compat_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length,
						   u64 iova, int fd, int access,
						   struct ib_udata *udata)
{
	return svt_reg_user_mr_dmabuf(pd, offset, length, iova, fd, access, NULL,
				      svt_compat_command(udata));
}
#endif

#define svt_reg_user_mr_dmabuf	svt_compat_reg_user_mr_dmabuf
#endif

#ifndef SVT_HAVE_COUNTER_BIND_QP_PORT
static int svt_compat_counter_bind_qp(struct rdma_counter *counter, struct ib_qp *ibqp)
{
	return svt_counter_bind_qp(counter, ibqp, ibqp->port);
}

#define svt_counter_bind_qp	svt_compat_counter_bind_qp
#endif

#ifndef SVT_HAVE_COUNTER_UNBIND_QP_PORT
static int svt_compat_counter_unbind_qp(struct ib_qp *ibqp)
{
	return svt_counter_unbind_qp(ibqp, ibqp->port);
}

#define svt_counter_unbind_qp	svt_compat_counter_unbind_qp
#endif

#if !defined(SVT_HAVE_FILL_RES_SRQ_ENTRY) || !defined(SVT_HAVE_REPORT_PORT_EVENT) || \
	!defined(SVT_HAVE_COUNTER_INIT) || !defined(SVT_HAVE_SIZE_RDMA_COUNTER) || \
	!defined(SVT_HAVE_UVERBS_ROBUST_UDATA)
struct svt_compat_ops {
	const struct ib_device_ops;
#ifndef SVT_HAVE_FILL_RES_SRQ_ENTRY
	int (*fill_res_srq_entry)(struct sk_buff *msg, struct ib_srq *ibsrq);
#endif
#ifndef SVT_HAVE_REPORT_PORT_EVENT
	void (*report_port_event)(struct ib_device *ibdev, struct net_device *netdev,
				  unsigned long event);
#endif
#ifndef SVT_HAVE_COUNTER_INIT
	void (*counter_init)(struct rdma_counter *counter);
#endif
#ifndef SVT_HAVE_SIZE_RDMA_COUNTER
	size_t size_rdma_counter;
#endif
#ifndef SVT_HAVE_UVERBS_ROBUST_UDATA
	unsigned int uverbs_robust_udata:1;
#endif
};

static void svt_compat_set_ops(struct ib_device *ibdev, const struct svt_compat_ops *ops)
{
	ib_set_device_ops(ibdev, (const struct ib_device_ops *)ops);
}

#define ib_device_ops		svt_compat_ops
#define ib_set_device_ops	svt_compat_set_ops
#endif

#endif
