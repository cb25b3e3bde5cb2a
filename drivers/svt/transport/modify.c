// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The state of a QP and its attributes, as modify_qp changes and query_qp reports them.
 *
 * verbs has checked the transition and the values. Paths and arrays, which may sleep or fail, are
 * made first. Then both half locks are taken and everything changes at once, so that a run of
 * requester or responder sees either all of a transition or nothing.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "../trace.h"
#include "../wire/psn.h"
#include "modify.h"
#include "qp/av.h"
#include "qp/half.h"
#include "qp/peers.h"
#include "requester/request.h"
#include "requester/requester.h"
#include "responder/rd_atomic.h"
#include "responder/responder.h"

/* Made before the locks are taken */
struct svt_qp_change {
	struct svt_path *path;
	u32 *read_ends;
	u32 read_entries;		/* a power of two */
	struct svt_resource *resources;
	u32 resource_entries;
};

static void svt_qp_lock(struct svt_qp *qp)
	__acquires(&qp->send.half.lock)
	__acquires(&qp->recv.half.lock)
{
	spin_lock_bh(&qp->send.half.lock);
	spin_lock(&qp->recv.half.lock);
}

static void svt_qp_unlock(struct svt_qp *qp)
	__releases(&qp->recv.half.lock)
	__releases(&qp->send.half.lock)
{
	spin_unlock(&qp->recv.half.lock);
	spin_unlock_bh(&qp->send.half.lock);
	/* Callers that found a lock held left their bits */
	svt_send_schedule(qp, 0);
	svt_recv_schedule(qp, 0);
}

static void svt_path_drop(struct svt_qp *qp, struct svt_path *path)
{
	if (qp->dev->ops->path_release)
		qp->dev->ops->path_release(qp->dev, path);
	rdma_destroy_ah_attr(&path->ah_attr);
}

/* The QP sends nothing any more */
void svt_qp_release_path(struct svt_qp *qp)
{
	if (qp->path_valid)
		svt_path_drop(qp, &qp->path);
	qp->path_valid = false;
}

static void svt_qp_reset_locked(struct svt_qp *qp)
{
	enum ib_qp_state old = qp->state;

	qp->state = IB_QPS_RESET;
	/* Unlike all others these need not be set again on the way to RTS */
	qp->attr.rate_limit = 0;
	qp->attr.en_sqd_async_notify = 0;
	trace_svt_qp_state(qp, old, IB_QPS_RESET);
	svt_requester_reset(qp);
	svt_responder_reset(qp);
	/* Packets are added without the half's lock */
	skb_queue_purge(&qp->send.half.backlog);
	skb_queue_purge(&qp->recv.half.backlog);
}

/* Process context. The caller holds modify_lock, or is alone with the QP. */
void svt_qp_reset_halves(struct svt_qp *qp)
{
	svt_qp_lock(qp);
	svt_qp_reset_locked(qp);
	svt_qp_unlock(qp);
	/* Nothing more is sent to it */
	svt_peer_release(qp->peer, qp->uid);
	qp->peer = NULL;
}

static int svt_change_path(struct svt_qp *qp, const struct ib_qp_attr *attr,
			   struct svt_qp_change *change)
{
	u32 remote_qpn = attr->dest_qp_num ?: qp->attr.dest_qp_num;
	struct svt_path *path = kzalloc(sizeof(*path), SVT_GFP_CHARGED);
	int ret = 0;

	if (!path)
		return -ENOMEM;
	svt_path_address(path, &attr->ah_attr);
	path->entropy = rdma_calc_flow_label(qp->qpn, remote_qpn);
	if (qp->dev->ops->path_init)
		ret = qp->dev->ops->path_init(qp->dev, path);
	if (ret) {
		rdma_destroy_ah_attr(&path->ah_attr);
		kfree(path);
		return ret;
	}
	change->path = path;
	return 0;
}

static int svt_change_prepare(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
			      struct svt_qp_change *change)
{
	/* In SQD the rings may hold requests under way, so they never shrink */
	if (mask & IB_QP_MAX_QP_RD_ATOMIC) {
		change->read_entries = max_t(u32, qp->send.read_entries,
					     roundup_pow_of_two(attr->max_rd_atomic ?: 1));
		change->read_ends = kcalloc(change->read_entries, sizeof(*change->read_ends),
					    SVT_GFP_CHARGED);
		if (!change->read_ends)
			return -ENOMEM;
	}
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC) {
		change->resource_entries = max_t(u32, qp->recv.resource_entries,
						 attr->max_dest_rd_atomic + 1);
		change->resources = kcalloc(change->resource_entries, sizeof(*change->resources),
					    SVT_GFP_CHARGED);
		if (!change->resources)
			return -ENOMEM;
	}
	return mask & IB_QP_AV && qp->type->connected ? svt_change_path(qp, attr, change) : 0;
}

/* Frees what the change did not use, or what it replaced */
static void svt_change_finish(struct svt_qp *qp, struct svt_qp_change *change)
{
	if (change->path) {
		svt_path_drop(qp, change->path);
		kfree(change->path);
	}
	kfree(change->read_ends);
	kfree(change->resources);
}

static void svt_change_swap(struct svt_qp *qp, struct svt_qp_change *change)
{
	if (change->path) {
		if (qp->path_valid) {
			swap(qp->path, *change->path);
		} else {
			qp->path = *change->path;
			kfree(change->path);
			change->path = NULL;
		}
		qp->path_valid = true;
	}
	if (change->read_ends) {
		svt_requester_move_reads(&qp->send, change->read_ends, change->read_entries);
		swap(qp->send.read_ends, change->read_ends);
		qp->send.read_entries = change->read_entries;
	}
	if (change->resources) {
		svt_resource_move(&qp->recv, change->resources, change->resource_entries);
		swap(qp->recv.resources, change->resources);
		qp->recv.resource_entries = change->resource_entries;
	}
}

static void svt_attr_copy(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		to->en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_AV)
		to->ah_attr = qp->path.ah_attr;
	if (mask & IB_QP_PATH_MTU) {
		to->path_mtu = attr->path_mtu;
		qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	}
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = svt_psn(attr->rq_psn);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = svt_psn(attr->sq_psn);
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_PATH_MIG_STATE)
		to->path_mig_state = attr->path_mig_state;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_RATE_LIMIT) {
		to->rate_limit = attr->rate_limit;
		qp->send.rate_next = 0;
	}
}

/* -EINVAL: the flush found an error and took the QP to ERR */
static int svt_enter(struct svt_qp *qp, enum ib_qp_state new_state)
{
	enum ib_qp_state old = qp->state;

	if (new_state == IB_QPS_RTR && old == IB_QPS_INIT) {
		qp->recv.epsn = qp->attr.rq_psn;
		if (!qp->type->connected && !qp->type->frame) {
			qp->mtu = ib_mtu_enum_to_int(qp->core->link.mtu);
			qp->send.limits.max_message = qp->mtu;
		}
	}
	if (new_state == IB_QPS_RTS && old == IB_QPS_RTR)
		svt_requester_start(qp);
	/* Requests posted before are not sent now, even if there was no time to flush them */
	if (new_state == IB_QPS_RTS && old == IB_QPS_SQE) {
		svt_send_flush(qp, qp->send.ring.entries);
		if (qp->state != old)
			return -EINVAL;
	}
	if (new_state == IB_QPS_SQD && old != IB_QPS_SQD)
		qp->send.drained = false;
	WRITE_ONCE(qp->state, new_state);
	if (old != new_state)
		trace_svt_qp_state(qp, old, new_state);
	return 0;
}

/**
 * svt_qp_modify - change attributes and state
 * @qp: QP
 * @attr: attributes; verbs has checked states, mask and ranges
 * @mask: enum ib_qp_attr_mask
 * @state: old state that the transition was checked for
 * @new_state: may be the same
 *
 * Context: process.
 * Return: 0, -EINVAL (the QP went to ERR meanwhile), -ENOMEM, or an error of path_init.
 */
int svt_qp_modify(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
		  enum ib_qp_state state, enum ib_qp_state new_state)
{
	struct svt_qp_change change = {};
	int ret;

	lockdep_assert_held(&qp->modify_lock);
	if (new_state == IB_QPS_RESET) {
		svt_qp_reset_halves(qp);
		hrtimer_cancel(&qp->send.timer);
		return 0;
	}
	ret = svt_change_prepare(qp, attr, mask, &change);
	if (!ret) {
		svt_qp_lock(qp);
		if (qp->state == state || new_state == IB_QPS_ERR) {
			svt_change_swap(qp, &change);
			svt_attr_copy(qp, attr, mask);
			ret = svt_enter(qp, new_state);
		} else {
			ret = -EINVAL;
		}
		atomic_or(SVT_WORK_STATE, &qp->send.half.work);
		atomic_or(SVT_WORK_STATE, &qp->recv.half.work);
		svt_qp_unlock(qp);
	}
	svt_change_finish(qp, &change);
	return ret;
}

/* Process context */
void svt_qp_query(struct svt_qp *qp, struct ib_qp_attr *attr)
{
	svt_qp_lock(qp);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->sq_draining = qp->state == IB_QPS_SQD && !qp->send.drained;
	attr->cap = qp->cap;
	/* As a NIC does: where the queues stand now */
	attr->rq_psn = qp->recv.epsn;
	attr->sq_psn = qp->send.cursor.psn;
	svt_qp_unlock(qp);
	attr->ah_attr.grh.sgid_attr = NULL;
}
