// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of a queue pair. Posting is in post_send.c, wr_api.c and post_recv.c. What is here takes the
 * locks of the queues only where it exchanges what they protect, and that of a protection domain
 * for its list of QPs; none inside another.
 */
#include <errno.h>
#include <stdlib.h>

#include <rdma/svt-abi.h>

#include "cq.h"
#include "qp.h"

struct create_qp_response {
	struct ib_uverbs_ex_create_qp_resp core;
	struct svt_create_qp_resp svt;
};

static_assert(offsetof(struct create_qp_response, svt) ==
	      sizeof(struct ib_uverbs_ex_create_qp_resp), "no gap in front of the driver's part");

#define CREATE_MASK	(IBV_QP_INIT_ATTR_CREATE_FLAGS | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)

/* What an XRC TGT QP is made in, instead of a PD */
static uint32_t home(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->qp_type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD;
}

static int check(const struct ibv_qp_init_attr_ex *attr)
{
	const struct svt_qp_kind *kind = svt_qp_kind(attr->qp_type);

	if (!kind || attr->comp_mask & ~(home(attr) | CREATE_MASK))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & home(attr)))
		return EINVAL;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    attr->send_ops_flags & ~kind->send_ops)
		return EOPNOTSUPP;
	return 0;
}

static size_t send_element_size(const struct ibv_qp_cap *cap)
{
	size_t sges = (size_t)cap->max_send_sge * sizeof(struct svt_sge);

	return sizeof(struct svt_send_wqe) +
	       (sges > cap->max_inline_data ? sges : cap->max_inline_data);
}

static int map_rings(struct svt_qp *qp, const struct ibv_qp_cap *cap,
		     const struct svt_create_qp_resp *response)
{
	int cmd_fd = qp->verbs.qp.context->cmd_fd;
	int err;

	if (qp->kind->xrc && !qp->kind->opcodes)
		return 0;
	err = svt_ring_map(&qp->send.ring, cmd_fd, &response->sq, send_element_size(cap),
			   cap->max_send_wr);
	if (err || qp->verbs.qp.srq || qp->kind->xrc)
		return err;
	err = svt_ring_map(&qp->recv.ring, cmd_fd, &response->rq,
			   svt_recv_element_size(cap->max_recv_sge), cap->max_recv_wr);
	if (err)
		svt_ring_unmap(&qp->send.ring);
	return err;
}

static void unmap_rings(struct svt_qp *qp)
{
	svt_ring_unmap(&qp->send.ring);
	svt_ring_unmap(&qp->recv.ring);
}

static int init(struct svt_qp *qp, const struct ibv_qp_init_attr_ex *attr,
		const struct svt_create_qp_resp *response)
{
	bool shared = attr->qp_type == IBV_QPT_XRC_RECV || svt_pd_is_shared(attr->pd);

	qp->kind = svt_qp_kind(attr->qp_type);
	svt_lock_init(&qp->send.lock, shared);
	qp->send.max_sge = attr->cap.max_send_sge;
	qp->send.max_inline = attr->cap.max_inline_data;
	svt_lock_init(&qp->recv.lock, shared);
	qp->recv.max_sge = attr->cap.max_recv_sge;
	svt_ioctl_init(&qp->doorbell, UVERBS_OBJECT_QP, SVT_METHOD_QP_DOORBELL);
	svt_ioctl_add_handle(&qp->doorbell, SVT_ATTR_DOORBELL_QP, qp->verbs.qp.handle);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		qp->verbs.comp_mask |= VERBS_QP_EX;
		svt_wr_api_init(&qp->verbs.qp_ex);
	}
	return map_rings(qp, &attr->cap, response);
}

static void enlist(struct svt_qp *qp, struct svt_pd *home)
{
	qp->home = home;
	pthread_mutex_lock(&home->lock);
	qp->next_datagram = home->datagram_qps;
	qp->link_datagram = &home->datagram_qps;
	if (qp->next_datagram)
		qp->next_datagram->link_datagram = &qp->next_datagram;
	home->datagram_qps = qp;
	pthread_mutex_unlock(&home->lock);
}

static void delist(struct svt_qp *qp)
{
	pthread_mutex_lock(&qp->home->lock);
	*qp->link_datagram = qp->next_datagram;
	if (qp->next_datagram)
		qp->next_datagram->link_datagram = qp->link_datagram;
	pthread_mutex_unlock(&qp->home->lock);
}

/**
 * svt_qp_send_posted - have the kernel do what was posted to the datagram QPs of a domain
 * @home: whose address handles the requests name
 *
 * A ring that the kernel watches is worked off a little later; the doorbell has it done in the
 * context of its call. What it answers is of no interest: the QP may be gone, or the device.
 */
void svt_qp_send_posted(struct svt_pd *home)
{
	struct svt_qp *qp;

	pthread_mutex_lock(&home->lock);
	for (qp = home->datagram_qps; qp; qp = qp->next_datagram)
		if (svt_ring_busy(&qp->send.ring))
			svt_ioctl_run(&qp->doorbell, qp->verbs.qp.context->cmd_fd);
	pthread_mutex_unlock(&home->lock);
}

/**
 * svt_create_qp_ex - create a QP
 * @context: of the device
 * @attr: what it shall be; its cap is set to what it is, which the provider holds the caller to
 *
 * Return: the QP, or NULL and errno: EOPNOTSUPP: a type, operation or extension that svt does not
 * have; others: from the kernel.
 */
struct ibv_qp *svt_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct create_qp_response response = {};
	struct ibv_create_qp_ex command = {};
	struct svt_qp *qp;
	int err;

	err = check(attr);
	if (err)
		goto fail;
	err = ENOMEM;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		goto fail;
	err = svt_cmd_create_qp(context, &qp->verbs, attr, &command, sizeof(command),
				&response.core, sizeof(response));
	if (err)
		goto free_qp;
	err = init(qp, attr, &response.svt);
	if (err)
		goto destroy;
	if (qp->kind->datagram)
		enlist(qp, svt_pd_home(attr->pd));
	return &qp->verbs.qp;

destroy:
	ibv_cmd_destroy_qp(&qp->verbs.qp);
free_qp:
	free(qp);
fail:
	errno = err;
	return NULL;
}

struct ibv_qp *svt_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = svt_create_qp_ex(pd->context, &ex);

	if (qp)
		attr->cap = ex.cap;
	return qp;
}

/**
 * svt_open_qp - have an XRC TGT QP that another process, or this one, created
 * @context: of the device
 * @attr: its number and XRC domain
 *
 * Return: a QP without queues, which ibv_destroy_qp() closes; or NULL and errno: EOPNOTSUPP: not a
 * type or extension of it; others: from the kernel.
 */
struct ibv_qp *svt_open_qp(struct ibv_context *context, struct ibv_qp_open_attr *attr)
{
	struct ib_uverbs_create_qp_resp response = {};
	struct ibv_open_qp command = {};
	struct svt_qp *qp;
	int err;

	if (attr->qp_type != IBV_QPT_XRC_RECV) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	qp->kind = svt_qp_kind(attr->qp_type);
	err = ibv_cmd_open_qp(context, &qp->verbs, sizeof(qp->verbs), attr, &command,
			      sizeof(command), &response, sizeof(response));
	if (!err)
		return &qp->verbs.qp;
	free(qp);
	errno = err;
	return NULL;
}

/* Before the QP goes: what it has completed can be forgotten then */
static int catch_up(const struct svt_qp *qp)
{
	int err = qp->kind->opcodes ? svt_cq_catch_up(qp->verbs.qp.send_cq) : 0;

	return err || qp->kind->xrc ? err : svt_cq_catch_up(qp->verbs.qp.recv_cq);
}

/*
 * Completions in a CQ that name a QP that is gone. Its number may be given to a new QP meanwhile,
 * but would have to be drawn again from 2^24, and that QP be connected and complete something,
 * before this thread gets from one system call to here.
 */
static void forget_completions(struct svt_qp *qp)
{
	struct ibv_cq *send_cq = qp->verbs.qp.send_cq;
	struct ibv_cq *recv_cq = qp->verbs.qp.recv_cq;

	if (qp->kind->opcodes)
		svt_cq_forget(to_svt_cq(send_cq), qp->verbs.qp.qp_num);
	if (!qp->kind->xrc && recv_cq != send_cq)
		svt_cq_forget(to_svt_cq(recv_cq), qp->verbs.qp.qp_num);
}

/* In RESET the kernel has emptied the rings (IBTA 10.3.1) */
static void restart(struct svt_lock *lock, struct svt_ring *ring)
{
	if (!ring->control)
		return;
	svt_lock(lock);
	svt_ring_adopt(ring);
	svt_unlock(lock);
}

/* The usual command has no room for a rate limit */
static int modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct ib_uverbs_ex_modify_qp_resp response = {};
	struct ibv_modify_qp_ex extended = {};
	struct ibv_modify_qp command = {};

	if (attr_mask & IBV_QP_RATE_LIMIT)
		return ibv_cmd_modify_qp_ex(qp, attr, attr_mask, &extended, sizeof(extended),
					    &response, sizeof(response));
	return ibv_cmd_modify_qp(qp, attr, attr_mask, &command, sizeof(command));
}

/* How bursts are shaped is left to the kernel */
int svt_modify_qp_rate_limit(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *limit)
{
	struct ibv_qp_attr attr = { .rate_limit = limit->rate_limit };

	if (limit->comp_mask || limit->max_burst_sz || limit->typical_pkt_sz)
		return EOPNOTSUPP;
	return modify(qp, &attr, IBV_QP_RATE_LIMIT);
}

int svt_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask)
{
	bool reset = attr_mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET;
	struct svt_qp *qp = to_svt_qp(ibqp);
	int err = reset ? catch_up(qp) : 0;

	if (err)
		return err;
	err = modify(ibqp, attr, attr_mask);
	if (err || !reset)
		return err;
	restart(&qp->send.lock, &qp->send.ring);
	restart(&qp->recv.lock, &qp->recv.ring);
	forget_completions(qp);
	return 0;
}

int svt_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp command = {};

	return ibv_cmd_query_qp(qp, attr, attr_mask, init_attr, &command, sizeof(command));
}

int svt_destroy_qp(struct ibv_qp *ibqp)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	int err;

	err = catch_up(qp);
	if (err)
		return err;
	err = ibv_cmd_destroy_qp(ibqp);
	if (err)
		return err;
	forget_completions(qp);
	if (qp->home)
		delist(qp);
	unmap_rings(qp);
	free(qp);
	return 0;
}
