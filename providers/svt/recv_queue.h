/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue of receive requests, of a QP or of an SRQ.
 */
#ifndef SVT_RECV_QUEUE_H
#define SVT_RECV_QUEUE_H

#include <infiniband/verbs.h>

#include "lock.h"
#include "ring.h"

/**
 * struct svt_recv_queue - receive requests
 * @lock: protects @ring and the elements that are not published
 * @ring: of struct svt_recv_wqe
 * @max_sge: scatter entries of a request
 */
struct svt_recv_queue {
	struct svt_lock lock;
	struct svt_ring ring;
	uint32_t max_sge;
};

size_t svt_recv_element_size(uint32_t max_sge);
int svt_recv_queue_post(struct svt_recv_queue *queue, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);

#endif
