// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting receive requests, to a QP or to an SRQ. Any thread, under the queue's lock.
 */
#include <errno.h>
#include <string.h>

#include "recv_queue.h"

static_assert(sizeof(struct svt_sge) == sizeof(struct ibv_sge) &&
	      offsetof(struct svt_sge, addr) == offsetof(struct ibv_sge, addr) &&
	      offsetof(struct svt_sge, length) == offsetof(struct ibv_sge, length) &&
	      offsetof(struct svt_sge, lkey) == offsetof(struct ibv_sge, lkey),
	      "scatter/gather entries are copied as they are");

size_t svt_recv_element_size(uint32_t max_sge)
{
	return sizeof(struct svt_recv_wqe) + (size_t)max_sge * sizeof(struct svt_sge);
}

static int put(struct svt_recv_queue *queue, uint32_t index, const struct ibv_recv_wr *wr)
{
	struct svt_recv_wqe *wqe;

	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge)
		return EINVAL;
	if (!svt_ring_room(&queue->ring, index))
		return ENOMEM;
	wqe = svt_ring_element(&queue->ring, index);
	*wqe = (struct svt_recv_wqe){
		.wr_id = wr->wr_id,
		.num_sge = wr->num_sge,
	};
	if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(wqe->sge[0]));
	return 0;
}

/**
 * svt_recv_queue_post - post a list of receive requests
 * @queue: where to
 * @wr: the first
 * @bad_wr: set to the first one that was not posted, if any
 *
 * Those in front of a bad one are posted. The kernel is not told.
 *
 * Return: 0; EINVAL: too many scatter entries; ENOMEM: the queue is full.
 */
int svt_recv_queue_post(struct svt_recv_queue *queue, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	uint32_t index;
	int err = 0;

	svt_lock(&queue->lock);
	index = queue->ring.index;
	for (; wr; wr = wr->next) {
		err = put(queue, index, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
		index++;
	}
	if (index != queue->ring.index)
		svt_ring_publish(&queue->ring, index);
	svt_unlock(&queue->lock);
	return err;
}
