// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rate limit of a QP: after each train the requester waits, by its timer, as long as the limit
 * gives that train. A late round is made good up to SVT_RATE_CREDIT_NS: the mean is what was asked
 * for, and a QP that rested gets no burst. Trains are short, SVT_RATE_TRAIN_MS but at least one
 * packet, so that packets are spread.
 *
 * Only what the requester sends counts, each time it is sent; ACKs and READ responses do not. All
 * under send.half.lock.
 */
#include <linux/math64.h>

#include "rate_limit.h"

#define SVT_RATE_CREDIT_NS	(2 * NSEC_PER_MSEC)
#define SVT_RATE_TRAIN_MS	1

/* How long @bytes take at @rate kbps */
static u64 svt_rate_time(u32 bytes, u32 rate)
{
	return div_u64(bytes * 8ULL * NSEC_PER_MSEC, rate);
}

/* @bytes: of a train's packets, from the BTH on */
void svt_rate_sent(struct svt_qp *qp, u32 bytes)
{
	struct svt_send_half *send = &qp->send;
	ktime_t earliest;

	if (!qp->attr.rate_limit)
		return;
	earliest = ktime_sub_ns(send->now, SVT_RATE_CREDIT_NS);
	send->rate_next = ktime_add_ns(max(send->rate_next, earliest),
				       svt_rate_time(bytes, qp->attr.rate_limit));
}

/* Bytes of a train: kbit/s are bits per ms */
static u32 svt_rate_train(const struct svt_qp *qp)
{
	return qp->attr.rate_limit / BITS_PER_BYTE * SVT_RATE_TRAIN_MS;
}

bool svt_rate_is_full(const struct svt_qp *qp, const struct svt_train_builder *builder)
{
	return qp->attr.rate_limit && builder->bytes >= svt_rate_train(qp);
}

/* How many packets of @bytes svt_rate_is_full() would let in one by one */
u32 svt_rate_packets(const struct svt_qp *qp, const struct svt_train_builder *builder, u32 bytes)
{
	u32 train;

	if (!qp->attr.rate_limit)
		return U32_MAX;
	train = svt_rate_train(qp);
	return train > builder->bytes ? DIV_ROUND_UP(train - builder->bytes, bytes) : 0;
}
