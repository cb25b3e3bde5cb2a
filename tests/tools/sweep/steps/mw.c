// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows.  A bind that fails is a completion that says so; it takes its QP along.
 */
#include <errno.h>

#include "../step.h"

#define WINDOW	4096

static int alloc(struct bench *b, enum ibv_mw_type type)
{
	b->mw = ibv_alloc_mw(b->here.pd, type);
	return b->mw ? 0 : errno;
}

static int alloc_1(struct bench *b)
{
	return alloc(b, IBV_MW_TYPE_1);
}

static int alloc_2(struct bench *b)
{
	return alloc(b, IBV_MW_TYPE_2);
}

static int dealloc(struct bench *b)
{
	return ibv_dealloc_mw(b->mw);
}

static int with_qp(struct bench *b, int err)
{
	return err ?: side_qp_create(&b->here, IBV_QPT_RC) ?: side_connect(&b->here, &b->here);
}

static int alloc_1_qp(struct bench *b)
{
	return with_qp(b, alloc_1(b));
}

static int alloc_2_qp(struct bench *b)
{
	return with_qp(b, alloc_2(b));
}

static int dealloc_qp(struct bench *b)
{
	return side_qp_destroy(&b->here) ?: dealloc(b);
}

static struct ibv_mw_bind_info bind_info(struct bench *b)
{
	return (struct ibv_mw_bind_info) {
		.mr = b->here.mr,
		.addr = (uintptr_t)b->here.buffer,
		.length = WINDOW,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
}

static int outcome(struct bench *b)
{
	enum ibv_wc_status status;
	int err = side_wait_status(&b->here, 1, &status);

	if (err || status == IBV_WC_SUCCESS)
		return err;
	return status == IBV_WC_MW_BIND_ERR ? ENOMEM : EIO;
}

static int bind_1(struct bench *b)
{
	struct ibv_mw_bind bind = { .wr_id = 1, .bind_info = bind_info(b) };

	return ibv_bind_mw(b->here.qp, b->mw, &bind) ?: outcome(b);
}

static int bind_2(struct bench *b)
{
	u32 rkey = ibv_inc_rkey(b->mw->rkey);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .mw = b->mw, .rkey = rkey, .bind_info = bind_info(b) },
	};
	int err = side_post(&b->here, &wr, 1) ?: outcome(b);

	if (!err)
		b->mw->rkey = rkey;
	return err;
}

/* Through the window to the other half of the buffer */
static int is_bound(struct bench *b)
{
	struct ibv_sge sge = { (uintptr_t)b->here.buffer + WINDOW, WINDOW, b->here.mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)b->here.buffer, b->mw->rkey },
	};

	side_fill(&b->here, 2 * WINDOW, 1);
	b->here.buffer[0] ^= 1;
	return side_post(&b->here, &wr, 2) ?: side_wait(&b->here, 2) ?:
	       (b->here.buffer[0] == b->here.buffer[WINDOW] ? 0 : EIO);
}

const struct step mw_steps[] = {
	{ .name = "alloc_mw_1", .least = 3, .call = alloc_1, .undo = dealloc },
	{ .name = "alloc_mw_2", .least = 3, .call = alloc_2, .undo = dealloc },
	{ .name = "dealloc_mw", .prepare = alloc_1, .call = dealloc },
	{ .name = "bind_mw_1", .least = 1, .flags = STEP_FRESH, .prepare = alloc_1_qp,
	  .call = bind_1, .check = is_bound, .finish = dealloc_qp },
	{ .name = "bind_mw_2", .least = 1, .flags = STEP_FRESH, .prepare = alloc_2_qp,
	  .call = bind_2, .check = is_bound, .finish = dealloc_qp },
	{ }
};
