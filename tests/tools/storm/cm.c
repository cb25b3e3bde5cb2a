// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What both sides of a connection over rdmacm do. The PD and CQ belong to the caller.
 */
#include <errno.h>
#include <stdlib.h>

#include "cm.h"
#include "report.h"

#define DEPTH	4

int connection_make(struct connection *c)
{
	struct ibv_qp_init_attr init = {
		.send_cq = c->cq,
		.recv_cq = c->cq,
		.cap = { DEPTH, DEPTH, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	if (posix_memalign((void **)&c->buffer, 4096, 4096))
		return -ENOMEM;
	c->mr = ibv_reg_mr(c->pd, c->buffer, 2 * CM_BYTES, IBV_ACCESS_LOCAL_WRITE);
	if (!c->mr || rdma_create_qp(c->id, c->pd, &init))
		return -errno;
	c->qp_made = true;
	tally(TALLY_QPS);
	return connection_recv(c);
}

int connection_recv(struct connection *c)
{
	struct ibv_sge sge = { (uintptr_t)c->buffer + CM_BYTES, CM_BYTES, c->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = (uintptr_t)c, .sg_list = &sge, .num_sge = 1 }, *bad;

	return -ibv_post_recv(c->id->qp, &wr, &bad);
}

int connection_send(struct connection *c)
{
	struct ibv_sge sge = { (uintptr_t)c->buffer, CM_BYTES, c->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = (uintptr_t)c, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};
	struct ibv_send_wr *bad;

	return -ibv_post_send(c->id->qp, &wr, &bad);
}

/* As it is; its events must be acknowledged */
void connection_drop(struct connection *c)
{
	if (c->qp_made)
		rdma_destroy_qp(c->id);
	if (c->mr && ibv_dereg_mr(c->mr))
		fail("ibv_dereg_mr of a connection");
	if (c->id && rdma_destroy_id(c->id))
		fail("rdma_destroy_id");
	free(c->buffer);
	free(c);
}
