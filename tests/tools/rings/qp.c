// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation, and the states that a well-behaved program takes one through.
 */
#include <string.h>

#include "object.h"

#define PORT		1
#define RD_ATOMIC	4
#define TIMEOUT		12	/* 17 ms, which may become 68 */
#define RETRIES		4
#define RNR_RETRIES	3
#define LONG_TIMEOUT	19	/* 2.1 s */
#define MOST_RETRIES	7
#define RNR_TIMER	1	/* 10 us */
#define REMOTE_ACCESS	(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_ATOMIC)

struct modify {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_modify_qp core;
};

int qp_create(const struct device *dev, const struct qp_wish *wish, struct qp *qp)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_create_qp core;
	} request = {
		.core.user_handle = wish->element,
		.core.pd_handle = wish->pd,
		.core.send_cq_handle = wish->send_cq->handle,
		.core.recv_cq_handle = wish->recv_cq->handle,
		.core.srq_handle = wish->srq ? wish->srq->handle : 0,
		.core.max_send_wr = wish->caps.send_wr,
		.core.max_recv_wr = wish->caps.recv_wr,
		.core.max_send_sge = wish->caps.send_sge,
		.core.max_recv_sge = wish->caps.recv_sge,
		.core.max_inline_data = wish->caps.inline_data,
		.core.qp_type = wish->type,
		.core.is_srq = !!wish->srq,
	};
	struct {
		struct ib_uverbs_create_qp_resp core;
		struct svt_create_qp_resp svt;
	} response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_CREATE_QP, &request, sizeof(request),
			     &response, sizeof(response));
	if (ret)
		return ret;
	*qp = (struct qp){
		.sq.info = response.svt.sq,
		.rq.info = response.svt.rq,
		.caps = {
			.send_wr = wish->caps.send_wr,
			.send_sge = response.core.max_send_sge,
			.inline_data = response.core.max_inline_data,
			.recv_wr = wish->caps.recv_wr,
			.recv_sge = response.core.max_recv_sge,
		},
		.handle = response.core.qp_handle,
		.qpn = response.core.qpn,
		.type = wish->type,
	};
	ret = ring_map(&qp->sq, dev->fd);
	return ret ? ret : ring_map(&qp->rq, dev->fd);
}

int qp_destroy(const struct device *dev, struct qp *qp)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_destroy_qp core;
	} request = { .core.qp_handle = qp->handle };
	struct ib_uverbs_destroy_qp_resp response;

	ring_unmap(&qp->sq);
	ring_unmap(&qp->rq);
	return device_command(dev->fd, IB_USER_VERBS_CMD_DESTROY_QP, &request, sizeof(request),
			      &response, sizeof(response));
}

static int modify(const struct device *dev, const struct qp *qp, struct modify *m,
		  enum ibv_qp_state state, u32 mask)
{
	m->core.qp_handle = qp->handle;
	m->core.qp_state = state;
	m->core.attr_mask = IBV_QP_STATE | mask;
	return device_command(dev->fd, IB_USER_VERBS_CMD_MODIFY_QP, m, sizeof(*m), NULL, 0);
}

int qp_to(const struct device *dev, const struct qp *qp, enum ibv_qp_state state)
{
	struct modify m = {};

	return modify(dev, qp, &m, state, 0);
}

/* The kernel sets the indices of a QP in RESET to 0 */
int qp_reset(const struct device *dev, struct qp *qp)
{
	qp->sq.index = 0;
	qp->rq.index = 0;
	return qp_to(dev, qp, IBV_QPS_RESET);
}

static int to_init(const struct device *dev, const struct qp *qp, const struct peer *peer)
{
	struct modify m = {
		.core.port_num = PORT,
		.core.qkey = peer->qkey,
		.core.qp_access_flags = REMOTE_ACCESS | peer->access,
	};

	return modify(dev, qp, &m, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		      (qp->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static int to_rtr(const struct device *dev, const struct qp *qp, const struct peer *peer)
{
	struct modify m = {
		.core.dest = {
			.sgid_index = dev->gid_index,
			.hop_limit = 64,
			.is_global = 1,
			.port_num = PORT,
		},
		.core.dest_qp_num = peer->qpn,
		.core.path_mtu = dev->mtu,
		.core.max_dest_rd_atomic = RD_ATOMIC,
		.core.min_rnr_timer = RNR_TIMER,
	};
	u32 mask = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (qp->type == IBV_QPT_UD)
		return modify(dev, qp, &m, IBV_QPS_RTR, 0);
	memcpy(m.core.dest.dgid, peer->gid, sizeof(m.core.dest.dgid));
	if (qp->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return modify(dev, qp, &m, IBV_QPS_RTR, mask);
}

static int to_rts(const struct device *dev, const struct qp *qp, bool patient)
{
	struct modify m = {
		.core.max_rd_atomic = RD_ATOMIC,
		.core.timeout = patient ? LONG_TIMEOUT : TIMEOUT,
		.core.retry_cnt = patient ? MOST_RETRIES : RETRIES,
		.core.rnr_retry = patient ? MOST_RETRIES : RNR_RETRIES,
	};

	if (qp->type != IBV_QPT_RC)
		return modify(dev, qp, &m, IBV_QPS_RTS, IBV_QP_SQ_PSN);
	return modify(dev, qp, &m, IBV_QPS_RTS,
		      IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT |
		      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
}

int qp_connect(const struct device *dev, const struct qp *qp, const struct peer *peer)
{
	int ret;

	ret = to_init(dev, qp, peer);
	if (!ret)
		ret = to_rtr(dev, qp, peer);
	return ret ? ret : to_rts(dev, qp, peer->patient);
}

/* Return: enum ibv_qp_state, or a negative errno */
int qp_state(const struct device *dev, const struct qp *qp)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_query_qp core;
	} request = { .core.qp_handle = qp->handle, .core.attr_mask = IBV_QP_STATE };
	struct ib_uverbs_query_qp_resp response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_QUERY_QP, &request, sizeof(request),
			     &response, sizeof(response));
	return ret ? ret : response.qp_state;
}

int qp_doorbell(int fd, u32 handle)
{
	struct ioctl_command c;

	ioctl_begin(&c, UVERBS_OBJECT_QP, SVT_METHOD_QP_DOORBELL);
	ioctl_add(&c, SVT_ATTR_DOORBELL_QP, 0, handle);
	return device_ioctl(fd, &c);
}
