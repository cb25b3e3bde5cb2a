// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The second process imports context, PD and region of the first one, and by a QP of its own has
 * bytes of the first process's memory copied within that memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "completion.h"
#include "dev.h"
#include "handover.h"
#include "qpattr.h"

#define BYTES	(1 << 16)
#define HALF	(BYTES / 2)

struct offer {
	u32 pd, mr;		/* handles */
	u32 lkey, rkey;
	u64 address;		/* in the first process */
	union ibv_gid gid;
	u32 gid_index;
};

static void fill(u8 *memory)
{
	u32 i;

	for (i = 0; i < HALF; i++)
		memory[i] = i * 7 + (i >> 8);
	memset(memory + HALF, 0, HALF);
}

int import_first(int socket, const char *device)
{
	static struct dev dev;
	u8 *memory = malloc(BYTES), word;
	struct offer offer;
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	if (!memory || dev_open(&dev, device, -1))
		return -1;
	fill(memory);
	pd = ibv_alloc_pd(dev.ctx);
	mr = pd ? ibv_reg_mr(pd, memory, BYTES,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) : NULL;
	if (!mr)
		return complain("PD and region", errno);
	offer = (struct offer) {
		.pd = pd->handle, .mr = mr->handle, .lkey = mr->lkey, .rkey = mr->rkey,
		.address = (uintptr_t)memory, .gid = dev.gid, .gid_index = dev.gid_index,
	};
	if (tell(socket, &offer, sizeof(offer), dev.ctx->cmd_fd) ||
	    hear(socket, &word, sizeof(word), NULL))
		return -1;
	if (memcmp(memory, memory + HALF, HALF))
		return complain("what the second process copied", EBADMSG);

	/* Its own objects keep the PD, what it imported does not */
	if (ibv_dereg_mr(mr))
		return complain("ibv_dereg_mr", EBUSY);
	if (ibv_dealloc_pd(pd) != EBUSY)
		return complain("a PD goes with a QP of the second process", 0);
	if (tell(socket, &word, sizeof(word), -1) || hear(socket, &word, sizeof(word), NULL))
		return -1;
	if (ibv_dealloc_pd(pd))
		return complain("ibv_dealloc_pd", EBUSY);
	return ibv_close_device(dev.ctx) ? complain("ibv_close_device", errno) : 0;
}

/* A QP of the imported PD, connected to itself */
static struct ibv_qp *own_qp(struct ibv_pd *pd, struct ibv_cq *cq, const struct offer *offer)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	if (!qp || qpattr_connect(qp, offer->gid_index, &offer->gid, qp->qp_num))
		return NULL;
	return qp;
}

static int copy(struct ibv_qp *qp, const struct ibv_mr *mr, const struct offer *offer)
{
	struct ibv_sge sge = { offer->address, HALF, mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { offer->address + HALF, mr->rkey },
	}, *bad;
	int err = ibv_post_send(qp, &wr, &bad);

	return err ? complain("ibv_post_send", err) : completion_reap(qp->send_cq, 1, LIMIT_MS);
}

int import_second(int socket, const char *device)
{
	struct ibv_context *ctx;
	struct offer offer;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	u8 word = 0;
	int fd;

	(void)device;
	if (hear(socket, &offer, sizeof(offer), &fd))
		return -1;
	ctx = ibv_import_device(fd);
	pd = ctx ? ibv_import_pd(ctx, offer.pd) : NULL;
	mr = pd ? ibv_import_mr(pd, offer.mr) : NULL;
	if (!mr)
		return complain("import", errno);
	if (mr->lkey != offer.lkey || mr->rkey != offer.rkey || mr->length != BYTES)
		return complain("another region", EBADMSG);
	cq = ibv_create_cq(ctx, 4, NULL, NULL, 0);
	qp = cq ? own_qp(pd, cq, &offer) : NULL;
	if (!qp)
		return complain("own CQ and QP", errno);
	if (copy(qp, mr, &offer))
		return -1;
	ibv_unimport_mr(mr);
	if (tell(socket, &word, sizeof(word), -1) || hear(socket, &word, sizeof(word), NULL))
		return -1;
	if (ibv_destroy_qp(qp) || ibv_destroy_cq(cq))
		return complain("destroy of own objects", EBUSY);
	ibv_unimport_pd(pd);
	if (ibv_close_device(ctx))
		return complain("ibv_close_device", errno);
	return tell(socket, &word, sizeof(word), -1);
}
