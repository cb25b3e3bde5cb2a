/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Per-CPU counters of a device, as `rdma statistic show` lists them. Every drop has one.
 */
#ifndef SVT_COUNTERS_H
#define SVT_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

enum svt_counter {
	SVT_COUNT_TX_PACKETS,
	SVT_COUNT_TX_BYTES,
	SVT_COUNT_TX_TRAINS,
	SVT_COUNT_TX_BUSY,		/* the backend had no room for a train */
	SVT_COUNT_TX_SAME_HOST,		/* packets that went from memory to memory */
	SVT_COUNT_TX_DROPPED,		/* lost on this host on the way out */
	SVT_COUNT_TX_FORGED,		/* others sent them in the name of a QP; refused */
	SVT_COUNT_RX_PACKETS,
	SVT_COUNT_RX_BYTES,
	SVT_COUNT_RX_TRAINS,		/* skbs, of one packet or of many */
	SVT_COUNT_RX_DROPPED_BACKEND,	/* refused below the BTH: ICRC, length, no device */
	SVT_COUNT_RX_DROPPED_MALFORMED,	/* BTH or extended headers do not parse */
	SVT_COUNT_RX_DROPPED_NO_QP,
	SVT_COUNT_RX_DROPPED_STATE,	/* the QP cannot receive in its state */
	SVT_COUNT_RX_DROPPED_OPCODE,	/* not for the QP's type */
	SVT_COUNT_RX_DROPPED_ADDRESS,	/* not from the QP's peer */
	SVT_COUNT_RX_DROPPED_PKEY,
	SVT_COUNT_RX_DROPPED_QKEY,
	SVT_COUNT_RX_DROPPED_BACKLOG,	/* too many packets wait for the QP */
	SVT_COUNT_RX_DROPPED_MEMORY,	/* none for a copy of a packet */
	SVT_COUNT_RX_DROPPED_PSN,	/* out of sequence, or an answer to nothing */
	SVT_COUNT_RX_DROPPED_NO_WQE,	/* UD, UC: no receive posted */
	SVT_COUNT_RX_DROPPED_LENGTH,	/* UD, UC: too long for the receive, or no memory access */
	SVT_COUNT_RX_DROPPED_PAGES,	/* memory that is paged on demand was not there */
	SVT_COUNT_PAGE_FAULTS,		/* sides of QPs that waited for pages */
	SVT_COUNT_DUPLICATE_REQUESTS,
	SVT_COUNT_ACKS_SENT,
	SVT_COUNT_NAKS_SENT,
	SVT_COUNT_RNR_NAKS_SENT,
	SVT_COUNT_NAKS_RECEIVED,
	SVT_COUNT_RNR_NAKS_RECEIVED,
	SVT_COUNT_RETRIES_TIMER,
	SVT_COUNT_RETRIES_NAK,
	SVT_COUNT_RETRIES_HOLE,		/* a response was missing in front of one that came */
	SVT_COUNT_RETRY_EXCEEDED,
	SVT_COUNT_RNR_RETRY_EXCEEDED,
	SVT_COUNT_LOCAL_ERRORS,		/* send requests that failed on this side */
	SVT_COUNT_REMOTE_ERRORS,	/* requests that the peer refused */
	SVT_COUNT_DOORBELLS,
	SVT_COUNT_CQ_OVERRUNS,
	SVT_COUNT_TOTAL,
};

extern const char *const svt_counter_names[SVT_COUNT_TOTAL];

struct svt_counters {
	u64 value[SVT_COUNT_TOTAL];
};

static inline void svt_count(struct svt_counters __percpu *counters, enum svt_counter counter)
{
	this_cpu_inc(counters->value[counter]);
}

static inline void svt_count_add(struct svt_counters __percpu *counters, enum svt_counter counter,
				 u64 value)
{
	this_cpu_add(counters->value[counter], value);
}

u64 svt_counter_sum(const struct svt_counters __percpu *counters, enum svt_counter counter);

#endif
