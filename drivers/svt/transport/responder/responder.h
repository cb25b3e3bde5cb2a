/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the files of the responder share. All of it runs under recv.side.lock, with BH off and in
 * an RCU read section.
 */
#ifndef SVT_TRANSPORT_RESPONDER_RESPONDER_H
#define SVT_TRANSPORT_RESPONDER_RESPONDER_H

#include "../../wire/aeth.h"
#include "../../wire/psn.h"
#include "../qp/qp.h"

/**
 * enum svt_verdict - what came of a request packet
 * @SVT_VERDICT_OK: done
 * @SVT_VERDICT_NOT_READY: it needs a receive WQE and there is none
 * @SVT_VERDICT_BROKEN: the skb ends before its packet does, as if it had been lost
 * @SVT_VERDICT_ABSENT: memory that is paged on demand was not there; SVT_WORK_PAGES follows
 * @SVT_VERDICT_FULL: too many requests are not answered yet; the peer is to repeat this one
 * @SVT_VERDICT_INVALID: against the protocol, or what the QP was not set up for
 * @SVT_VERDICT_LENGTH: the message is longer than the receive
 * @SVT_VERDICT_ACCESS: the rkey does not allow it
 * @SVT_VERDICT_PROTECTION: an lkey of the receive does not allow it
 * @SVT_VERDICT_OPERATION: the receive WQE is not well formed
 * @SVT_VERDICT_QUEUE: the receive queue, or the SRQ, is in error
 * @SVT_VERDICTS: how many there are
 *
 * The last three are faults of this side (IBTA 9.9.3, class A): they end the QP whatever its
 * type.
 */
enum svt_verdict {
	SVT_VERDICT_OK,
	SVT_VERDICT_NOT_READY,
	SVT_VERDICT_BROKEN,
	SVT_VERDICT_ABSENT,
	SVT_VERDICT_FULL,
	SVT_VERDICT_INVALID,
	SVT_VERDICT_LENGTH,
	SVT_VERDICT_ACCESS,
	SVT_VERDICT_PROTECTION,
	SVT_VERDICT_OPERATION,
	SVT_VERDICT_QUEUE,
	SVT_VERDICTS,
};

/**
 * struct svt_refusal - how the QP ends for a verdict
 * @nak: what an RC peer is told, enum svt_nak_code
 * @status: of the receive under way, if there is one
 * @event: enum ib_event_type; -1 when the completion says it all
 */
struct svt_refusal {
	u8 nak;
	u8 status;
	int event;
};

/* responder.c: what all types do alike */
bool svt_is_local_fault(enum svt_verdict verdict);
const struct svt_refusal *svt_responder_refuse(struct svt_qp *qp, enum svt_verdict verdict);
void svt_responder_drop(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_counter reason);
void svt_responder_established(struct svt_qp *qp);
enum svt_verdict svt_responder_absent(struct svt_qp *qp, const struct svt_region *region,
				      u64 offset, u64 length, enum svt_verdict refused);

/* ud.c, for raw.c too */
void svt_responder_lose(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_verdict verdict);

/* rqe.c: the receive under way */
u32 svt_receive_credits(const struct svt_qp *qp);
enum svt_verdict svt_receive_take(struct svt_qp *qp);
enum svt_verdict svt_receive_payload(struct svt_qp *qp, u32 offset, const struct svt_rx_packet *rx);
enum svt_verdict svt_receive_bytes(struct svt_qp *qp, u32 offset, const void *data, u32 length);
void svt_receive_complete(struct svt_qp *qp, struct svt_cqe *cqe, bool solicited);
void svt_receive_batch_begin(struct svt_qp *qp, struct svt_cqe_batch *batch);
void svt_receive_batch_end(struct svt_qp *qp);
void svt_receive_flush(struct svt_qp *qp);
void svt_receive_reset(struct svt_qp *qp);

/* message.c: SEND and WRITE of RC and UC */
bool svt_message_follows(const struct svt_recv_side *recv, const struct svt_packet *packet);
enum svt_verdict svt_message_packet(struct svt_qp *qp, struct svt_rx_packet *rx);
void svt_message_complete(struct svt_qp *qp, const struct svt_packet *packet,
			  struct svt_cqe *cqe);

/* rd_atomic.c: reads, atomics, FLUSH and ATOMIC WRITE of RC */
enum svt_verdict svt_resource_read(struct svt_qp *qp, struct svt_rx_packet *rx);
enum svt_verdict svt_resource_atomic(struct svt_qp *qp, struct svt_rx_packet *rx);
enum svt_verdict svt_resource_flush(struct svt_qp *qp, struct svt_rx_packet *rx);
enum svt_verdict svt_resource_atomic_write(struct svt_qp *qp, struct svt_rx_packet *rx);
int svt_resource_persist(struct svt_qp *qp, struct svt_resource *resource);
bool svt_resource_replay(struct svt_qp *qp, const struct svt_packet *packet);
struct svt_resource *svt_resource_pending(struct svt_recv_side *recv, u32 *back);
void svt_resource_settle(struct svt_recv_side *recv);
void svt_resource_give_up(struct svt_recv_side *recv);
void svt_resource_take_back(struct svt_recv_side *recv, u32 psn, u32 end);
void svt_resource_forget(struct svt_recv_side *recv);
u32 svt_read_packets(u32 length, u32 mtu);

/* ack.c: what RC sends back */
void svt_answer_due(struct svt_recv_side *recv, u8 syndrome, u32 psn);
bool svt_answer_is_nak(const struct svt_recv_side *recv);
void svt_answer_run(struct svt_qp *qp);

#endif
