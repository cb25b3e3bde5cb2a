// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: what they are made with.
 */
#include <errno.h>

#include "errnos.h"

static int outcome(struct ibv_qp *qp)
{
	return qp ? ibv_destroy_qp(qp) : errno;
}

static struct ibv_qp_init_attr_ex good(const struct world *w, enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr_ex) {
		.send_cq = w->cq,
		.recv_cq = w->cq,
		.cap = { 4, 4, 1, 1, 16 },
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = w->pd,
	};
}

static int create_of_type(const struct world *w, const struct errno_case *c,
			  enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex init = good(w, type);

	spoil(w, c, &init);
	return outcome(ibv_create_qp_ex(w->dev.ctx, &init));
}

static int create_rc(const struct world *w, const struct errno_case *c)
{
	return create_of_type(w, c, IBV_QPT_RC);
}

static int create_uc(const struct world *w, const struct errno_case *c)
{
	return create_of_type(w, c, IBV_QPT_UC);
}

static int create_ud(const struct world *w, const struct errno_case *c)
{
	return create_of_type(w, c, IBV_QPT_UD);
}

/* To be posted to through struct ibv_qp_ex */
static int create_with_ops(const struct world *w, const struct errno_case *c,
			   enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex init = good(w, type);

	init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	init.send_ops_flags = IBV_QP_EX_WITH_SEND;
	spoil(w, c, &init);
	return outcome(ibv_create_qp_ex(w->dev.ctx, &init));
}

static int create_rc_ops(const struct world *w, const struct errno_case *c)
{
	return create_with_ops(w, c, IBV_QPT_RC);
}

static int create_uc_ops(const struct world *w, const struct errno_case *c)
{
	return create_with_ops(w, c, IBV_QPT_UC);
}

static int create_ud_ops(const struct world *w, const struct errno_case *c)
{
	return create_with_ops(w, c, IBV_QPT_UD);
}

static int create_with_flags(const struct world *w, const struct errno_case *c)
{
	struct ibv_qp_init_attr_ex init = good(w, IBV_QPT_RC);

	init.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	spoil(w, c, &init);
	return outcome(ibv_create_qp_ex(w->dev.ctx, &init));
}

/* An SRQ says how large receives are: what is asked for is not looked at */
static int create_with_srq(const struct world *w, const struct errno_case *c)
{
	struct ibv_qp_init_attr_ex init = good(w, IBV_QPT_RC);

	init.srq = w->srq;
	spoil(w, c, &init);
	return outcome(ibv_create_qp_ex(w->dev.ctx, &init));
}

static int destroy_attached(const struct world *w, const struct errno_case *c)
{
	static const union ibv_gid group = { .raw = {
		0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 239, 1, 2, 3 } };
	struct ibv_qp *qp = world_qp(w, IBV_QPT_UD);
	int err;

	(void)c;
	if (!qp)
		return errno;
	if (ibv_attach_mcast(qp, &group, 0))
		return outcome(qp) ?: errno;
	err = ibv_destroy_qp(qp);
	if (!err)
		return 0;
	ibv_detach_mcast(qp, &group, 0);
	return outcome(qp) ?: err;
}

static int query_qp(const struct world *w, const struct errno_case *c)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err = ibv_query_qp(w->rtr, &attr, IBV_QP_STATE | IBV_QP_CAP, &init);

	(void)c;
	if (err)
		return err;
	return attr.qp_state == IBV_QPS_RTR && attr.cap.max_send_wr >= WORLD_WR &&
	       init.qp_type == IBV_QPT_RC ? 0 : ENOTRECOVERABLE;
}

static int query_ece(const struct world *w, const struct errno_case *c)
{
	struct ibv_ece ece = { };

	(void)c;
	return ibv_query_ece(w->fresh, &ece);
}

static int set_ece(const struct world *w, const struct errno_case *c)
{
	struct ibv_ece ece = { };

	(void)c;
	return ibv_set_ece(w->fresh, &ece);
}

const struct errno_case qp_cases[] = {
	{ "create_qp RC", create_rc, 0, { } },
	{ "create_qp UC", create_uc, 0, { } },
	{ "create_qp UD", create_ud, 0, { } },
	{ "create_qp of no type", create_rc, EOPNOTSUPP,
	  IS(struct ibv_qp_init_attr_ex, qp_type, 0) },
	{ "create_qp of a type that nobody knows", create_rc, EOPNOTSUPP,
	  IS(struct ibv_qp_init_attr_ex, qp_type, 77) },
	{ "create_qp beyond max_qp_wr, sends", create_rc, EINVAL,
	  BEYOND(struct ibv_qp_init_attr_ex, cap.max_send_wr, max_qp_wr) },
	{ "create_qp beyond max_qp_wr, receives", create_rc, EINVAL,
	  BEYOND(struct ibv_qp_init_attr_ex, cap.max_recv_wr, max_qp_wr) },
	{ "create_qp beyond max_sge, sends", create_rc, EINVAL,
	  BEYOND(struct ibv_qp_init_attr_ex, cap.max_send_sge, max_sge) },
	{ "create_qp beyond max_sge, receives", create_rc, EINVAL,
	  BEYOND(struct ibv_qp_init_attr_ex, cap.max_recv_sge, max_sge) },
	{ "create_qp with 4 GB inline", create_rc, EINVAL,
	  IS(struct ibv_qp_init_attr_ex, cap.max_inline_data, UINT32_MAX) },
	{ "create_qp with as many requests as a number holds", create_rc, EINVAL,
	  IS(struct ibv_qp_init_attr_ex, cap.max_send_wr, UINT32_MAX) },
	{ "create_qp with a mask that nobody knows", create_rc, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_init_attr_ex, comp_mask, 1 << 30) },
	{ "create_qp with no flags", create_with_flags, 0, { } },
	{ "create_qp with a flag that nobody knows", create_with_flags, EINVAL,
	  FLIPPED(struct ibv_qp_init_attr_ex, create_flags, 1 << 30) },
	{ "create_qp with an SRQ", create_with_srq, 0, { } },
	{ "create_qp with an SRQ and too many receives", create_with_srq, 0,
	  BEYOND(struct ibv_qp_init_attr_ex, cap.max_recv_wr, max_qp_wr) },
	{ "create_qp with send operations, RC", create_rc_ops, 0, { } },
	{ "create_qp with operations that nobody knows", create_rc_ops, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_init_attr_ex, send_ops_flags, 1ULL << 40) },
	{ "create_qp with segmentation of TCP", create_rc_ops, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_init_attr_ex, send_ops_flags, IBV_QP_EX_WITH_TSO) },
	{ "create_qp with READ, UC", create_uc_ops, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_init_attr_ex, send_ops_flags, IBV_QP_EX_WITH_RDMA_READ) },
	{ "create_qp with atomics, UC", create_uc_ops, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_init_attr_ex, send_ops_flags, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP) },
	{ "create_qp with WRITE, UD", create_ud_ops, EOPNOTSUPP,
	  FLIPPED(struct ibv_qp_init_attr_ex, send_ops_flags, IBV_QP_EX_WITH_RDMA_WRITE) },
	{ "destroy_qp of one in a group", destroy_attached, EBUSY, { } },
	{ "query_qp", query_qp, 0, { } },
	{ "query_ece, which svt has not", query_ece, EOPNOTSUPP, { } },
	{ "set_ece, which svt has not", set_ece, EOPNOTSUPP, { } },
	{ }
};
