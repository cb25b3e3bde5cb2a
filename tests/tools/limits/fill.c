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

/* @most: where the number stands in struct ibv_device_attr */
struct kind {
	size_t most;
	void *(*make)(struct world *w);
	int (*drop)(void *object);
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

static void fill_up(struct test *t)
{
	const struct kind *kind = t->c->arg;
	static struct world w;
	u32 most, count = 0;
	void **objects;
	int err = 0;

	if (open_world(&w, t->devices[0]))
		return;
	memcpy(&most, (u8 *)&w.dev.attr.orig_attr + kind->most, sizeof(most));
	objects = calloc(most + 1, sizeof(*objects));
	MUST(objects, "no list of objects");
	while (count <= most && (objects[count] = kind->make(&w)))
		count++;
	err = errno;
	suite_note("%u of %u, then: %s", count, most, strerror(err));
	CHECK(count <= most && count + KERNEL_OBJECTS >= most && err == ENOMEM,
	      "that is not the limit");
	for (err = 0; count && !err; err = kind->drop(objects[--count]))
		;
	CHECK(!err, "one cannot be destroyed: %s", strerror(err));
	free(objects);
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
	int err;

	if (!qp)
		return complain("a QP of max_qp_wr", errno);
	err = qpattr_connect(qp, w->dev.gid_index, &w->dev.gid, qp->qp_num);
	if (err)
		return complain("to RTS", err);
	if (to_state(qp, IBV_QPS_SQD) || fill_receives(qp, srq, depth) || fill_sends(qp, depth) ||
	    to_state(qp, IBV_QPS_RTS) || reap_all(qp->send_cq, depth))
		return -1;
	suite_note("%u requests in each queue%s", depth, srq ? ", of an SRQ" : "");
	return 0;
}

static void depth(struct test *t)
{
	const struct ibv_device_attr *attr;
	static struct world w;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	u32 most;

	if (open_world(&w, t->devices[0]))
		return;
	attr = &w.dev.attr.orig_attr;
	most = attr->max_qp_wr;
	cq = ibv_create_cq(w.dev.ctx, attr->max_cqe, NULL, NULL, 0);
	srq = deep_srq(&w, attr->max_srq_wr);
	MUST(cq && srq, "a CQ of max_cqe and an SRQ of max_srq_wr: %s", strerror(errno));
	MUST(attr->max_srq_wr == attr->max_qp_wr, "an SRQ is not as deep as a queue");
	if (!too_deep(&w, cq) &&
	    !fill_queues(&w, deep_qp(&w, cq, NULL, most, most), NULL, most))
		fill_queues(&w, deep_qp(&w, cq, srq, most, 0), srq, most);
}

#define KIND(most, make, drop)	\
	(&(const struct kind){ offsetof(struct ibv_device_attr, most), make, drop })

const struct suite_case fill_cases[] = {
	{ "depth", depth, "queues of the depth that the device tells, and none deeper" },
	{ "fill_pd", fill_up, "as many PDs as the device tells",
	  KIND(max_pd, make_pd, drop_pd) },
	{ "fill_ah", fill_up, "as many AHs as the device tells",
	  KIND(max_ah, make_ah, drop_ah) },
	{ "fill_cq", fill_up, "as many CQs as the device tells",
	  KIND(max_cq, make_cq, drop_cq) },
	{ "fill_srq", fill_up, "as many SRQs as the device tells",
	  KIND(max_srq, make_srq, drop_srq) },
	{ "fill_qp", fill_up, "as many QPs as the device tells",
	  KIND(max_qp, make_qp, drop_qp) },
	{ "fill_mr", fill_up, "as many MRs as the device tells",
	  KIND(max_mr, make_mr, drop_mr) },
	{ }
};
