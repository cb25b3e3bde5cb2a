// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_*(): requests are put together right in the ring and published by ibv_wr_complete(). The
 * send queue's lock is held from ibv_wr_start() until then, so nobody else is here meanwhile.
 *
 * None of the calls in between can fail. The first error is kept, what follows does nothing, and
 * ibv_wr_complete() posts nothing and returns it.
 */
#include "send_queue.h"

static struct svt_qp *from_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct svt_qp, verbs.qp_ex);
}

static void fail(struct svt_send_batch *batch, int err)
{
	if (!batch->error)
		batch->error = err;
	batch->wqe = NULL;
}

/* The request that was under construction is complete, as another is begun or all are posted */
static void close_request(struct svt_send_batch *batch)
{
	if (batch->wqe && !batch->addressed)
		fail(batch, EINVAL);
	batch->wqe = NULL;
}

/* Inline data comes by a setter here, so the flag of that name means nothing */
static struct svt_send_wqe *begin(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode)
{
	struct svt_qp *qp = from_ex(ex);
	struct svt_send_batch *batch = &qp->send.batch;
	unsigned int flags = ex->wr_flags & ~(unsigned int)IBV_SEND_INLINE;
	int err;

	close_request(batch);
	if (batch->error)
		return NULL;
	err = svt_send_start(qp, batch->next, opcode, ex->wr_id, flags, &batch->wqe);
	if (err) {
		fail(batch, err);
		return NULL;
	}
	batch->next++;
	batch->addressed = !qp->kind->datagram &&
			   (!qp->kind->xrc || svt_payload(opcode) == SVT_PAYLOAD_NONE);
	return batch->wqe;
}

static void wr_send(struct ibv_qp_ex *qp)
{
	begin(qp, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_SEND_WITH_IMM);

	if (wqe)
		wqe->imm_data = imm_data;
}

static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_SEND_WITH_INV);

	if (wqe)
		wqe->invalidate_rkey = invalidate_rkey;
}

static void wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_RDMA_WRITE);

	if (wqe)
		svt_send_set_rdma(wqe, rkey, remote_addr);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
			      __be32 imm_data)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_RDMA_WRITE_WITH_IMM);

	if (!wqe)
		return;
	wqe->imm_data = imm_data;
	svt_send_set_rdma(wqe, rkey, remote_addr);
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_RDMA_READ);

	if (wqe)
		svt_send_set_rdma(wqe, rkey, remote_addr);
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
			      uint64_t compare, uint64_t swap)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_ATOMIC_CMP_AND_SWP);

	if (wqe)
		svt_send_set_atomic(wqe, rkey, remote_addr, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
				uint64_t add)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_ATOMIC_FETCH_AND_ADD);

	if (wqe)
		svt_send_set_atomic(wqe, rkey, remote_addr, add, 0);
}

#ifdef SVT_HAVE_WR_ATOMIC_WRITE
/* The kernel gives every QP that may send it room for the value */
static void wr_atomic_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr,
			    const void *value)
{
	struct svt_send_queue *queue = &from_ex(qp)->send;
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_ATOMIC_WRITE);
	int err;

	if (!wqe)
		return;
	svt_send_set_rdma(wqe, rkey, remote_addr);
	wqe->flags |= SVT_SEND_INLINE;
	err = svt_send_add_inline(queue, wqe, value, sizeof(uint64_t));
	if (err)
		fail(&queue->batch, err);
}
#endif

#ifdef SVT_HAVE_WR_FLUSH
static_assert((int)SVT_FLUSH_GLOBAL == IBV_FLUSH_GLOBAL, "numbered as on the wire");
static_assert((int)SVT_FLUSH_PERSISTENT == IBV_FLUSH_PERSISTENT, "numbered as on the wire");
static_assert((int)SVT_FLUSH_RANGE == IBV_FLUSH_RANGE, "numbered as on the wire");
static_assert((int)SVT_FLUSH_REGION == IBV_FLUSH_MR, "numbered as on the wire");

static void wr_flush(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, size_t length,
		     uint8_t type, uint8_t level)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_FLUSH);

	if (!wqe)
		return;
	if (length > UINT32_MAX) {
		fail(&from_ex(qp)->send.batch, EINVAL);
		return;
	}
	wqe->flush.remote_addr = remote_addr;
	wqe->flush.length = length;
	wqe->flush.rkey = rkey;
	wqe->flush.placement = type;
	wqe->flush.selectivity = level;
}
#endif

static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_LOCAL_INV);

	if (wqe)
		wqe->invalidate_rkey = invalidate_rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *info)
{
	struct svt_send_wqe *wqe = begin(qp, IBV_WR_BIND_MW);
	int err;

	if (!wqe)
		return;
	err = mw->type == IBV_MW_TYPE_2 ? svt_send_set_bind(wqe, mw, rkey, info) : EINVAL;
	if (err)
		fail(&from_ex(qp)->send.batch, err);
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah, uint32_t remote_qpn,
			   uint32_t remote_qkey)
{
	struct svt_qp *qp = from_ex(ex);
	struct svt_send_batch *batch = &qp->send.batch;
	int err;

	if (!batch->wqe)
		return;
	err = qp->kind->datagram ? svt_send_set_ud(batch->wqe, ah, remote_qpn, remote_qkey)
				 : EINVAL;
	if (err)
		fail(batch, err);
	batch->addressed = true;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t remote_srqn)
{
	struct svt_qp *qp = from_ex(ex);
	struct svt_send_batch *batch = &qp->send.batch;
	int err;

	if (!batch->wqe)
		return;
	err = qp->kind->xrc ? svt_send_set_srq(batch->wqe, remote_srqn) : EINVAL;
	if (err)
		fail(batch, err);
	batch->addressed = true;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t num_sge, const struct ibv_sge *list)
{
	struct svt_send_queue *queue = &from_ex(ex)->send;
	struct svt_send_wqe *wqe = queue->batch.wqe;
	int err;

	if (!wqe)
		return;
	err = svt_payload(wqe->opcode) == SVT_PAYLOAD_NONE ? EINVAL :
	      svt_send_set_sge(queue, wqe, list, num_sge);
	if (err)
		fail(&queue->batch, err);
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(qp, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *ex, size_t num_buf,
				    const struct ibv_data_buf *list)
{
	struct svt_send_queue *queue = &from_ex(ex)->send;
	struct svt_send_wqe *wqe = queue->batch.wqe;
	int err = 0;
	size_t i;

	if (!wqe)
		return;
	if (svt_payload(wqe->opcode) != SVT_PAYLOAD_ANY)
		err = EINVAL;
	wqe->flags |= SVT_SEND_INLINE;
	for (i = 0; i < num_buf && !err; i++)
		err = svt_send_add_inline(queue, wqe, list[i].addr, list[i].length);
	if (err)
		fail(&queue->batch, err);
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qp, 1, &buf);
}

static void wr_start(struct ibv_qp_ex *ex)
{
	struct svt_qp *qp = from_ex(ex);

	svt_lock(&qp->send.lock);
	qp->send.batch = (struct svt_send_batch){
		.next = qp->send.ring.index,
		.error = svt_may_send(qp) ? 0 : EINVAL,
	};
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	struct svt_qp *qp = from_ex(ex);
	struct svt_send_batch *batch = &qp->send.batch;
	bool posted;
	int err;

	close_request(batch);
	err = batch->error;
	posted = !err && batch->next != qp->send.ring.index;
	if (posted)
		svt_ring_publish(&qp->send.ring, batch->next);
	svt_unlock(&qp->send.lock);
	return posted ? svt_qp_kick(qp, &qp->send.ring) : err;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	struct svt_qp *qp = from_ex(ex);

	qp->send.batch.wqe = NULL;
	svt_unlock(&qp->send.lock);
}

/* Every operation that svt has, whatever was asked for: begin() refuses those of other QP types */
void svt_wr_api_init(struct ibv_qp_ex *qp)
{
	qp->wr_start = wr_start;
	qp->wr_complete = wr_complete;
	qp->wr_abort = wr_abort;
	qp->wr_send = wr_send;
	qp->wr_send_imm = wr_send_imm;
	qp->wr_send_inv = wr_send_inv;
	qp->wr_rdma_write = wr_rdma_write;
	qp->wr_rdma_write_imm = wr_rdma_write_imm;
	qp->wr_rdma_read = wr_rdma_read;
	qp->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
	qp->wr_atomic_fetch_add = wr_atomic_fetch_add;
#ifdef SVT_HAVE_WR_ATOMIC_WRITE
	qp->wr_atomic_write = wr_atomic_write;
#endif
#ifdef SVT_HAVE_WR_FLUSH
	qp->wr_flush = wr_flush;
#endif
	qp->wr_local_inv = wr_local_inv;
	qp->wr_bind_mw = wr_bind_mw;
	qp->wr_set_ud_addr = wr_set_ud_addr;
	qp->wr_set_xrc_srqn = wr_set_xrc_srqn;
	qp->wr_set_sge = wr_set_sge;
	qp->wr_set_sge_list = wr_set_sge_list;
	qp->wr_set_inline_data = wr_set_inline_data;
	qp->wr_set_inline_data_list = wr_set_inline_data_list;
}
