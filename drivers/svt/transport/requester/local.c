// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send requests that make no packet: REG_MR, BIND_MW, LOCAL_INV. They run when the cursor reaches
 * them, so requests posted behind them see the result. Under send.half.lock.
 */
#include "local.h"

static enum ib_wc_status svt_local_invalidate(struct svt_qp *qp,
					      const struct svt_send_wqe *wqe)
{
	int ret = svt_key_invalidate(&qp->core->keys, qp->ibqp.pd, qp->qpn,
				     wqe->invalidate_rkey);

	/* The peer may have been first, which the client cannot know yet */
	return ret && ret != -EALREADY ? IB_WC_LOC_PROT_ERR : IB_WC_SUCCESS;
}

static enum ib_wc_status svt_local_bind(struct svt_qp *qp, const struct svt_send_wqe *wqe)
{
	const struct svt_mw_bind bind = {
		.mw_rkey = wqe->bind_mw.mw_rkey,
		.new_rkey = wqe->bind_mw.new_rkey,
		.mr_lkey = wqe->bind_mw.mr_lkey,
		.addr = wqe->bind_mw.addr,
		.length = wqe->bind_mw.length,
		.access = wqe->bind_mw.access,
		.qpn = qp->qpn,
		.owner = &qp->windows,
	};
	u32 rkey;

	if (svt_mw_bind(&qp->core->keys, qp->ibqp.pd, &bind, &rkey))
		return IB_WC_MW_BIND_ERR;
	return IB_WC_SUCCESS;
}

static enum ib_wc_status svt_local_register(struct svt_qp *qp, const struct svt_send_wqe *wqe)
{
	const struct svt_reg_wqe *reg = svt_reg_wqe(wqe);
	const struct svt_fast_reg fast = {
		.key = reg->key,
		.access = reg->access,
		.start = reg->start,
		.length = reg->length,
	};

	if (svt_fast_register(&qp->core->keys, qp->ibqp.pd, &fast))
		return IB_WC_MW_BIND_ERR;
	return IB_WC_SUCCESS;
}

/* Sets request->status. Needs an RCU read section. */
void svt_requester_local(struct svt_qp *qp, struct svt_send_request *request)
{
	if (request->wqe.opcode == SVT_WR_REG_MR)
		request->status = svt_local_register(qp, &request->wqe);
	else if (request->wqe.opcode == IB_UVERBS_WR_BIND_MW)
		request->status = svt_local_bind(qp, &request->wqe);
	else
		request->status = svt_local_invalidate(qp, &request->wqe);
}
