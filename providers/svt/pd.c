// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection, thread and parent domains. Only protection domains exist in the kernel. The counts of
 * users are atomic, the list of QPs has a lock, which qp.c takes; that nothing new is created in a
 * domain while it is deallocated is, as everywhere in libibverbs, up to the application.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "ioctl.h"
#include "pd.h"

static struct svt_pd *new_pd(void)
{
	struct svt_pd *pd = calloc(1, sizeof(*pd));

	if (pd)
		pthread_mutex_init(&pd->lock, NULL);
	return pd;
}

static void free_pd(struct svt_pd *pd)
{
	pthread_mutex_destroy(&pd->lock);
	free(pd);
}

struct ibv_pd *svt_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp response = {};
	struct ibv_alloc_pd command = {};
	struct svt_pd *pd;
	int err;

	pd = new_pd();
	if (!pd)
		return NULL;
	err = ibv_cmd_alloc_pd(context, &pd->ibv_pd, &command, sizeof(command), &response,
			       sizeof(response));
	if (err) {
		free_pd(pd);
		errno = err;
		return NULL;
	}
	return &pd->ibv_pd;
}

/* A PD of another process that shares the context; the kernel is asked whether there is one */
struct ibv_pd *svt_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct svt_ioctl call;
	struct svt_pd *pd;
	int err;

	svt_ioctl_init(&call, UVERBS_OBJECT_PD, SVT_METHOD_PD_QUERY);
	svt_ioctl_add_handle(&call, SVT_ATTR_PD_QUERY_PD, handle);
	err = svt_ioctl_run(&call, context->cmd_fd);
	if (err) {
		errno = err;
		return NULL;
	}
	pd = new_pd();
	if (!pd)
		return NULL;
	pd->ibv_pd.context = context;
	pd->ibv_pd.handle = handle;
	return &pd->ibv_pd;
}

void svt_unimport_pd(struct ibv_pd *pd)
{
	free_pd(to_svt_pd(pd));
}

/*
 * The application's own allocator would be asked for the memory of queues. Those of svt come from
 * the kernel, so it is accepted and never called.
 */
#define PARENT_DOMAIN_MASK \
	(IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)

struct ibv_pd *svt_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr)
{
	struct svt_pd *pd;

	if (!attr->pd || to_svt_pd(attr->pd)->contained) {
		errno = EINVAL;
		return NULL;
	}
	if (attr->comp_mask & ~(uint32_t)PARENT_DOMAIN_MASK) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	pd = new_pd();
	if (!pd)
		return NULL;

	pd->ibv_pd.context = context;
	pd->ibv_pd.handle = attr->pd->handle;
	pd->contained = to_svt_pd(attr->pd);
	atomic_fetch_add(&pd->contained->users, 1);
	if (attr->td) {
		pd->td = container_of(attr->td, struct svt_td, ibv_td);
		atomic_fetch_add(&pd->td->users, 1);
	}
	return &pd->ibv_pd;
}

int svt_dealloc_pd(struct ibv_pd *ibv_pd)
{
	struct svt_pd *pd = to_svt_pd(ibv_pd);
	int err;

	if (pd->contained) {
		atomic_fetch_sub(&pd->contained->users, 1);
		if (pd->td)
			atomic_fetch_sub(&pd->td->users, 1);
		free_pd(pd);
		return 0;
	}
	if (atomic_load(&pd->users))
		return EBUSY;
	err = ibv_cmd_dealloc_pd(ibv_pd);
	if (!err)
		free_pd(pd);
	return err;
}

struct ibv_td *svt_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct svt_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ibv_td.context = context;
	return &td->ibv_td;
}

int svt_dealloc_td(struct ibv_td *ibv_td)
{
	struct svt_td *td = container_of(ibv_td, struct svt_td, ibv_td);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}
