// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory: pages that the kernel lends, mapped here, so that copies to and from it take no
 * system call. No locks: who copies while others do sees to the order itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rdma/svt-abi.h>

#include "dm.h"
#include "ioctl.h"

/* Copies are of whole words, as NICs have it: a program that does otherwise would fail there */
#define WORD	4U

static struct svt_dm *to_svt_dm(struct ibv_dm *dm)
{
	return container_of(dm, struct svt_dm, verbs.dm);
}

static bool is_within(const struct svt_dm *dm, uint64_t offset, size_t length)
{
	return !((offset | length) % WORD) && offset <= dm->length && length <= dm->length - offset;
}

static int copy_to(struct ibv_dm *ibv_dm, uint64_t offset, const void *from, size_t length)
{
	struct svt_dm *dm = to_svt_dm(ibv_dm);

	if (!is_within(dm, offset, length))
		return EINVAL;
	memcpy(dm->start + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *ibv_dm, uint64_t offset, size_t length)
{
	struct svt_dm *dm = to_svt_dm(ibv_dm);

	if (!is_within(dm, offset, length))
		return EINVAL;
	memcpy(to, dm->start + offset, length);
	return 0;
}

/* The kernel says where the memory with this handle is */
static int map(struct svt_dm *dm, struct ibv_context *context, uint32_t handle)
{
	struct svt_dm_info info = {};
	struct svt_ioctl call;
	void *start;
	int err;

	svt_ioctl_init(&call, UVERBS_OBJECT_DM, SVT_METHOD_DM_QUERY);
	svt_ioctl_add_handle(&call, SVT_ATTR_DM_QUERY_DM, handle);
	svt_ioctl_add_output(&call, SVT_ATTR_DM_QUERY_INFO, &info, sizeof(info));
	err = svt_ioctl_run(&call, context->cmd_fd);
	if (err)
		return err;
	if (info.length > info.mmap_length)
		return EPROTO;
	start = mmap(NULL, info.mmap_length, PROT_READ | PROT_WRITE, MAP_SHARED, context->cmd_fd,
		     (off_t)info.mmap_offset);
	if (start == MAP_FAILED)
		return errno;

	dm->start = start;
	dm->length = info.length;
	dm->mapped = info.mmap_length;
	dm->verbs.dm.memcpy_to_dm = copy_to;
	dm->verbs.dm.memcpy_from_dm = copy_from;
	return 0;
}

struct ibv_dm *svt_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	struct svt_dm *dm;
	int err;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;
	err = ibv_cmd_alloc_dm(context, attr, &dm->verbs, NULL);
	if (err)
		goto free;
	err = map(dm, context, dm->verbs.handle);
	if (!err)
		return &dm->verbs.dm;

	ibv_cmd_free_dm(&dm->verbs);
free:
	free(dm);
	errno = err;
	return NULL;
}

int svt_free_dm(struct ibv_dm *ibv_dm)
{
	struct svt_dm *dm = to_svt_dm(ibv_dm);
	int err;

	err = ibv_cmd_free_dm(&dm->verbs);
	if (!err)
		svt_unimport_dm(ibv_dm);
	return err;
}

/* Memory of another process that shares the context */
struct ibv_dm *svt_import_dm(struct ibv_context *context, uint32_t handle)
{
	struct svt_dm *dm;
	int err;

	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;
	err = map(dm, context, handle);
	if (err) {
		free(dm);
		errno = err;
		return NULL;
	}
	dm->verbs.dm.context = context;
	dm->verbs.dm.handle = handle;
	dm->verbs.handle = handle;
	return &dm->verbs.dm;
}

void svt_unimport_dm(struct ibv_dm *ibv_dm)
{
	struct svt_dm *dm = to_svt_dm(ibv_dm);

	munmap(dm->start, dm->mapped);
	free(dm);
}

struct ibv_mr *svt_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length,
			     unsigned int access)
{
	struct verbs_mr *mr;
	int err;

	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	err = ibv_cmd_reg_dm_mr(pd, &to_svt_dm(dm)->verbs, offset, length, access, mr, NULL);
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->ibv_mr;
}
