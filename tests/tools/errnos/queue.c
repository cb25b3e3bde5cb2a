// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues, their channels, and shared receive queues.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "errnos.h"

struct create_cq {
	int cqe;
	int vector;
};

static int create_cq(const struct world *w, const struct errno_case *c)
{
	struct create_cq a = { .cqe = 16 };
	struct ibv_cq *cq;

	spoil(w, c, &a);
	cq = ibv_create_cq(w->dev.ctx, a.cqe, NULL, w->channel, a.vector);
	return cq ? ibv_destroy_cq(cq) : errno;
}

static int create_cq_vector(const struct world *w, const struct errno_case *c)
{
	const struct errno_case beyond = {
		.spoil = IS(struct create_cq, vector, w->dev.ctx->num_comp_vectors),
	};

	(void)c;
	return create_cq(w, &beyond);
}

static int create_cq_ex(const struct world *w, const struct errno_case *c)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = 16, .channel = w->channel, .wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_cq_ex *cq;

	spoil(w, c, &init);
	cq = ibv_create_cq_ex(w->dev.ctx, &init);
	return cq ? ibv_destroy_cq(ibv_cq_ex_to_cq(cq)) : errno;
}

struct resize_cq {
	int cqe;
};

static int resize_cq(const struct world *w, const struct errno_case *c)
{
	struct ibv_cq *cq = ibv_create_cq(w->dev.ctx, 16, NULL, NULL, 0);
	struct resize_cq a = { .cqe = 32 };
	int err;

	if (!cq)
		return errno;
	spoil(w, c, &a);
	err = ibv_resize_cq(cq, a.cqe);
	return ibv_destroy_cq(cq) ?: err;
}

static int destroy_cq_in_use(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return ibv_destroy_cq(w->cq);
}

/* Nothing is there, and nobody wants to wait for it */
static int get_cq_event(const struct world *w, const struct errno_case *c)
{
	const int flags = fcntl(w->channel->fd, F_GETFL);
	struct ibv_cq *cq;
	void *context;
	int err;

	(void)c;
	fcntl(w->channel->fd, F_SETFL, flags | O_NONBLOCK);
	err = ibv_get_cq_event(w->channel, &cq, &context) ? errno : 0;
	fcntl(w->channel->fd, F_SETFL, flags);
	return err;
}

static int get_async_event(const struct world *w, const struct errno_case *c)
{
	const int flags = fcntl(w->dev.ctx->async_fd, F_GETFL);
	struct ibv_async_event event;
	int err;

	(void)c;
	fcntl(w->dev.ctx->async_fd, F_SETFL, flags | O_NONBLOCK);
	err = ibv_get_async_event(w->dev.ctx, &event) ? errno : 0;
	if (!err)
		ibv_ack_async_event(&event);
	fcntl(w->dev.ctx->async_fd, F_SETFL, flags);
	return err;
}

static int destroy_channel_in_use(const struct world *w, const struct errno_case *c)
{
	struct ibv_cq *cq = ibv_create_cq(w->dev.ctx, 16, NULL, w->channel, 0);
	int err;

	(void)c;
	if (!cq)
		return errno;
	err = ibv_destroy_comp_channel(w->channel);
	return ibv_destroy_cq(cq) ?: err;
}

static int create_srq(const struct world *w, const struct errno_case *c)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = { .max_wr = 16, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = w->pd,
	};
	struct ibv_srq *srq;

	spoil(w, c, &init);
	srq = ibv_create_srq_ex(w->dev.ctx, &init);
	return srq ? ibv_destroy_srq(srq) : errno;
}

struct modify_srq {
	struct ibv_srq_attr attr;
	int mask;
};

static int modify_srq(const struct world *w, const struct errno_case *c)
{
	struct modify_srq m = { .attr = { .srq_limit = 1 }, .mask = IBV_SRQ_LIMIT };
	struct ibv_srq_init_attr init = { .attr = { .max_wr = WORLD_WR, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(w->pd, &init);
	int err;

	if (!srq)
		return errno;
	spoil(w, c, &m);
	err = ibv_modify_srq(srq, &m.attr, m.mask);
	return ibv_destroy_srq(srq) ?: err;
}

static int resize_srq(const struct world *w, const struct errno_case *c)
{
	struct modify_srq m = { .attr = { .max_wr = 64 }, .mask = IBV_SRQ_MAX_WR };
	struct ibv_srq_init_attr init = { .attr = { .max_wr = WORLD_WR, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(w->pd, &init);
	int err;

	if (!srq)
		return errno;
	spoil(w, c, &m);
	err = ibv_modify_srq(srq, &m.attr, m.mask);
	return ibv_destroy_srq(srq) ?: err;
}

static int query_srq(const struct world *w, const struct errno_case *c)
{
	struct ibv_srq_attr attr;
	int err = ibv_query_srq(w->srq, &attr);

	(void)c;
	if (err)
		return err;
	return attr.max_wr >= WORLD_WR && attr.max_sge >= WORLD_SGE && !attr.srq_limit ? 0 :
	       ENOTRECOVERABLE;
}

static int destroy_srq_in_use(const struct world *w, const struct errno_case *c)
{
	struct ibv_qp_init_attr init = {
		.send_cq = w->cq, .recv_cq = w->cq, .srq = w->srq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(w->pd, &init);
	int err;

	(void)c;
	if (!qp)
		return errno;
	err = ibv_destroy_srq(w->srq);
	return ibv_destroy_qp(qp) ?: err;
}

const struct errno_case queue_cases[] = {
	{ "create_cq", create_cq, 0, { } },
	{ "create_cq of no entries", create_cq, EINVAL, IS(struct create_cq, cqe, 0) },
	{ "create_cq of less than nothing", create_cq, EINVAL, IS(struct create_cq, cqe, -1) },
	{ "create_cq beyond max_cqe", create_cq, EINVAL, BEYOND(struct create_cq, cqe, max_cqe) },
	{ "create_cq with a vector below 0", create_cq, EINVAL, IS(struct create_cq, vector, -1) },
	{ "create_cq with a vector too many", create_cq_vector, EINVAL, { } },
	{ "create_cq_ex", create_cq_ex, 0, { } },
	{ "create_cq_ex of no entries", create_cq_ex, EINVAL,
	  IS(struct ibv_cq_init_attr_ex, cqe, 0) },
	{ "create_cq_ex beyond max_cqe", create_cq_ex, EINVAL,
	  BEYOND(struct ibv_cq_init_attr_ex, cqe, max_cqe) },
	{ "create_cq_ex with a mask that nobody knows", create_cq_ex, EOPNOTSUPP,
	  FLIPPED(struct ibv_cq_init_attr_ex, comp_mask, 1 << 30) },
	{ "create_cq_ex with fields that nobody knows", create_cq_ex, EOPNOTSUPP,
	  FLIPPED(struct ibv_cq_init_attr_ex, wc_flags, 1ULL << 40) },
	{ "create_cq_ex with a flag that nobody knows", create_cq_ex, EOPNOTSUPP,
	  FLIPPED(struct ibv_cq_init_attr_ex, flags, 1 << 30) },
	{ "create_cq_ex with no parent domain", create_cq_ex, EINVAL,
	  FLIPPED(struct ibv_cq_init_attr_ex, comp_mask, IBV_CQ_INIT_ATTR_MASK_PD) },
	{ "resize_cq", resize_cq, 0, { } },
	{ "resize_cq to nothing", resize_cq, EINVAL, IS(struct resize_cq, cqe, 0) },
	{ "resize_cq beyond max_cqe", resize_cq, EINVAL, BEYOND(struct resize_cq, cqe, max_cqe) },
	{ "destroy_cq of one in use", destroy_cq_in_use, EBUSY, { } },
	{ "get_cq_event that would wait", get_cq_event, EAGAIN, { } },
	{ "get_async_event that would wait", get_async_event, EAGAIN, { } },
	{ "destroy_comp_channel of one in use", destroy_channel_in_use, EBUSY, { } },
	{ "create_srq", create_srq, 0, { } },
	{ "create_srq of no requests", create_srq, EINVAL,
	  IS(struct ibv_srq_init_attr_ex, attr.max_wr, 0) },
	{ "create_srq beyond max_srq_wr", create_srq, EINVAL,
	  BEYOND(struct ibv_srq_init_attr_ex, attr.max_wr, max_srq_wr) },
	{ "create_srq of no entries, for messages without data", create_srq, 0,
	  IS(struct ibv_srq_init_attr_ex, attr.max_sge, 0) },
	{ "create_srq beyond max_srq_sge", create_srq, EINVAL,
	  BEYOND(struct ibv_srq_init_attr_ex, attr.max_sge, max_srq_sge) },
	{ "create_srq of a type that nobody knows", create_srq, EOPNOTSUPP,
	  IS(struct ibv_srq_init_attr_ex, srq_type, 9) },
	{ "create_srq with a mask that nobody knows", create_srq, EOPNOTSUPP,
	  FLIPPED(struct ibv_srq_init_attr_ex, comp_mask, 1 << 30) },
	{ "modify_srq", modify_srq, 0, { } },
	{ "modify_srq to a limit beyond its requests", modify_srq, EINVAL,
	  IS(struct modify_srq, attr.srq_limit, 1 << 16) },
	{ "modify_srq of what nobody knows", modify_srq, EINVAL,
	  FLIPPED(struct modify_srq, mask, 1 << 8) },
	{ "modify_srq to more requests", resize_srq, 0, { } },
	{ "modify_srq to no requests", resize_srq, EINVAL, IS(struct modify_srq, attr.max_wr, 0) },
	{ "modify_srq beyond max_srq_wr", resize_srq, EINVAL,
	  BEYOND(struct modify_srq, attr.max_wr, max_srq_wr) },
	{ "query_srq", query_srq, 0, { } },
	{ "destroy_srq of one in use", destroy_srq_in_use, EBUSY, { } },
	{ }
};
