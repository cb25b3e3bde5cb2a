// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who works on a side of a QP: run to completion without waiting.
 *
 * A caller leaves its bit in side->work, then tries the lock. If it gets it, it is the owner
 * and works until no bit is left; if not, the owner sees the bit: it looks at side->work once
 * more after it has let go of the lock. Either the caller's attempt comes after the unlock and
 * succeeds, or the bit was set before the owner's last look: the two full barriers below make a
 * third case impossible.
 *
 * What the run owes to others (completion handlers, events, a kick of the other side) is collected
 * under the lock and paid after it: handlers may post, poll and kick, on this QP as well.
 *
 * A flood could go on in softirqs for as long as answers and room bring the next trains, and keep
 * the CPU from a program that it has just woken. So a requester that waited for room gives way
 * once after each such program, to whoever wants the CPU, and goes on in the workqueue. That is
 * bound to the CPU: packets leave a CPU in order, but two CPUs are two queues.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>

#include "../../trace.h"
#include "half.h"
#include "packets.h"
#include "xrc.h"

/* Rounds of one owner before it hands over to the workqueue, so that BH come on again */
#define SVT_SIDE_ROUNDS		32
/* How often one caller takes the lock for what others left, before the workqueue does */
#define SVT_SIDE_HOLDS		8

/* Somebody was told of completions since a requester last gave way. A stale one costs a switch */
static DEFINE_PER_CPU(bool, svt_told);

/*
 * A handler that is called for a peer may post, and that may lead to a handler again. On a
 * real-time kernel it may be the handler of a task that was preempted: then the workqueue pays
 * without need.
 */
static DEFINE_PER_CPU(bool, svt_paying);

/* What a peer on this host owes to its clients: no lock is held */
static void svt_pay_peer(struct svt_qp *peer)
{
	if (this_cpu_xchg(svt_paying, true)) {
		queue_work(peer->core->workqueue, &peer->recv.side.defer);
		return;
	}
	svt_recv_kick(peer, SVT_WORK_STATE);
	this_cpu_write(svt_paying, false);
}

static void svt_notify_pay(struct svt_qp *qp, struct svt_side *side,
			   const struct svt_notify *notify)
{
	bool sending = side == &qp->send.side;
	struct svt_cq *cq = sending ? qp->send_cq : qp->recv_cq;
	bool target = qp->type->target && !sending;
	unsigned int event;
	unsigned long bits;

	if (target)
		svt_xrc_pay(qp, notify);
	else if (notify->cq_events)
		svt_cq_notify(cq, notify->cq_events);
	if (notify->cq_events)
		__this_cpu_write(svt_told, true);
	bits = target ? 0 : notify->srq_events;
	for_each_set_bit(event, &bits, 32)
		svt_srq_raise(qp->srq, event);
	bits = notify->qp_events;
	for_each_set_bit(event, &bits, 32) {
		struct ib_event ev = {
			.device = &qp->dev->ibdev,
			.element.qp = &qp->ibqp,
			.event = event,
		};

		if (qp->ibqp.event_handler)
			qp->ibqp.event_handler(&ev, qp->ibqp.qp_context);
	}
	if (notify->kick_other && sending)
		svt_recv_kick(qp, SVT_WORK_STATE);
	else if (notify->kick_other)
		svt_send_kick(qp, SVT_WORK_STATE);
	if (notify->peer)
		svt_pay_peer(notify->peer);
}

/* Caller has the lock. Returns whether the run stopped for its budget. */
static bool svt_side_work(struct svt_qp *qp, struct svt_side *side)
{
	unsigned int rounds;

	for (rounds = 0; rounds < SVT_SIDE_ROUNDS; rounds++) {
		int work = atomic_xchg(&side->work, 0);

		if (!work)
			return false;
		if (work & SVT_WORK_PACKETS)
			svt_side_packets(qp, side);
		side->run(qp, work);
	}
	return true;
}

static void svt_side_kick(struct svt_qp *qp, struct svt_side *side, int work)
{
	unsigned int holds;

	atomic_or(work, &side->work);
	for (holds = 1; ; holds++) {
		struct svt_notify notify;
		bool again;

		/* Pairs with the barrier below: the bit before the attempt */
		smp_mb__after_atomic();
		local_bh_disable();
		if (!spin_trylock(&side->lock)) {
			local_bh_enable();
			return;
		}
		rcu_read_lock();
		again = svt_side_work(qp, side);
		notify = side->notify;
		memset(&side->notify, 0, sizeof(side->notify));
		spin_unlock(&side->lock);
		svt_notify_pay(qp, side, &notify);
		rcu_read_unlock();
		local_bh_enable();
		/* Pairs with the barrier above: the unlock before the look */
		smp_mb();
		if (!atomic_read(&side->work))
			return;
		if (again || holds == SVT_SIDE_HOLDS) {
			queue_work(qp->core->workqueue, &side->defer);
			return;
		}
	}
}

/**
 * svt_send_kick - let requester and completer look at something
 * @qp: QP; the caller makes sure that it stays
 * @work: enum svt_work
 *
 * Context: any but hard interrupts; not under send.side.lock of this QP, unless only the bit is
 *	to be left for the owner.
 */
void svt_send_kick(struct svt_qp *qp, int work)
{
	svt_side_kick(qp, &qp->send.side, work);
}

/**
 * svt_recv_kick - let the responder look at something
 * @qp: QP; the caller makes sure that it stays
 * @work: enum svt_work
 *
 * Context: as svt_send_kick().
 */
void svt_recv_kick(struct svt_qp *qp, int work)
{
	svt_side_kick(qp, &qp->recv.side, work);
}

static void svt_send_deferred(struct work_struct *work)
{
	svt_send_kick(container_of(work, struct svt_qp, send.side.defer), SVT_WORK_BUDGET);
}

static void svt_recv_deferred(struct work_struct *work)
{
	svt_recv_kick(container_of(work, struct svt_qp, recv.side.defer), SVT_WORK_BUDGET);
}

static void svt_send_late(struct work_struct *work)
{
	svt_send_kick(container_of(work, struct svt_qp, send.side.late.work), SVT_WORK_QUEUE);
}

static void svt_recv_late(struct work_struct *work)
{
	svt_recv_kick(container_of(work, struct svt_qp, recv.side.late.work), SVT_WORK_QUEUE);
}

/**
 * svt_sides_init - make both sides of a new QP ready to be kicked
 * @qp: QP
 * @send_run: works on the send side; under its lock, BH off, RCU read section
 * @recv_run: likewise on the receive side
 */
void svt_sides_init(struct svt_qp *qp, void (*send_run)(struct svt_qp *qp, int work),
		    void (*recv_run)(struct svt_qp *qp, int work))
{
	qp->send.side.run = send_run;
	qp->recv.side.run = recv_run;
	spin_lock_init(&qp->send.side.lock);
	spin_lock_init(&qp->recv.side.lock);
	skb_queue_head_init(&qp->send.side.backlog);
	skb_queue_head_init(&qp->recv.side.backlog);
	INIT_WORK(&qp->send.side.defer, svt_send_deferred);
	INIT_WORK(&qp->recv.side.defer, svt_recv_deferred);
	INIT_DELAYED_WORK(&qp->send.side.late, svt_send_late);
	INIT_DELAYED_WORK(&qp->recv.side.late, svt_recv_late);
}

static struct svt_cq *svt_side_cq(struct svt_qp *qp, const struct svt_side *side)
{
	if (side == &qp->send.side)
		return qp->send_cq;
	return qp->type->target ? svt_xrc_cq(qp) : qp->recv_cq;
}

/**
 * svt_complete - add completions to the CQ of a side
 * @qp: QP
 * @side: its side, whose lock the caller holds
 * @cqes: all but qp_num and the time stamps; one that failed comes alone
 * @count: how many
 * @solicited: the peer, or an error, asks for a solicited event
 */
void svt_complete(struct svt_qp *qp, struct svt_side *side, struct svt_cqe *cqes, u32 count,
		  bool solicited)
{
	struct svt_cq *cq = svt_side_cq(qp, side);
	unsigned int events;
	u32 i;

	lockdep_assert_held(&side->lock);
	/* The SRQ that the receive came from is gone, and its CQ may be */
	if (!cq)
		return;
	for (i = 0; i < count; i++)
		cqes[i].qp_num = qp->qpn;
	solicited |= cqes->status != IB_WC_SUCCESS;
	events = svt_cq_add(cq, cqes, count, &qp->ibqp, solicited);
	if (events & (SVT_CQ_OVERRUN | SVT_CQ_LOST | SVT_CQ_DROPPED))
		svt_count(svt_qp_counters(qp), SVT_COUNT_CQ_OVERRUNS);
	if (events & (SVT_CQ_OVERRUN | SVT_CQ_LOST))
		svt_qp_fail(qp, side, IB_EVENT_QP_FATAL);
	side->notify.cq_events |= events & ~SVT_CQ_DROPPED;
}

/**
 * svt_qp_fail - take a QP to the error state from inside a side
 * @qp: QP
 * @side: its side, whose lock the caller holds
 * @event: enum ib_event_type to raise, or -1
 *
 * Both sides flush their queues in their next round. Nothing happens to a QP in ERR or RESET.
 */
void svt_qp_fail(struct svt_qp *qp, struct svt_side *side, int event)
{
	enum ib_qp_state old = READ_ONCE(qp->state);

	lockdep_assert_held(&side->lock);
	/* Modify holds both locks: only the other side can come in between, and it sets ERR too */
	if (old == IB_QPS_ERR || old == IB_QPS_RESET)
		return;
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	trace_svt_qp_state(qp, old, IB_QPS_ERR);
	atomic_or(SVT_WORK_STATE, &side->work);
	side->notify.kick_other = true;
	if (event >= 0)
		svt_notify_qp(side, event);
}

/* Whether a program was woken that may wait for this CPU, which softirqs would keep */
static bool svt_is_waited_for(void)
{
	return this_cpu_read(svt_told) && !is_idle_task(current) && !single_task_running();
}

/* Return: whether the worker goes on. Not for a QP that svt_qp_stop() may be done waiting for. */
static bool svt_give_way(struct svt_qp *qp)
{
	bool give;

	/* Pairs with synchronize_rcu_expedited() in svt_qp_stop(), after RESET */
	rcu_read_lock();
	give = svt_is_waited_for() && READ_ONCE(qp->state) != IB_QPS_RESET;
	if (give) {
		this_cpu_write(svt_told, false);
		atomic_or(SVT_WORK_FLOW, &qp->send.side.work);
		queue_work(qp->core->workqueue, &qp->send.side.defer);
	}
	rcu_read_unlock();
	return give;
}

/**
 * svt_flow_ready - a backend that refused a train has room again
 * @flow: the flow
 *
 * Who is told first may take all of the room. So the sides take turns: a requester that always has
 * something to send must not keep the acknowledgments back that its peer waits for, nor responses
 * to READs the requests.
 *
 * Context: any but hard interrupts; not from inside xmit. The flow is open.
 */
void svt_flow_ready(struct svt_flow *flow)
{
	struct svt_qp *qp = flow->qp;
	bool turn = !READ_ONCE(qp->flow_turn);

	/* Two that come at once may give the same side two turns, which does no harm */
	WRITE_ONCE(qp->flow_turn, turn);
	if (turn)
		svt_recv_kick(qp, SVT_WORK_FLOW);
	if (!svt_give_way(qp))
		svt_send_kick(qp, SVT_WORK_FLOW);
	if (!turn)
		svt_recv_kick(qp, SVT_WORK_FLOW);
}
EXPORT_SYMBOL_GPL(svt_flow_ready);
