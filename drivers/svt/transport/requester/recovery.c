// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recovery of an RC requester from loss (IBTA 9.7.5, 9.9.2). Under send.half.lock.
 *
 * A hole shows by a NAK, or by an answer beyond the one due. The requester then goes back to una at
 * once, once for each una, and again when the repeat can be lost too: for a NAK half a round trip
 * later, which uses up a retry; for an answer a whole one, which does not. After SVT_HOLES_IN_VAIN
 * times without progress only the timer repeats.
 *
 * The timer is for a lost tail. It follows the measured round trip, up to the local ACK timeout,
 * and doubles up to four times that timeout (IBTA 9.7.6.1.3). Such early repeats use up no retry.
 * It repeats one train, as the peer may only be slow. An answer to more than that train says so,
 * and the next train goes alone too. An answer to just that train means that the rest was lost: it
 * goes at once. Each repeat halves what may be out; an eighth of what is acknowledged is added
 * again. A QP gives up when nothing moved for svt_retry_time() and more than retry_cnt timers:
 * after a standstill of this machine the answers may still be queued here.
 */
#include "../../trace.h"
#include "../../wire/aeth.h"
#include "../../wire/psn.h"
#include "../qp/fault.h"
#include "recovery.h"
#include "request.h"
#include "timer.h"

#define SVT_RTO_FIRST	(100 * NSEC_PER_MSEC)	/* before the first round trip was measured */
#define SVT_RTO_SLACK	(4 * NSEC_PER_MSEC)	/* the least beyond the round trip */
#define SVT_RTO_MAX	(4 * (u64)NSEC_PER_SEC)
#define SVT_RNR_FOREVER	7
#define SVT_HOLES_IN_VAIN	7	/* the most that retry_cnt may be */

static bool svt_outstanding(const struct svt_send_half *send)
{
	return send->una != send->cursor.next_psn;
}

/* ns; 0: no timeout */
static u64 svt_ack_timeout(const struct svt_qp *qp)
{
	return qp->attr.timeout ? 4096ULL << qp->attr.timeout : 0;
}

static u64 svt_rto(const struct svt_qp *qp)
{
	const struct svt_send_half *send = &qp->send;
	u64 timeout = svt_ack_timeout(qp), rto = SVT_RTO_FIRST;

	if (send->srtt)
		rto = send->srtt + max_t(u64, 4 * send->rttvar, SVT_RTO_SLACK);
	rto = min(rto, timeout ?: SVT_RTO_MAX);
	return min(rto << min(send->rto_shift, 10U), timeout ? 4 * timeout : SVT_RTO_MAX);
}

/* ns without progress until the QP gives up; 0: never */
static u64 svt_retry_time(const struct svt_qp *qp)
{
	return 4 * svt_ack_timeout(qp) * (qp->attr.retry_cnt + 1);
}

static void svt_deadline_set(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	u64 limit = svt_retry_time(qp);
	ktime_t end = ktime_add_ns(send->progress, limit);

	send->deadline = ktime_add_ns(send->now, svt_rto(qp));
	if (limit && ktime_after(end, send->now))
		send->deadline = min(send->deadline, end);
}

static void svt_retry_time_begin(struct svt_send_half *send)
{
	send->progress = send->now;
	send->timers_in_vain = 0;
	send->holes_in_vain = 0;
}

void svt_recovery_init(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	send->retry_left = qp->attr.retry_cnt;
	send->rnr_retry_left = qp->attr.rnr_retry;
	send->recovering = false;
	send->probing = false;
	send->rto_shift = 0;
	send->srtt = 0;
	send->rttvar = 0;
	send->unacked_limit_x8 = 8 * SVT_FIRST_UNACKED;
	svt_send_timer_stop(qp);
}

/*
 * While the timer repeats, a train may go when the one before it is acknowledged, until all is
 * repeated or just what was repeated is acknowledged. Of any QP.
 */
bool svt_recovery_may_send(struct svt_send_half *send)
{
	if (send->cursor.psn == send->cursor.next_psn)
		send->probing = false;
	return !send->probing || send->cursor.psn == send->una;
}

void svt_recovery_sent(struct svt_qp *qp, bool ack_requested)
{
	struct svt_send_half *send = &qp->send;
	bool fresh = send->cursor.psn == send->cursor.next_psn;

	if (send->deadline && (send->rtt_start || !ack_requested || !fresh))
		return;
	if (!send->deadline) {
		svt_retry_time_begin(send);
		svt_deadline_set(qp);
	}
	/* A repeat gives no sample: its answer may be the first one's (RFC 6298, 3) */
	if (ack_requested && fresh && !send->rtt_start && !send->recovering) {
		send->rtt_start = send->now;
		send->rtt_psn = svt_psn(send->cursor.next_psn - 1);
	}
}

/* RFC 6298, 2 */
static void svt_rtt_sample(struct svt_send_half *send)
{
	u64 rtt = max_t(s64, ktime_to_ns(ktime_sub(send->now, send->rtt_start)), 1);
	u64 error;

	send->rtt_start = 0;
	send->rto_shift = 0;
	if (!send->srtt) {
		send->srtt = rtt;
		send->rttvar = rtt / 2;
		return;
	}
	error = max(send->srtt, rtt) - min(send->srtt, rtt);
	send->rttvar = send->rttvar - send->rttvar / 4 + error / 4;
	send->srtt = send->srtt - send->srtt / 8 + rtt / 8;
}

/* una moved by @packets; the cursor is where it was when the answer came */
void svt_recovery_progress(struct svt_qp *qp, u32 packets)
{
	struct svt_send_half *send = &qp->send;

	send->unacked_limit_x8 = min(send->unacked_limit_x8 + packets, 8 * SVT_MAX_UNACKED);
	if (send->rtt_start && svt_psn_diff(send->una, send->rtt_psn) > 0)
		svt_rtt_sample(send);
	send->recovering = false;
	if (send->una == send->cursor.psn)
		send->probing = false;
	send->rnr_until = 0;
	send->retry_left = qp->attr.retry_cnt;
	send->rnr_retry_left = qp->attr.rnr_retry;
	svt_retry_time_begin(send);
	send->deadline = 0;
	if (svt_outstanding(send))
		svt_deadline_set(qp);
}

static void svt_recovery_give_up(struct svt_qp *qp, enum ib_wc_status status)
{
	struct svt_send_half *send = &qp->send;

	svt_count(svt_qp_counters(qp), status == IB_WC_RETRY_EXC_ERR ?
		  SVT_COUNT_RETRY_EXCEEDED : SVT_COUNT_RNR_RETRY_EXCEEDED);
	svt_requester_fail_oldest(qp, status);
	svt_send_timer_stop(qp);
	send->recovering = false;
}

static void svt_recovery_go_back(struct svt_qp *qp, enum svt_counter reason)
{
	struct svt_send_half *send = &qp->send;

	svt_count(svt_qp_counters(qp), reason);
	trace_svt_retry(qp, reason);
	send->recovering = true;
	send->probing = false;
	send->went_back = send->now;
	send->rtt_start = 0;
	svt_deadline_set(qp);
	svt_requester_rewind(qp);
}

/*
 * A peer sends a NAK each time it sees the hole, and all responses under way show the same hole: so
 * wait @halves of half a round trip since the last time. After an RNR wait all is repeated.
 */
static bool svt_recovery_heeds_hole(const struct svt_send_half *send, unsigned int halves)
{
	u64 since = ktime_to_ns(ktime_sub(send->now, send->went_back));

	if (send->rnr_until || !svt_outstanding(send))
		return false;
	return !send->recovering || since >= halves * (send->srtt ?: SVT_RTO_FIRST) / 2;
}

/* The peer reports a hole at una (IBTA 9.7.5.2.2) */
void svt_recovery_nak(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	if (!svt_recovery_heeds_hole(send, 1))
		return;
	if (!send->retry_left) {
		svt_recovery_give_up(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	send->retry_left--;
	svt_recovery_go_back(qp, SVT_COUNT_RETRIES_NAK);
}

/* A response at una is missing in front of one that came */
void svt_recovery_hole(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	if (send->holes_in_vain == SVT_HOLES_IN_VAIN || !svt_recovery_heeds_hole(send, 2))
		return;
	send->holes_in_vain++;
	svt_recovery_go_back(qp, SVT_COUNT_IMPLIED_NAK_SEQ_ERR);
}

/* The peer has no receive for the request at una (IBTA 9.7.5.2.8). @timer: 0 to 31 */
void svt_recovery_rnr(struct svt_qp *qp, u8 timer)
{
	struct svt_send_half *send = &qp->send;

	if (send->rnr_until || !svt_outstanding(send))
		return;
	if (!send->rnr_retry_left) {
		svt_recovery_give_up(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.rnr_retry != SVT_RNR_FOREVER)
		send->rnr_retry_left--;
	send->rnr_until = ktime_add_us(send->now, svt_rnr_timer_microseconds(timer));
	send->deadline = 0;
	send->rtt_start = 0;
	send->recovering = false;
	send->probing = false;
	svt_requester_rewind(qp);
}

static void svt_recovery_expired(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	u64 limit = svt_retry_time(qp);

	send->deadline = 0;
	if (!svt_outstanding(send))
		return;
	if (svt_fault_pending(&send->half)) {
		/* We wait for pages, not for the peer */
		svt_retry_time_begin(send);
		svt_deadline_set(qp);
		return;
	}
	if (limit && ++send->timers_in_vain > qp->attr.retry_cnt &&
	    ktime_to_ns(ktime_sub(send->now, send->progress)) >= limit) {
		svt_recovery_give_up(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	if (send->flow_blocked) {
		/* Earlier packets may wait in the same queue as the refused train */
		svt_deadline_set(qp);
		return;
	}
	send->rto_shift++;
	send->unacked_limit_x8 = max(send->unacked_limit_x8 / 2, 8 * SVT_LEAST_UNACKED);
	svt_recovery_go_back(qp, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR);
	send->probing = true;
}

void svt_recovery_timer(struct svt_qp *qp, ktime_t now)
{
	struct svt_send_half *send = &qp->send;

	if (send->rnr_until && ktime_compare(now, send->rnr_until) >= 0) {
		send->rnr_until = 0;
		svt_retry_time_begin(send);
	}
	if (send->deadline && ktime_compare(now, send->deadline) >= 0)
		svt_recovery_expired(qp);
}
