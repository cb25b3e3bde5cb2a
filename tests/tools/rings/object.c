// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects as a well-behaved program creates them; the attacks begin behind that.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "object.h"

#define PORT	1

int ring_map(struct ring *ring, int fd)
{
	void *at;

	ring->index = 0;
	ring->control = NULL;
	if (!ring->info.mmap_length)
		return 0;
	at = mmap(NULL, ring->info.mmap_length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  ring->info.mmap_offset);
	if (at == MAP_FAILED)
		return -errno;
	ring->control = at;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->control)
		munmap(ring->control, ring->info.mmap_length);
	ring->control = NULL;
}

int pd_create(const struct device *dev, u32 *pd)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_pd core;
	} request = {};
	struct ib_uverbs_alloc_pd_resp response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_ALLOC_PD, &request, sizeof(request),
			     &response, sizeof(response));
	*pd = response.pd_handle;
	return ret;
}

int mr_create(const struct device *dev, u32 pd, void *addr, u32 length, int access,
	      struct mr *mr)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_reg_mr core;
	} request = {
		.core.start = (uintptr_t)addr,
		.core.hca_va = (uintptr_t)addr,
		.core.length = length,
		.core.pd_handle = pd,
		.core.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_REG_MR, &request, sizeof(request),
			     &response, sizeof(response));
	*mr = (struct mr){
		.addr = addr,
		.length = length,
		.handle = response.mr_handle,
		.lkey = response.lkey,
		.rkey = response.rkey,
	};
	return ret;
}

int mr_destroy(const struct device *dev, const struct mr *mr)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_dereg_mr core;
	} request = { .core.mr_handle = mr->handle };

	return device_command(dev->fd, IB_USER_VERBS_CMD_DEREG_MR, &request, sizeof(request),
			      NULL, 0);
}

int mw_create(const struct device *dev, u32 pd, u8 type, struct mw *mw)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_alloc_mw core;
	} request = { .core.pd_handle = pd, .core.mw_type = type };
	struct ib_uverbs_alloc_mw_resp response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_ALLOC_MW, &request, sizeof(request),
			     &response, sizeof(response));
	*mw = (struct mw){ response.mw_handle, response.rkey, type };
	return ret;
}

int ah_create(const struct device *dev, u32 pd, const u8 *gid, struct ah *ah)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_ah core;
	} request = {
		.core.pd_handle = pd,
		.core.attr = {
			.grh.sgid_index = dev->gid_index,
			.grh.hop_limit = 64,
			.is_global = 1,
			.port_num = PORT,
		},
	};
	struct {
		struct ib_uverbs_create_ah_resp core;
		struct svt_create_ah_resp svt;
	} __attribute__((packed)) response;
	int ret;

	memcpy(request.core.attr.grh.dgid, gid, 16);
	ret = device_command(dev->fd, IB_USER_VERBS_CMD_CREATE_AH, &request, sizeof(request),
			     &response, sizeof(response));
	*ah = (struct ah){ response.core.ah_handle, response.svt.ah };
	return ret;
}

int ah_destroy(const struct device *dev, const struct ah *ah)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_destroy_ah core;
	} request = { .core.ah_handle = ah->handle };

	return device_command(dev->fd, IB_USER_VERBS_CMD_DESTROY_AH, &request, sizeof(request),
			      NULL, 0);
}

int channel_create(const struct device *dev, int *fd)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_comp_channel core;
	} request = {};
	struct ib_uverbs_create_comp_channel_resp response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &request,
			     sizeof(request), &response, sizeof(response));
	*fd = response.fd;
	return ret;
}

int cq_create(const struct device *dev, u32 entries, int channel, u64 element, struct cq *cq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_cq core;
	} request = {
		.core.user_handle = element,
		.core.cqe = entries,
		.core.comp_channel = channel,
	};
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct svt_create_cq_resp svt;
	} response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_CREATE_CQ, &request, sizeof(request),
			     &response, sizeof(response));
	if (ret)
		return ret;
	*cq = (struct cq){ .handle = response.core.cq_handle, .ring.info = response.svt.ring };
	return ring_map(&cq->ring, dev->fd);
}

int cq_destroy(const struct device *dev, struct cq *cq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_destroy_cq core;
	} request = { .core.cq_handle = cq->handle };
	struct ib_uverbs_destroy_cq_resp response;

	ring_unmap(&cq->ring);
	return device_command(dev->fd, IB_USER_VERBS_CMD_DESTROY_CQ, &request, sizeof(request),
			      &response, sizeof(response));
}

int srq_create(const struct device *dev, u32 pd, u32 entries, u32 max_sge, u64 element,
	       struct srq *srq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_srq core;
	} request = {
		.core.user_handle = element,
		.core.pd_handle = pd,
		.core.max_wr = entries,
		.core.max_sge = max_sge,
	};
	struct {
		struct ib_uverbs_create_srq_resp core;
		struct svt_create_srq_resp svt;
	} response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_CREATE_SRQ, &request, sizeof(request),
			     &response, sizeof(response));
	if (ret)
		return ret;
	*srq = (struct srq){
		.ring.info = response.svt.ring,
		.handle = response.core.srq_handle,
		.max_sge = max_sge,
	};
	return ring_map(&srq->ring, dev->fd);
}

int srq_destroy(const struct device *dev, struct srq *srq)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_destroy_srq core;
	} request = { .core.srq_handle = srq->handle };
	struct ib_uverbs_destroy_srq_resp response;

	ring_unmap(&srq->ring);
	return device_command(dev->fd, IB_USER_VERBS_CMD_DESTROY_SRQ, &request, sizeof(request),
			      &response, sizeof(response));
}
