/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a verdict means to the QP: see verdict.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_VERDICT_H
#define SVT_TRANSPORT_RESPONDER_VERDICT_H

#include "absent.h"

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

bool svt_is_local_fault(enum svt_verdict verdict);
const struct svt_refusal *svt_responder_refuse(struct svt_qp *qp, enum svt_verdict verdict);
void svt_responder_established(struct svt_qp *qp);
void svt_responder_drop(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_counter reason);

#endif
