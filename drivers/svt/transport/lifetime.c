// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The life of a QP, from creation to the moment when nobody works on it any more.
 *
 * A QP is found by its number under RCU. svt_qp_stop() takes it out of the table, makes both halves
 * refuse work, and then waits for all that may still use it: RCU readers (packets), the timer, the
 * deferred runs, and the backend's flow. verbs calls, and serialises the verbs on one QP.
 */
#include "lifetime.h"
#include "modify.h"
#include "multicast.h"
#include "qp/fault.h"
#include "qp/half.h"
#include "qp/table.h"
#include "requester/request.h"
#include "requester/requester.h"
#include "responder/responder.h"
#include "types.h"

static enum hrtimer_restart svt_send_timer(struct hrtimer *timer)
{
	svt_send_schedule(container_of(timer, struct svt_qp, send.timer), SVT_WORK_TIMER);
	return HRTIMER_NORESTART;
}

static int svt_qp_alloc(struct svt_qp *qp)
{
	int ret = svt_window_alloc(&qp->send);

	if (ret)
		return ret;
	ret = -ENOMEM;
	qp->recv.wqe = kzalloc(svt_recv_wqe_stride(qp->recv.limits.max_sge), SVT_GFP_CHARGED);
	if (!qp->recv.wqe)
		goto free_window;
	qp->flow.qp = qp;
	qp->flow.user = uid_valid(qp->uid);
	qp->flow.ordered = qp->type->frame || (qp->type->connected && !qp->type->reliable);
	ret = qp->dev->ops->flow_open ? qp->dev->ops->flow_open(qp->dev, &qp->flow) : 0;
	if (ret)
		goto free_wqe;
	return 0;

free_wqe:
	kfree(qp->recv.wqe);
free_window:
	svt_window_free(&qp->send);
	return ret;
}

static void svt_qp_free(struct svt_qp *qp)
{
	if (qp->dev->ops->flow_close)
		qp->dev->ops->flow_close(qp->dev, &qp->flow);
	svt_qp_release_path(qp);
	kfree(qp->send.read_ends);
	kfree(qp->recv.resources);
	kfree(qp->recv.wqe);
	svt_window_free(&qp->send);
}

/**
 * svt_qp_init - make a QP that can be found and scheduled
 * @qp: as lifetime.h says
 * @type: QP type
 * @port: its port, 1
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP (type), -EBUSY (there is a GSI QP already) or -ENOMEM.
 */
int svt_qp_init(struct svt_qp *qp, enum ib_qp_type type, u32 port)
{
	int ret;

	qp->type = svt_qp_type(type);
	if (!qp->type)
		return -EOPNOTSUPP;
	qp->counters = qp->core->counters;
	qp->state = IB_QPS_RESET;
	qp->attr.port_num = port;
	qp->mtu = ib_mtu_enum_to_int(IB_MTU_256);
	qp->send.limits.opcodes = qp->type->send_opcodes;
	qp->send.limits.xrc = qp->type->service == SVT_SERVICE_XRC;
	if (qp->user)
		qp->send.limits.opcodes &= ~BIT(SVT_WR_REG_MR);
	qp->send.limits.max_message = SVT_MAX_MESSAGE;
	qp->recv.pd = qp->ibqp.pd;
	qp->send.limits.checksum = qp->type->frame;
	svt_halves_init(qp, svt_requester_run, svt_responder_run);
	svt_faults_init(qp);
	svt_mw_owner_init(&qp->windows);
	mutex_init(&qp->modify_lock);
	hrtimer_setup(&qp->send.timer, svt_send_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);

	ret = svt_qp_alloc(qp);
	if (ret)
		return ret;
	svt_qp_reset_halves(qp);
	ret = svt_qp_insert(qp);
	if (ret)
		svt_qp_free(qp);
	return ret;
}

/**
 * svt_qp_stop - end a QP; then nobody uses it, its rings (which stay), CQs or SRQ
 * @qp: from svt_qp_init()
 *
 * Context: may sleep; waits for an RCU grace period.
 */
void svt_qp_stop(struct svt_qp *qp)
{
	svt_multicast_forget(qp);
	svt_qp_remove(qp);
	mutex_lock(&qp->modify_lock);
	qp->stopped = true;
	svt_qp_reset_halves(qp);
	mutex_unlock(&qp->modify_lock);
	/*
	 * From here the halves refuse packets, and no round arms the timer or queues a deferred
	 * run. Expedited: programs destroy QPs by the thousand, one after the other.
	 */
	synchronize_rcu_expedited();
	hrtimer_cancel(&qp->send.timer);
	/* Each ends with a schedule of the half, which may defer the rest */
	svt_faults_stop(qp);
	cancel_delayed_work_sync(&qp->send.half.late);
	cancel_delayed_work_sync(&qp->recv.half.late);
	cancel_work_sync(&qp->send.half.defer);
	cancel_work_sync(&qp->recv.half.defer);
	svt_mw_disown(&qp->windows);
	skb_queue_purge(&qp->send.half.backlog);
	skb_queue_purge(&qp->recv.half.backlog);
	svt_qp_free(qp);
}
