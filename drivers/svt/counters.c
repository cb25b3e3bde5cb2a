// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of the counters, and their sum over the CPUs. Each CPU adds to its own without a lock; a
 * sum is as exact as a number can be that grows while it is read.
 */
#include "counters.h"

const char *const svt_counter_names[SVT_COUNT_TOTAL] = {
	[SVT_COUNT_TX_PACKETS]			= "tx_packets",
	[SVT_COUNT_TX_BYTES]			= "tx_bytes",
	[SVT_COUNT_TX_TRAINS]			= "tx_trains",
	[SVT_COUNT_TX_BUSY]			= "tx_busy",
	[SVT_COUNT_TX_SAME_HOST]		= "tx_same_host",
	[SVT_COUNT_TX_DROPPED]			= "tx_dropped",
	[SVT_COUNT_TX_FORGED]			= "tx_forged",
	[SVT_COUNT_RX_PACKETS]			= "rx_packets",
	[SVT_COUNT_RX_BYTES]			= "rx_bytes",
	[SVT_COUNT_RX_TRAINS]			= "rx_trains",
	[SVT_COUNT_RX_DROPPED_BACKEND]		= "rx_dropped_backend",
	[SVT_COUNT_RX_DROPPED_MALFORMED]	= "rx_dropped_malformed",
	[SVT_COUNT_RX_DROPPED_NO_QP]		= "rx_dropped_no_qp",
	[SVT_COUNT_RX_DROPPED_STATE]		= "rx_dropped_state",
	[SVT_COUNT_RX_DROPPED_OPCODE]		= "rx_dropped_opcode",
	[SVT_COUNT_RX_DROPPED_ADDRESS]		= "rx_dropped_address",
	[SVT_COUNT_RX_DROPPED_PKEY]		= "rx_dropped_pkey",
	[SVT_COUNT_RX_DROPPED_QKEY]		= "rx_dropped_qkey",
	[SVT_COUNT_RX_DROPPED_BACKLOG]		= "rx_dropped_backlog",
	[SVT_COUNT_RX_DROPPED_MEMORY]		= "rx_dropped_memory",
	[SVT_COUNT_RX_DROPPED_PSN]		= "rx_dropped_psn",
	[SVT_COUNT_RX_DROPPED_NO_WQE]		= "rx_dropped_no_wqe",
	[SVT_COUNT_RX_DROPPED_LENGTH]		= "rx_dropped_length",
	[SVT_COUNT_RX_DROPPED_PAGES]		= "rx_dropped_pages",
	[SVT_COUNT_PAGE_FAULTS]			= "page_faults",
	[SVT_COUNT_DUPLICATE_REQUESTS]		= "duplicate_requests",
	[SVT_COUNT_ACKS_SENT]			= "acks_sent",
	[SVT_COUNT_NAKS_SENT]			= "naks_sent",
	[SVT_COUNT_RNR_NAKS_SENT]		= "rnr_naks_sent",
	[SVT_COUNT_NAKS_RECEIVED]		= "naks_received",
	[SVT_COUNT_RNR_NAKS_RECEIVED]		= "rnr_naks_received",
	[SVT_COUNT_RETRIES_TIMER]		= "retries_timer",
	[SVT_COUNT_RETRIES_NAK]			= "retries_nak",
	[SVT_COUNT_RETRIES_HOLE]		= "retries_hole",
	[SVT_COUNT_RETRY_EXCEEDED]		= "retry_exceeded",
	[SVT_COUNT_RNR_RETRY_EXCEEDED]		= "rnr_retry_exceeded",
	[SVT_COUNT_LOCAL_ERRORS]		= "local_errors",
	[SVT_COUNT_REMOTE_ERRORS]		= "remote_errors",
	[SVT_COUNT_DOORBELLS]			= "doorbells",
	[SVT_COUNT_CQ_OVERRUNS]			= "cq_overruns",
};

/**
 * svt_counter_sum - a counter over all CPUs
 * @counters: of a device
 * @counter: which
 *
 * Context: any.
 * Return: the sum; wraps after 2^64.
 */
u64 svt_counter_sum(const struct svt_counters __percpu *counters, enum svt_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(counters, cpu)->value[counter];
	return sum;
}
