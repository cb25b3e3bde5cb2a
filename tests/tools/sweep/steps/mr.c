// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions of one page, of many that do not lie together, of huge ones, and of device memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../step.h"

#define PAGE		4096
#define LARGE		(8U << 20)
#define ALIGNMENT	(2U << 20)
#define DM_LENGTH	(8 * PAGE)
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/*
 * The same for all points of a step.  It is touched from the end to the start, so that pages which
 * follow each other do not do so in memory.
 */
static int map(struct bench *b, size_t length, int advice)
{
	size_t at;

	b->length = length;
	if (b->mapped == length)
		return 0;
	free(b->memory);
	b->mapped = 0;
	b->memory = aligned_alloc(ALIGNMENT, (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	if (!b->memory)
		return ENOMEM;
	/* Kernels without huge pages refuse; small ones will do then */
	madvise(b->memory, length, advice);
	for (at = length; at; at -= PAGE)
		b->memory[at - 1] = at;
	b->mapped = length;
	return 0;
}

static int map_small(struct bench *b)
{
	return map(b, PAGE, MADV_NORMAL);
}

static int map_large(struct bench *b)
{
	return map(b, LARGE, MADV_NOHUGEPAGE);
}

static int map_huge(struct bench *b)
{
	return map(b, (size_t)b->options->huge << 20, MADV_HUGEPAGE);
}

static int reg(struct bench *b)
{
	b->mr = ibv_reg_mr(b->here.pd, b->memory, b->length, ACCESS);
	return b->mr ? 0 : errno;
}

static int dereg(struct bench *b)
{
	return ibv_dereg_mr(b->mr);
}

static int reg_small(struct bench *b)
{
	return map_small(b) ?: reg(b);
}

/* Half of the large memory is registered; rereg makes that all of it */
static int reg_half(struct bench *b)
{
	int err = map_large(b);

	b->length = LARGE / 2;
	return err ?: reg(b);
}

static int rereg(struct bench *b, int flags, struct ibv_pd *pd)
{
	int access = flags & IBV_REREG_MR_CHANGE_ACCESS ? ACCESS : 0;

	switch (ibv_rereg_mr(b->mr, flags, pd, b->memory, LARGE, access)) {
	case 0:
		return 0;
	case IBV_REREG_MR_ERR_CMD:
		return errno;
	default:
		return EPROTO;
	}
}

static int rereg_translation(struct bench *b)
{
	return rereg(b, IBV_REREG_MR_CHANGE_TRANSLATION, NULL);
}

static int rereg_access(struct bench *b)
{
	return rereg(b, IBV_REREG_MR_CHANGE_ACCESS, NULL);
}

static int reg_half_alloc_pd(struct bench *b)
{
	b->pd = ibv_alloc_pd(b->here.dev.ctx);
	return b->pd ? reg_half(b) : errno;
}

static int rereg_pd(struct bench *b)
{
	return rereg(b, IBV_REREG_MR_CHANGE_PD, b->pd);
}

static int dereg_dealloc_pd(struct bench *b)
{
	return dereg(b) ?: ibv_dealloc_pd(b->pd);
}

/* The length is what the last successful call made it: a message has to fit into that, only */
static int reaches(struct bench *b, u32 length, enum ibv_wc_status expected)
{
	struct ibv_sge sge = { (uintptr_t)b->memory + length - 8, 8, b->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)b->here.buffer, b->here.mr->rkey },
	};
	enum ibv_wc_status status;
	int err;

	err = side_qp_create(&b->here, IBV_QPT_RC) ?: side_connect(&b->here, &b->here) ?:
	      side_post(&b->here, &wr, 1) ?: side_wait_status(&b->here, 1, &status) ?:
	      side_qp_destroy(&b->here);
	if (err)
		return err;
	return status == expected ? 0 : EIO;
}

static int is_half(struct bench *b)
{
	return reaches(b, LARGE / 2, IBV_WC_SUCCESS) ?:
	       reaches(b, LARGE / 2 + 8, IBV_WC_LOC_PROT_ERR);
}

static int is_whole(struct bench *b)
{
	return reaches(b, LARGE, IBV_WC_SUCCESS);
}

static int is_whole_region(struct bench *b)
{
	return reaches(b, b->length, IBV_WC_SUCCESS);
}

static int alloc_dm(struct bench *b)
{
	struct ibv_alloc_dm_attr attr = { .length = DM_LENGTH };

	b->dm = ibv_alloc_dm(b->here.dev.ctx, &attr);
	return b->dm ? 0 : errno;
}

static int free_dm(struct bench *b)
{
	return ibv_free_dm(b->dm);
}

static int reg_dm(struct bench *b)
{
	b->mr = ibv_reg_dm_mr(b->here.pd, b->dm, 0, DM_LENGTH, ACCESS | IBV_ACCESS_ZERO_BASED);
	return b->mr ? 0 : errno;
}

const struct step mr_steps[] = {
	{ .name = "reg_mr_small", .least = 8, .prepare = map_small, .call = reg,
	  .check = is_whole_region, .undo = dereg },
	{ .name = "reg_mr_large", .least = 12, .prepare = map_large, .call = reg,
	  .check = is_whole_region, .undo = dereg },
	{ .name = "reg_mr_huge", .least = 8, .prepare = map_huge, .call = reg,
	  .check = is_whole_region, .undo = dereg },
	{ .name = "rereg_mr_translation", .least = 6, .prepare = reg_half,
	  .call = rereg_translation, .intact = is_half, .check = is_whole,
	  .finish = dereg },
	{ .name = "rereg_mr_access", .prepare = reg_half, .call = rereg_access,
	  .finish = dereg },
	{ .name = "rereg_mr_pd", .prepare = reg_half_alloc_pd, .call = rereg_pd,
	  .intact = is_half, .finish = dereg_dealloc_pd },
	{ .name = "alloc_dm", .least = 8, .call = alloc_dm, .undo = free_dm },
	{ .name = "reg_dm_mr", .least = 4, .prepare = alloc_dm, .call = reg_dm, .undo = dereg,
	  .finish = free_dm },
	{ .name = "dereg_mr", .prepare = reg_small, .call = dereg },
	{ }
};
