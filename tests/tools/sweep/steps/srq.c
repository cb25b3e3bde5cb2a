// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues.  One that is resized has requests in it, which messages have to find in
 * their order, whether the resize succeeded or not.
 */
#include <errno.h>

#include "../step.h"

#define REQUESTS	200
#define POSTED		4

static int create(struct bench *b)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = REQUESTS, .max_sge = 2 } };

	b->srq = ibv_create_srq(b->here.pd, &attr);
	return b->srq ? 0 : errno;
}

static int destroy(struct bench *b)
{
	return ibv_destroy_srq(b->srq);
}

static int post(struct bench *b, u32 first, u32 count)
{
	struct ibv_recv_wr wr = { .wr_id = first };
	struct ibv_recv_wr *bad;
	int err = 0;

	for (; count && !err; count--, wr.wr_id++)
		err = ibv_post_srq_recv(b->srq, &wr, &bad);
	return err;
}

/* b->number is the number of the next request to be posted */
static int create_with_requests(struct bench *b)
{
	struct ibv_qp_init_attr attr;
	int err = create(b);

	if (err)
		return err;
	b->number = 1 + POSTED;
	side_qp_attr(&b->here, &attr, IBV_QPT_RC, b->srq);
	b->here.qp = ibv_create_qp(b->here.pd, &attr);
	if (!b->here.qp)
		return errno;
	return side_connect(&b->here, &b->here) ?: post(b, 1, POSTED);
}

static int destroy_with_qp(struct bench *b)
{
	return side_qp_destroy(&b->here) ?: destroy(b);
}

static int resize(struct bench *b, u32 requests)
{
	struct ibv_srq_attr attr = { .max_wr = requests };

	return ibv_modify_srq(b->srq, &attr, IBV_SRQ_MAX_WR);
}

static int enlarge(struct bench *b)
{
	return resize(b, 8 * REQUESTS);
}

static int shrink(struct bench *b)
{
	return resize(b, REQUESTS / 10);
}

static int post_one(struct bench *b)
{
	return post(b, b->number++, 1);
}

/*
 * A message to itself for each request.  The request completes before the message does, for that
 * is what the acknowledgment says.
 */
static int use_all(struct bench *b)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	int err = post_one(b);
	u32 i;

	for (i = 1; i < b->number && !err; i++)
		err = side_post(&b->here, &wr, 1000 + i) ?: side_wait(&b->here, i) ?:
		      side_wait(&b->here, 1000 + i);
	return err;
}

static int set_limit(struct bench *b)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };

	return ibv_modify_srq(b->srq, &attr, IBV_SRQ_LIMIT);
}

static int query(struct bench *b)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(b->srq, &attr) ?: (attr.max_sge == 2 ? 0 : EPROTO);
}

const struct step srq_steps[] = {
	{ .name = "create_srq", .least = 10, .call = create, .undo = destroy },
	{ .name = "modify_srq_larger", .least = 8, .prepare = create_with_requests,
	  .call = enlarge, .intact = post_one, .check = use_all, .finish = destroy_with_qp },
	{ .name = "modify_srq_smaller", .least = 6, .prepare = create_with_requests,
	  .call = shrink, .intact = post_one, .check = use_all, .finish = destroy_with_qp },
	{ .name = "modify_srq_limit", .prepare = create, .call = set_limit, .finish = destroy },
	{ .name = "query_srq", .prepare = create, .call = query, .finish = destroy },
	{ .name = "destroy_srq", .prepare = create, .call = destroy },
	{ }
};
