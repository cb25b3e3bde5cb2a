// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A packet that has no effect.
 */
#include "../../trace.h"
#include "drop.h"

/* @skb may be NULL. Any context; RCU read section, if @counters are a QP's. */
void svt_drop(struct svt_counters __percpu *counters, const struct sk_buff *skb,
	      enum svt_counter reason)
{
	svt_count(counters, reason);
	trace_svt_drop(skb, reason);
}
