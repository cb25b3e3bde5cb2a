// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: creation, change and destruction; queue/srq.c has the rest. ib_core
 * destroys an SRQ only when no QP uses it. svt_srq.resize_lock serialises resizes.
 */
#include "../transport/qp/xrc.h"
#include "verbs.h"

static int svt_srq_check(const struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	const struct ib_srq_attr *attr = &init->attr;

	if (init->srq_type != IB_SRQT_BASIC && (init->srq_type != IB_SRQT_XRC || !udata))
		return -EOPNOTSUPP;
	if (!attr->max_wr || attr->max_wr > SVT_MAX_SRQ_WR || attr->max_sge > SVT_MAX_SGE)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct svt_create_srq_resp))
		return -EINVAL;
	return ib_is_udata_in_empty(udata);
}

static int svt_srq_ring(struct svt_srq *srq, struct svt_ring *ring, u32 max_wr)
{
	return svt_ring_alloc(ring, max_wr, svt_recv_wqe_stride(srq->wqe_limits.max_sge));
}

/* Tells the process where its ring is. On success the mmap entry owns the memory. */
static int svt_srq_share(struct svt_srq *srq, struct ib_udata *udata)
{
	struct svt_create_srq_resp resp = { .srq_num = srq->srq_num };
	struct rdma_user_mmap_entry *entry;
	int ret;

	entry = svt_ring_share(svt_udata_context(udata), &srq->ring, &resp.ring);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ret = ib_respond_udata(udata, resp);
	if (ret) {
		svt_ring_unshare(&srq->ring, entry);
		return ret;
	}
	srq->mmap_entry = entry;
	return 0;
}

static int svt_srq_number(struct svt_core *core, struct svt_srq *srq)
{
	int ret;

	if (srq->ibsrq.srq_type != IB_SRQT_XRC) {
		srq->srq_num = atomic_inc_return(&core->srq_number);
		return 0;
	}
	ret = svt_xrc_reserve(core, srq);
	if (!ret)
		srq->ibsrq.ext.xrc.srq_num = srq->srq_num;
	return ret;
}

static void svt_srq_forget(struct svt_core *core, struct svt_srq *srq)
{
	if (srq->ibsrq.srq_type == IB_SRQT_XRC)
		svt_xrc_remove(core, srq);
}

/* ib_device_ops.create_srq; only modify arms a limit */
int svt_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct svt_core *core = to_svt_device(ibsrq->device)->core;
	struct svt_srq *srq = to_svt_srq(ibsrq);
	int ret;

	ret = svt_srq_check(init, udata);
	if (ret)
		return ret;
	if (!svt_take(&core->srq_count, SVT_MAX_SRQ, udata))
		return -ENOMEM;
	spin_lock_init(&srq->lock);
	spin_lock_init(&srq->post_lock);
	mutex_init(&srq->resize_lock);
	srq->wqe_limits.max_sge = init->attr.max_sge;
	srq->wqe_limits.max_message = SVT_MAX_MESSAGE;
	srq->max_wr = init->attr.max_wr;
	INIT_WORK(&srq->notify_work, svt_srq_notify_pending);

	ret = svt_srq_ring(srq, &srq->ring, srq->max_wr);
	if (ret)
		goto give_back;
	ret = svt_srq_number(core, srq);
	if (ret)
		goto free_ring;
	if (udata)
		ret = svt_srq_share(srq, udata);
	if (!ret) {
		if (srq->ibsrq.srq_type == IB_SRQT_XRC)
			svt_xrc_publish(core, srq);
		return 0;
	}

	svt_srq_forget(core, srq);
free_ring:
	svt_ring_free(&srq->ring);
give_back:
	atomic_dec(&core->srq_count);
	return ret;
}

/* Swaps the ring and its mmap entry: @ring and *@entry are the old ones afterwards */
static int svt_srq_swap(struct svt_srq *srq, struct svt_ring *ring,
			struct rdma_user_mmap_entry **entry, u32 max_wr)
{
	int ret;

	mutex_lock(&srq->resize_lock);
	ret = svt_srq_replace(srq, ring, max_wr);
	if (!ret)
		swap(srq->mmap_entry, *entry);
	mutex_unlock(&srq->resize_lock);
	return ret;
}

static int svt_resize_kernel_srq(struct svt_srq *srq, u32 max_wr)
{
	struct rdma_user_mmap_entry *entry = NULL;
	struct svt_ring ring;
	int ret;

	if (!max_wr || max_wr > SVT_MAX_SRQ_WR)
		return -EINVAL;
	ret = svt_srq_ring(srq, &ring, max_wr);
	if (ret)
		return ret;
	ret = svt_srq_swap(srq, &ring, &entry, max_wr);
	svt_ring_unshare(&ring, entry);
	return ret;
}

/* SVT_METHOD_SRQ_RESIZE. Responds before the swap: nothing may fail after it. */
int svt_resize_user_srq(struct svt_srq *srq, u32 max_wr, struct uverbs_attr_bundle *attrs)
{
	struct rdma_user_mmap_entry *entry;
	struct svt_ring_info info = {};
	struct svt_ring ring;
	int ret;

	if (!max_wr || max_wr > SVT_MAX_SRQ_WR)
		return -EINVAL;
	ret = svt_srq_ring(srq, &ring, max_wr);
	if (ret)
		return ret;
	entry = svt_ring_share(attrs->context, &ring, &info);
	if (IS_ERR(entry)) {
		svt_ring_free(&ring);
		return PTR_ERR(entry);
	}
	ret = uverbs_copy_to(attrs, SVT_ATTR_SRQ_RESIZE_RING, &info, sizeof(info)) ?:
	      svt_srq_swap(srq, &ring, &entry, max_wr);
	svt_ring_unshare(&ring, entry);
	return ret;
}

/* ib_device_ops.modify_srq. A process resizes by SVT_METHOD_SRQ_RESIZE, to map the new ring. */
int svt_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata)
{
	struct svt_srq *srq = to_svt_srq(ibsrq);
	int ret;

	ret = ib_no_udata_io(udata);
	if (ret)
		return ret;
	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR && udata)
		return -EOPNOTSUPP;
	/* All of it or nothing */
	if (mask & IB_SRQ_MAX_WR && mask & IB_SRQ_LIMIT && attr->srq_limit > attr->max_wr)
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR)
		ret = svt_resize_kernel_srq(srq, attr->max_wr);
	if (!ret && mask & IB_SRQ_LIMIT)
		ret = svt_srq_set_limit(srq, attr->srq_limit);
	return ret;
}

int svt_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct svt_srq *srq = to_svt_srq(ibsrq);

	attr->max_wr = READ_ONCE(srq->max_wr);
	attr->max_sge = srq->wqe_limits.max_sge;
	attr->srq_limit = READ_ONCE(srq->limit);
	return 0;
}

int svt_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct svt_srq *srq = to_svt_srq(ibsrq);

	svt_srq_forget(to_svt_device(ibsrq->device)->core, srq);
	svt_ring_unshare(&srq->ring, srq->mmap_entry);
	mutex_destroy(&srq->resize_lock);
	atomic_dec(&to_svt_device(ibsrq->device)->core->srq_count);
	return 0;
}
