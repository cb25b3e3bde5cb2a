// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queues as deep as a device tells. One that is deeper is EINVAL.
 */
#include <errno.h>
#include <string.h>

#include "complaint.h"
#include "limits.h"
#include "qpattr.h"

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

	if (world_open(&w, t->devices[0]))
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

const struct suite_case depth_cases[] = {
	{ "depth", depth, "queues of the depth that the device tells, and none deeper" },
	{ }
};
