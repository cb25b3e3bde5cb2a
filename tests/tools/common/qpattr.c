// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attributes and masks of the QP transitions RESET, INIT, RTR, RTS for RC, UC, UD and XRC, as
 * IBTA 11.2.5.2 requires them.
 */
#include <string.h>

#include "clock.h"
#include "dev.h"
#include "qpattr.h"

void qpattr_defaults(struct qp_path *p)
{
	double scale;

	memset(p, 0, sizeof(*p));
	p->mtu = IBV_MTU_1024;
	p->access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		    IBV_ACCESS_REMOTE_ATOMIC;
	p->qkey = 0x11111111;
	p->hop_limit = 64;
	p->rd_atomic = 4;
	p->timeout = 16;
	for (scale = clock_scale(); scale >= 2 && p->timeout < 20; scale /= 2)
		p->timeout++;
	p->retry_cnt = 7;
	p->rnr_retry = 7;
	p->min_rnr_timer = 12;
}

void qpattr_ah(struct ibv_ah_attr *ah, const union ibv_gid *dgid, u8 sgid_index, u8 hop_limit)
{
	memset(ah, 0, sizeof(*ah));
	ah->is_global = 1;
	ah->port_num = DEV_PORT;
	ah->grh.dgid = *dgid;
	ah->grh.sgid_index = sgid_index;
	ah->grh.hop_limit = hop_limit;
}

int qpattr_init(struct ibv_qp_attr *attr, enum ibv_qp_type type, const struct qp_path *p)
{
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_INIT;
	attr->port_num = DEV_PORT;
	if (type == IBV_QPT_UD) {
		attr->qkey = p->qkey;
		return mask | IBV_QP_QKEY;
	}
	attr->qp_access_flags = p->access;
	return mask | IBV_QP_ACCESS_FLAGS;
}

int qpattr_rtr(struct ibv_qp_attr *attr, enum ibv_qp_type type, const struct qp_path *p)
{
	int mask = IBV_QP_STATE;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_RTR;
	if (type == IBV_QPT_UD)
		return mask;
	qpattr_ah(&attr->ah_attr, &p->peer.gid, p->sgid_index, p->hop_limit);
	attr->path_mtu = p->mtu;
	attr->dest_qp_num = p->peer.qpn;
	attr->rq_psn = p->peer.psn;
	mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (type == IBV_QPT_UC || type == IBV_QPT_XRC_SEND)
		return mask;
	attr->max_dest_rd_atomic = p->rd_atomic;
	attr->min_rnr_timer = p->min_rnr_timer;
	return mask | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
}

int qpattr_rts(struct ibv_qp_attr *attr, enum ibv_qp_type type, const struct qp_path *p)
{
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_RTS;
	attr->sq_psn = p->sq_psn;
	if (type == IBV_QPT_UC || type == IBV_QPT_UD)
		return mask;
	attr->timeout = p->timeout;
	/* Of the two halves of XRC one sends nothing */
	if (type == IBV_QPT_XRC_RECV)
		return mask | IBV_QP_TIMEOUT;
	attr->max_rd_atomic = p->rd_atomic;
	attr->retry_cnt = p->retry_cnt;
	attr->rnr_retry = p->rnr_retry;
	return mask | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
	       IBV_QP_RNR_RETRY;
}

int qpattr_to_rts(struct ibv_qp *qp, const struct qp_path *p)
{
	static int (*const steps[])(struct ibv_qp_attr *, enum ibv_qp_type,
				    const struct qp_path *) = {
		qpattr_init, qpattr_rtr, qpattr_rts,
	};
	struct ibv_qp_attr attr;
	int mask, err = 0;
	u32 i;

	for (i = 0; !err && i < ARRAY_SIZE(steps); i++) {
		mask = steps[i](&attr, qp->qp_type, p);
		err = ibv_modify_qp(qp, &attr, mask);
	}
	return err;
}

int qpattr_connect(struct ibv_qp *qp, u8 sgid_index, const union ibv_gid *gid, u32 qpn)
{
	struct qp_path path;

	qpattr_defaults(&path);
	path.sgid_index = sgid_index;
	path.peer.gid = *gid;
	path.peer.qpn = qpn;
	return qpattr_to_rts(qp, &path);
}
