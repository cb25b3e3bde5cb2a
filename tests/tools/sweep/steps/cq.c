// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues.  One that is resized has completions in it, each of which has to be found
 * once, whether the resize succeeded or not.
 */
#include <errno.h>

#include "../step.h"

#define ENTRIES		500
#define PENDING		6
#define TAKEN		2

static int create(struct bench *b)
{
	b->cq = ibv_create_cq(b->here.dev.ctx, ENTRIES, NULL, NULL, 0);
	return b->cq ? 0 : errno;
}

static int create_extended(struct bench *b)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = ENTRIES,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(b->here.dev.ctx, &attr);

	b->cq = cq ? ibv_cq_ex_to_cq(cq) : NULL;
	return cq ? 0 : errno;
}

static int open_channel(struct bench *b)
{
	b->channel = ibv_create_comp_channel(b->here.dev.ctx);
	return b->channel ? 0 : errno;
}

static int create_with_channel(struct bench *b)
{
	b->cq = ibv_create_cq(b->here.dev.ctx, ENTRIES, NULL, b->channel, 0);
	return b->cq ? 0 : errno;
}

static int close_channel(struct bench *b)
{
	return ibv_destroy_comp_channel(b->channel);
}

static int destroy(struct bench *b)
{
	return ibv_destroy_cq(b->cq);
}

/* Writes of nothing complete as well; those of the QP go to the CQ of the step */
static int post_writes(struct bench *b, u32 first, u32 count)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	int err = 0;

	for (; count && !err; count--)
		err = side_post(&b->here, &wr, first++);
	return err;
}

/* Takes completions @first to @first + @count - 1, in this order */
static int take(struct bench *b, u32 first, u32 count)
{
	struct ibv_cq *cq = b->here.cq;
	int err = 0;

	b->here.cq = b->cq;
	for (; count && !err; count--)
		err = side_wait(&b->here, first++);
	b->here.cq = cq;
	return err;
}

static int none_left(struct bench *b)
{
	struct ibv_wc wc;

	return ibv_poll_cq(b->cq, 1, &wc) ? EPROTO : 0;
}

/* b->number is the number of the first completion that was not taken */
static int create_with_pending(struct bench *b)
{
	struct ibv_cq *cq = b->here.cq;
	int err = create(b);

	if (err)
		return err;
	b->number = 1;
	b->here.cq = b->cq;
	err = side_qp_create(&b->here, IBV_QPT_RC) ?: side_connect(&b->here, &b->here);
	b->here.cq = cq;
	return err ?: post_writes(b, 1, PENDING);
}

static int enlarge(struct bench *b)
{
	return ibv_resize_cq(b->cq, 4 * ENTRIES);
}

static int shrink(struct bench *b)
{
	return ibv_resize_cq(b->cq, ENTRIES / 10);
}

/* Some are taken from the CQ as it was, so that the next resize meets it half full */
static int take_some(struct bench *b)
{
	b->number = 1 + TAKEN;
	return take(b, 1, TAKEN);
}

/* What was pending, and one more */
static int take_rest(struct bench *b)
{
	return take(b, b->number, 1 + PENDING - b->number) ?: none_left(b) ?:
	       post_writes(b, 1, 1) ?: take(b, 1, 1) ?: none_left(b);
}

static int destroy_with_qp(struct bench *b)
{
	return side_qp_destroy(&b->here) ?: destroy(b);
}

static int arm(struct bench *b)
{
	return ibv_req_notify_cq(b->here.cq, 0);
}

static int poll_nothing(struct bench *b)
{
	struct ibv_wc wc;

	return ibv_poll_cq(b->here.cq, 1, &wc) ? EPROTO : 0;
}

const struct step cq_steps[] = {
	{ .name = "create_cq", .least = 10, .call = create, .undo = destroy },
	{ .name = "create_cq_ex", .least = 10, .call = create_extended, .undo = destroy },
	{ .name = "create_cq_channel", .least = 10, .prepare = open_channel,
	  .call = create_with_channel, .undo = destroy, .finish = close_channel },
	{ .name = "resize_cq_larger", .least = 10, .prepare = create_with_pending,
	  .call = enlarge, .intact = take_some, .check = take_rest, .finish = destroy_with_qp },
	{ .name = "resize_cq_smaller", .least = 6, .prepare = create_with_pending,
	  .call = shrink, .intact = take_some, .check = take_rest, .finish = destroy_with_qp },
	{ .name = "req_notify_cq", .flags = STEP_NONE, .call = arm },
	{ .name = "poll_cq", .flags = STEP_NONE, .call = poll_nothing },
	{ .name = "destroy_cq", .prepare = create, .call = destroy },
	{ }
};
