// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Modify QP: whether the caller may ask for what it asks for (IBTA 11.2.5.2). Every attribute is
 * checked here, once, under svt_qp.modify_lock; the transport then makes the change.
 */
#include <linux/capability.h>
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>

#include "../transport/modify.h"
#include "../transport/requester/rate_limit.h"
#include "../transport/qp/peers.h"
#include "verbs.h"

#define SVT_TIMEOUT_MAX		31
#define SVT_RNR_TIMER_MAX	31
#define SVT_RETRY_MAX		7

static int svt_modify_check_port(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index >= SVT_PKEY_TABLE_LENGTH)
		return -EINVAL;
	if (mask & IB_QP_RATE_LIMIT && attr->rate_limit && attr->rate_limit < SVT_RATE_MIN)
		return -EINVAL;
	/* Includes FLUSH to persistent memory: the connection manager always asks for it */
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~IB_ACCESS_SUPPORTED)
		return -EOPNOTSUPP;
	return 0;
}

static int svt_modify_check_path(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ALT_PATH)
		return -EOPNOTSUPP;
	if (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED)
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU && (attr->path_mtu < IB_MTU_256 ||
				      attr->path_mtu > svt_active_mtu(qp->core)))
		return -EINVAL;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num & ~SVT_QPN_MASK)
		return -EINVAL;
	if (!(mask & IB_QP_AV))
		return 0;
	if (rdma_is_multicast_addr((struct in6_addr *)attr->ah_attr.grh.dgid.raw))
		return -EINVAL;
	return svt_ah_attr_check(qp->ibqp.device, &attr->ah_attr, uid_valid(qp->uid));
}

static int svt_modify_check_reliable(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_TIMEOUT && attr->timeout > SVT_TIMEOUT_MAX)
		return -EINVAL;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > SVT_RETRY_MAX)
		return -EINVAL;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > SVT_RETRY_MAX)
		return -EINVAL;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > SVT_RNR_TIMER_MAX)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > SVT_MAX_RD_ATOMIC)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > SVT_MAX_RD_ATOMIC)
		return -EINVAL;
	return 0;
}

/* The engine may set ERR or SQE meanwhile: svt_qp_modify() looks again under both halves' locks */
static int svt_modify_check_state(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
				  enum ib_qp_state old, enum ib_qp_state new)
{
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != old)
		return -EINVAL;
	if (new > IB_QPS_ERR)
		return -EINVAL;
	/* ib_core knows this bit for raw packet QPs only */
	if (mask & IB_QP_RATE_LIMIT && new != IB_QPS_RTS)
		return -EINVAL;
	mask &= ~IB_QP_RATE_LIMIT;
	return ib_modify_qp_is_ok(old, new, qp->ibqp.qp_type, mask) ? 0 : -EINVAL;
}

static int svt_modify_check(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
			    enum ib_qp_state old, enum ib_qp_state new)
{
	if (mask & ~(IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	return svt_modify_check_state(qp, attr, mask, old, new) ?:
	       svt_modify_check_port(qp, attr, mask) ?:
	       svt_modify_check_path(qp, attr, mask) ?:
	       svt_modify_check_reliable(qp, attr, mask);
}

static bool svt_may_send_anything(const struct ib_gid_attr *attr)
{
	struct net *net;
	bool may;

	rcu_read_lock();
	net = svt_gid_net(attr);
	may = net && ns_capable(net->user_ns, CAP_NET_RAW);
	rcu_read_unlock();
	return may;
}

/*
 * The peer to connect to, for svt_peer_release(). NULL: no change of peer. -EADDRINUSE: a QP of
 * another user has it (transport/qp/peers.c); with CAP_NET_RAW nobody is refused.
 */
static struct svt_peer *svt_modify_peer(const struct svt_qp *qp, const struct ib_qp_attr *attr,
					int mask)
{
	u32 qpn = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->attr.dest_qp_num;
	const struct ib_gid_attr *sgid = attr->ah_attr.grh.sgid_attr;
	struct svt_peer_pair_key key = {};
	const struct net *net;
	struct svt_peer *peer;

	if (!qp->type->connected || !(mask & IB_QP_AV))
		return NULL;
	rcu_read_lock();
	net = svt_gid_net(sgid);
	/* A netdev that was just removed is in none, and gets no path */
	key.netns = net ? net->net_cookie : 0;
	rcu_read_unlock();
	key.sgid = sgid->gid;
	key.dgid = attr->ah_attr.grh.dgid;
	peer = svt_peer_take(&key, qpn, qp->uid, false);
	if (PTR_ERR_OR_ZERO(peer) == -EADDRINUSE && svt_may_send_anything(sgid))
		peer = svt_peer_take(&key, qpn, qp->uid, true);
	return peer;
}

/* @qp has the new peer before it may send there, and the old one until it no longer does */
static int svt_modify(struct svt_qp *qp, const struct ib_qp_attr *attr, int mask,
		      enum ib_qp_state old, enum ib_qp_state new)
{
	struct svt_peer *peer = svt_modify_peer(qp, attr, mask);
	int ret;

	if (IS_ERR(peer))
		return PTR_ERR(peer);
	ret = svt_qp_modify(qp, attr, mask, old, new);
	if (!ret && peer)
		swap(qp->peer, peer);
	svt_peer_release(peer, qp->uid);
	return ret;
}

/* ib_device_ops.modify_qp. When it fails the QP stays as it was. */
int svt_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct svt_qp *qp = to_svt_qp(ibqp);
	enum ib_qp_state old, new;
	int ret;

	ret = ib_no_udata_io(udata);
	if (ret)
		return ret;
	mutex_lock(&qp->modify_lock);
	old = READ_ONCE(qp->state);
	new = mask & IB_QP_STATE ? attr->qp_state : old;
	ret = svt_modify_check(qp, attr, mask, old, new);
	if (!ret)
		ret = svt_modify(qp, attr, mask, old, new);
	/* For QPs of a process the provider drops them */
	if (!ret && new == IB_QPS_RESET)
		svt_qp_forget_completions(qp);
	mutex_unlock(&qp->modify_lock);
	return ret;
}
