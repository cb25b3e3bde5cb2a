/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues.
 */
#ifndef SVT_SRQ_H
#define SVT_SRQ_H

#include "rdma-core.h"
#include "recv_queue.h"

/**
 * struct svt_srq - a shared receive queue
 * @verbs: what the library and the application see
 * @queue: the requests
 * @moved: where the kernel's ring is when that is not mapped; else .entries is 0. Under the lock of
 *	@queue
 * @moved_limit: requests that may be in it
 */
struct svt_srq {
	struct verbs_srq verbs;
	struct svt_recv_queue queue;
	struct svt_ring_info moved;
	uint32_t moved_limit;
};

static inline struct svt_srq *to_svt_srq(struct ibv_srq *srq)
{
	return container_of(srq, struct svt_srq, verbs.srq);
}

struct ibv_srq *svt_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *svt_create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr);
int svt_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int attr_mask);
int svt_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int svt_get_srq_num(struct ibv_srq *srq, uint32_t *number);
int svt_destroy_srq(struct ibv_srq *srq);
int svt_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);

#endif
