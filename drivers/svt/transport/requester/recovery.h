/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Getting lost packets across (RC): the retransmission timer, RNR waits, round-trip time, retry
 * counts. All under send.half.lock.
 */
#ifndef SVT_TRANSPORT_REQUESTER_RECOVERY_H
#define SVT_TRANSPORT_REQUESTER_RECOVERY_H

#include "../qp/qp.h"

/* PSNs that may be out: at most, at first, and at least */
#define SVT_MAX_UNACKED	512U
#define SVT_FIRST_UNACKED	64U
#define SVT_LEAST_UNACKED	16U

void svt_recovery_init(struct svt_qp *qp);
bool svt_recovery_may_send(struct svt_send_half *send);
void svt_recovery_sent(struct svt_qp *qp, bool ack_requested);
void svt_recovery_progress(struct svt_qp *qp, u32 packets);
void svt_recovery_nak(struct svt_qp *qp);
void svt_recovery_hole(struct svt_qp *qp);
void svt_recovery_rnr(struct svt_qp *qp, u8 timer);
void svt_recovery_timer(struct svt_qp *qp, ktime_t now);

#endif
