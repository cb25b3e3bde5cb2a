/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs.
 */
#ifndef SVT_QP_H
#define SVT_QP_H

#include "ioctl.h"
#include "lock.h"
#include "operation.h"
#include "pd.h"
#include "rdma-core.h"
#include "recv_queue.h"
#include "ring.h"

/**
 * struct svt_send_batch - the critical section between ibv_wr_start() and ibv_wr_complete()
 * @wqe: of the request under construction; NULL: none, or it failed
 * @next: index of the next request
 * @error: the first; nothing will be posted
 * @addressed: @wqe has its destination, if it needs one
 */
struct svt_send_batch {
	struct svt_send_wqe *wqe;
	uint32_t next;
	int error;
	bool addressed;
};

/**
 * struct svt_send_queue - send requests
 * @lock: protects the rest; held from ibv_wr_start() to ibv_wr_complete() or ibv_wr_abort()
 * @ring: of struct svt_send_wqe
 * @max_sge: gather entries of a request
 * @max_inline: bytes
 * @batch: of the ibv_wr_* calls
 */
struct svt_send_queue {
	struct svt_lock lock;
	struct svt_ring ring;
	uint32_t max_sge;
	uint32_t max_inline;
	struct svt_send_batch batch;
};

/**
 * struct svt_qp - a queue pair
 * @verbs: what the library and the application see
 * @kind: what its type can send
 * @doorbell: wakes the kernel; constant
 * @home: of a QP whose requests name address handles: their protection domain; else NULL
 * @next_datagram: in @home->datagram_qps, under its lock
 * @link_datagram: what points to this one there
 * @send: send requests
 * @recv: receive requests; unused with an SRQ
 */
struct svt_qp {
	struct verbs_qp verbs;
	const struct svt_qp_kind *kind;
	struct svt_ioctl doorbell;
	struct svt_pd *home;
	struct svt_qp *next_datagram;
	struct svt_qp **link_datagram;
	struct svt_send_queue send;
	struct svt_recv_queue recv;
};

static inline struct svt_qp *to_svt_qp(struct ibv_qp *qp)
{
	return container_of(qp, struct svt_qp, verbs.qp);
}

struct ibv_qp *svt_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *svt_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr);
struct ibv_qp *svt_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr);
int svt_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int svt_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr);
int svt_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr);
int svt_destroy_qp(struct ibv_qp *qp);

void svt_qp_send_posted(struct svt_pd *home);

int svt_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int svt_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
void svt_wr_api_init(struct ibv_qp_ex *qp);

/*
 * Wakes the kernel when nobody there watches @ring, which was just published. After the lock was
 * let go: the kernel may work for long in the context of this call, and the others need not wait.
 */
static inline int svt_qp_kick(const struct svt_qp *qp, const struct svt_ring *ring)
{
	if (!svt_ring_asleep(ring))
		return 0;
	return svt_ioctl_run(&qp->doorbell, qp->verbs.qp.context->cmd_fd);
}

#endif
