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

/* With receives of its own, or those of @srq */
static struct ibv_qp *deep_qp(struct world *w, struct ibv_cq *cq, struct ibv_srq *srq, u32 send,
			      u32 recv)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .send_cq = cq, .recv_cq = cq, .srq = srq,
		.cap = { .max_send_wr = send, .max_recv_wr = recv, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	return ibv_create_qp(w->pd, &init);
}

static struct ibv_srq *deep_srq(struct world *w, u32 depth)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = depth, .max_sge = 1 } };

	return ibv_create_srq(w->pd, &init);
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

	if (refused("a CQ beyond max_cqe",
		    ibv_create_cq(w->dev.ctx, attr->max_cqe + 1, NULL, NULL, 0)) ||
	    refused("a send queue beyond max_qp_wr",
		    deep_qp(w, cq, NULL, attr->max_qp_wr + 1, 1)) ||
	    refused("a receive queue beyond max_qp_wr",
		    deep_qp(w, cq, NULL, 1, attr->max_qp_wr + 1)) ||
	    refused("an SRQ beyond max_srq_wr", deep_srq(w, attr->max_srq_wr + 1)))
		return -1;
	return 0;
}

/* Requests until there is no room */
static int fill_receives(struct ibv_qp *qp, struct ibv_srq *srq, u32 depth)
{
	struct ibv_recv_wr wr = { }, *bad;
	int err = 0;

	for (wr.wr_id = 0; !err && wr.wr_id <= depth; wr.wr_id++)
		err = srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp, &wr, &bad);
	return wr.wr_id == depth + 1 && err == ENOMEM ? 0 : complain("receives", err);
}

static int fill_sends(struct ibv_qp *qp, u32 depth)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	int err = 0;

	for (wr.wr_id = 0; !err && wr.wr_id <= depth; wr.wr_id++)
		err = ibv_post_send(qp, &wr, &bad);
	return wr.wr_id == depth + 1 && err == ENOMEM ? 0 : complain("sends", err);
}

/* All of both queues, each in its order */
static int reap_all(struct ibv_cq *cq, u32 depth)
{
	u32 sent = 0, received = 0, *count;
	struct ibv_wc wc;
	int n;

	while (sent < depth || received < depth) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (n < 0 || (n && wc.status))
			return complain("completion", n < 0 ? errno : EIO);
		if (!n)
			continue;
		count = wc.opcode == IBV_WC_SEND ? &sent : &received;
		if (wc.wr_id != (*count)++)
			return complain("order of completions", EBADMSG);
	}
	if (ibv_poll_cq(cq, 1, &wc))
		return complain("one completion too many", EBADMSG);
	return 0;
}

static int to_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);

	return err ? complain("ibv_modify_qp", err) : 0;
}

/*
 * The QP is connected to itself. In SQD requests are taken and none is carried out, so that both
 * queues are full before the first one goes.
 */
static int fill_queues(struct world *w, struct ibv_qp *qp, struct ibv_srq *srq, u32 depth)
{
	struct qp_path path;
	int err;

	if (!qp)
		return complain("a QP of max_qp_wr", errno);
	qpattr_defaults(&path);
	path.sgid_index = w->dev.gid_index;
	path.peer.gid = w->dev.gid;
	path.peer.qpn = qp->qp_num;
	err = qpattr_to_rts(qp, &path);
	if (err)
		return complain("to RTS", err);
	if (to_state(qp, IBV_QPS_SQD) || fill_receives(qp, srq, depth) || fill_sends(qp, depth) ||
	    to_state(qp, IBV_QPS_RTS) || reap_all(qp->send_cq, depth))
		return -1;
	printf("%u requests in each queue%s\n", depth, srq ? ", of an SRQ" : "");
	return 0;
}

int deep_queues(const char *device)
{
	const struct ibv_device_attr *attr;
	static struct world w;
	struct ibv_srq *srq;
	struct ibv_cq *cq;

	if (open_world(&w, device))
		return -1;
	attr = &w.dev.attr.orig_attr;
	cq = ibv_create_cq(w.dev.ctx, attr->max_cqe, NULL, NULL, 0);
	srq = deep_srq(&w, attr->max_srq_wr);
	if (!cq || !srq)
		return complain("a CQ of max_cqe and an SRQ of max_srq_wr", errno);
	if (attr->max_srq_wr != attr->max_qp_wr)
		return complain("an SRQ as deep as a queue", EINVAL);
	if (too_deep(&w, cq))
		return -1;
	if (fill_queues(&w, deep_qp(&w, cq, NULL, attr->max_qp_wr, attr->max_qp_wr), NULL,
			attr->max_qp_wr))
		return -1;
	return fill_queues(&w, deep_qp(&w, cq, srq, attr->max_qp_wr, 0), srq, attr->max_srq_wr);
}
