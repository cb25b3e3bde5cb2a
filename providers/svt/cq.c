// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a completion queue, and arming it. Polling is in poll.c. Any thread, under the CQ's lock.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "cq.h"
#include "pd.h"

struct create_cq_response {
	struct ib_uverbs_ex_create_cq_resp core;
	struct svt_create_cq_resp svt;
};

struct resize_cq_response {
	struct ib_uverbs_resize_cq_resp core;
	struct svt_resize_cq_resp svt;
};

static_assert(offsetof(struct create_cq_response, svt) ==
	      sizeof(struct ib_uverbs_ex_create_cq_resp) &&
	      offsetof(struct resize_cq_response, svt) == sizeof(struct ib_uverbs_resize_cq_resp),
	      "no gap in front of the driver's part");

#define WC_FLAGS \
	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
#define CQ_FLAGS \
	(IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN)
#define CQ_MASK \
	(IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)

static int check(const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & ~(uint32_t)CQ_MASK || attr->wc_flags & ~(uint64_t)WC_FLAGS)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS && attr->flags & ~(uint32_t)CQ_FLAGS)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain || !to_svt_pd(attr->parent_domain)->contained))
		return EINVAL;
	return 0;
}

static bool is_shared(const struct ibv_cq_init_attr_ex *attr)
{
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return false;
	return !(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) ||
	       svt_pd_is_shared(attr->parent_domain);
}

static int map(struct svt_ring *ring, int cmd_fd, const struct svt_ring_info *info)
{
	return svt_ring_map(ring, cmd_fd, info, sizeof(struct svt_cqe), SVT_RING_ALL);
}

/* comp_mask, flags and vectors are the kernel's to check where they are passed on to it */
static struct svt_cq *create(struct ibv_context *context, const struct ibv_cq_init_attr_ex *attr)
{
	struct create_cq_response response = {};
	struct ibv_create_cq_ex command = {};
	struct svt_cq *cq;
	int err;

	err = check(attr);
	if (err)
		goto fail;
	err = ENOMEM;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		goto fail;
	err = svt_cmd_create_cq(context, attr, &cq->verbs, &command, sizeof(command),
				&response.core, sizeof(response));
	if (err)
		goto free_cq;
	err = map(&cq->ring, context->cmd_fd, &response.svt.ring);
	if (err)
		goto destroy;
	svt_lock_init(&cq->lock, is_shared(attr));
	return cq;

destroy:
	ibv_cmd_destroy_cq(&cq->verbs.cq);
free_cq:
	free(cq);
fail:
	errno = err;
	return NULL;
}

struct ibv_cq *svt_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct svt_cq *cq = create(context, &attr);

	return cq ? &cq->verbs.cq : NULL;
}

struct ibv_cq_ex *svt_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct svt_cq *cq = create(context, attr);

	if (!cq)
		return NULL;
	svt_poll_api_init(&cq->verbs.cq_ex);
	return &cq->verbs.cq_ex;
}

/**
 * svt_cq_map_moved - map the ring that the kernel has moved a CQ to
 * @cq: whose lock is held
 *
 * Return: 0, or why it cannot be mapped now; nothing can be done with the CQ then.
 */
int svt_cq_map_moved(struct svt_cq *cq)
{
	struct svt_ring ring;
	int err;

	err = map(&ring, cq->verbs.cq.context->cmd_fd, &cq->moved);
	if (err)
		return err;
	ring.index = atomic_load_explicit(svt_ring_word(&ring.control->consumer),
					  memory_order_relaxed);
	ring.seen = ring.index;
	svt_ring_unmap(&cq->ring);
	cq->ring = ring;
	cq->moved = (struct svt_ring_info){};
	return 0;
}

/**
 * svt_cq_catch_up - see to it that a CQ's ring is mapped, or never will be
 * @ibv_cq: which
 *
 * Return: 0, or why it can only be mapped later.
 */
int svt_cq_catch_up(struct ibv_cq *ibv_cq)
{
	struct svt_cq *cq = to_svt_cq(ibv_cq);
	int err;

	svt_cq_lock(cq);
	err = svt_cq_follow(cq);
	svt_cq_unlock(cq);
	return svt_ring_may_map_later(err) ? err : 0;
}

/**
 * svt_resize_cq - give a CQ another number of entries
 * @ibv_cq: which
 * @cqe: how many at least
 *
 * The kernel moves what is pending, and what is asked for, into a new ring and sets that ring's
 * indices. The lock keeps everybody else from the old one meanwhile. There is no way back from
 * there, so when there is no memory to map the new ring whoever uses the CQ next tries again.
 *
 * Return: 0; EINVAL what is pending does not fit; EBUSY between ibv_start_poll() and ibv_end_poll()
 * of the same thread, which reads the old one; or another errno.
 */
int svt_resize_cq(struct ibv_cq *ibv_cq, int cqe)
{
	struct resize_cq_response response = {};
	struct ibv_resize_cq command = {};
	struct svt_cq *cq = to_svt_cq(ibv_cq);
	int err;

	if (svt_cq_is_read_here(cq))
		return EBUSY;
	svt_lock(&cq->lock);
	err = ibv_cmd_resize_cq(ibv_cq, cqe, &command, sizeof(command), &response.core,
				sizeof(response));
	if (!err) {
		cq->moved = response.svt.ring;
		err = svt_cq_map_moved(cq);
		if (svt_ring_may_map_later(err))
			err = 0;
		else if (err)
			cq->moved = (struct svt_ring_info){};
	}
	svt_unlock(&cq->lock);
	return err;
}

int svt_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct ibv_modify_cq command = {};

	/* The kernel would take no notice of others */
	if (attr->attr_mask & ~(uint32_t)IBV_CQ_ATTR_MODERATE)
		return EOPNOTSUPP;
	return ibv_cmd_modify_cq(cq, attr, &command, sizeof(command));
}

int svt_destroy_cq(struct ibv_cq *ibv_cq)
{
	struct svt_cq *cq = to_svt_cq(ibv_cq);
	int err;

	err = ibv_cmd_destroy_cq(ibv_cq);
	if (err)
		return err;
	svt_ring_unmap(&cq->ring);
	free(cq);
	return 0;
}

/* No system call: the caller has to poll once more after this anyway, see ring.h */
int svt_req_notify_cq(struct ibv_cq *ibv_cq, int solicited_only)
{
	struct svt_cq *cq = to_svt_cq(ibv_cq);
	int err;

	svt_cq_lock(cq);
	err = svt_cq_follow(cq);
	if (!err)
		svt_ring_arm(&cq->ring, solicited_only ? SVT_CQ_ARM_SOLICITED : SVT_CQ_ARM_NEXT);
	svt_cq_unlock(cq);
	return err;
}

/**
 * svt_cq_forget - drop the pending completions of a QP that was destroyed or reset
 * @cq: where; svt_cq_catch_up() came before the QP went
 * @qp_num: of the QP; the kernel completes nothing for it any more
 *
 * An application may have freed what their wr_id stand for. The elements between the two indices
 * are ours: those of other QPs move up to close the gaps, and the rest is given back. One that is
 * being read between ibv_start_poll() and ibv_end_poll() stays whatever it is of.
 */
void svt_cq_forget(struct svt_cq *cq, uint32_t qp_num)
{
	struct svt_ring *ring = &cq->ring;
	uint32_t dropped = 0;
	uint32_t index;

	svt_cq_lock(cq);
	ring->seen = atomic_load_explicit(svt_ring_word(&ring->control->producer),
					  memory_order_acquire);
	for (index = ring->seen; index != ring->index; index--) {
		const struct svt_cqe *cqe = svt_ring_element(ring, index - 1);

		if (cqe->qp_num == qp_num && cqe != cq->current)
			dropped++;
		else if (dropped)
			*(struct svt_cqe *)svt_ring_element(ring, index - 1 + dropped) = *cqe;
	}
	if (dropped)
		svt_ring_release(ring, ring->index + dropped);
	if (cq->current)
		cq->current = svt_ring_element(ring, ring->index);
	svt_cq_unlock(cq);
}
