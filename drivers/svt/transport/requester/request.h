/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send requests: work requests that were copied out of the send queue and are not retired yet. They
 * live in the window, a ring of fixed slots addressed by ordinal. All under send.half.lock.
 */
#ifndef SVT_TRANSPORT_REQUESTER_REQUEST_H
#define SVT_TRANSPORT_REQUESTER_REQUEST_H

#include "../../wire/psn.h"
#include "../qp/qp.h"

/* Packets that one READ request on the wire asks for; a longer one goes in parts */
#define SVT_READ_PACKETS	256

/* What a work request opcode needs on its way */
enum svt_request_flags {
	SVT_REQUEST_WIRE	= 1 << 0,	/* makes packets; else it is done on this host */
	SVT_REQUEST_ANSWERED	= 1 << 1,	/* the peer answers it by itself, as a READ */
	SVT_REQUEST_ATOMIC	= 1 << 2,
	SVT_REQUEST_CREDIT	= 1 << 3,	/* uses up a receive of the peer */
	SVT_REQUEST_IMM		= 1 << 4,
	SVT_REQUEST_INV		= 1 << 5,
	SVT_REQUEST_DRAIN	= 1 << 6,	/* waits until all before it is done */
	SVT_REQUEST_CARRIES	= 1 << 7,	/* answered without data: it has its own, or none */
};

/* One for each work request opcode */
struct svt_request_info {
	u8 flags;	/* enum svt_request_flags */
	u8 first;	/* opcodes on the wire, without the service bits */
	u8 middle;
	u8 last;
	u8 only;
	u8 wc_opcode;	/* enum ib_uverbs_wc_opcode */
};

/* A slot of the window */
struct svt_send_request {
	const struct svt_request_info *info;
	struct svt_av *av;		/* UD: where to; holds a reference */
	u32 first_psn;			/* once started */
	u32 packets;			/* PSNs that it takes */
	u32 length;
	u32 ssn;			/* send sequence number (end-to-end credits) */
	enum ib_wc_status status;	/* a failed one completes after all before it */
	struct svt_send_wqe wqe;	/* a copy; SGEs or inline data follow */
};

static inline struct svt_send_request *svt_request(const struct svt_send_half *send, u32 ordinal)
{
	return send->window + (ordinal & (send->window_entries - 1)) * send->window_stride;
}

static inline u32 svt_request_end_psn(const struct svt_send_request *request)
{
	return svt_psn_add(request->first_psn, request->packets);
}

/* Bytes of data that the peer returns */
static inline u32 svt_answer_bytes(const struct svt_send_request *request)
{
	return (request->info->flags & (SVT_REQUEST_ANSWERED | SVT_REQUEST_CARRIES)) ==
	       SVT_REQUEST_ANSWERED ? request->length : 0;
}

/* Nothing is sent any more, and what is queued is flushed */
static inline bool svt_send_in_error(const struct svt_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	return state == IB_QPS_ERR || state == IB_QPS_SQE;
}

int svt_window_alloc(struct svt_send_half *send);
bool svt_window_grow(struct svt_send_half *send);
void svt_window_free(struct svt_send_half *send);
struct svt_send_request *svt_request_pull(struct svt_qp *qp);
void svt_request_release(struct svt_send_request *request);

/* Shared by requester and completer */
void svt_send_advance(struct svt_qp *qp);
void svt_send_retire(struct svt_qp *qp);
bool svt_send_flush(struct svt_qp *qp, u32 limit);
void svt_requester_rewind(struct svt_qp *qp);
bool svt_requester_fail_oldest(struct svt_qp *qp, enum ib_wc_status status);

#endif
