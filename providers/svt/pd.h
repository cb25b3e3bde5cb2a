/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Protection domains, thread domains, and parent domains that join the two.
 */
#ifndef SVT_PD_H
#define SVT_PD_H

#include <pthread.h>

#include "rdma-core.h"

struct svt_qp;

/**
 * struct svt_td - a thread domain: a promise not to use its objects from two threads at once
 * @ibv_td: what the application sees
 * @users: parent domains
 */
struct svt_td {
	struct ibv_td ibv_td;
	atomic_uint users;
};

/**
 * struct svt_pd - a protection domain or a parent domain
 * @ibv_pd: what the application sees; a parent domain has the handle of @contained
 * @contained: of a parent domain: the protection domain; else NULL
 * @td: of a parent domain, may be NULL
 * @users: parent domains that contain this one
 * @lock: of a protection domain, for @datagram_qps
 * @datagram_qps: its QPs, and those of its parent domains, whose requests name address handles
 */
struct svt_pd {
	struct ibv_pd ibv_pd;
	struct svt_pd *contained;
	struct svt_td *td;
	atomic_uint users;
	pthread_mutex_t lock;
	struct svt_qp *datagram_qps;
};

static inline struct svt_pd *to_svt_pd(struct ibv_pd *pd)
{
	return container_of(pd, struct svt_pd, ibv_pd);
}

/* The protection domain itself, also of a parent domain */
static inline struct svt_pd *svt_pd_home(struct ibv_pd *pd)
{
	struct svt_pd *contained = to_svt_pd(pd)->contained;

	return contained ? contained : to_svt_pd(pd);
}

/* Do objects created with @pd need locks? */
static inline bool svt_pd_is_shared(struct ibv_pd *pd)
{
	return !to_svt_pd(pd)->td;
}

struct ibv_pd *svt_alloc_pd(struct ibv_context *context);
struct ibv_pd *svt_import_pd(struct ibv_context *context, uint32_t handle);
void svt_unimport_pd(struct ibv_pd *pd);
struct ibv_pd *svt_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr);
int svt_dealloc_pd(struct ibv_pd *pd);
struct ibv_td *svt_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr);
int svt_dealloc_td(struct ibv_td *td);

#endif
