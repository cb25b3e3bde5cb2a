// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Thread domains and parent domains, which are the provider's alone; and the objects that svt has
 * not.
 */
#include <errno.h>

#include "errnos.h"

static int alloc_td(const struct world *w, const struct errno_case *c)
{
	struct ibv_td_init_attr init = { };
	struct ibv_td *td;

	spoil(w, c, &init);
	td = ibv_alloc_td(w->dev.ctx, &init);
	return td ? ibv_dealloc_td(td) : errno;
}

static int alloc_parent(const struct world *w, const struct errno_case *c)
{
	struct ibv_parent_domain_init_attr init = { .pd = w->pd };
	struct ibv_pd *pd;

	spoil(w, c, &init);
	pd = ibv_alloc_parent_domain(w->dev.ctx, &init);
	return pd ? ibv_dealloc_pd(pd) : errno;
}

static int alloc_parent_of_parent(const struct world *w, const struct errno_case *c)
{
	struct ibv_parent_domain_init_attr init = { .pd = w->pd };
	struct ibv_pd *pd = ibv_alloc_parent_domain(w->dev.ctx, &init), *second;
	int err;

	(void)c;
	if (!pd)
		return ENOTRECOVERABLE;
	init.pd = pd;
	second = ibv_alloc_parent_domain(w->dev.ctx, &init);
	err = second ? ibv_dealloc_pd(second) : errno;
	return ibv_dealloc_pd(pd) ?: err;
}

/* A domain of both, whose parts cannot go before it does: @run tries */
static int of_parent(const struct world *w, int (*run)(struct ibv_parent_domain_init_attr *parts))
{
	struct ibv_parent_domain_init_attr parts = { };
	struct ibv_td_init_attr init = { };
	struct ibv_pd *parent;
	int err;

	parts.pd = ibv_alloc_pd(w->dev.ctx);
	parts.td = ibv_alloc_td(w->dev.ctx, &init);
	if (!parts.pd || !parts.td)
		return ENOTRECOVERABLE;
	parent = ibv_alloc_parent_domain(w->dev.ctx, &parts);
	if (!parent)
		return ENOTRECOVERABLE;
	err = run(&parts);
	return ibv_dealloc_pd(parent) ?: ibv_dealloc_td(parts.td) ?: ibv_dealloc_pd(parts.pd) ?:
	       err;
}

static int dealloc_its_pd(struct ibv_parent_domain_init_attr *parts)
{
	return ibv_dealloc_pd(parts->pd);
}

static int dealloc_its_td(struct ibv_parent_domain_init_attr *parts)
{
	return ibv_dealloc_td(parts->td);
}

static int dealloc_pd_of_parent(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return of_parent(w, dealloc_its_pd);
}

static int dealloc_td_of_parent(const struct world *w, const struct errno_case *c)
{
	(void)c;
	return of_parent(w, dealloc_its_td);
}

static int alloc_null_mr(const struct world *w, const struct errno_case *c)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(w->pd);

	(void)c;
	return mr ? ibv_dereg_mr(mr) : errno;
}

static int create_wq(const struct world *w, const struct errno_case *c)
{
	struct ibv_wq_init_attr init = {
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1, .pd = w->pd, .cq = w->cq,
	};
	struct ibv_wq *wq = ibv_create_wq(w->dev.ctx, &init);

	(void)c;
	return wq ? ibv_destroy_wq(wq) : errno;
}

static int create_rwq_ind_table(const struct world *w, const struct errno_case *c)
{
	struct ibv_wq *none = NULL;
	struct ibv_rwq_ind_table_init_attr init = { .ind_tbl = &none };
	struct ibv_rwq_ind_table *table = ibv_create_rwq_ind_table(w->dev.ctx, &init);

	(void)c;
	return table ? ibv_destroy_rwq_ind_table(table) : errno;
}

static int create_counters(const struct world *w, const struct errno_case *c)
{
	struct ibv_counters_init_attr init = { };
	struct ibv_counters *counters = ibv_create_counters(w->dev.ctx, &init);

	(void)c;
	return counters ? ibv_destroy_counters(counters) : errno;
}

const struct errno_case domain_cases[] = {
	{ "alloc_td", alloc_td, 0, { } },
	{ "alloc_td with a mask that nobody knows", alloc_td, EOPNOTSUPP,
	  FLIPPED(struct ibv_td_init_attr, comp_mask, 1 << 30) },
	{ "dealloc_td of one in use", dealloc_td_of_parent, EBUSY, { } },
	{ "alloc_parent_domain", alloc_parent, 0, { } },
	{ "alloc_parent_domain of no PD", alloc_parent, EINVAL,
	  IS(struct ibv_parent_domain_init_attr, pd, 0) },
	{ "alloc_parent_domain of a parent domain", alloc_parent_of_parent, EINVAL, { } },
	{ "alloc_parent_domain with a mask that nobody knows", alloc_parent, EOPNOTSUPP,
	  FLIPPED(struct ibv_parent_domain_init_attr, comp_mask, 1 << 30) },
	{ "dealloc_pd of one in a parent domain", dealloc_pd_of_parent, EBUSY, { } },
	{ "alloc_null_mr, which svt has not", alloc_null_mr, EOPNOTSUPP, { } },
	{ "create_wq, which svt has not", create_wq, EOPNOTSUPP, { } },
	{ "create_rwq_ind_table, which svt has not", create_rwq_ind_table, EOPNOTSUPP, { } },
	{ "create_counters, which svt has not", create_counters, EOPNOTSUPP, { } },
	{ }
};
