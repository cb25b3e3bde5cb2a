// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: creation, resize and destruction; queue/cq.c has the rest. ib_core destroys a
 * CQ only when no QP uses it. svt_cq.resize_lock serialises resizes.
 */
#include "verbs.h"

static int svt_cq_check(struct ib_device *ibdev, const struct ib_cq_init_attr *attr,
			struct ib_udata *udata)
{
	if (attr->flags & ~(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION |
			    IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN))
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > SVT_MAX_CQE ||
	    attr->comp_vector >= ibdev->num_comp_vectors)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct svt_create_cq_resp))
		return -EINVAL;
	return ib_is_udata_in_empty(udata);
}

static u32 svt_cq_entries(const struct svt_ring *ring)
{
	return min_t(u32, ring->entries, SVT_MAX_CQE);
}

/* Tells the process where its ring is. On success the mmap entry owns the memory. */
static int svt_cq_share(struct svt_cq *cq, struct ib_udata *udata)
{
	struct svt_create_cq_resp resp = {};
	struct rdma_user_mmap_entry *entry;
	int ret;

	entry = svt_ring_share(svt_udata_context(udata), &cq->ring, &resp.ring);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ret = ib_respond_udata(udata, resp);
	if (ret) {
		svt_ring_unshare(&cq->ring, entry);
		return ret;
	}
	cq->mmap_entry = entry;
	return 0;
}

/* ib_device_ops.create_cq; @command is NULL for a kernel client */
int svt_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct uverbs_attr_bundle *command)
{
	struct svt_core *core = to_svt_device(ibcq->device)->core;
	struct ib_udata *udata = svt_command_udata(command);
	struct svt_cq *cq = to_svt_cq(ibcq);
	int ret;

	ret = svt_cq_check(ibcq->device, attr, udata);
	if (ret)
		return ret;
	if (!svt_take(&core->cq_count, SVT_MAX_CQ, udata))
		return -ENOMEM;
	mutex_init(&cq->resize_lock);
	ret = svt_cq_init(cq, attr->cqe, !udata);
	if (ret)
		goto give_back;
	svt_cq_bind(cq, attr->comp_vector);
	cq->timestamps = attr->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	cq->ignore_overrun = attr->flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	ibcq->cqe = svt_cq_entries(&cq->ring);
	if (!udata)
		return 0;
	ret = svt_cq_share(cq, udata);
	if (!ret)
		return 0;

	svt_cq_free(cq);
give_back:
	atomic_dec(&core->cq_count);
	return ret;
}

/* Swaps the ring and its mmap entry: @ring and *@entry are the old ones afterwards */
static int svt_cq_swap(struct svt_cq *cq, struct svt_ring *ring,
		       struct rdma_user_mmap_entry **entry)
{
	struct svt_ring old;
	int ret;

	ret = svt_cq_replace(cq, ring, &old);
	if (ret)
		return ret;
	*ring = old;
	swap(cq->mmap_entry, *entry);
	cq->ibcq.cqe = svt_cq_entries(&cq->ring);
	return 0;
}

static int svt_resize_check(unsigned int entries, struct ib_udata *udata)
{
	if (!entries || entries > SVT_MAX_CQE)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct svt_resize_cq_resp))
		return -EINVAL;
	return ib_is_udata_in_empty(udata);
}

/* ib_device_ops.resize_user_cq. Responds before the swap: nothing may fail after it. */
int svt_resize_user_cq(struct ib_cq *ibcq, unsigned int entries, struct ib_udata *udata)
{
	struct rdma_user_mmap_entry *entry = NULL;
	struct svt_cq *cq = to_svt_cq(ibcq);
	struct svt_resize_cq_resp resp = {};
	struct svt_ring ring;
	int ret;

	ret = svt_resize_check(entries, udata) ?:
	      svt_ring_alloc(&ring, entries, sizeof(struct svt_cqe));
	if (ret)
		return ret;
	if (udata) {
		entry = svt_ring_share(svt_udata_context(udata), &ring, &resp.ring);
		if (IS_ERR(entry)) {
			svt_ring_free(&ring);
			return PTR_ERR(entry);
		}
		ret = ib_respond_udata(udata, resp);
	}
	if (!ret) {
		mutex_lock(&cq->resize_lock);
		ret = svt_cq_swap(cq, &ring, &entry);
		mutex_unlock(&cq->resize_lock);
	}
	svt_ring_unshare(&ring, entry);
	return ret;
}

int svt_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct svt_cq *cq = to_svt_cq(ibcq);

	svt_cq_stop(cq);
	svt_ring_unshare(&cq->ring, cq->mmap_entry);
	svt_cq_free(cq);
	mutex_destroy(&cq->resize_lock);
	atomic_dec(&to_svt_device(ibcq->device)->core->cq_count);
	return 0;
}

/* ib_device_ops.modify_cq; @period in us */
int svt_modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	svt_cq_moderate(to_svt_cq(ibcq), count, period);
	return 0;
}

/* ib_device_ops.poll_cq, for kernel clients only */
int svt_poll_cq(struct ib_cq *ibcq, int count, struct ib_wc *wc)
{
	return svt_cq_poll(to_svt_cq(ibcq), count, wc);
}

int svt_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	return svt_cq_arm(to_svt_cq(ibcq), flags);
}
