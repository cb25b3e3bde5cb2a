// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Up to the limits that a device tells: as many objects, and as deep queues. One more is ENOMEM, a
 * queue that is deeper EINVAL.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "dev.h"
#include "limits.h"
#include "qpattr.h"

/* What ib_core and its clients have of a device: QP 1, and what it needs */
#define KERNEL_OBJECTS	8

struct world {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	u8 page[4096];
};

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
	return ibv_create_cq(w->dev.ctx, 1, NULL, NULL, 0);
}

static int drop_cq(void *object)
{
	return ibv_destroy_cq(object);
}

static void *make_srq(struct world *w)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };

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
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
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

static int drop_mr(void *object)
{
	return ibv_dereg_mr(object);
}

#define MOST(field)	offsetof(struct ibv_device_attr, field)

static const struct kind {
	const char *name;
	size_t most;
	void *(*make)(struct world *w);
	int (*drop)(void *object);
} kinds[] = {
	{ "pd", MOST(max_pd), make_pd, drop_pd },
	{ "ah", MOST(max_ah), make_ah, drop_ah },
	{ "cq", MOST(max_cq), make_cq, drop_cq },
	{ "srq", MOST(max_srq), make_srq, drop_srq },
	{ "qp", MOST(max_qp), make_qp, drop_qp },
	{ "mr", MOST(max_mr), make_mr, drop_mr },
};

static int open_world(struct world *w, const char *device)
{
	if (dev_open(&w->dev, device, -1))
		return -1;
	w->pd = ibv_alloc_pd(w->dev.ctx);
	if (!w->pd)
		return complain("ibv_alloc_pd", errno);
	w->cq = make_cq(w);
	w->srq = make_srq(w);
	return w->cq && w->srq ? 0 : complain("CQ and SRQ", errno);
}

static int fill_kind(struct world *w, const struct kind *kind, u32 most)
{
	void **objects = calloc(most + 1, sizeof(*objects));
	u32 count = 0;
	int err;

	if (!objects)
		return complain("list of objects", ENOMEM);
	while (count <= most && (objects[count] = kind->make(w)))
		count++;
	err = errno;
	printf("%s: %u of %u, then: %s\n", kind->name, count, most, strerror(err));
	if (count > most || count + KERNEL_OBJECTS < most || err != ENOMEM)
		return complain("not at the limit", err);
	while (count--) {
		err = kind->drop(objects[count]);
		if (err)
			return complain("destroy", err);
	}
	free(objects);
	return 0;
}

int fill_up(const char *device, const char *name)
{
	static struct world w;
	u32 i, most;

	if (open_world(&w, device))
		return -1;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, name))
			continue;
		memcpy(&most, (u8 *)&w.dev.attr.orig_attr + kinds[i].most, sizeof(most));
		return fill_kind(&w, &kinds[i], most);
	}
	return complain(name, EINVAL);
}

static struct ibv_qp *deep_qp(struct world *w, struct ibv_cq *cq, u32 send, u32 recv)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = send, .max_recv_wr = recv, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	return ibv_create_qp(w->pd, &init);
}

static int refused(const char *what, const void *object)
{
	if (!object && errno == EINVAL)
		return 0;
	return complain(what, object ? 0 : errno);
}

static int too_deep(struct world *w, struct ibv_cq *cq)
{
	const struct ibv_device_attr *attr = &w->dev.attr.orig_attr;
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = attr->max_srq_wr + 1, .max_sge = 1 } };

	if (refused("a CQ beyond max_cqe",
		    ibv_create_cq(w->dev.ctx, attr->max_cqe + 1, NULL, NULL, 0)) ||
	    refused("a send queue beyond max_qp_wr", deep_qp(w, cq, attr->max_qp_wr + 1, 1)) ||
	    refused("a receive queue beyond max_qp_wr", deep_qp(w, cq, 1, attr->max_qp_wr + 1)) ||
	    refused("an SRQ beyond max_srq_wr", ibv_create_srq(w->pd, &srq)))
		return -1;
	return 0;
}

/* Receives until there is no room; the QP is connected to itself */
static int fill_queues(struct ibv_qp *qp, struct ibv_cq *cq, u32 depth)
{
	struct ibv_recv_wr recv = { }, *bad_recv;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;
	u32 i, done = 0;
	int n, err = 0;

	for (i = 0; !err && i <= depth; i++)
		err = ibv_post_recv(qp, &recv, &bad_recv);
	if (i != depth + 1 || err != ENOMEM)
		return complain("receives", err);
	for (i = 0; i < depth; i++) {
		err = ibv_post_send(qp, &send, &bad);
		if (err)
			return complain("sends", err);
	}
	while (done < 2 * depth) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0 || (n && wc.status))
			return complain("completion", n < 0 ? errno : EIO);
		done += n;
	}
	printf("%u requests in each queue\n", depth);
	return 0;
}

int deep_queues(const char *device)
{
	static struct world w;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct qp_path path;
	u32 depth;
	int err;

	if (open_world(&w, device))
		return -1;
	depth = w.dev.attr.orig_attr.max_qp_wr;
	cq = ibv_create_cq(w.dev.ctx, w.dev.attr.orig_attr.max_cqe, NULL, NULL, 0);
	if (!cq)
		return complain("a CQ of max_cqe", errno);
	if (too_deep(&w, cq))
		return -1;
	qp = deep_qp(&w, cq, depth, depth);
	if (!qp)
		return complain("a QP of max_qp_wr", errno);
	qpattr_defaults(&path);
	path.sgid_index = w.dev.gid_index;
	path.peer.gid = w.dev.gid;
	path.peer.qpn = qp->qp_num;
	err = qpattr_to_rts(qp, &path);
	if (err)
		return complain("to RTS", err);
	return fill_queues(qp, cq, depth);
}
