/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The bytes of a packet from the BTH to the last extended header, and their decoded form. Pure
 * functions without kernel objects: the fuzzer compiles them in user space.
 */
#ifndef SVT_WIRE_PACKET_H
#define SVT_WIRE_PACKET_H

#include <linux/types.h>

/* IBTA 9.2: base transport header */
#define SVT_BTH_BYTES		12
#define SVT_XRCETH_BYTES	4
#define SVT_DETH_BYTES		8
#define SVT_FETH_BYTES		4
#define SVT_RETH_BYTES		16
#define SVT_ATOMIC_ETH_BYTES	28
#define SVT_AETH_BYTES		4
#define SVT_ATOMIC_ACK_BYTES	8
#define SVT_IMM_BYTES		4
#define SVT_IETH_BYTES		4
/* BTH, XRCETH and AtomicETH */
#define SVT_HEADER_MAX		44

/* In a built BTH */
#define SVT_BTH_ACK_REQUEST_BYTE	8
#define SVT_BTH_ACK_REQUEST_BIT		0x80
#define SVT_BTH_PSN_BYTE		9

#define SVT_QPN_MASK		0xffffffU
#define SVT_SRQN_MASK		0xffffffU
#define SVT_QPN_GSI		1
#define SVT_QPN_MULTICAST	0xffffffU
#define SVT_DEFAULT_PKEY	0xffff

enum svt_opcode_flags {
	SVT_OP_REQUEST		= 1 << 0,
	SVT_OP_RESPONSE		= 1 << 1,
	SVT_OP_FIRST		= 1 << 2,	/* also of ONLY */
	SVT_OP_LAST		= 1 << 3,	/* also of ONLY */
	SVT_OP_PAYLOAD		= 1 << 4,	/* may carry payload */
	SVT_OP_SEND		= 1 << 5,
	SVT_OP_WRITE		= 1 << 6,
	SVT_OP_READ		= 1 << 7,
	SVT_OP_ATOMIC		= 1 << 8,
	SVT_OP_RETH		= 1 << 9,
	SVT_OP_IMM		= 1 << 10,
	SVT_OP_IETH		= 1 << 11,
	SVT_OP_AETH		= 1 << 12,
	SVT_OP_ATOMIC_ETH	= 1 << 13,
	SVT_OP_ATOMIC_ACK	= 1 << 14,
	SVT_OP_DETH		= 1 << 15,
	SVT_OP_ACK		= 1 << 16,	/* ACKNOWLEDGE: nothing but an AETH */
	SVT_OP_XRCETH		= 1 << 17,
	SVT_OP_ATOMIC_WRITE	= 1 << 18,
	SVT_OP_FLUSH		= 1 << 19,
	SVT_OP_FETH		= 1 << 20,
	SVT_OP_RESERVED		= 1 << 21,	/* of a service that refuses it; headers unknown */
};

/* Each of these requests has a READ RESPONSE or an ATOMIC ACKNOWLEDGE of its own */
#define SVT_OP_ANSWERED	(SVT_OP_READ | SVT_OP_ATOMIC | SVT_OP_ATOMIC_WRITE | SVT_OP_FLUSH)

/* Of an atomic operation or ATOMIC WRITE */
#define SVT_ATOMIC_BYTES	8

enum svt_service {
	SVT_SERVICE_RC,
	SVT_SERVICE_UC,
	SVT_SERVICE_UD,
	SVT_SERVICE_XRC,
};

/**
 * struct svt_opcode_info - a row of the opcode table (IBTA table 38)
 * @name: for traces
 * @flags: enum svt_opcode_flags; 0: unknown to svt
 * @service: enum svt_service
 * @header_length: bytes of BTH and extended headers
 */
struct svt_opcode_info {
	const char *name;
	u32 flags;
	u8 service;
	u8 header_length;
};

/**
 * struct svt_packet - a packet's headers in host order; only those of the opcode are set or read
 * @info: set by parsing
 * @psn: 24 bits
 * @dest_qpn: 24 bits
 * @pkey: partition key
 * @opcode: first byte of the BTH
 * @pad: bytes behind the payload, 0 to 3
 * @solicited: SE bit
 * @migrated: M bit
 * @ack_request: A bit
 * @fecn: congestion met on the way
 * @becn: congestion met on the way back
 * @srq_num: XRCETH, 24 bits
 * @qkey: DETH
 * @src_qpn: DETH, 24 bits
 * @placement: FETH, 4 bits, see svt_send_wqe.flush
 * @selectivity: FETH, 2 bits
 * @remote_addr: RETH, AtomicETH
 * @rkey: RETH, AtomicETH
 * @dma_length: RETH, bytes of the message
 * @swap_add: AtomicETH
 * @compare: AtomicETH
 * @atomic_original: AtomicAckETH
 * @msn: AETH, 24 bits
 * @syndrome: AETH, see aeth.h
 * @imm_data: as on the wire
 * @invalidate_rkey: IETH
 * @header_length: bytes; set by parsing
 * @payload_length: bytes without pad; set by parsing
 */
struct svt_packet {
	const struct svt_opcode_info *info;
	u32 psn;
	u32 dest_qpn;
	u16 pkey;
	u8 opcode;
	u8 pad;
	bool solicited;
	bool migrated;
	bool ack_request;
	bool fecn;
	bool becn;
	u32 srq_num;
	u32 qkey;
	u32 src_qpn;
	u8 placement;
	u8 selectivity;
	u64 remote_addr;
	u32 rkey;
	u32 dma_length;
	u64 swap_add;
	u64 compare;
	u64 atomic_original;
	u32 msn;
	u8 syndrome;
	__be32 imm_data;
	u32 invalidate_rkey;
	u32 header_length;
	u32 payload_length;
};

enum svt_parse_result {
	SVT_PARSE_OK,
	SVT_PARSE_SHORT,	/* the packet ends inside its headers */
	SVT_PARSE_OPCODE,	/* not an opcode of RC, UC, UD or XRC */
	SVT_PARSE_VERSION,	/* transport header version is not 0 */
	SVT_PARSE_PAD,		/* more pad than payload, or payload where none may be */
};

const struct svt_opcode_info *svt_opcode_info(u8 opcode);
enum svt_parse_result svt_packet_parse(struct svt_packet *packet, const u8 *bytes,
				       u32 available, u32 length);
void svt_reth_build(u8 *bytes, u64 remote_addr, u32 rkey, u32 dma_length);
u32 svt_packet_build(const struct svt_packet *packet, u8 *bytes);

#endif
