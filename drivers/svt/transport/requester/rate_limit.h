/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Rate limit of a QP. All under send.half.lock.
 */
#ifndef SVT_TRANSPORT_REQUESTER_RATE_LIMIT_H
#define SVT_TRANSPORT_REQUESTER_RATE_LIMIT_H

#include "../qp/qp.h"
#include "../qp/train.h"

/* kbps. With less, a train of one packet takes longer than many a peer waits */
#define SVT_RATE_MIN	1000U

void svt_rate_sent(struct svt_qp *qp, u32 bytes);
bool svt_rate_is_full(const struct svt_qp *qp, const struct svt_train_builder *builder);
u32 svt_rate_packets(const struct svt_qp *qp, const struct svt_train_builder *builder, u32 bytes);

static inline bool svt_rate_may_send(const struct svt_send_half *send)
{
	return ktime_compare(send->now, send->rate_next) >= 0;
}

#endif
