// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two connected QPs of one host: their packets never become any.
 *
 * The requester builds its train as for the wire. When the backend says that the path leads to a
 * device of this host, the responder of the peer is given headers and payload where they are, and
 * copies from memory to memory. Then the requester asks it for its answers, which go to the
 * completer in the same way. So sequence, checks, retries and completions are those of the wire.
 *
 * The context is that of the requester: it holds send.half.lock of its QP, and takes recv.half.lock
 * of the peer for a moment, which is the order that a QP with itself has too. It waits for that
 * lock instead of leaving a bit: packets of UC may not overtake each other. A responder holds no
 * lock of the other QP, so it can hand over answers only while the requester waits for them
 * (recv.loopback_peer); whatever else it has to say goes over the wire, which is loopback here. Its
 * notifications stay in recv.half.notify until the requester holds no lock.
 */
#include "drop.h"
#include "loopback.h"
#include "packets.h"
#include "table.h"

/* Each is SVT_ANSWER_TRAINS: more than may be outstanding has no answer */
#define SVT_RESPOND_ROUNDS	8

/**
 * svt_loopback_may - whether a train may be handed to a QP of this host
 * @qp: QP that sends
 * @half: the half of it
 *
 * Context: @half->lock held.
 * Return: false when packets are needed.
 */
bool svt_loopback_may(const struct svt_qp *qp, const struct svt_half *half)
{
	if (!qp->type->connected || !READ_ONCE(qp->core->same_host))
		return false;
	return half == &qp->send.half || qp->recv.loopback_peer;
}

/* Each is what the other was connected to */
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

/**
 * svt_loopback_deliver - instead of what the backend does with a train
 * @qp: QP that svt_loopback_may()
 * @half: the half of it that sends
 * @train: that the backend did not take
 *
 * Context: @half->lock held, BH off, RCU read section.
 * Return: the QP that got requests: svt_loopback_respond() has to follow; or NULL.
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

/**
 * svt_loopback_respond - have the answers to what was delivered
 * @qp: QP
 * @peer: of this host, from svt_loopback_deliver() in this RCU read section
 *
 * Context: send.half.lock of @qp held, BH off, RCU read section.
 */
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
	/* For what it owes, and for the bits of those who found its lock taken */
	qp->send.half.notify.peer = peer;
}
