/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Per-CPU counters of a device, as `rdma statistic show` lists them. Every drop and error has one.
 */
#ifndef SVT_COUNTERS_H
#define SVT_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

/* Name in the code, name for users (mlx5's, if any), and text of Documentation/counters.rst */
#define SVT_COUNTERS(row)									\
	row(SVT_COUNT_TX_PACKETS, "tx_packets", "packets sent")					\
	row(SVT_COUNT_TX_BYTES, "tx_bytes", "bytes of them, from the BTH on")			\
	row(SVT_COUNT_TX_TRAINS, "tx_trains", "trains that they were handed over in")		\
	row(SVT_COUNT_TX_BUSY, "tx_busy",							\
	    "trains that the backend had no room for; they are sent later")			\
	row(SVT_COUNT_TX_SAME_HOST, "tx_same_host",						\
	    "packets that went from memory to memory on this host")				\
	row(SVT_COUNT_TX_DROPPED, "tx_dropped",							\
	    "packets lost on this host on the way out")						\
	row(SVT_COUNT_TX_FORGED, "tx_forged",							\
	    "packets that others sent in the name of a QP; refused")				\
	row(SVT_COUNT_RX_PACKETS, "rx_packets", "packets that a QP looked at")			\
	row(SVT_COUNT_RX_BYTES, "rx_bytes", "bytes of them, from the BTH on")			\
	row(SVT_COUNT_RX_TRAINS, "rx_trains", "skbs that they came in")				\
	row(SVT_COUNT_RX_DROPPED_BACKEND, "rx_dropped_backend",					\
	    "refused below the BTH: ICRC, length, no device")					\
	row(SVT_COUNT_RX_DROPPED_MALFORMED, "rx_dropped_malformed",				\
	    "BTH or extended headers do not parse")						\
	row(SVT_COUNT_RX_DROPPED_NO_QP, "rx_dropped_no_qp", "for no QP")			\
	row(SVT_COUNT_RX_DROPPED_STATE, "rx_dropped_state",					\
	    "the QP cannot receive in its state")						\
	row(SVT_COUNT_RX_DROPPED_OPCODE, "rx_dropped_opcode",					\
	    "not for the QP's type, or reserved")						\
	row(SVT_COUNT_RX_DROPPED_ADDRESS, "rx_dropped_address",					\
	    "not from the QP's peer")								\
	row(SVT_COUNT_RX_DROPPED_PKEY, "rx_dropped_pkey", "of another partition")		\
	row(SVT_COUNT_RX_DROPPED_QKEY, "rx_dropped_qkey",					\
	    "datagrams with a wrong Q_Key")							\
	row(SVT_COUNT_RX_DROPPED_BACKLOG, "rx_dropped_backlog",					\
	    "too many packets, or requests to answer, wait for the QP; or a FLUSH is not done")	\
	row(SVT_COUNT_RX_DROPPED_MEMORY, "rx_dropped_memory",					\
	    "no memory for a copy of a packet")							\
	row(SVT_COUNT_RX_DROPPED_PSN, "rx_dropped_psn",						\
	    "answers to nothing, and repeats of what is not known, or not so")			\
	row(SVT_COUNT_RX_DROPPED_LENGTH, "rx_dropped_length",					\
	    "UD, UC: too long for the receive, or no access to its memory")			\
	row(SVT_COUNT_RX_DROPPED_PAGES, "rx_dropped_pages",					\
	    "memory that is paged on demand was not there")					\
	row(SVT_COUNT_OUT_OF_SEQUENCE, "out_of_sequence",					\
	    "requests in front of which one is missing, or was dropped; dropped")		\
	row(SVT_COUNT_OUT_OF_BUFFER, "out_of_buffer",						\
	    "requests for which there was no receive, or a bad one; dropped")			\
	row(SVT_COUNT_DUPLICATE_REQUEST, "duplicate_request",					\
	    "requests that had come before; answered again if they are known")			\
	row(SVT_COUNT_PAGE_FAULTS, "page_faults",						\
	    "how often a half of a QP waited for pages")					\
	row(SVT_COUNT_ACKS_SENT, "acks_sent", "acknowledgements sent")				\
	row(SVT_COUNT_NAKS_SENT, "naks_sent", "NAKs sent, RNR NAKs not among them")		\
	row(SVT_COUNT_RNR_NAKS_SENT, "rnr_naks_sent", "RNR NAKs sent")				\
	row(SVT_COUNT_PACKET_SEQ_ERR, "packet_seq_err",						\
	    "NAKs of a missing request received")						\
	row(SVT_COUNT_RNR_NAK_RETRY_ERR, "rnr_nak_retry_err", "RNR NAKs received")		\
	row(SVT_COUNT_IMPLIED_NAK_SEQ_ERR, "implied_nak_seq_err",				\
	    "repeats because a response was missing in front of one that came")			\
	row(SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR, "local_ack_timeout_err",				\
	    "repeats because no answer came in time")						\
	row(SVT_COUNT_RETRIES_NAK, "retries_nak", "repeats because of a NAK")			\
	row(SVT_COUNT_RETRY_EXCEEDED, "retry_exceeded",						\
	    "QPs that gave up a peer that does not answer")					\
	row(SVT_COUNT_RNR_RETRY_EXCEEDED, "rnr_retry_exceeded",					\
	    "QPs that gave up a peer that posts no receive")					\
	row(SVT_COUNT_REQ_CQE_ERROR, "req_cqe_error",						\
	    "send requests that failed, those that were flushed not among them")		\
	row(SVT_COUNT_RESP_CQE_ERROR, "resp_cqe_error",						\
	    "receives that failed, those that were flushed not among them")			\
	row(SVT_COUNT_REMOTE_ERRORS, "remote_errors",						\
	    "of the send requests that failed those that the peer refused")			\
	row(SVT_COUNT_DOORBELLS, "doorbells", "system calls of posters")			\
	row(SVT_COUNT_CQ_OVERRUNS, "cq_overruns",						\
	    "CQs that were full when a completion came")

#define SVT_COUNTER_ENUM(counter, name, about)	counter,

enum svt_counter {
	SVT_COUNTERS(SVT_COUNTER_ENUM)
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
