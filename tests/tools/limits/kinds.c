// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kinds of objects that a process can make.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "limits.h"
#include "qpattr.h"

/* Bytes of device memory */
#define PIECE		32768

int world_open(struct world *w, const char *device)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD };

	w->depth = w->depth ?: 1;
	if (dev_open(&w->dev, device, -1))
		return -1;
	w->pd = ibv_alloc_pd(w->dev.ctx);
	if (!w->pd)
		return complain("ibv_alloc_pd", errno);
	w->cq = kind_cq.make(w);
	w->srq = kind_srq.make(w);
	init.send_cq = w->cq;
	init.recv_cq = w->cq;
	w->qp = ibv_create_qp(w->pd, &init);
	return w->cq && w->srq && w->qp ? 0 : complain("CQ, SRQ and QP", errno);
}

static void *make_pd(struct world *w)
{
	return ibv_alloc_pd(w->dev.ctx);
}

static int drop_pd(void *object)
{
	return ibv_dealloc_pd(object);
}

static void *make_ah(struct world *w)
{
	struct ibv_ah_attr attr;

	qpattr_ah(&attr, &w->dev.gid, w->dev.gid_index, 64);
	return ibv_create_ah(w->pd, &attr);
}

static int drop_ah(void *object)
{
	return ibv_destroy_ah(object);
}

static void *make_cq(struct world *w)
{
	return ibv_create_cq(w->dev.ctx, w->depth, NULL, NULL, 0);
}

static void *make_largest_cq(struct world *w)
{
	return ibv_create_cq(w->dev.ctx, w->dev.attr.orig_attr.max_cqe, NULL, NULL, 0);
}

static int drop_cq(void *object)
{
	return ibv_destroy_cq(object);
}

static void *make_srq(struct world *w)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = w->depth, .max_sge = 1 } };

	return ibv_create_srq(w->pd, &init);
}

static int drop_srq(void *object)
{
	return ibv_destroy_srq(object);
}

/* With a receive queue that is shared, so that each has one ring only */
static void *make_qp(struct world *w)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD, .send_cq = w->cq, .recv_cq = w->cq, .srq = w->srq,
		.cap = { .max_send_wr = w->depth, .max_send_sge = 1 },
	};

	return ibv_create_qp(w->pd, &init);
}

static int drop_qp(void *object)
{
	return ibv_destroy_qp(object);
}

static void *make_mr(struct world *w)
{
	return ibv_reg_mr(w->pd, w->page, sizeof(w->page), IBV_ACCESS_LOCAL_WRITE);
}

/* What is paged on demand is not pinned, and counts in no limit of locked memory */
static void *make_odp(struct world *w)
{
	return ibv_reg_mr(w->pd, w->page, sizeof(w->page),
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
}

static int drop_mr(void *object)
{
	return ibv_dereg_mr(object);
}

static void *make_mw(struct world *w)
{
	return ibv_alloc_mw(w->pd, IBV_MW_TYPE_2);
}

static int drop_mw(void *object)
{
	return ibv_dealloc_mw(object);
}

static void *make_dm(struct world *w)
{
	struct ibv_alloc_dm_attr attr = { .length = PIECE };

	return ibv_alloc_dm(w->dev.ctx, &attr);
}

static int drop_dm(void *object)
{
	return ibv_free_dm(object);
}

static void *make_xrcd(struct world *w)
{
	struct ibv_xrcd_init_attr init = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	return ibv_open_xrcd(w->dev.ctx, &init);
}

static int drop_xrcd(void *object)
{
	return ibv_close_xrcd(object);
}

/* The object is a membership */
struct member {
	struct ibv_qp *qp;
	union ibv_gid gid;
};

static int drop_group(void *object)
{
	struct member *member = object;
	int err = ibv_detach_mcast(member->qp, &member->gid, 0);

	free(member);
	return err;
}

static void *make_group(struct world *w)
{
	static u32 number;
	struct member *member = malloc(sizeof(*member));
	u32 group = htobe32(++number);
	int err;

	if (!member)
		return NULL;
	member->qp = w->qp;
	member->gid = (union ibv_gid) { .raw = { 0xff, 0x0e } };
	memcpy(member->gid.raw + 12, &group, sizeof(group));
	err = ibv_attach_mcast(w->qp, &member->gid, 0);
	if (!err)
		return member;
	free(member);
	errno = err;
	return NULL;
}

const struct kind kind_pd = { make_pd, drop_pd };
const struct kind kind_ah = { make_ah, drop_ah };
const struct kind kind_cq = { make_cq, drop_cq };
const struct kind kind_largest_cq = { make_largest_cq, drop_cq };
const struct kind kind_srq = { make_srq, drop_srq };
const struct kind kind_qp = { make_qp, drop_qp };
const struct kind kind_mr = { make_mr, drop_mr };
const struct kind kind_odp = { make_odp, drop_mr };
const struct kind kind_mw = { make_mw, drop_mw };
const struct kind kind_dm = { make_dm, drop_dm };
const struct kind kind_xrcd = { make_xrcd, drop_xrcd };
const struct kind kind_group = { make_group, drop_group };
