// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting by kernel clients: a work request becomes an entry of the same ring that a process would
 * fill, and the engine copies and checks it in the same way. The post lock of a queue, taken with
 * interrupts off as clients may post so, serialises its posters.
 *
 * A request may complete on another CPU as soon as it can be seen, and the handler may destroy the
 * QP before we are done with it. So posting is an RCU read section, for which svt_qp_stop() waits.
 */
#include <linux/rcupdate.h>

#include "../transport/qp/half.h"
#include "verbs.h"

/* In ERR: flushes before one is delayed; and the delay, at least a whole tick */
#define SVT_PROMPT_RUNS		16
#define SVT_LATE_JIFFIES	2

static bool svt_has_bit(u32 mask, unsigned int bit)
{
	return bit < 32 && mask & BIT(bit);
}

/* As in the ring; no type of QP takes the U8_MAX of an unknown opcode */
static u8 svt_opcode(enum ib_wr_opcode opcode)
{
	if (opcode == IB_WR_REG_MR)
		return SVT_WR_REG_MR;
	return (u32)opcode < SVT_WR_REG_MR ? opcode : U8_MAX;
}

static u16 svt_send_flags(const struct ib_send_wr *wr)
{
	return (wr->send_flags & IB_SEND_FENCE ? SVT_SEND_FENCE : 0) |
	       (wr->send_flags & IB_SEND_SIGNALED ? SVT_SEND_SIGNALED : 0) |
	       (wr->send_flags & IB_SEND_SOLICITED ? SVT_SEND_SOLICITED : 0) |
	       (wr->send_flags & IB_SEND_INLINE ? SVT_SEND_INLINE : 0) |
	       (wr->send_flags & IB_SEND_IP_CSUM ? SVT_SEND_IP_CSUM : 0);
}

static void svt_fill_sge(struct svt_sge *to, const struct ib_sge *from, int count)
{
	int i;

	for (i = 0; i < count; i++)
		to[i] = (struct svt_sge) {
			.addr = from[i].addr,
			.length = from[i].length,
			.lkey = from[i].lkey,
		};
}

/* For a kernel client sge.addr is the address of inline data */
static int svt_fill_inline(struct svt_qp *qp, struct svt_send_wqe *wqe,
			   const struct ib_send_wr *wr)
{
	u8 *data = (u8 *)wqe->sge;
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (sge->length > qp->send.limits.max_inline - length)
			return -EINVAL;
		memcpy(data + length, (void *)(uintptr_t)sge->addr, sge->length);
		length += sge->length;
	}
	wqe->num_sge = 0;
	wqe->inline_length = length;
	return 0;
}

static void svt_fill_ud(struct svt_send_wqe *wqe, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);

	wqe->ud.ah = ud->ah ? to_svt_ah(ud->ah)->av->number : 0;
	wqe->ud.remote_qpn = ud->remote_qpn;
	wqe->ud.remote_qkey = ud->remote_qkey;
	wqe->ud.reserved = 0;
}

static void svt_fill_rdma(struct svt_send_wqe *wqe, const struct ib_send_wr *wr)
{
	wqe->rdma.remote_addr = rdma_wr(wr)->remote_addr;
	wqe->rdma.rkey = rdma_wr(wr)->rkey;
	wqe->rdma.reserved = 0;
}

static void svt_fill_atomic(struct svt_send_wqe *wqe, const struct ib_send_wr *wr)
{
	wqe->atomic.remote_addr = atomic_wr(wr)->remote_addr;
	wqe->atomic.compare_add = atomic_wr(wr)->compare_add;
	wqe->atomic.swap = atomic_wr(wr)->swap;
	wqe->atomic.rkey = atomic_wr(wr)->rkey;
	wqe->atomic.reserved = 0;
}

/* What ib_map_mr_sg() said, and what the client made of it */
static void svt_fill_reg(struct svt_send_wqe *wqe, const struct ib_send_wr *wr)
{
	const struct ib_reg_wr *reg = reg_wr(wr);

	*svt_reg_wqe(wqe) = (struct svt_reg_wqe) {
		.start = reg->mr->iova,
		.length = reg->mr->length,
		.key = reg->key,
		.access = reg->access,
	};
}

static void svt_fill_operation(struct svt_qp *qp, struct svt_send_wqe *wqe,
			       const struct ib_send_wr *wr)
{
	switch ((u32)wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		if (!qp->type->connected && !qp->type->frame)
			svt_fill_ud(wqe, wr);
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_ATOMIC_WRITE:
		svt_fill_rdma(wqe, wr);
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		svt_fill_atomic(wqe, wr);
		break;
	case IB_WR_REG_MR:
		svt_fill_reg(wqe, wr);
		break;
	default:
		break;
	}
}

static int svt_fill_send(struct svt_qp *qp, struct svt_send_wqe *wqe,
			 const struct ib_send_wr *wr)
{
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	wqe->opcode = svt_opcode(wr->opcode);
	wqe->num_sge = wr->num_sge;
	wqe->flags = svt_send_flags(wr);
	if (wr->opcode == IB_WR_SEND_WITH_INV || wr->opcode == IB_WR_LOCAL_INV)
		wqe->invalidate_rkey = wr->ex.invalidate_rkey;
	else
		wqe->imm_data = wr->ex.imm_data;
	svt_fill_operation(qp, wqe, wr);
	if (wr->send_flags & IB_SEND_INLINE)
		return svt_fill_inline(qp, wqe, wr);
	svt_fill_sge(wqe->sge, wr->sg_list, wr->num_sge);
	return 0;
}

/* Only user space has BIND_MW and FLUSH: ib_core has no struct for them */
static int svt_check_send(struct svt_qp *qp, const struct ib_send_wr *wr)
{
	if (wr->opcode == IB_WR_BIND_MW || wr->opcode == IB_WR_FLUSH ||
	    !svt_has_bit(qp->type->send_opcodes, svt_opcode(wr->opcode)))
		return -EOPNOTSUPP;
	if (wr->num_sge < 0 || wr->num_sge > qp->send.limits.max_sge)
		return -EINVAL;
	return wr->send_flags & IB_SEND_IP_CSUM && !qp->type->frame ? -EOPNOTSUPP : 0;
}

static int svt_post_one_send(struct svt_qp *qp, const struct ib_send_wr *wr)
{
	struct svt_send_wqe *wqe;
	u32 producer;
	int ret;

	lockdep_assert_held(&qp->send.post_lock);
	ret = svt_check_send(qp, wr);
	if (ret)
		return ret;
	wqe = svt_ring_produce(&qp->send.ring, &producer);
	if (!wqe)
		return -ENOMEM;
	ret = svt_fill_send(qp, wqe, wr);
	if (!ret)
		svt_ring_publish_producer(&qp->send.ring, producer);
	return ret;
}

/*
 * A worker flushes what is posted to a QP in ERR: a flush within the post would never end if the
 * client's completion handler posts again. As the worker may run after each post, it is delayed
 * from SVT_PROMPT_RUNS on: such a client runs out of buffers. A drain posts one request, and is
 * not delayed.
 */
static void svt_flush_late(struct svt_qp *qp, struct svt_half *half)
{
	bool prompt = atomic_add_unless(&half->late_runs, 1, SVT_PROMPT_RUNS);

	queue_delayed_work(qp->core->workqueue, &half->late, prompt ? 0 : SVT_LATE_JIFFIES);
}

/* The engine switches BH, so with interrupts off (ib_mad posts so) a worker runs the half */
static void svt_wake(struct svt_qp *qp, struct svt_half *half,
		     void (*schedule)(struct svt_qp *qp, int work))
{
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		svt_flush_late(qp, half);
		return;
	}
	if (!irqs_disabled()) {
		schedule(qp, SVT_WORK_QUEUE);
		return;
	}
	atomic_or(SVT_WORK_QUEUE, &half->work);
	queue_work(qp->core->workqueue, &half->defer);
}

/* ib_device_ops.post_send, any context but hard interrupts */
int svt_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	unsigned long flags;
	int ret = 0;

	*bad_wr = wr;
	if (qp->user || READ_ONCE(qp->state) < IB_QPS_RTS)
		return -EINVAL;
	rcu_read_lock();
	spin_lock_irqsave(&qp->send.post_lock, flags);
	for (; wr; wr = wr->next) {
		ret = svt_post_one_send(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->send.post_lock, flags);
	if (svt_ring_wants_doorbell(&qp->send.ring))
		svt_wake(qp, &qp->send.half, svt_send_schedule);
	rcu_read_unlock();
	return ret;
}

/* The caller holds the post lock of @ring */
static int svt_post_one_recv(struct svt_ring *ring, const struct svt_wqe_limits *limits,
			     const struct ib_recv_wr *wr)
{
	struct svt_recv_wqe *wqe;
	u32 producer;

	if (wr->num_sge < 0 || wr->num_sge > limits->max_sge)
		return -EINVAL;
	wqe = svt_ring_produce(ring, &producer);
	if (!wqe)
		return -ENOMEM;
	wqe->wr_id = wr->wr_id;
	wqe->num_sge = wr->num_sge;
	wqe->reserved = 0;
	svt_fill_sge(wqe->sge, wr->sg_list, wr->num_sge);
	svt_ring_publish_producer(ring, producer);
	return 0;
}

static int svt_post_recv_list(struct svt_ring *ring, const struct svt_wqe_limits *limits,
			      const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	int ret;

	for (; wr; wr = wr->next) {
		ret = svt_post_one_recv(ring, limits, wr);
		if (ret) {
			*bad_wr = wr;
			return ret;
		}
	}
	return 0;
}

/* ib_device_ops.post_recv, any context but hard interrupts */
int svt_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	struct svt_recv_half *recv = &qp->recv;
	unsigned long flags;
	int ret;

	*bad_wr = wr;
	if (qp->user || qp->srq || READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	rcu_read_lock();
	spin_lock_irqsave(&recv->post_lock, flags);
	ret = svt_post_recv_list(&recv->ring, &recv->limits, wr, bad_wr);
	spin_unlock_irqrestore(&recv->post_lock, flags);
	/* In ERR, when all posted before is flushed */
	if (svt_ring_wants_doorbell(&recv->ring))
		svt_wake(qp, &recv->half, svt_recv_schedule);
	rcu_read_unlock();
	return ret;
}

/* ib_device_ops.post_srq_recv, any context but hard interrupts */
int svt_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct svt_srq *srq = to_svt_srq(ibsrq);
	unsigned long flags;
	int ret;

	*bad_wr = wr;
	if (srq->mmap_entry)
		return -EINVAL;
	spin_lock_irqsave(&srq->post_lock, flags);
	ret = svt_post_recv_list(&srq->ring, &srq->wqe_limits, wr, bad_wr);
	spin_unlock_irqrestore(&srq->post_lock, flags);
	return ret;
}
