// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send() expressed in the ibv_wr_* interface, so that every data test can run over
 * either.
 */
#include "buf.h"
#include "wrapi.h"

u64 wrapi_ops(enum ibv_qp_type type)
{
	u64 ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (type == IBV_QPT_UD)
		return ops;
	ops |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	if (type == IBV_QPT_UC)
		return ops;
	return ops | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
	       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
}

static void put_opcode(struct ibv_qp_ex *q, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(q);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(q, wr->imm_data);
		break;
	case IBV_WR_SEND_WITH_INV:
		ibv_wr_send_inv(q, wr->invalidate_rkey);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(q, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(q, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(q, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(q, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
				      wr->wr.atomic.compare_add, wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(q, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
					wr->wr.atomic.compare_add);
		break;
	case IBV_WR_ATOMIC_WRITE:
		ibv_wr_atomic_write(q, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
				    (void *)(uintptr_t)wr->sg_list->addr);
		break;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(q, wr->invalidate_rkey);
		break;
	case IBV_WR_BIND_MW:
		ibv_wr_bind_mw(q, wr->bind_mw.mw, wr->bind_mw.rkey, &wr->bind_mw.bind_info);
		break;
	default:
		break;
	}
}

static void put_inline(struct ibv_qp_ex *q, const struct ibv_send_wr *wr)
{
	struct ibv_data_buf list[BUF_SGES];
	int i;

	if (wr->num_sge == 1) {
		ibv_wr_set_inline_data(q, (void *)(uintptr_t)wr->sg_list->addr,
				       wr->sg_list->length);
		return;
	}
	for (i = 0; i < wr->num_sge; i++) {
		list[i].addr = (void *)(uintptr_t)wr->sg_list[i].addr;
		list[i].length = wr->sg_list[i].length;
	}
	ibv_wr_set_inline_data_list(q, wr->num_sge, list);
}

static void put_data(struct ibv_qp_ex *q, const struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_LOCAL_INV || wr->opcode == IBV_WR_BIND_MW ||
	    wr->opcode == IBV_WR_ATOMIC_WRITE)
		return;
	if (wr->send_flags & IBV_SEND_INLINE)
		put_inline(q, wr);
	else if (wr->num_sge == 1)
		ibv_wr_set_sge(q, wr->sg_list->lkey, wr->sg_list->addr, wr->sg_list->length);
	else
		ibv_wr_set_sge_list(q, wr->num_sge, wr->sg_list);
}

int wrapi_post(struct link *l, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct ibv_qp_ex *q = l->qpx;
	int ret;

	*bad = wr;
	ibv_wr_start(q);
	for (; wr; wr = wr->next) {
		q->wr_id = wr->wr_id;
		q->wr_flags = wr->send_flags & ~(unsigned int)IBV_SEND_INLINE;
		put_opcode(q, wr);
		if (l->o.type == IBV_QPT_UD)
			ibv_wr_set_ud_addr(q, wr->wr.ud.ah, wr->wr.ud.remote_qpn,
					   wr->wr.ud.remote_qkey);
		put_data(q, wr);
	}
	ret = ibv_wr_complete(q);
	if (!ret)
		*bad = NULL;
	return ret;
}
