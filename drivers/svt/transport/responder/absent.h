/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What came of a request packet, and what absent memory means: see absent.c.
 */
#ifndef SVT_TRANSPORT_RESPONDER_ABSENT_H
#define SVT_TRANSPORT_RESPONDER_ABSENT_H

#include "../qp/qp.h"

enum svt_verdict {
	SVT_VERDICT_OK,
	SVT_VERDICT_NOT_READY,	/* it needs a receive WQE and there is none */
	SVT_VERDICT_BROKEN,	/* the skb ends before its packet does: as if lost */
	SVT_VERDICT_ABSENT,	/* paged memory was not there; SVT_WORK_PAGES follows */
	SVT_VERDICT_FULL,	/* too many requests are not answered: the peer is to repeat it */
	SVT_VERDICT_INVALID,	/* against the protocol, or what the QP was set up for */
	SVT_VERDICT_LENGTH,	/* the message is longer than the receive */
	SVT_VERDICT_ACCESS,	/* the rkey does not allow it */
	/* Faults of this host (IBTA 9.9.3, class A) end a QP of any type */
	SVT_VERDICT_PROTECTION,	/* an lkey of the receive does not allow it */
	SVT_VERDICT_OPERATION,	/* the receive WQE is not well formed */
	SVT_VERDICT_QUEUE,	/* the receive queue, or the SRQ, is in error */
	SVT_VERDICTS,
};

enum svt_verdict svt_responder_absent(struct svt_qp *qp, const struct svt_region *region,
				      u64 offset, u64 length, enum svt_verdict refused);

#endif
