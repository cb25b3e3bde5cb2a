// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The completer of an RC QP: it takes the peer's responses to the requests that are out.
 *
 * una is the oldest PSN without an answer. An acknowledgment counts for all packets up to its PSN,
 * but not for reads and atomics: only their own data answers those (IBTA 9.7.5.1). An answer that
 * is ahead of one of those shows a hole, and recovery starts. The requester's next round retires
 * what una has passed. Under send.half.lock.
 */
#include "../../trace.h"
#include "../../wire/aeth.h"
#include "../../wire/psn.h"
#include "../qp/copy.h"
#include "../qp/fault.h"
#include "completer.h"
#include "recovery.h"
#include "request.h"

static void svt_una_set(struct svt_qp *qp, u32 una)
{
	struct svt_send_half *send = &qp->send;
	u32 packets = svt_psn_diff(una, send->una);

	if (!packets)
		return;
	send->una = una;
	while (send->read_tail != send->cursor.read_head &&
	       svt_psn_diff(una, send->read_ends[send->read_tail & (send->read_entries - 1)]) >= 0)
		send->read_tail++;
	svt_recovery_progress(qp, packets);
	/* This was sent before going back: no need to repeat it */
	if (svt_psn_diff(una, send->cursor.psn) > 0)
		svt_requester_rewind(qp);
	svt_send_advance(qp);
}

/* Acknowledges all below @limit; false: stopped at a read or atomic that lacks its data */
static bool svt_una_advance(struct svt_qp *qp, u32 limit)
{
	struct svt_send_half *send = &qp->send;
	u32 ordinal, una = send->una;

	for (ordinal = send->ack_request; ordinal != send->cursor.started; ordinal++) {
		const struct svt_send_request *request = svt_request(send, ordinal);
		u32 end = svt_request_end_psn(request);

		if (!(request->info->flags & SVT_REQUEST_WIRE))
			continue;
		if (svt_psn_diff(una, limit) >= 0 ||
		    (request->info->flags & SVT_REQUEST_ANSWERED))
			break;
		una = svt_psn_diff(end, limit) < 0 ? end : limit;
	}
	if (svt_psn_diff(una, limit) > 0)
		una = limit;
	if (svt_psn_diff(una, send->una) > 0)
		svt_una_set(qp, una);
	return send->una == limit;
}

/* Sent, or asked for, and not acknowledged */
static bool svt_psn_expected(const struct svt_send_half *send, u32 psn)
{
	return svt_psn_diff(psn, send->una) >= 0 && svt_psn_diff(psn, send->cursor.next_psn) < 0;
}

/* IBTA 9.7.7.2.4: the peer has receives up to the message with SSN msn + credits */
static void svt_take_credits(struct svt_send_half *send, const struct svt_packet *packet)
{
	u32 credits = packet->syndrome & SVT_AETH_VALUE_MASK;
	u32 limit;

	if (credits == SVT_AETH_NO_CREDITS) {
		send->credit_limited = false;
		return;
	}
	limit = svt_psn_add(packet->msn, svt_aeth_decode_credits(packet->syndrome));
	if (!send->credit_limited || svt_psn_diff(limit, send->cursor.credit_ssn) > 0)
		send->cursor.credit_ssn = limit;
	send->credit_limited = true;
}

/* The first packet got through: the peer has a receive for the whole message */
static void svt_grant_begun(struct svt_send_half *send)
{
	const struct svt_send_request *request;

	if (!send->credit_limited || send->ack_request == send->cursor.started)
		return;
	request = svt_request(send, send->ack_request);
	if (svt_psn_diff(send->una, request->first_psn) > 0 &&
	    svt_psn_diff(request->ssn, send->cursor.credit_ssn) > 0)
		send->cursor.credit_ssn = request->ssn;
}

static void svt_acknowledged(struct svt_qp *qp, const struct svt_packet *packet)
{
	struct svt_send_half *send = &qp->send;
	bool whole = svt_una_advance(qp, svt_psn_add(packet->psn, 1));

	svt_take_credits(send, packet);
	svt_grant_begun(send);
	if (!whole)
		svt_recovery_hole(qp);
}

static const enum ib_wc_status svt_nak_status[] = {
	[SVT_NAK_INVALID_REQUEST]	= IB_WC_REM_INV_REQ_ERR,
	[SVT_NAK_REMOTE_ACCESS]		= IB_WC_REM_ACCESS_ERR,
	[SVT_NAK_REMOTE_OPERATIONAL]	= IB_WC_REM_OP_ERR,
	[SVT_NAK_INVALID_RD_REQUEST]	= IB_WC_REM_INV_RD_REQ_ERR,
};

static void svt_refused(struct svt_qp *qp, const struct svt_packet *packet)
{
	u8 code = packet->syndrome & SVT_AETH_VALUE_MASK;

	if (svt_requester_fail_oldest(qp, svt_nak_status[code]))
		svt_count(svt_qp_counters(qp), SVT_COUNT_REMOTE_ERRORS);
}

static void svt_negative(struct svt_qp *qp, const struct svt_packet *packet)
{
	bool sequence = (packet->syndrome & SVT_AETH_VALUE_MASK) == SVT_NAK_PSN_SEQUENCE;

	if (sequence)
		svt_count(svt_qp_counters(qp), SVT_COUNT_PACKET_SEQ_ERR);
	if (!svt_una_advance(qp, packet->psn)) {
		svt_recovery_hole(qp);
		return;
	}
	if (sequence)
		svt_recovery_nak(qp);
	else
		svt_refused(qp, packet);
}

static void svt_not_ready(struct svt_qp *qp, const struct svt_packet *packet)
{
	svt_count(svt_qp_counters(qp), SVT_COUNT_RNR_NAK_RETRY_ERR);
	if (svt_una_advance(qp, packet->psn))
		svt_recovery_rnr(qp, packet->syndrome & SVT_AETH_VALUE_MASK);
	else
		svt_recovery_hole(qp);
}

/* rxe refuses a READ by the request's PSN, even if a part of the response has come */
static bool svt_refuses_read(const struct svt_send_half *send, const struct svt_packet *packet)
{
	const struct svt_send_request *request;

	if ((packet->syndrome & SVT_AETH_TYPE_MASK) != SVT_AETH_NAK ||
	    (packet->syndrome & SVT_AETH_VALUE_MASK) == SVT_NAK_PSN_SEQUENCE ||
	    send->ack_request == send->cursor.started)
		return false;
	request = svt_request(send, send->ack_request);
	return svt_answer_bytes(request) && svt_psn_diff(packet->psn, request->first_psn) >= 0 &&
	       svt_psn_diff(packet->psn, send->una) < 0;
}

/* A PSN that is acknowledged already, or was not sent: it may give credits or refuse a READ */
static void svt_completer_ack_unexpected(struct svt_qp *qp, const struct svt_packet *packet)
{
	struct svt_send_half *send = &qp->send;

	if (packet->psn == svt_psn(send->una - 1) &&
	    (packet->syndrome & SVT_AETH_TYPE_MASK) == SVT_AETH_ACK) {
		svt_take_credits(send, packet);
	} else if (svt_refuses_read(send, packet)) {
		svt_refused(qp, packet);
	} else {
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_PSN);
	}
}

static void svt_completer_ack(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;

	if (svt_aeth_is_reserved(packet->syndrome)) {
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_MALFORMED);
		return;
	}
	if (!svt_psn_expected(&qp->send, packet->psn)) {
		svt_completer_ack_unexpected(qp, packet);
		return;
	}
	switch (packet->syndrome & SVT_AETH_TYPE_MASK) {
	case SVT_AETH_ACK:
		svt_acknowledged(qp, packet);
		break;
	case SVT_AETH_RNR:
		svt_not_ready(qp, packet);
		break;
	default:
		svt_negative(qp, packet);
	}
}

/* Pages went away since the request was sent: bring them in, and ask for the data again */
static int svt_scatter_absent(struct svt_qp *qp, const struct svt_region *region, u32 offset,
			      u32 length)
{
	struct svt_send_half *send = &qp->send;

	if (!svt_region_is_paged(region))
		return -EFAULT;
	if (!svt_region_absent(region, offset, length))
		/* They have come meanwhile */
		atomic_or(SVT_WORK_PAGES, &send->half.work);
	else if (!svt_fault_begin(qp, &send->half, region, offset, length))
		return -EFAULT;
	send->answer_lost = true;
	return -EAGAIN;
}

/* The data is @original, or else of @rx. Returns 0, -EFAULT, or -EAGAIN: it counts as lost */
static int svt_scatter(struct svt_qp *qp, const struct svt_send_request *request, u32 offset,
		       u32 length, struct svt_rx_packet *rx, const u64 *original)
{
	struct svt_region *region = svt_rx_region(rx);
	const struct svt_sge *sge = request->wqe.sge;
	u32 done = 0, part;
	int ret;

	for (; done < length; sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		part = min(sge->length - offset, length - done);
		if (svt_region_local(&qp->core->keys, qp->ibqp.pd, sge, IB_ACCESS_LOCAL_WRITE,
				     region))
			return -EFAULT;
		if (original)
			ret = svt_region_fill(region, offset, part, (u8 *)original + done);
		else
			ret = svt_region_fill_payload(region, offset, part, rx, done);
		if (ret)
			return svt_scatter_absent(qp, region, offset, part);
		done += part;
		offset = 0;
	}
	return 0;
}

static void svt_scatter_failed(struct svt_qp *qp, int ret)
{
	if (ret == -EAGAIN)
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_PAGES);
	else
		svt_requester_fail_oldest(qp, IB_WC_LOC_PROT_ERR);
}

/* The request of the response with @psn; NULL: none, or a hole is in front of it */
static struct svt_send_request *svt_request_at(struct svt_qp *qp, u32 psn)
{
	struct svt_send_half *send = &qp->send;
	struct svt_send_request *request;

	if (!svt_psn_expected(send, psn))
		return NULL;
	if (!svt_una_advance(qp, psn)) {
		svt_recovery_hole(qp);
		return NULL;
	}
	if (send->ack_request == send->cursor.started)
		return NULL;
	request = svt_request(send, send->ack_request);
	return request->status == IB_WC_SUCCESS ? request : NULL;
}

/* NULL: the response is dropped, or the request fails by it */
static struct svt_send_request *svt_answered_request(struct svt_qp *qp,
						     const struct svt_packet *packet, u8 flags)
{
	struct svt_send_request *request = svt_request_at(qp, packet->psn);

	if (!request) {
		svt_count(svt_qp_counters(qp), SVT_COUNT_RX_DROPPED_PSN);
		return NULL;
	}
	if ((request->info->flags & (SVT_REQUEST_ANSWERED | SVT_REQUEST_ATOMIC)) == flags)
		return request;
	svt_requester_fail_oldest(qp, IB_WC_BAD_RESP_ERR);
	return NULL;
}

/*
 * A response begins where the READ, a part of it, or a repeat of it began, and ends where the part
 * ends. All others are MIDDLE, also where a repeat began: they may be late ones of the first time.
 */
static bool svt_read_in_order(const struct svt_send_half *send,
			      const struct svt_send_request *request,
			      const struct svt_packet *packet, u32 run)
{
	u32 place = svt_psn_diff(packet->psn, request->first_psn);
	u32 in_part = place % SVT_READ_PACKETS;
	bool first = packet->info->flags & SVT_OP_FIRST, last = packet->info->flags & SVT_OP_LAST;
	bool ends = in_part + run >= SVT_READ_PACKETS || place + run == request->packets;

	if (last != ends)
		return false;
	return first ? !in_part || packet->psn == send->repeat_psn : in_part;
}

static void svt_completer_read(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_send_half *send = &qp->send;
	struct svt_send_request *request;
	u32 offset, length, left;
	int ret;

	request = svt_answered_request(qp, packet, SVT_REQUEST_ANSWERED);
	if (!request)
		return;
	offset = svt_psn_diff(packet->psn, request->first_psn) * qp->mtu;
	left = svt_answer_bytes(request) - offset;
	if (1 + rx->more <= left / qp->mtu)
		rx->run = 1 + rx->more;
	length = min(left, rx->run * qp->mtu);
	if (rx->run * packet->payload_length != length ||
	    !svt_read_in_order(send, request, packet, rx->run)) {
		svt_requester_fail_oldest(qp, IB_WC_BAD_RESP_ERR);
		return;
	}
	ret = svt_scatter(qp, request, offset, length, rx, NULL);
	if (ret) {
		svt_scatter_failed(qp, ret);
		return;
	}
	svt_una_set(qp, svt_psn_add(send->una, rx->run));
	if (packet->info->flags & SVT_OP_AETH)
		svt_take_credits(send, packet);
}

static void svt_completer_atomic(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	const struct svt_packet *packet = &rx->packet;
	struct svt_send_half *send = &qp->send;
	struct svt_send_request *request;
	int ret;

	request = svt_answered_request(qp, packet, SVT_REQUEST_ANSWERED | SVT_REQUEST_ATOMIC);
	if (!request)
		return;
	ret = svt_scatter(qp, request, 0, sizeof(packet->atomic_original), rx,
			  &packet->atomic_original);
	if (ret) {
		svt_scatter_failed(qp, ret);
		return;
	}
	svt_una_set(qp, svt_psn_add(send->una, 1));
	svt_take_credits(send, packet);
}

/**
 * svt_completer_response - take a response of the peer
 * @qp: RC QP
 * @rx: response packet from the QP's peer
 *
 * Context: send.half.lock held, BH off, RCU read section.
 */
void svt_completer_response(struct svt_qp *qp, struct svt_rx_packet *rx)
{
	lockdep_assert_held(&qp->send.half.lock);
	qp->send.now = ktime_get();
	/* A peer on this host answers during the requester's round: pass local requests that ran */
	svt_send_advance(qp);
	if (rx->packet.info->flags & SVT_OP_ACK)
		svt_completer_ack(qp, rx);
	else if (rx->packet.info->flags & SVT_OP_ATOMIC_ACK)
		svt_completer_atomic(qp, rx);
	else
		svt_completer_read(qp, rx);
}
