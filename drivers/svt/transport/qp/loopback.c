// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two connected QPs of one host: their packets never become any.
 *
 * The requester builds its train as for the wire. When the backend says that the path leads to a
 * device of this host, the responder of the peer is given headers and payload where they are, and
 * copies from memory to memory. Then the requester asks it for its answers, which go to the
 * completer in the same way. So sequence, checks, retries and completions are those of the wire.
 *
 * The context is that of the requester: it holds send.side.lock of its QP, and takes recv.side.lock
 * of the peer for a moment, which is the order that a QP with itself has too. It waits for that
 * lock instead of leaving a bit: packets of UC may not overtake each other. A responder holds no
 * lock of the other QP, so it can hand over answers only while it is asked (recv.asker); whatever
 * else it has to say goes over the wire, which is loopback here. What it owes to clients stays in
 * its recv.side.notify and is paid once the requester holds no lock.
 */
#include "drop.h"
#include "loopback.h"
#include "packets.h"
#include "table.h"

/* Each is SVT_ANSWER_TRAINS: more than may be outstanding has no answer */
#define SVT_ASK_ROUNDS	8

/**
 * svt_same_host_may - whether a train may be handed to a QP of this host
 * @qp: QP that sends
 * @side: the side of it
 *
 * Context: @side->lock held.
 * Return: false when packets are needed.
 */
bool svt_same_host_may(const struct svt_qp *qp, const struct svt_side *side)
{
	if (!qp->type->connected || !READ_ONCE(qp->core->same_host))
		return false;
	return side == &qp->send.side || qp->recv.asker;
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
	spin_lock(&peer->recv.side.lock);
	if (svt_are_peers(qp, peer))
		svt_side_train(peer, &peer->recv.side, train);
	else
		svt_drop(core->counters, NULL, SVT_COUNT_RX_DROPPED_ADDRESS);
	spin_unlock(&peer->recv.side.lock);
	return peer;
}

/**
 * svt_same_host_deliver - instead of what the backend does with a train
 * @qp: QP that svt_same_host_may()
 * @side: the side of it that sends
 * @train: that the backend did not take
 *
 * Context: @side->lock held, BH off, RCU read section.
 * Return: the QP that got requests: svt_same_host_ask() has to follow; or NULL.
 */
struct svt_qp *svt_same_host_deliver(struct svt_qp *qp, struct svt_side *side,
				     const struct svt_train *train)
{
	struct svt_qp *asker = qp->recv.asker;

	svt_count_add(svt_qp_counters(qp), SVT_COUNT_TX_SAME_HOST, train->packets);
	if (side == &qp->send.side)
		return svt_requests_deliver(qp, train);
	if (asker->dev == train->peer)
		svt_side_train(asker, &asker->send.side, train);
	else
		svt_drop(train->peer->core->counters, NULL, SVT_COUNT_RX_DROPPED_ADDRESS);
	return NULL;
}

/**
 * svt_same_host_ask - have the answers to what was delivered
 * @qp: QP
 * @peer: of this host, from svt_same_host_deliver() in this RCU read section
 *
 * Context: send.side.lock of @qp held, BH off, RCU read section.
 */
void svt_same_host_ask(struct svt_qp *qp, struct svt_qp *peer)
{
	struct svt_side *side = &peer->recv.side;
	unsigned int rounds = SVT_ASK_ROUNDS;

	lockdep_assert_held(&qp->send.side.lock);
	spin_lock(&side->lock);
	if (svt_are_peers(qp, peer)) {
		peer->recv.asker = qp;
		do {
			side->run(peer, 0);
		} while (--rounds && atomic_fetch_andnot(SVT_WORK_BUDGET, &side->work) &
				     SVT_WORK_BUDGET);
		peer->recv.asker = NULL;
	}
	spin_unlock(&side->lock);
	/* For what it owes, and for the bits of those who found its lock taken */
	qp->send.side.notify.peer = peer;
}
