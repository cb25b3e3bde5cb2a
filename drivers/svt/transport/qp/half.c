// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Run-to-completion scheduling of the two halves of a QP.
 *
 * A caller sets a bit in half->work, then tries half->lock. If it gets the lock, it runs the half
 * until no bit is left. If not, it returns at once: the owner reads half->work again after the
 * unlock. The two full barriers below leave two cases: the caller's trylock comes after the unlock
 * and succeeds, or the owner sees the bit.
 *
 * Completions and events are delivered after the unlock, as handlers may post, poll, or schedule.
 *
 * Under a flood, softirqs could keep the CPU from a program that they have just woken. So a
 * requester that waited for room in the backend yields once after such a wake-up, to the workqueue
 * of the same CPU: two CPUs are two queues, which would reorder packets.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>

#include "../../trace.h"
#include "half.h"
#include "packets.h"
#include "xrc.h"

/* Rounds of one owner before the workqueue goes on, so that BH come on again */
#define SVT_HALF_ROUNDS		32
/* How often one caller takes the lock for the bits of others, before the workqueue does */
#define SVT_HALF_HOLDS		8

/* Completions were notified since a requester last yielded. A stale one costs a switch */
static DEFINE_PER_CPU(bool, svt_notified);

/*
 * Ends recursion: a handler that is called for a peer may post, and that may call a handler. On a
 * real-time kernel a preempted task may have set it: then the workqueue notifies without need.
 */
static DEFINE_PER_CPU(bool, svt_notifying);

/* For the clients of a peer on this host. No lock is held. */
static void svt_notify_peer(struct svt_qp *peer)
{
	if (this_cpu_xchg(svt_notifying, true)) {
		queue_work(peer->core->workqueue, &peer->recv.half.defer);
		return;
	}
	svt_recv_schedule(peer, SVT_WORK_STATE);
	this_cpu_write(svt_notifying, false);
}

static void svt_notify_deliver(struct svt_qp *qp, struct svt_half *half,
			       const struct svt_notify *notify)
{
	bool sending = half == &qp->send.half;
	struct svt_cq *cq = sending ? qp->send_cq : qp->recv_cq;
	bool target = qp->type->target && !sending;
	unsigned int event;
	unsigned long bits;

	if (target)
		svt_xrc_notify(qp, notify);
	else if (notify->cq_events)
		svt_cq_notify(cq, notify->cq_events);
	if (notify->cq_events)
		__this_cpu_write(svt_notified, true);
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
	if (notify->schedule_other && sending)
		svt_recv_schedule(qp, SVT_WORK_STATE);
	else if (notify->schedule_other)
		svt_send_schedule(qp, SVT_WORK_STATE);
	if (notify->peer)
		svt_notify_peer(notify->peer);
}

/* Caller holds the lock. True: the run stopped for its budget. */
static bool svt_half_work(struct svt_qp *qp, struct svt_half *half)
{
	unsigned int rounds;

	for (rounds = 0; rounds < SVT_HALF_ROUNDS; rounds++) {
		int work = atomic_xchg(&half->work, 0);

		if (!work)
			return false;
		if (work & SVT_WORK_PACKETS)
			svt_half_packets(qp, half);
		half->run(qp, work);
	}
	return true;
}

static void svt_half_schedule(struct svt_qp *qp, struct svt_half *half, int work)
{
	unsigned int holds;

	atomic_or(work, &half->work);
	for (holds = 1; ; holds++) {
		struct svt_notify notify;
		bool again;

		/* Pairs with the barrier below: set the bit before the trylock */
		smp_mb__after_atomic();
		local_bh_disable();
		if (!spin_trylock(&half->lock)) {
			local_bh_enable();
			return;
		}
		rcu_read_lock();
		again = svt_half_work(qp, half);
		notify = half->notify;
		memset(&half->notify, 0, sizeof(half->notify));
		spin_unlock(&half->lock);
		svt_notify_deliver(qp, half, &notify);
		rcu_read_unlock();
		local_bh_enable();
		/* Pairs with the barrier above: unlock before reading the bits */
		smp_mb();
		if (!atomic_read(&half->work))
			return;
		if (again || holds == SVT_HALF_HOLDS) {
			queue_work(qp->core->workqueue, &half->defer);
			return;
		}
	}
}

/**
 * svt_send_schedule - run the send half, or leave the bits to its owner
 * @qp: QP; the caller makes sure that it stays
 * @work: bits of enum svt_work
 *
 * Context: any but hard interrupts; under send.half.lock of this QP it only leaves the bits.
 */
void svt_send_schedule(struct svt_qp *qp, int work)
{
	svt_half_schedule(qp, &qp->send.half, work);
}

/* As svt_send_schedule(), for the receive half */
void svt_recv_schedule(struct svt_qp *qp, int work)
{
	svt_half_schedule(qp, &qp->recv.half, work);
}

static void svt_send_deferred(struct work_struct *work)
{
	svt_send_schedule(container_of(work, struct svt_qp, send.half.defer), SVT_WORK_BUDGET);
}

static void svt_recv_deferred(struct work_struct *work)
{
	svt_recv_schedule(container_of(work, struct svt_qp, recv.half.defer), SVT_WORK_BUDGET);
}

static void svt_send_late(struct work_struct *work)
{
	svt_send_schedule(container_of(work, struct svt_qp, send.half.late.work), SVT_WORK_QUEUE);
}

static void svt_recv_late(struct work_struct *work)
{
	svt_recv_schedule(container_of(work, struct svt_qp, recv.half.late.work), SVT_WORK_QUEUE);
}

/* The runs are called under the lock of their half, BH off, in an RCU read section */
void svt_halves_init(struct svt_qp *qp, void (*send_run)(struct svt_qp *qp, int work),
		     void (*recv_run)(struct svt_qp *qp, int work))
{
	qp->send.half.run = send_run;
	qp->recv.half.run = recv_run;
	spin_lock_init(&qp->send.half.lock);
	spin_lock_init(&qp->recv.half.lock);
	skb_queue_head_init(&qp->send.half.backlog);
	skb_queue_head_init(&qp->recv.half.backlog);
	INIT_WORK(&qp->send.half.defer, svt_send_deferred);
	INIT_WORK(&qp->recv.half.defer, svt_recv_deferred);
	INIT_DELAYED_WORK(&qp->send.half.late, svt_send_late);
	INIT_DELAYED_WORK(&qp->recv.half.late, svt_recv_late);
}

static struct svt_cq *svt_half_cq(struct svt_qp *qp, const struct svt_half *half)
{
	if (half == &qp->send.half)
		return qp->send_cq;
	return qp->type->target ? svt_xrc_cq(qp) : qp->recv_cq;
}

/**
 * svt_complete - add completions to the CQ of a half
 * @qp: QP
 * @half: its half, whose lock the caller holds
 * @cqes: all but qp_num and the time stamps; one that failed comes alone
 * @count: of @cqes
 * @solicited: the peer asks for a solicited event
 */
void svt_complete(struct svt_qp *qp, struct svt_half *half, struct svt_cqe *cqes, u32 count,
		  bool solicited)
{
	struct svt_cq *cq = svt_half_cq(qp, half);
	unsigned int events;
	u32 i;

	lockdep_assert_held(&half->lock);
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
		svt_qp_fail(qp, half, IB_EVENT_QP_FATAL);
	half->notify.cq_events |= events & ~SVT_CQ_DROPPED;
}

/**
 * svt_qp_fail - take a QP to ERR, so that both halves flush; not if it is in ERR or RESET
 * @qp: QP
 * @half: its half, whose lock the caller holds
 * @event: enum ib_event_type to raise, or -1
 */
void svt_qp_fail(struct svt_qp *qp, struct svt_half *half, int event)
{
	enum ib_qp_state old = READ_ONCE(qp->state);

	lockdep_assert_held(&half->lock);
	/* Modify holds both locks: only the other half can come in between, and it sets ERR too */
	if (old == IB_QPS_ERR || old == IB_QPS_RESET)
		return;
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	trace_svt_qp_state(qp, old, IB_QPS_ERR);
	atomic_or(SVT_WORK_STATE, &half->work);
	half->notify.schedule_other = true;
	if (event >= 0)
		svt_notify_qp(half, event);
}

/* A program was woken that may wait for this CPU */
static bool svt_should_yield(void)
{
	return this_cpu_read(svt_notified) && !is_idle_task(current) && !single_task_running();
}

/* True: the worker goes on. Not for a QP that svt_qp_stop() may be done waiting for. */
static bool svt_yield(struct svt_qp *qp)
{
	bool give;

	/* Pairs with synchronize_rcu_expedited() in svt_qp_stop(), after RESET */
	rcu_read_lock();
	give = svt_should_yield() && READ_ONCE(qp->state) != IB_QPS_RESET;
	if (give) {
		this_cpu_write(svt_notified, false);
		atomic_or(SVT_WORK_FLOW, &qp->send.half.work);
		queue_work(qp->core->workqueue, &qp->send.half.defer);
	}
	rcu_read_unlock();
	return give;
}

/**
 * svt_flow_ready - a backend that refused a train has room again
 * @flow: the flow, open
 *
 * The half that hears first may take all of the room, so they take turns: else a busy requester
 * would keep back the acknowledgments that its peer waits for, or responses to READs the requests.
 *
 * Context: any but hard interrupts; not from inside xmit.
 */
void svt_flow_ready(struct svt_flow *flow)
{
	struct svt_qp *qp = flow->qp;
	bool turn = !READ_ONCE(qp->flow_turn);

	/* A race may give one half two turns, which does no harm */
	WRITE_ONCE(qp->flow_turn, turn);
	if (turn)
		svt_recv_schedule(qp, SVT_WORK_FLOW);
	if (!svt_yield(qp))
		svt_send_schedule(qp, SVT_WORK_FLOW);
	if (!turn)
		svt_recv_schedule(qp, SVT_WORK_FLOW);
}
EXPORT_SYMBOL_GPL(svt_flow_ready);
