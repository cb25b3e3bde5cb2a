// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many QPs of one kind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lot.h"
#include "report.h"

static bool good(struct lot *lot, const char *verb, int err)
{
	if (err)
		fail("%s: %s: %s", lot->host->name, verb, strerror(err));
	return !err;
}

/* The first LOT_BYTES of a QP are what it sends, the others what it receives */
bool lot_open(struct lot *lot, struct host *host, u32 count, u32 depth)
{
	size_t size = (size_t)count * 2 * LOT_BYTES;
	struct ibv_context *ctx = host->dev.ctx;

	*lot = (struct lot){ .host = host, .count = count };
	lot->qp = calloc(count, sizeof(struct ibv_qp *));
	if (!lot->qp || posix_memalign((void **)&lot->buffer, 4096, size))
		return good(lot, "memory", ENOMEM);
	memset(lot->buffer, 0, size);
	lot->pd = ibv_alloc_pd(ctx);
	if (!lot->pd)
		return good(lot, "ibv_alloc_pd", errno);
	lot->mr = ibv_reg_mr(lot->pd, lot->buffer, size, IBV_ACCESS_LOCAL_WRITE |
			     IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!lot->mr)
		return good(lot, "ibv_reg_mr", errno);
	lot->cq = ibv_create_cq(ctx, 2 * count * depth, NULL, NULL, 0);
	return lot->cq || good(lot, "ibv_create_cq", errno);
}

bool lot_create(struct lot *lot, u32 index, u32 depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = lot->cq,
		.recv_cq = lot->cq,
		.cap = { depth, depth, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	lot->qp[index] = ibv_create_qp(lot->pd, &init);
	if (!lot->qp[index])
		return good(lot, "ibv_create_qp", errno);
	tally(TALLY_QPS);
	return true;
}

bool lot_join(struct lot *lot, u32 index, const struct qp_path *path)
{
	return good(lot, "ibv_modify_qp", qpattr_to_rts(lot->qp[index], path));
}

bool lot_recv(struct lot *lot, u32 index)
{
	struct ibv_sge sge = {
		(uintptr_t)lot_bytes(lot, index) + LOT_BYTES, LOT_BYTES, lot->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = index, .sg_list = &sge, .num_sge = 1 }, *bad;

	return good(lot, "ibv_post_recv", ibv_post_recv(lot->qp[index], &wr, &bad));
}

bool lot_send(struct lot *lot, u32 index)
{
	struct ibv_sge sge = { (uintptr_t)lot_bytes(lot, index), LOT_BYTES, lot->mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = index, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};
	struct ibv_send_wr *bad;

	return good(lot, "ibv_post_send", ibv_post_send(lot->qp[index], &wr, &bad));
}

bool lot_destroy(struct lot *lot, u32 index)
{
	struct ibv_qp *qp = lot->qp[index];

	lot->qp[index] = NULL;
	return !qp || good(lot, "ibv_destroy_qp", ibv_destroy_qp(qp));
}

bool lot_close(struct lot *lot)
{
	bool ok = !lot->cq || good(lot, "ibv_destroy_cq", ibv_destroy_cq(lot->cq));

	if (lot->mr)
		ok &= good(lot, "ibv_dereg_mr", ibv_dereg_mr(lot->mr));
	if (lot->pd)
		ok &= good(lot, "ibv_dealloc_pd", ibv_dealloc_pd(lot->pd));
	free(lot->buffer);
	free(lot->qp);
	return ok;
}
