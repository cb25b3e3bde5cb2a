// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Acknowledgments that wait for the program.
 *
 * A program that is sent a request often answers with a message of its own. Its train can take the
 * acknowledgment along as the last packet, in the same skb: half of the ways through the stack are
 * saved. So where the program has answered several times in a row, the acknowledgment is held back
 * until the requester takes it, for SVT_HOLD_NS at most. What comes first ends the wait: the next
 * request, a duplicate, a NAK, the error state, reset. A program that does not answer in time is
 * not waited for until it has answered several times again.
 *
 * State is that of the responder, under recv.side.lock. The requester takes that lock by an
 * attempt, under send.side.lock: if somebody else has it the acknowledgment goes later.
 */
#include "hold.h"
#include "responder.h"

#define SVT_HOLD_NS		(100 * NSEC_PER_USEC)
/* Answers in a row after which acknowledgments wait */
#define SVT_HOLD_AFTER		4
/* With more than this outstanding the peer may itself wait for an acknowledgment to go on */
#define SVT_HOLD_OUTSTANDING	16
/* A peer is likely to have the same timeout; this is 1 ms, and what is shorter is not held back */
#define SVT_HOLD_TIMEOUT	8

static enum hrtimer_restart svt_hold_timer(struct hrtimer *timer)
{
	svt_recv_kick(container_of(timer, struct svt_qp, recv.timer), SVT_WORK_TIMER);
	return HRTIMER_NORESTART;
}

/**
 * svt_hold_init - nothing is held back
 * @qp: new QP
 */
void svt_hold_init(struct svt_qp *qp)
{
	hrtimer_init(&qp->recv.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	qp->recv.timer.function = svt_hold_timer;
}

/* Never pushed back: it fires for the first that is held back, and is then set for the newest */
static void svt_hold_arm(struct svt_recv_side *recv)
{
	if (!hrtimer_is_queued(&recv->timer))
		hrtimer_start(&recv->timer, recv->hold_until, HRTIMER_MODE_ABS_SOFT);
}

/*
 * Requests came: did the program send something since the last ones? What is read of the requester
 * is a hint, and may be stale: pairs with the WRITE_ONCE() under send.side.lock.
 */
static bool svt_hold_expects_answer(struct svt_qp *qp)
{
	const struct svt_send_side *send = &qp->send;
	struct svt_recv_side *recv = &qp->recv;
	u32 trains = READ_ONCE(send->trains);
	bool answered = trains != recv->trains_seen;

	recv->trains_seen = trains;
	recv->answers = answered ? min(recv->answers + 1, SVT_HOLD_AFTER) : 0;
	return recv->answers == SVT_HOLD_AFTER &&
	       svt_psn_diff(READ_ONCE(send->cursor.next_psn), READ_ONCE(send->una)) <=
	       SVT_HOLD_OUTSTANDING;
}

/**
 * svt_hold_may - whether the answer that is due is to wait
 * @qp: RC QP
 *
 * Context: recv.side.lock held.
 * Return: true: the requester takes it along, or the timer brings the next round.
 */
bool svt_hold_may(struct svt_qp *qp)
{
	struct svt_recv_side *recv = &qp->recv;
	ktime_t now;

	if (recv->ack_syndrome != SVT_AETH_ACK || recv->asker ||
	    READ_ONCE(qp->state) != IB_QPS_RTS ||
	    (qp->attr.timeout && qp->attr.timeout < SVT_HOLD_TIMEOUT))
		return false;
	if (!recv->ack_held && !svt_hold_expects_answer(qp))
		return false;
	now = ktime_get();
	if (!recv->ack_held)
		recv->hold_until = ktime_add_ns(now, SVT_HOLD_NS);
	if (ktime_compare(now, recv->hold_until) >= 0) {
		recv->answers = 0;
		return false;
	}
	WRITE_ONCE(recv->ack_held, true);
	svt_hold_arm(recv);
	return true;
}

/* Under both locks: the train, with the acknowledgment if it still waits */
static int svt_hold_send_both(struct svt_qp *qp, struct svt_train_builder *builder)
{
	struct svt_packet packet;
	int ret;

	if (!qp->recv.ack_held)
		return svt_builder_send(builder, qp);
	svt_answer_acknowledgment(qp, &packet);
	svt_builder_answer(builder, &packet);
	ret = svt_builder_send(builder, qp);
	if (!ret) {
		svt_answer_acknowledged(qp);
		svt_count(qp->core->counters, SVT_COUNT_ACKS_CARRIED);
	}
	return ret;
}

/**
 * svt_hold_send - send a train of the requester, and the acknowledgment that is held back with it
 * @qp: QP
 * @builder: with packets
 *
 * Context: send.side.lock held, BH off, RCU read section.
 * Return: as svt_builder_send().
 */
int svt_hold_send(struct svt_qp *qp, struct svt_train_builder *builder)
{
	struct svt_side *side = &qp->recv.side;
	int ret;

	lockdep_assert_held(&qp->send.side.lock);
	/* A hint, looked at again under the lock; pairs with the WRITE_ONCE()s there */
	if (!READ_ONCE(qp->recv.ack_held) || !svt_builder_fits_answer(builder) ||
	    !spin_trylock(&side->lock))
		return svt_builder_send(builder, qp);
	ret = svt_hold_send_both(qp, builder);
	spin_unlock(&side->lock);
	/* Who found it taken left a bit; pairs with the barrier behind that in svt_side_kick() */
	smp_mb();
	if (atomic_read(&side->work))
		qp->send.side.notify.kick_other = true;
	return ret;
}
