// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send(). Any thread, under the send queue's lock.
 */
#include "send_queue.h"

static int fill_nothing(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	(void)wqe;
	(void)wr;
	return 0;
}

static int fill_imm(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	wqe->imm_data = wr->imm_data;
	return 0;
}

static int fill_invalidate(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	wqe->invalidate_rkey = wr->invalidate_rkey;
	return 0;
}

static int fill_rdma(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	svt_send_set_rdma(wqe, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
	return 0;
}

static int fill_rdma_imm(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	wqe->imm_data = wr->imm_data;
	return fill_rdma(wqe, wr);
}

static int fill_atomic(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	svt_send_set_atomic(wqe, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
			    wr->wr.atomic.compare_add, wr->wr.atomic.swap);
	return 0;
}

/* A window of type 1 is bound by ibv_bind_mw() only (IBTA 10.6.7.2) */
static int fill_bind(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	if (wr->bind_mw.mw->type != IBV_MW_TYPE_2)
		return EINVAL;
	return svt_send_set_bind(wqe, wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
}

/* struct ibv_send_wr does not say what to flush: ibv_wr_flush() does */
static int fill_flush(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr)
{
	(void)wqe;
	(void)wr;
	return EINVAL;
}

static int (*const fill[])(struct svt_send_wqe *wqe, const struct ibv_send_wr *wr) = {
	[IBV_WR_RDMA_WRITE] = fill_rdma,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = fill_rdma_imm,
	[IBV_WR_SEND] = fill_nothing,
	[IBV_WR_SEND_WITH_IMM] = fill_imm,
	[IBV_WR_RDMA_READ] = fill_rdma,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = fill_atomic,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = fill_atomic,
	[IBV_WR_LOCAL_INV] = fill_invalidate,
	[IBV_WR_BIND_MW] = fill_bind,
	[IBV_WR_SEND_WITH_INV] = fill_invalidate,
	[IBV_WR_FLUSH] = fill_flush,
	[IBV_WR_ATOMIC_WRITE] = fill_rdma,
};

static int put_inline(const struct svt_send_queue *queue, struct svt_send_wqe *wqe,
		      const struct ibv_send_wr *wr)
{
	int err = 0;
	int i;

	for (i = 0; i < wr->num_sge && !err; i++)
		err = svt_send_add_inline(queue, wqe, (const void *)(uintptr_t)wr->sg_list[i].addr,
					  wr->sg_list[i].length);
	return err;
}

static int put_payload(const struct svt_send_queue *queue, struct svt_send_wqe *wqe,
		       const struct ibv_send_wr *wr)
{
	enum svt_payload payload = svt_payload(wr->opcode);

	if (wr->send_flags & IBV_SEND_INLINE && payload != SVT_PAYLOAD_ANY)
		return EINVAL;
	if (payload == SVT_PAYLOAD_NONE)
		return 0;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge)
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE)
		return put_inline(queue, wqe, wr);
	return svt_send_set_sge(queue, wqe, wr->sg_list, wr->num_sge);
}

static int put(struct svt_qp *qp, uint32_t index, const struct ibv_send_wr *wr)
{
	struct svt_send_wqe *wqe;
	int err;

	err = svt_send_start(qp, index, wr->opcode, wr->wr_id, wr->send_flags, &wqe);
	if (err)
		return err;
	err = fill[wr->opcode](wqe, wr);
	if (err)
		return err;
	if (qp->kind->datagram) {
		err = svt_send_set_ud(wqe, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
				      wr->wr.ud.remote_qkey);
		if (err)
			return err;
	}
	if (qp->kind->xrc) {
		err = svt_send_set_srq(wqe, wr->qp_type.xrc.remote_srqn);
		if (err)
			return err;
	}
	return put_payload(&qp->send, wqe, wr);
}

/**
 * svt_post_send - post a list of send requests
 * @ibqp: where to
 * @wr: the first
 * @bad_wr: set to the first one that was not posted, if any
 *
 * Those in front of a bad one are posted. One look at whether the kernel has to be woken for all.
 *
 * Return: 0; EINVAL: the QP's state, or a bad request; ENOMEM: the queue is full; or what the
 * doorbell answered, which is EIO when the device is gone: nothing of the list will be carried out.
 */
int svt_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	struct ibv_send_wr *first = wr;
	uint32_t index, posted;
	int doorbell_err;
	int err = 0;

	if (!svt_may_send(qp)) {
		*bad_wr = wr;
		return EINVAL;
	}
	svt_lock(&qp->send.lock);
	index = qp->send.ring.index;
	for (; wr; wr = wr->next) {
		err = put(qp, index, wr);
		if (err) {
			*bad_wr = wr;
			break;
		}
		index++;
	}
	posted = index - qp->send.ring.index;
	if (posted)
		svt_ring_publish(&qp->send.ring, index);
	svt_unlock(&qp->send.lock);
	if (!posted)
		return err;
	doorbell_err = svt_qp_kick(qp, &qp->send.ring);
	if (doorbell_err)
		*bad_wr = first;
	return doorbell_err ? doorbell_err : err;
}
