/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How a packet is dropped: see drop.c.
 */
#ifndef SVT_TRANSPORT_QP_DROP_H
#define SVT_TRANSPORT_QP_DROP_H

#include <linux/skbuff.h>

#include "../../counters.h"

void svt_drop(struct svt_counters __percpu *counters, const struct sk_buff *skb,
	      enum svt_counter reason);

static inline void svt_drop_skb(struct svt_counters __percpu *counters, struct sk_buff *skb,
				enum svt_counter reason)
{
	svt_drop(counters, skb, reason);
	kfree_skb(skb);
}

#endif
