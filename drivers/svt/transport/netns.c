// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of a network namespace that QPs of a device live in, though the device does not.
 */
#include <linux/export.h>
#include <linux/rhashtable.h>

#include "qp/half.h"

/* In one RCU read section */
#define QPS_AT_ONCE	256
/* Over all QPs, at most */
#define PASSES		8

static bool svt_qp_lives_in(const struct svt_qp *qp, u32 netns)
{
	lockdep_assert_held(&qp->recv.half.lock);
	return qp->flow.netns == netns || qp->path.netns == netns;
}

/* True: the QP lived there and was not in ERR */
static bool svt_qp_leave(struct svt_qp *qp, u32 netns)
{
	struct svt_half *half = &qp->recv.half;
	bool alive = false;

	spin_lock_bh(&half->lock);
	if (svt_qp_lives_in(qp, netns)) {
		alive = READ_ONCE(qp->state) != IB_QPS_ERR;
		svt_qp_fail(qp, half, IB_EVENT_QP_FATAL);
	}
	spin_unlock_bh(&half->lock);
	/* For what svt_qp_fail() set, and for callers that found the lock taken */
	svt_recv_schedule(qp, 0);
	return alive;
}

/* QPS_AT_ONCE at a time. True: there may be more */
static bool svt_qps_leave(struct rhashtable_iter *iter, u32 netns, bool *found)
{
	struct svt_qp *qp;
	u32 left;

	rhashtable_walk_start(iter);
	/* A walk begins again after a resize of the table, and meets some QPs twice */
	for (left = QPS_AT_ONCE; left; left--) {
		qp = rhashtable_walk_next(iter);
		if (!qp)
			break;
		if (!IS_ERR(qp) && svt_qp_leave(qp, netns))
			*found = true;
	}
	rhashtable_walk_stop(iter);
	return !left;
}

/**
 * svt_netns_gone - take all QPs that live in a namespace to the error state
 * @dev: device of another namespace; it stays registered until this returns
 * @netns: as svt_path.netns; not 0. The backend gives it to no path or flow any more
 *
 * Context: may sleep.
 */
void svt_netns_gone(struct svt_device *dev, u32 netns)
{
	unsigned int passes = PASSES;
	struct rhashtable_iter iter;
	bool found;

	/*
	 * A walk skips a QP when the one where it rests is destroyed: walk until none is found.
	 * PASSES is the bound, as a process can take its QP out of ERR each time.
	 */
	do {
		found = false;
		rhashtable_walk_enter(&dev->core->qps, &iter);
		while (svt_qps_leave(&iter, netns, &found))
			cond_resched();
		rhashtable_walk_exit(&iter);
	} while (found && --passes);
}
EXPORT_SYMBOL_GPL(svt_netns_gone);
