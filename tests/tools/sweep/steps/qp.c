// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Creation and destruction of queue pairs.
 */
#include <errno.h>

#include "../step.h"

#define LARGE_REQUESTS	1000
#define LARGE_SGES	8

static int create_attr(struct bench *b, struct ibv_qp_init_attr *attr)
{
	b->here.qp = ibv_create_qp(b->here.pd, attr);
	return b->here.qp ? 0 : errno;
}

static int create(struct bench *b, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr;

	side_qp_attr(&b->here, &attr, type, NULL);
	return create_attr(b, &attr);
}

static int create_rc(struct bench *b)
{
	return create(b, IBV_QPT_RC);
}

static int create_uc(struct bench *b)
{
	return create(b, IBV_QPT_UC);
}

static int create_ud(struct bench *b)
{
	return create(b, IBV_QPT_UD);
}

static int create_large(struct bench *b)
{
	struct ibv_qp_init_attr attr;

	side_qp_attr(&b->here, &attr, IBV_QPT_RC, NULL);
	attr.cap.max_send_wr = LARGE_REQUESTS;
	attr.cap.max_recv_wr = LARGE_REQUESTS;
	attr.cap.max_send_sge = LARGE_SGES;
	attr.cap.max_recv_sge = LARGE_SGES;
	return create_attr(b, &attr);
}

static int create_extended(struct bench *b)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = b->here.cq,
		.recv_cq = b->here.cq,
		.cap = { .max_send_wr = SIDE_DEPTH, .max_recv_wr = SIDE_DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = 64 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = b->here.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	b->here.qp = ibv_create_qp_ex(b->here.dev.ctx, &attr);
	return b->here.qp ? 0 : errno;
}

static int create_srq(struct bench *b)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 10, .max_sge = 1 } };

	b->srq = ibv_create_srq(b->here.pd, &attr);
	return b->srq ? 0 : errno;
}

static int create_with_srq(struct bench *b)
{
	struct ibv_qp_init_attr attr;

	side_qp_attr(&b->here, &attr, IBV_QPT_RC, b->srq);
	return create_attr(b, &attr);
}

static int destroy_srq(struct bench *b)
{
	return ibv_destroy_srq(b->srq);
}

static int destroy(struct bench *b)
{
	return side_qp_destroy(&b->here);
}

static int create_connected(struct bench *b)
{
	return create_rc(b) ?: side_connect(&b->here, &b->here);
}

static int query(struct bench *b)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(b->here.qp, &attr, IBV_QP_STATE | IBV_QP_AV, &init) ?:
	       (attr.qp_state == IBV_QPS_RTS ? 0 : EPROTO);
}

const struct step qp_steps[] = {
	{ .name = "create_qp_rc", .least = 20, .call = create_rc, .undo = destroy },
	{ .name = "create_qp_uc", .least = 20, .call = create_uc, .undo = destroy },
	{ .name = "create_qp_ud", .least = 20, .call = create_ud, .undo = destroy },
	{ .name = "create_qp_large", .least = 20, .call = create_large, .undo = destroy },
	{ .name = "create_qp_ex", .least = 20, .call = create_extended, .undo = destroy },
	{ .name = "create_qp_srq", .least = 15, .prepare = create_srq, .call = create_with_srq,
	  .undo = destroy, .finish = destroy_srq },
	{ .name = "query_qp", .least = 1, .prepare = create_connected, .call = query,
	  .finish = destroy },
	{ .name = "destroy_qp", .prepare = create_connected, .call = destroy },
	{ }
};
