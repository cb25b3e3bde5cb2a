// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The window of send requests: how a work request gets in, and how it is retired. A slot is filled
 * in order (head) and given back in order (tail), whatever becomes of the request, so completions
 * keep the order of posting. Under send.half.lock.
 */
#include <linux/slab.h>

#include "../../wire/frame.h"
#include "../qp/av.h"
#include "../qp/half.h"
#include "request.h"
#include "timer.h"

#define SVT_WINDOW_FIRST	16
#define SVT_WINDOW_MOST		128

static const struct svt_request_info svt_request_table[] = {
	[IB_UVERBS_WR_RDMA_WRITE] = {
		.flags = SVT_REQUEST_WIRE,
		.first = IB_OPCODE_RDMA_WRITE_FIRST,
		.middle = IB_OPCODE_RDMA_WRITE_MIDDLE,
		.last = IB_OPCODE_RDMA_WRITE_LAST,
		.only = IB_OPCODE_RDMA_WRITE_ONLY,
		.wc_opcode = IB_UVERBS_WC_RDMA_WRITE,
	},
	[IB_UVERBS_WR_RDMA_WRITE_WITH_IMM] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_CREDIT | SVT_REQUEST_IMM,
		.first = IB_OPCODE_RDMA_WRITE_FIRST,
		.middle = IB_OPCODE_RDMA_WRITE_MIDDLE,
		.last = IB_OPCODE_RDMA_WRITE_LAST_WITH_IMMEDIATE,
		.only = IB_OPCODE_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
		.wc_opcode = IB_UVERBS_WC_RDMA_WRITE,
	},
	[IB_UVERBS_WR_SEND] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_CREDIT,
		.first = IB_OPCODE_SEND_FIRST,
		.middle = IB_OPCODE_SEND_MIDDLE,
		.last = IB_OPCODE_SEND_LAST,
		.only = IB_OPCODE_SEND_ONLY,
		.wc_opcode = IB_UVERBS_WC_SEND,
	},
	[IB_UVERBS_WR_SEND_WITH_IMM] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_CREDIT | SVT_REQUEST_IMM,
		.first = IB_OPCODE_SEND_FIRST,
		.middle = IB_OPCODE_SEND_MIDDLE,
		.last = IB_OPCODE_SEND_LAST_WITH_IMMEDIATE,
		.only = IB_OPCODE_SEND_ONLY_WITH_IMMEDIATE,
		.wc_opcode = IB_UVERBS_WC_SEND,
	},
	[IB_UVERBS_WR_SEND_WITH_INV] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_CREDIT | SVT_REQUEST_INV,
		.first = IB_OPCODE_SEND_FIRST,
		.middle = IB_OPCODE_SEND_MIDDLE,
		.last = IB_OPCODE_SEND_LAST_WITH_INVALIDATE,
		.only = IB_OPCODE_SEND_ONLY_WITH_INVALIDATE,
		.wc_opcode = IB_UVERBS_WC_SEND,
	},
	[IB_UVERBS_WR_RDMA_READ] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_ANSWERED,
		.only = IB_OPCODE_RDMA_READ_REQUEST,
		.wc_opcode = IB_UVERBS_WC_RDMA_READ,
	},
	[IB_UVERBS_WR_ATOMIC_CMP_AND_SWP] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_ANSWERED | SVT_REQUEST_ATOMIC,
		.only = IB_OPCODE_COMPARE_SWAP,
		.wc_opcode = IB_UVERBS_WC_COMP_SWAP,
	},
	[IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_ANSWERED | SVT_REQUEST_ATOMIC,
		.only = IB_OPCODE_FETCH_ADD,
		.wc_opcode = IB_UVERBS_WC_FETCH_ADD,
	},
	[IB_UVERBS_WR_FLUSH] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_ANSWERED | SVT_REQUEST_CARRIES,
		.only = IB_OPCODE_FLUSH,
		.wc_opcode = IB_UVERBS_WC_FLUSH,
	},
	[IB_UVERBS_WR_ATOMIC_WRITE] = {
		.flags = SVT_REQUEST_WIRE | SVT_REQUEST_ANSWERED | SVT_REQUEST_CARRIES,
		.only = IB_OPCODE_ATOMIC_WRITE,
		.wc_opcode = IB_UVERBS_WC_ATOMIC_WRITE,
	},
	[IB_UVERBS_WR_LOCAL_INV] = {
		.flags = SVT_REQUEST_DRAIN,
		.wc_opcode = IB_UVERBS_WC_LOCAL_INV,
	},
	[IB_UVERBS_WR_BIND_MW] = {
		.wc_opcode = IB_UVERBS_WC_BIND_MW,
	},
	[SVT_WR_REG_MR] = {
		.wc_opcode = IB_WC_REG_MR,
	},
};

/**
 * svt_window_alloc - allocate the window of a QP
 * @send: with ring and limits set
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int svt_window_alloc(struct svt_send_half *send)
{
	u32 stride = offsetof(struct svt_send_request, wqe) +
		     svt_send_wqe_bytes(send->limits.max_sge, send->limits.max_inline);

	send->window_stride = ALIGN(stride, 8);
	send->window_entries = min_t(u32, SVT_WINDOW_FIRST, send->ring.entries);
	send->window_most = min_t(u32, SVT_WINDOW_MOST, send->ring.entries);
	send->window = kcalloc(send->window_entries, send->window_stride, SVT_GFP_CHARGED);
	return send->window ? 0 : -ENOMEM;
}

/*
 * Doubles a full window while more is posted: an idle QP stays cheap, a stream gets a round trip
 * full. No pointer to a request or its inline data may be in use. False: there is no room.
 */
bool svt_window_grow(struct svt_send_half *send)
{
	u32 entries = 2 * send->window_entries, i;
	void *window, *old = send->window;

	lockdep_assert_held(&send->half.lock);
	if (send->head - send->tail != send->window_entries ||
	    entries > send->window_most || svt_ring_pending(&send->ring) <= 0)
		return false;
	window = kcalloc(entries, send->window_stride, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!window)
		return false;
	for (i = send->tail; i != send->head; i++)
		memcpy(window + (i & (entries - 1)) * send->window_stride, svt_request(send, i),
		       send->window_stride);
	send->window = window;
	send->window_entries = entries;
	kfree(old);
	return true;
}

/**
 * svt_window_free - free the window
 * @send: of a QP that was reset
 */
void svt_window_free(struct svt_send_half *send)
{
	kfree(send->window);
	send->window = NULL;
}

/* The handle may be any number. The reference keeps the path until the request is retired */
static enum ib_wc_status svt_request_find_av(struct svt_qp *qp, struct svt_send_request *request)
{
	struct svt_av *av = xa_load(&qp->core->ahs, request->wqe.ud.ah);

	if (request->wqe.ud.reserved || !av || av->pd != qp->ibqp.pd)
		return IB_WC_LOC_QP_OP_ERR;
	if (!kref_get_unless_zero(&av->ref))
		return IB_WC_LOC_QP_OP_ERR;
	request->av = av;
	return IB_WC_SUCCESS;
}

/* With room for a VLAN tag; svt_frame_fits() sees whether there is one */
static bool svt_frame_length_ok(const struct svt_qp *qp, u32 length)
{
	return length >= SVT_ETHERNET_BYTES &&
	       length <= READ_ONCE(qp->core->link.frame) + SVT_TAG_BYTES;
}

static enum ib_wc_status svt_request_admit(struct svt_qp *qp, struct svt_send_request *request)
{
	const struct svt_request_info *info = request->info;

	if (request->status != IB_WC_SUCCESS)
		return request->status;
	if (qp->type->frame)
		return svt_frame_length_ok(qp, request->length) ? IB_WC_SUCCESS :
								  IB_WC_LOC_LEN_ERR;
	if (!qp->type->connected)
		return svt_request_find_av(qp, request);
	if ((info->flags & SVT_REQUEST_ANSWERED) && !qp->attr.max_rd_atomic)
		return IB_WC_LOC_QP_OP_ERR;
	return IB_WC_SUCCESS;
}

/*
 * Copies the next work request from the ring. An invalid one gets in too, and completes in turn
 * with its error. NULL: the window is full, the ring is empty, or it is corrupt, which is fatal for
 * the QP. Needs an RCU read section.
 */
struct svt_send_request *svt_request_pull(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	struct svt_send_request *request;
	int pending;

	lockdep_assert_held(&send->half.lock);
	if (send->head - send->tail == send->window_entries)
		return NULL;
	pending = svt_ring_pending(&send->ring);
	if (pending < 0)
		svt_qp_fail(qp, &send->half, IB_EVENT_QP_FATAL);
	if (pending <= 0)
		return NULL;

	request = svt_request(send, send->head);
	request->av = NULL;
	request->status = svt_send_wqe_copy(&send->ring, send->ring.index, &send->limits,
					    &request->wqe, &request->length);
	send->ring.index++;
	send->head++;
	/* It fails, and completes as an opcode that svt knows */
	if (request->wqe.opcode >= ARRAY_SIZE(svt_request_table) ||
	    !(send->limits.opcodes & BIT(request->wqe.opcode)))
		request->wqe.opcode = IB_UVERBS_WR_SEND;
	request->info = &svt_request_table[request->wqe.opcode];
	request->packets = max_t(u32, DIV_ROUND_UP(request->length, qp->mtu), 1);
	request->status = svt_request_admit(qp, request);
	return request;
}

void svt_request_release(struct svt_send_request *request)
{
	if (request->av)
		svt_av_put(request->av);
	request->av = NULL;
}

static void svt_request_report(struct svt_qp *qp, const struct svt_send_request *request,
			       enum ib_wc_status status)
{
	struct svt_cqe cqe = {
		.wr_id = request->wqe.wr_id,
		.status = status,
		.opcode = request->info->wc_opcode,
		.byte_len = svt_answer_bytes(request),
	};

	svt_complete(qp, &qp->send.half, &cqe, 1, false);
}

/* The ring element is free before the completion shows: a poller may post there at once */
static void svt_request_complete(struct svt_qp *qp, struct svt_send_request *request,
				 enum ib_wc_status status)
{
	bool signaled = qp->sq_sig_all || (request->wqe.flags & SVT_SEND_SIGNALED);

	svt_ring_publish_consumer(&qp->send.ring, ++qp->send.tail);
	if (status != IB_WC_SUCCESS || signaled)
		svt_request_report(qp, request, status);
	svt_request_release(request);
}

/* RC: moves ack_request up to una. Local requests have no PSN; they count once they ran. */
void svt_send_advance(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	lockdep_assert_held(&send->half.lock);
	if (!qp->type->reliable)
		return;
	while (send->ack_request != send->cursor.started) {
		struct svt_send_request *request = svt_request(send, send->ack_request);

		if ((request->info->flags & SVT_REQUEST_WIRE) &&
		    svt_psn_diff(send->una, svt_request_end_psn(request)) < 0)
			break;
		send->ack_request++;
	}
}

static bool svt_request_done(const struct svt_qp *qp, u32 ordinal)
{
	const struct svt_send_half *send = &qp->send;
	u32 end = qp->type->reliable ? send->ack_request : send->cursor.request;

	return (s32)(end - ordinal) > 0;
}

static void svt_send_failed(struct svt_qp *qp)
{
	svt_count(svt_qp_counters(qp), SVT_COUNT_REQ_CQE_ERROR);
	if (qp->type->send_error_state == IB_QPS_SQE &&
	    cmpxchg(&qp->state, IB_QPS_RTS, IB_QPS_SQE) == IB_QPS_RTS)
		atomic_or(SVT_WORK_STATE, &qp->send.half.work);
	else
		svt_qp_fail(qp, &qp->send.half, -1);
}

/* The first failed request puts the QP in error; later ones are flushed, whatever their status */
void svt_send_retire(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;

	lockdep_assert_held(&send->half.lock);
	while (send->tail != send->head) {
		struct svt_send_request *request = svt_request(send, send->tail);

		if (request->status != IB_WC_SUCCESS) {
			if (svt_send_in_error(qp))
				break;
			svt_request_complete(qp, request, request->status);
			svt_send_failed(qp);
			break;
		}
		if (!svt_request_done(qp, send->tail))
			break;
		svt_request_complete(qp, request, IB_WC_SUCCESS);
	}
}

/**
 * svt_send_flush - complete everything in the window and the ring in error
 * @qp: in ERR or SQE
 * @limit: most requests of the ring, for a process may refill it for ever
 *
 * Context: send.half.lock held, RCU read section.
 * Return: false when there may be more in the ring.
 */
bool svt_send_flush(struct svt_qp *qp, u32 limit)
{
	struct svt_send_half *send = &qp->send;
	bool empty = false;

	lockdep_assert_held(&send->half.lock);
	for (;;) {
		if (send->tail == send->head) {
			empty = limit && !svt_request_pull(qp);
			if (!limit || empty)
				break;
			limit--;
		}
		svt_request_complete(qp, svt_request(send, send->tail), IB_WC_WR_FLUSH_ERR);
	}
	svt_send_timer_stop(qp);
	send->cursor.request = send->head;
	send->cursor.started = send->head;
	send->cursor.offset = 0;
	send->cursor.read_head = send->read_tail;
	send->una = send->cursor.next_psn;
	send->cursor.psn = send->una;
	send->ack_request = send->head;
	return empty;
}

/* Goes back to the oldest packet that is not acknowledged (RC) */
void svt_requester_rewind(struct svt_qp *qp)
{
	struct svt_send_half *send = &qp->send;
	struct svt_send_cursor *cursor = &send->cursor;
	struct svt_send_request *request;

	svt_send_advance(qp);
	cursor->psn = send->una;
	send->repeat_psn = send->una;
	cursor->request = send->ack_request;
	cursor->offset = 0;
	cursor->read_head = send->read_tail;
	if (cursor->request == send->head)
		return;
	request = svt_request(send, cursor->request);
	if (cursor->request != cursor->started)
		cursor->offset = svt_psn_diff(send->una, request->first_psn) * qp->mtu;
}

/* The rest is flushed. False: there is none, or one has failed already. */
bool svt_requester_fail_oldest(struct svt_qp *qp, enum ib_wc_status status)
{
	struct svt_send_half *send = &qp->send;

	svt_send_advance(qp);
	svt_send_retire(qp);
	if (send->tail == send->head || svt_send_in_error(qp))
		return false;
	svt_request(send, send->tail)->status = status;
	return true;
}
