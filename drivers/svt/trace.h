/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace events, group svt. The reason of a drop or retry is the name of the counter.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM svt

#if !defined(SVT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SVT_TRACE_H

#include <linux/tracepoint.h>

#include "counters.h"
#include "transport/qp/qp.h"

/* The longest name of a counter, with its end */
#define SVT_TRACE_REASON	32

TRACE_EVENT(svt_qp_state,
	TP_PROTO(const struct svt_qp *qp, enum ib_qp_state from, enum ib_qp_state to),
	TP_ARGS(qp, from, to),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(int, from)
		__field(int, to)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("qpn=%#x %d -> %d", __entry->qpn, __entry->from, __entry->to)
);

TRACE_EVENT(svt_train_tx,
	TP_PROTO(const struct svt_qp *qp, const struct svt_train *train, int result),
	TP_ARGS(qp, train, result),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, packets)
		__field(u32, payload)
		__field(u32, last)
		__field(u8, opcode)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->psn = train->headers[9] << 16 | train->headers[10] << 8 |
			       train->headers[11];
		__entry->packets = train->packets;
		__entry->payload = train->payload_length;
		__entry->last = train->last_length;
		__entry->opcode = train->headers[0];
		__entry->result = result;
	),
	TP_printk("qpn=%#x psn=%#x opcode=%#x packets=%u payload=%u last=%u result=%d",
		  __entry->qpn, __entry->psn, __entry->opcode, __entry->packets,
		  __entry->payload, __entry->last, __entry->result)
);

TRACE_EVENT(svt_packet_rx,
	TP_PROTO(const struct svt_qp *qp, const struct svt_packet *packet),
	TP_ARGS(qp, packet),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, payload)
		__field(u8, opcode)
		__field(u8, syndrome)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->psn = packet->psn;
		__entry->payload = packet->payload_length;
		__entry->opcode = packet->opcode;
		__entry->syndrome = packet->info->flags & SVT_OP_AETH ? packet->syndrome : 0;
	),
	TP_printk("qpn=%#x psn=%#x opcode=%#x payload=%u syndrome=%#x",
		  __entry->qpn, __entry->psn, __entry->opcode, __entry->payload,
		  __entry->syndrome)
);

TRACE_EVENT(svt_train_rx,
	TP_PROTO(const struct svt_qp *qp, struct sk_buff *skb),
	TP_ARGS(qp, skb),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, length)
		__field(u32, stride)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->length = svt_rx_cb(skb)->length;
		__entry->stride = svt_rx_cb(skb)->stride;
	),
	TP_printk("qpn=%#x length=%u stride=%u", __entry->qpn, __entry->length,
		  __entry->stride)
);

TRACE_EVENT(svt_drop,
	TP_PROTO(const struct sk_buff *skb, enum svt_counter reason),
	TP_ARGS(skb, reason),
	TP_STRUCT__entry(
		__field(u32, length)
		__array(char, reason, SVT_TRACE_REASON)
	),
	TP_fast_assign(
		/* No skb comes from a QP of this host */
		__entry->length = skb ? skb->len : 0;
		strscpy(__entry->reason, svt_counter_names[reason], SVT_TRACE_REASON);
	),
	TP_printk("length=%u reason=%s", __entry->length, __entry->reason)
);

TRACE_EVENT(svt_retry,
	TP_PROTO(const struct svt_qp *qp, enum svt_counter reason),
	TP_ARGS(qp, reason),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, una)
		__field(u32, next_psn)
		__array(char, reason, SVT_TRACE_REASON)
	),
	TP_fast_assign(
		__entry->qpn = qp->qpn;
		__entry->una = qp->send.una;
		__entry->next_psn = qp->send.cursor.next_psn;
		strscpy(__entry->reason, svt_counter_names[reason], SVT_TRACE_REASON);
	),
	TP_printk("qpn=%#x una=%#x next_psn=%#x reason=%s", __entry->qpn, __entry->una,
		  __entry->next_psn, __entry->reason)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
