// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions live in the kernel alone; the library keeps their keys. No locks.
 */
#include <errno.h>
#include <stdlib.h>

#include "mr.h"

struct ibv_mr *svt_reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t hca_va, int access)
{
	struct ib_uverbs_reg_mr_resp response = {};
	struct ibv_reg_mr command = {};
	struct verbs_mr *mr;
	int err;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	err = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, mr, &command, sizeof(command),
			     &response, sizeof(response));
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->ibv_mr;
}

/* The region has no address in the process; libibverbs enters @offset for it */
struct ibv_mr *svt_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova,
				 int fd, int access)
{
	struct verbs_mr *mr;
	int err;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	err = svt_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, mr);
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->ibv_mr;
}

int svt_rereg_mr(struct verbs_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access)
{
	struct ib_uverbs_rereg_mr_resp response = {};
	struct ibv_rereg_mr command = {};

	return ibv_cmd_rereg_mr(mr, flags, addr, length, (uintptr_t)addr, access, pd, &command,
				sizeof(command), &response, sizeof(response));
}

int svt_dereg_mr(struct verbs_mr *mr)
{
	int err = ibv_cmd_dereg_mr(mr);

	if (!err)
		free(mr);
	return err;
}

/* A region that another process registered; where it is in that one's memory is not known here */
struct ibv_mr *svt_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct verbs_mr *mr;
	int err;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	err = ibv_cmd_query_mr(pd, mr, handle);
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->ibv_mr;
}

void svt_unimport_mr(struct ibv_mr *mr)
{
	free(container_of(mr, struct verbs_mr, ibv_mr));
}
