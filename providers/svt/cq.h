/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues.
 */
#ifndef SVT_CQ_H
#define SVT_CQ_H

#include <stdatomic.h>

#include "lock.h"
#include "rdma-core.h"
#include "ring.h"

/**
 * struct svt_cq - a completion queue
 * @verbs: what the library and the application see
 * @lock: protects the rest; held from a successful ibv_start_poll() to ibv_end_poll()
 * @ring: of struct svt_cqe; we are its consumer
 * @reader: the thread between ibv_start_poll() and ibv_end_poll(), or 0. Written under @lock. Any
 *	thread may read it, and finds itself there only between its own two calls
 * @current: what the ibv_wc_read_*() calls read
 * @moved: where the kernel's ring is when that is another than @ring; else .entries is 0
 */
struct svt_cq {
	struct verbs_cq verbs;
	struct svt_lock lock;
	struct svt_ring ring;
	atomic_uintptr_t reader;
	const struct svt_cqe *current;
	struct svt_ring_info moved;
};

static inline struct svt_cq *to_svt_cq(struct ibv_cq *cq)
{
	return container_of(cq, struct svt_cq, verbs.cq);
}

/* Is this thread between ibv_start_poll() and ibv_end_poll()? */
static inline bool svt_cq_is_read_here(const struct svt_cq *cq)
{
	return atomic_load_explicit(&cq->reader, memory_order_relaxed) ==
	       (uintptr_t)pthread_self();
}

/* For what may also be called there, by who has the lock then */
static inline void svt_cq_lock(struct svt_cq *cq)
{
	if (!svt_cq_is_read_here(cq))
		svt_lock(&cq->lock);
}

static inline void svt_cq_unlock(struct svt_cq *cq)
{
	if (!svt_cq_is_read_here(cq))
		svt_unlock(&cq->lock);
}

struct ibv_cq *svt_create_cq(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *svt_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int svt_resize_cq(struct ibv_cq *cq, int cqe);
int svt_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);
int svt_destroy_cq(struct ibv_cq *cq);
int svt_cq_map_moved(struct svt_cq *cq);
int svt_cq_catch_up(struct ibv_cq *cq);

/* Before anything is done with the ring. 0, or why it cannot be mapped now */
static inline int svt_cq_follow(struct svt_cq *cq)
{
	return cq->moved.entries ? svt_cq_map_moved(cq) : 0;
}

int svt_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void svt_cq_forget(struct svt_cq *cq, uint32_t qp_num);

int svt_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
void svt_poll_api_init(struct ibv_cq_ex *cq);

#endif
