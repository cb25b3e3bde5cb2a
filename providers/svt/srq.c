// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues. Posting may run in any thread, under the queue's lock; a resize holds it
 * too, as it exchanges the ring. The kernel looks at an SRQ when a message comes and never has to
 * be woken for it.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "ioctl.h"
#include "pd.h"
#include "srq.h"

struct create_srq_response {
	struct ib_uverbs_create_srq_resp core;
	struct svt_create_srq_resp svt;
};

static_assert(offsetof(struct create_srq_response, svt) ==
	      sizeof(struct ib_uverbs_create_srq_resp), "no gap in front of the driver's part");

static int init(struct svt_srq *srq, struct ibv_pd *pd, const struct ibv_srq_attr *attr,
		const struct svt_create_srq_resp *response)
{
	struct svt_recv_queue *queue = &srq->queue;

	svt_lock_init(&queue->lock, svt_pd_is_shared(pd));
	queue->max_sge = attr->max_sge;
	return svt_ring_map(&queue->ring, pd->context->cmd_fd, &response->ring,
			    svt_recv_element_size(queue->max_sge), attr->max_wr);
}

struct ibv_srq *svt_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct create_srq_response response = {};
	struct ibv_create_srq command = {};
	struct svt_srq *srq;
	int err;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	err = ibv_cmd_create_srq(pd, &srq->verbs.srq, attr, &command, sizeof(command),
				 &response.core, sizeof(response));
	if (err)
		goto free_srq;
	err = init(srq, pd, &attr->attr, &response.svt);
	if (err)
		goto destroy;
	return &srq->verbs.srq;

destroy:
	ibv_cmd_destroy_srq(&srq->verbs.srq);
free_srq:
	free(srq);
	errno = err;
	return NULL;
}

/* Its number, its CQ and its domain are the library's to keep */
static struct ibv_srq *create_xrc(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	struct create_srq_response response = {};
	struct ibv_create_xsrq command = {};
	struct svt_srq *srq;
	int err;

	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	err = ibv_cmd_create_srq_ex(context, &srq->verbs, attr, &command, sizeof(command),
				    &response.core, sizeof(response));
	if (err)
		goto free_srq;
	srq->verbs.srq.srq_context = attr->srq_context;
	err = init(srq, attr->pd, &attr->attr, &response.svt);
	if (err)
		goto destroy;
	return &srq->verbs.srq;

destroy:
	ibv_cmd_destroy_srq(&srq->verbs.srq);
free_srq:
	free(srq);
	errno = err;
	return NULL;
}

#define BASIC_MASK	(IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD)
#define XRC_MASK	(BASIC_MASK | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ)

static int check(const struct ibv_srq_init_attr_ex *attr, bool xrc)
{
	bool typed = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE;

	if (typed && attr->srq_type != IBV_SRQT_BASIC && !xrc)
		return EOPNOTSUPP;
	if (attr->comp_mask & ~(uint32_t)(xrc ? XRC_MASK : BASIC_MASK))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_SRQ_INIT_ATTR_PD))
		return EINVAL;
	return xrc && (attr->comp_mask & XRC_MASK) != XRC_MASK ? EINVAL : 0;
}

/* libibverbs turns the basic type into ibv_create_srq() itself, mostly */
struct ibv_srq *svt_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr basic = { .srq_context = attr->srq_context, .attr = attr->attr };
	bool xrc = attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE && attr->srq_type == IBV_SRQT_XRC;
	struct ibv_srq *srq;
	int err = check(attr, xrc);

	if (err) {
		errno = err;
		return NULL;
	}
	if (xrc)
		return create_xrc(context, attr);
	srq = svt_create_srq(attr->pd, &basic);
	if (!srq)
		return NULL;
	srq->context = attr->pd->context;
	srq->srq_context = attr->srq_context;
	srq->pd = attr->pd;
	attr->attr = basic.attr;
	return srq;
}

/* Only an XRC SRQ has one that means something to a peer */
int svt_get_srq_num(struct ibv_srq *ibv_srq, uint32_t *number)
{
	const struct verbs_srq *srq = &to_svt_srq(ibv_srq)->verbs;

	if (srq->srq_type != IBV_SRQT_XRC)
		return EOPNOTSUPP;
	*number = srq->srq_num;
	return 0;
}

/* Under the lock: maps the ring that the kernel has moved the SRQ to, or says why not now */
static int follow(struct svt_srq *srq)
{
	struct svt_recv_queue *queue = &srq->queue;
	struct svt_ring ring;
	int err;

	err = svt_ring_map(&ring, srq->verbs.srq.context->cmd_fd, &srq->moved,
			   svt_recv_element_size(queue->max_sge), srq->moved_limit);
	if (err)
		return err;
	svt_ring_adopt(&ring);
	queue->ring = ring;
	srq->moved = (struct svt_ring_info){};
	return 0;
}

/* Whether there is a ring now, and was none */
static bool catch_up(struct svt_srq *srq)
{
	bool changed;

	svt_lock(&srq->queue.lock);
	changed = srq->moved.entries && !follow(srq);
	svt_unlock(&srq->queue.lock);
	return changed;
}

/*
 * The kernel moves what is posted into a new ring, and sets that ring's indices. There is no way
 * back from there: without memory to map the new ring the SRQ counts as full, and each post tries
 * again. Without sense in what the kernel says it does so for ever.
 */
static int resize(struct svt_srq *srq, uint32_t max_wr)
{
	struct svt_recv_queue *queue = &srq->queue;
	int cmd_fd = srq->verbs.srq.context->cmd_fd;
	struct svt_ring_info info = {};
	struct svt_ioctl call;
	int err;

	svt_ioctl_init(&call, UVERBS_OBJECT_SRQ, SVT_METHOD_SRQ_RESIZE);
	svt_ioctl_add_handle(&call, SVT_ATTR_SRQ_RESIZE_SRQ, srq->verbs.srq.handle);
	svt_ioctl_add_u32(&call, SVT_ATTR_SRQ_RESIZE_MAX_WR, max_wr);
	svt_ioctl_add_output(&call, SVT_ATTR_SRQ_RESIZE_RING, &info, sizeof(info));

	svt_lock(&queue->lock);
	err = svt_ioctl_run(&call, cmd_fd);
	if (!err) {
		svt_ring_unmap(&queue->ring);
		srq->moved = info;
		srq->moved_limit = max_wr;
		err = follow(srq);
		if (svt_ring_may_map_later(err))
			err = 0;
	}
	svt_unlock(&queue->lock);
	return err;
}

int svt_modify_srq(struct ibv_srq *ibv_srq, struct ibv_srq_attr *attr, int attr_mask)
{
	struct ibv_modify_srq command = {};
	int err;

	if (attr_mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT))
		return EINVAL;
	if (attr_mask & IBV_SRQ_MAX_WR) {
		err = resize(to_svt_srq(ibv_srq), attr->max_wr);
		if (err)
			return err;
	}
	if (!(attr_mask & IBV_SRQ_LIMIT))
		return 0;
	return ibv_cmd_modify_srq(ibv_srq, attr, IBV_SRQ_LIMIT, &command, sizeof(command));
}

int svt_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq command = {};

	return ibv_cmd_query_srq(srq, attr, &command, sizeof(command));
}

int svt_destroy_srq(struct ibv_srq *ibv_srq)
{
	struct svt_srq *srq = to_svt_srq(ibv_srq);
	int err;

	err = ibv_cmd_destroy_srq(ibv_srq);
	if (err)
		return err;
	svt_ring_unmap(&srq->queue.ring);
	free(srq);
	return 0;
}

int svt_post_srq_recv(struct ibv_srq *ibv_srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct svt_srq *srq = to_svt_srq(ibv_srq);
	int err;

	err = svt_recv_queue_post(&srq->queue, wr, bad_wr);
	if (err != ENOMEM || !catch_up(srq))
		return err;
	return svt_recv_queue_post(&srq->queue, *bad_wr, bad_wr);
}
