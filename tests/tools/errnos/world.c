// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the cases find: one good object of each kind. Nothing is closed, the process ends with it.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "complaint.h"
#include "errnos.h"
#include "qpattr.h"

#define PAGE	4096
/* Where no kernel puts anything, so that what follows stays free. User-Mode Linux has half a TB */
#define LAST_PAGE	0x2000000000UL

static void *map(size_t bytes, int protection)
{
	void *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct ibv_qp *world_qp(const struct world *w, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = w->cq,
		.recv_cq = w->cq,
		.cap = { WORLD_WR, WORLD_WR, WORLD_SGE, WORLD_SGE, WORLD_INLINE },
		.qp_type = type,
	};

	return ibv_create_qp(w->pd, &init);
}

static struct qp_path path_of(const struct world *w, const struct ibv_qp *qp)
{
	struct qp_path path;

	qpattr_defaults(&path);
	path.peer.gid = w->dev.gid;
	path.peer.qpn = qp->qp_num;
	path.sgid_index = w->dev.gid_index;
	return path;
}

int world_attr(const struct world *w, enum ibv_qp_state state, struct ibv_qp_attr *attr)
{
	struct qp_path path = path_of(w, w->rc);

	if (state == IBV_QPS_INIT)
		return qpattr_init(attr, IBV_QPT_RC, &path);
	if (state == IBV_QPS_RTR)
		return qpattr_rtr(attr, IBV_QPT_RC, &path);
	return qpattr_rts(attr, IBV_QPT_RC, &path);
}

/* A new RC QP taken to @state */
static struct ibv_qp *qp_in(const struct world *w, enum ibv_qp_state state)
{
	struct ibv_qp *qp = world_qp(w, IBV_QPT_RC);
	struct ibv_qp_attr attr;
	int mask;

	if (!qp || state == IBV_QPS_RESET)
		return qp;
	mask = world_attr(w, IBV_QPS_INIT, &attr);
	if (ibv_modify_qp(qp, &attr, mask))
		return NULL;
	if (state == IBV_QPS_INIT)
		return qp;
	mask = world_attr(w, IBV_QPS_RTR, &attr);
	return ibv_modify_qp(qp, &attr, mask) ? NULL : qp;
}

static int open_memory(struct world *w)
{
	u8 *last;

	w->buf = map(WORLD_BYTES, PROT_READ | PROT_WRITE);
	w->read_only = map(PAGE, PROT_READ);
	last = mmap((void *)LAST_PAGE, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (!w->buf || !w->read_only || last == MAP_FAILED)
		return -1;
	w->hole = last + PAGE;
	w->mr = ibv_reg_mr(w->pd, w->buf, WORLD_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND);
	return w->mr ? 0 : -1;
}

static int open_queues(struct world *w)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = WORLD_WR, .max_sge = WORLD_SGE } };

	w->channel = ibv_create_comp_channel(w->dev.ctx);
	w->cq = ibv_create_cq(w->dev.ctx, 64, NULL, NULL, 0);
	w->srq = ibv_create_srq(w->pd, &init);
	return w->channel && w->cq && w->srq ? 0 : -1;
}

static int open_qps(struct world *w)
{
	struct qp_path path;

	w->rc = world_qp(w, IBV_QPT_RC);
	w->ud = world_qp(w, IBV_QPT_UD);
	if (!w->rc || !w->ud)
		return -1;
	path = path_of(w, w->rc);
	if (qpattr_to_rts(w->rc, &path) || qpattr_to_rts(w->ud, &path))
		return -1;
	w->fresh = qp_in(w, IBV_QPS_RESET);
	w->init = qp_in(w, IBV_QPS_INIT);
	w->rtr = qp_in(w, IBV_QPS_RTR);
	return w->fresh && w->init && w->rtr ? 0 : -1;
}

int world_open(struct world *w, const char *device)
{
	struct ibv_ah_attr attr;

	memset(w, 0, sizeof(*w));
	if (dev_open(&w->dev, device, -1))
		return -1;
	w->pd = ibv_alloc_pd(w->dev.ctx);
	w->other_pd = ibv_alloc_pd(w->dev.ctx);
	if (!w->pd || !w->other_pd || open_memory(w) || open_queues(w) || open_qps(w))
		return complain("cannot set up", errno);
	qpattr_ah(&attr, &w->dev.gid, w->dev.gid_index, 64);
	w->ah = ibv_create_ah(w->pd, &attr);
	return w->ah ? 0 : complain("no address handle", errno);
}
