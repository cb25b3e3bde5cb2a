// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A raw packet QP, and a buffer for each of its frames.
 */
#include <errno.h>
#include <stdlib.h>

#include "complaint.h"
#include "completion.h"
#include "dev.h"
#include "raw.h"

#define LIMIT_MS	20000

static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT);

	attr.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	return err ? err : ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static int make_qp(struct raw *raw)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = raw->cq,
		.recv_cq = raw->cq,
		.srq = raw->srq,
		.cap = {
			.max_send_wr = 4, .max_recv_wr = FRAMES,
			.max_send_sge = 2, .max_recv_sge = 1, .max_inline_data = 256,
		},
		.qp_type = IBV_QPT_RAW_PACKET,
	};
	int err;

	raw->qp = ibv_create_qp(raw->pd, &attr);
	if (!raw->qp) {
		err = errno;
		complain("create QP", err);
		return -err;
	}
	return -to_rts(raw->qp);
}

int raw_open(struct raw *raw, const char *device, bool shared)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = FRAMES, .max_sge = 1 } };
	size_t bytes = (size_t)FRAMES * FRAME_BYTES;

	*raw = (struct raw){ .ctx = dev_context(device) };
	if (!raw->ctx)
		return -ENODEV;
	raw->pd = ibv_alloc_pd(raw->ctx);
	raw->cq = ibv_create_cq(raw->ctx, FRAMES + 4, NULL, NULL, 0);
	raw->memory = calloc(1, bytes);
	if (raw->pd && raw->memory)
		raw->mr = ibv_reg_mr(raw->pd, raw->memory, bytes, IBV_ACCESS_LOCAL_WRITE);
	if (raw->pd && shared)
		raw->srq = ibv_create_srq(raw->pd, &srq);
	if (!raw->cq || !raw->mr || !raw->srq != !shared) {
		complain("objects", errno);
		return -ENOMEM;
	}
	return make_qp(raw);
}

void raw_close(struct raw *raw)
{
	if (raw->qp)
		ibv_destroy_qp(raw->qp);
	if (raw->srq)
		ibv_destroy_srq(raw->srq);
	if (raw->mr)
		ibv_dereg_mr(raw->mr);
	if (raw->cq)
		ibv_destroy_cq(raw->cq);
	if (raw->pd)
		ibv_dealloc_pd(raw->pd);
	if (raw->ctx)
		ibv_close_device(raw->ctx);
	free(raw->memory);
}

u8 *raw_frame(const struct raw *raw, unsigned int index)
{
	return raw->memory + (size_t)index * FRAME_BYTES;
}

int raw_post(const struct raw *raw, unsigned int index)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)raw_frame(raw, index),
		.length = FRAME_BYTES,
		.lkey = raw->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = index, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (raw->srq)
		return ibv_post_srq_recv(raw->srq, &wr, &bad);
	return ibv_post_recv(raw->qp, &wr, &bad);
}

/* In two parts, so that the headers are not in one piece */
int raw_send(const struct raw *raw, u32 length, unsigned int flags, bool inlined)
{
	u32 first = min_u32(length, 7);
	struct ibv_sge sges[2] = {
		{ .addr = (uintptr_t)raw->memory, .length = first, .lkey = raw->mr->lkey },
		{ .addr = (uintptr_t)raw->memory + first, .length = length - first,
		  .lkey = raw->mr->lkey },
	};
	struct ibv_send_wr wr = {
		.sg_list = sges,
		.num_sge = 2,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | flags | (inlined ? IBV_SEND_INLINE : 0),
	}, *bad;
	struct ibv_wc wc;
	int err = ibv_post_send(raw->qp, &wr, &bad);

	if (err)
		return complain("post send", err);
	return completion_next(raw->cq, &wc, LIMIT_MS) ? -1 : (int)wc.status;
}
