/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send requests are put together right in the ring: ibv_post_send(), the ibv_wr_* calls and
 * ibv_bind_mw() share what is here. The caller holds the send queue's lock throughout.
 */
#ifndef SVT_SEND_QUEUE_H
#define SVT_SEND_QUEUE_H

#include <errno.h>
#include <string.h>

#include "ah.h"
#include "qp.h"

/* IBTA 10.3.1: work requests may be posted to the send queue in these states */
#define SVT_SEND_STATES \
	(1U << IBV_QPS_RTS | 1U << IBV_QPS_SQD | 1U << IBV_QPS_SQE | 1U << IBV_QPS_ERR)

static inline bool svt_may_send(const struct svt_qp *qp)
{
	return SVT_SEND_STATES >> qp->verbs.qp.state & 1;
}

static_assert((int)SVT_SEND_FENCE == IBV_SEND_FENCE, "passed on as it is");
static_assert((int)SVT_SEND_SIGNALED == IBV_SEND_SIGNALED, "passed on as it is");
static_assert((int)SVT_SEND_SOLICITED == IBV_SEND_SOLICITED, "passed on as it is");
static_assert((int)SVT_SEND_INLINE == IBV_SEND_INLINE, "passed on as it is");
static_assert((int)SVT_SEND_IP_CSUM == IBV_SEND_IP_CSUM, "passed on as it is");

/*
 * Starts the request at @index: everything but what the operation adds is set, and the rest is
 * zero. 0; EINVAL: not an operation of the QP's type, or unknown flags; ENOMEM: the queue is full.
 */
static inline int svt_send_start(struct svt_qp *qp, uint32_t index, enum ibv_wr_opcode opcode,
				 uint64_t wr_id, unsigned int flags, struct svt_send_wqe **wqe)
{
	if (!svt_can_send(qp->kind, opcode) || flags & ~qp->kind->flags)
		return EINVAL;
	if (!svt_ring_room(&qp->send.ring, index))
		return ENOMEM;
	*wqe = svt_ring_element(&qp->send.ring, index);
	**wqe = (struct svt_send_wqe){
		.wr_id = wr_id,
		.opcode = opcode,
		.flags = flags,
	};
	return 0;
}

static inline void svt_send_set_rdma(struct svt_send_wqe *wqe, uint32_t rkey, uint64_t remote_addr)
{
	wqe->rdma.remote_addr = remote_addr;
	wqe->rdma.rkey = rkey;
}

static inline void svt_send_set_atomic(struct svt_send_wqe *wqe, uint32_t rkey,
				       uint64_t remote_addr, uint64_t compare_add, uint64_t swap)
{
	wqe->atomic.remote_addr = remote_addr;
	wqe->atomic.compare_add = compare_add;
	wqe->atomic.swap = swap;
	wqe->atomic.rkey = rkey;
}

static inline int svt_send_set_ud(struct svt_send_wqe *wqe, const struct ibv_ah *ah,
				  uint32_t remote_qpn, uint32_t remote_qkey)
{
	if (!ah)
		return EINVAL;
	wqe->ud.ah = to_svt_ah(ah)->number;
	wqe->ud.remote_qpn = remote_qpn;
	wqe->ud.remote_qkey = remote_qkey;
	return 0;
}

/* Of 24 bits. What stays on this host needs none, and passes it over. */
static inline int svt_send_set_srq(struct svt_send_wqe *wqe, uint32_t number)
{
	if (svt_payload(wqe->opcode) == SVT_PAYLOAD_NONE)
		return 0;
	if (number > 0xffffff)
		return EINVAL;
	wqe->srq_num = number;
	return 0;
}

/*
 * A window without a region has to be empty: that unbinds it. From now on the window goes by its
 * new key, also in requests that follow; nothing that comes after may fail.
 */
static inline int svt_send_set_bind(struct svt_send_wqe *wqe, struct ibv_mw *mw,
				    uint32_t new_rkey, const struct ibv_mw_bind_info *info)
{
	if (!info->mr && info->length)
		return EINVAL;
	wqe->bind_mw.addr = info->addr;
	wqe->bind_mw.length = info->length;
	wqe->bind_mw.mr_lkey = info->mr ? info->mr->lkey : 0;
	wqe->bind_mw.mw_rkey = mw->rkey;
	wqe->bind_mw.new_rkey = new_rkey;
	wqe->bind_mw.access = info->mw_access_flags;
	mw->rkey = new_rkey;
	return 0;
}

static inline int svt_send_set_sge(const struct svt_send_queue *queue, struct svt_send_wqe *wqe,
				   const struct ibv_sge *list, size_t count)
{
	if (count > queue->max_sge)
		return EINVAL;
	if (count)
		memcpy(wqe->sge, list, count * sizeof(wqe->sge[0]));
	wqe->num_sge = count;
	return 0;
}

/* Adds @length bytes behind those that are there */
static inline int svt_send_add_inline(const struct svt_send_queue *queue, struct svt_send_wqe *wqe,
				      const void *data, size_t length)
{
	if (length > queue->max_inline - wqe->inline_length)
		return EINVAL;
	if (length)
		memcpy((uint8_t *)wqe->sge + wqe->inline_length, data, length);
	wqe->inline_length += length;
	return 0;
}

#endif
