// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation, query and destruction. Sets up rings, limits and CQs before
 * svt_qp_init(), and takes them down after svt_qp_stop(); in between the transport works with
 * them. ib_core serialises destroy with all else but resource tracking (`rdma resource`, `rdma
 * statistic`); svt_qp.modify_lock serialises query with modify.
 */
#include <linux/cred.h>
#include <linux/log2.h>

#include "../transport/lifetime.h"
#include "../transport/modify.h"
#include "../transport/types.h"
#include "verbs.h"

static int svt_qp_cap_check(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;

	if (cap->max_send_wr > SVT_MAX_QP_WR || cap->max_send_sge > SVT_MAX_SGE ||
	    cap->max_inline_data > SVT_MAX_INLINE)
		return -EINVAL;
	if (!init->srq && (cap->max_recv_wr > SVT_MAX_QP_WR || cap->max_recv_sge > SVT_MAX_SGE))
		return -EINVAL;
	return 0;
}

/* XRC QPs are half a QP each: INI has no receive queue, TGT only its domain (IBTA A14.2) */
static bool svt_qp_has_right_objects(const struct ib_qp_init_attr *init)
{
	if (init->qp_type == IB_QPT_XRC_TGT)
		return init->xrcd && !init->srq;
	if (init->xrcd || !init->send_cq)
		return false;
	return init->qp_type == IB_QPT_XRC_INI ? !init->srq : !!init->recv_cq;
}

static int svt_qp_check(const struct svt_core *core, const struct ib_qp_init_attr *init,
			struct ib_udata *udata)
{
	if (!svt_qp_type(init->qp_type) || init->create_flags || init->rwq_ind_tbl ||
	    (init->qp_type == IB_QPT_XRC_INI && !udata))
		return -EOPNOTSUPP;
	if (init->qp_type == IB_QPT_RAW_PACKET && !READ_ONCE(core->link.frame))
		return -EOPNOTSUPP;
	if (!svt_qp_has_right_objects(init))
		return -EINVAL;
	if (init->qp_type == IB_QPT_GSI && (udata || init->port_num != 1))
		return -EINVAL;
	if (udata && udata->outlen < sizeof(struct svt_create_qp_resp))
		return -EINVAL;
	return ib_is_udata_in_empty(udata) ?: svt_qp_cap_check(init);
}

static void svt_qp_setup(struct svt_qp *qp, struct ib_qp_init_attr *init, bool user)
{
	/* With an SRQ the QP has no receive queue, whatever was asked for */
	if (init->srq || init->qp_type == IB_QPT_XRC_INI) {
		init->cap.max_recv_wr = 0;
		init->cap.max_recv_sge = 0;
	}
	if (init->qp_type == IB_QPT_XRC_TGT)
		init->cap = (struct ib_qp_cap) {};
	/* The value of an ATOMIC WRITE may be inline on any QP that sends it */
	if (svt_qp_type(init->qp_type)->send_opcodes & BIT(IB_UVERBS_WR_ATOMIC_WRITE))
		init->cap.max_inline_data = max_t(u32, init->cap.max_inline_data,
						  SVT_ATOMIC_BYTES);
	qp->dev = to_svt_device(qp->ibqp.device);
	qp->core = qp->dev->core;
	qp->user = user;
	/* ib_core makes TGT QPs as its own, but they are of the process that asks */
	qp->uid = user || init->xrcd ? current_euid() : INVALID_UID;
	qp->sq_sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->cap = init->cap;
	qp->send_cq = init->send_cq ? to_svt_cq(init->send_cq) : NULL;
	qp->recv_cq = init->recv_cq ? to_svt_cq(init->recv_cq) : NULL;
	qp->srq = init->srq ? to_svt_srq(init->srq) : NULL;
	qp->xrcd = init->xrcd;
	INIT_LIST_HEAD(&qp->multicast);
	spin_lock_init(&qp->send.post_lock);
	spin_lock_init(&qp->recv.post_lock);
	qp->send.limits.max_sge = init->cap.max_send_sge;
	qp->send.limits.max_inline = init->cap.max_inline_data;
	/* The transport's copy of a receive WQE has room for either queue */
	qp->recv.limits.max_sge = qp->srq ? qp->srq->wqe_limits.max_sge : init->cap.max_recv_sge;
	if (qp->xrcd)
		qp->recv.limits.max_sge = SVT_MAX_SGE;
}

/* svt_fill_res_qp_entry() may still read the receive ring */
static void svt_qp_rings_free(struct svt_qp *qp)
{
	struct svt_ring rq;

	spin_lock_irq(&qp->recv.post_lock);
	rq = qp->recv.ring;
	memset(&qp->recv.ring, 0, sizeof(qp->recv.ring));
	spin_unlock_irq(&qp->recv.post_lock);
	svt_ring_unshare(&rq, qp->rq_mmap_entry);
	svt_ring_unshare(&qp->send.ring, qp->sq_mmap_entry);
	qp->sq_mmap_entry = NULL;
	qp->rq_mmap_entry = NULL;
}

static bool svt_qp_has_rq(const struct svt_qp *qp)
{
	return !qp->srq && !qp->xrcd && qp->ibqp.qp_type != IB_QPT_XRC_INI;
}

/* A TGT QP has a send ring too, which stays empty */
static int svt_qp_rings_alloc(struct svt_qp *qp)
{
	const struct ib_qp_cap *cap = &qp->cap;
	int ret;

	ret = svt_ring_alloc(&qp->send.ring, max_t(u32, cap->max_send_wr, 1),
			     svt_send_wqe_stride(cap->max_send_sge, cap->max_inline_data));
	if (ret || !svt_qp_has_rq(qp))
		return ret;
	ret = svt_ring_alloc(&qp->recv.ring, max_t(u32, cap->max_recv_wr, 1),
			     svt_recv_wqe_stride(cap->max_recv_sge));
	if (ret)
		svt_ring_free(&qp->send.ring);
	return ret;
}

/* svt_qp_rings_free() undoes it, also when it fails */
static int svt_qp_rings_share(struct svt_qp *qp, struct ib_udata *udata)
{
	struct ib_ucontext *context = svt_udata_context(udata);
	struct svt_create_qp_resp resp = {};
	struct rdma_user_mmap_entry *entry;

	entry = svt_ring_share(context, &qp->send.ring, &resp.sq);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	qp->sq_mmap_entry = entry;
	if (svt_qp_has_rq(qp)) {
		entry = svt_ring_share(context, &qp->recv.ring, &resp.rq);
		if (IS_ERR(entry))
			return PTR_ERR(entry);
		qp->rq_mmap_entry = entry;
	}
	return ib_respond_udata(udata, resp);
}

/* ib_device_ops.create_qp. -EBUSY: there is a GSI QP. Nothing may fail after svt_qp_init(). */
int svt_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct svt_core *core = to_svt_device(ibqp->device)->core;
	struct svt_qp *qp = to_svt_qp(ibqp);
	int ret;

	ret = svt_qp_check(core, init, udata);
	if (ret)
		return ret;
	/* A TGT QP is for a process, though ib_core calls as for itself */
	if (!svt_take(&core->qp_count, SVT_MAX_QP, udata || init->xrcd))
		return -ENOMEM;
	svt_qp_setup(qp, init, udata);
	ret = svt_qp_rings_alloc(qp);
	if (ret)
		goto give_back;
	if (udata)
		ret = svt_qp_rings_share(qp, udata);
	if (!ret)
		ret = svt_qp_init(qp, init->qp_type, init->port_num);
	if (!ret) {
		ibqp->qp_num = qp->qpn;
		return 0;
	}

	svt_qp_rings_free(qp);
give_back:
	atomic_dec(&core->qp_count);
	return ret;
}

/* ib_device_ops.query_qp, ignores @mask; @attr gets no reference on the source GID */
int svt_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct svt_qp *qp = to_svt_qp(ibqp);

	mutex_lock(&qp->modify_lock);
	svt_qp_query(qp, attr);
	mutex_unlock(&qp->modify_lock);
	attr->cap = qp->cap;
	attr->ah_attr.grh.sgid_attr = NULL;
	attr->alt_ah_attr.grh.sgid_attr = NULL;

	*init = (struct ib_qp_init_attr) {
		.event_handler = ibqp->event_handler,
		.qp_context = ibqp->qp_context,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
		.srq = ibqp->srq,
		.cap = qp->cap,
		.sq_sig_type = qp->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = ibqp->qp_type,
		.port_num = ibqp->port,
	};
	return 0;
}

/* Any context; @qp is in RESET or stopped. Only for kernel clients. */
void svt_qp_forget_completions(struct svt_qp *qp)
{
	if (qp->user || qp->xrcd)
		return;
	svt_cq_forget(qp->send_cq, &qp->ibqp);
	if (qp->recv_cq != qp->send_cq)
		svt_cq_forget(qp->recv_cq, &qp->ibqp);
}

static void svt_qp_flush_cqs(struct svt_qp *qp)
{
	if (qp->user || qp->xrcd)
		return;
	svt_cq_flush(qp->send_cq);
	if (qp->recv_cq != qp->send_cq)
		svt_cq_flush(qp->recv_cq);
}

/*
 * ib_device_ops.destroy_qp. An ib_core without rdma_restrack_begin_del() shows and queries the QP
 * until this returns: so nothing destroys svt_qp.modify_lock.
 */
int svt_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct svt_qp *qp = to_svt_qp(ibqp);

	svt_qp_stop(qp);
	svt_qp_flush_cqs(qp);
	svt_qp_forget_completions(qp);
	svt_qp_rings_free(qp);
	atomic_dec(&qp->core->qp_count);
	return 0;
}
