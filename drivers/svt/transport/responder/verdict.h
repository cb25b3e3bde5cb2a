/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How a QP ends for a verdict: see verdict.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_VERDICT_H
#define SVT_TRANSPORT_RESPONDER_VERDICT_H

#include "absent.h"

struct svt_refusal {
	u8 nak;		/* to an RC peer, enum svt_nak_code */
	u8 status;	/* of the receive under way, if there is one */
	int event;	/* enum ib_event_type; -1: the completion says it all */
};

bool svt_is_local_fault(enum svt_verdict verdict);
const struct svt_refusal *svt_responder_refuse(struct svt_qp *qp, enum svt_verdict verdict);
void svt_responder_established(struct svt_qp *qp);
void svt_responder_drop(struct svt_qp *qp, const struct svt_rx_packet *rx,
			enum svt_counter reason);

#endif
