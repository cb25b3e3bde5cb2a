// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two connected QPs of one host: their data never becomes packets. The requester builds its train
 * as for the wire. When the backend says that the path leads to a device of this host, the
 * responder of the peer copies from memory to memory, and the completer gets its answers in the
 * same way. So sequence, checks, retries and completions are those of the wire.
 *
 * The requester holds send.half.lock of its QP, and takes recv.half.lock of the peer for a moment:
 * a QP with itself takes them in the same order. It waits for that lock instead of leaving a bit,
 * as packets of UC may not overtake each other. A responder holds no lock of the other QP, so it
 * can hand over answers only while the requester waits for them (recv.loopback_peer); all else goes
 * over the wire, which is loopback here. Its notifications stay in recv.half.notify until the
 * requester holds no lock.
 */
#include "drop.h"
#include "loopback.h"
#include "packets.h"
#include "table.h"

/* Each is SVT_ANSWER_TRAINS: more than may be outstanding has no answer */
#define SVT_RESPOND_ROUNDS	8

/* Caller holds @half->lock. False: packets are needed. */
bool svt_loopback_may(const struct svt_qp *qp, const struct svt_half *half)
{
	if (!qp->type->connected || !READ_ONCE(qp->core->same_host))
		return false;
	return half == &qp->send.half || qp->recv.loopback_peer;
}

static bool svt_are_peers(const struct svt_qp *a, const struct svt_qp *b)
{
	return a->attr.dest_qp_num == b->qpn && b->attr.dest_qp_num == a->qpn &&
	       a->path.netns == b->path.netns &&
	       svt_gid_equal(&a->path.sgid, &b->path.dgid) &&
	       svt_gid_equal(&a->path.dgid, &b->path.sgid);
}

static struct svt_qp *svt_requests_deliver(struct svt_qp *qp, const struct svt_train *train)
{
	struct svt_core *core = train->peer->core;
	struct svt_qp *peer = svt_qp_lookup(core, qp->attr.dest_qp_num);

	if (!peer) {
		svt_drop(core->counters, NULL, SVT_COUNT_RX_DROPPED_NO_QP);
		return NULL;
	}
	spin_lock(&peer->recv.half.lock);
	if (svt_are_peers(qp, peer))
		svt_half_train(peer, &peer->recv.half, train);
	else
		svt_drop(core->counters, NULL, SVT_COUNT_RX_DROPPED_ADDRESS);
	spin_unlock(&peer->recv.half.lock);
	return peer;
}

/*
 * For a train that the backend did not take. Caller holds @half->lock, BH off, RCU read section.
 * Returns the QP that got requests, for svt_loopback_respond(), or NULL.
 */
struct svt_qp *svt_loopback_deliver(struct svt_qp *qp, struct svt_half *half,
				    const struct svt_train *train)
{
	struct svt_qp *peer = qp->recv.loopback_peer;

	svt_count_add(svt_qp_counters(qp), SVT_COUNT_TX_SAME_HOST, train->packets);
	if (half == &qp->send.half)
		return svt_requests_deliver(qp, train);
	if (peer->dev == train->peer)
		svt_half_train(peer, &peer->send.half, train);
	else
		svt_drop(train->peer->core->counters, NULL, SVT_COUNT_RX_DROPPED_ADDRESS);
	return NULL;
}

/* @peer: from svt_loopback_deliver() in this RCU read section. BH off. */
void svt_loopback_respond(struct svt_qp *qp, struct svt_qp *peer)
{
	struct svt_half *half = &peer->recv.half;
	unsigned int rounds = SVT_RESPOND_ROUNDS;

	lockdep_assert_held(&qp->send.half.lock);
	spin_lock(&half->lock);
	if (svt_are_peers(qp, peer)) {
		peer->recv.loopback_peer = qp;
		do {
			half->run(peer, 0);
		} while (--rounds && atomic_fetch_andnot(SVT_WORK_BUDGET, &half->work) &
				     SVT_WORK_BUDGET);
		peer->recv.loopback_peer = NULL;
	}
	spin_unlock(&half->lock);
	/* For its notifications, and for callers that found its lock taken */
	qp->send.half.notify.peer = peer;
}
