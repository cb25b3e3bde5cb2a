/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_PACKET_H
#define PACKETS_PACKET_H

#include <infiniband/verbs.h>

#include "types.h"

#define ROCE_PORT	4791
#define BTH_BYTES	12
#define ICRC_BYTES	4
#define QPN_MASK	0xffffffU
#define PSN_MASK	0xffffffU
#define QPN_MULTICAST	0xffffffU
#define DEFAULT_PKEY	0xffff
#define GSI_QKEY	0x80010000U
/* More than any path MTU, and less than the netdev's by the headers */
#define PAYLOAD_MAX	4160
#define OPTIONS_MAX	64
#define MAC_BYTES	6

/* Headers behind the BTH; they stand in this order (IBTA 5.2). */
enum header {
	HEADER_DETH		= 1 << 0,
	HEADER_RETH		= 1 << 1,
	HEADER_ATOMIC		= 1 << 2,
	HEADER_AETH		= 1 << 3,
	HEADER_ATOMIC_ACK	= 1 << 4,
	HEADER_IMM		= 1 << 5,
	HEADER_IETH		= 1 << 6,
	HEADER_XRCETH		= 1 << 7,	/* in front of all others */
	HEADER_FETH		= 1 << 8,	/* in front of the RETH */
};

/* Opcodes without the service, which is in the upper three bits (IBTA table 38). */
enum operation {
	OP_SEND_FIRST,
	OP_SEND_MIDDLE,
	OP_SEND_LAST,
	OP_SEND_LAST_IMM,
	OP_SEND_ONLY,
	OP_SEND_ONLY_IMM,
	OP_WRITE_FIRST,
	OP_WRITE_MIDDLE,
	OP_WRITE_LAST,
	OP_WRITE_LAST_IMM,
	OP_WRITE_ONLY,
	OP_WRITE_ONLY_IMM,
	OP_READ_REQUEST,
	OP_READ_RESPONSE_FIRST,
	OP_READ_RESPONSE_MIDDLE,
	OP_READ_RESPONSE_LAST,
	OP_READ_RESPONSE_ONLY,
	OP_ACKNOWLEDGE,
	OP_ATOMIC_ACKNOWLEDGE,
	OP_COMPARE_SWAP,
	OP_FETCH_ADD,
	OP_SEND_LAST_INV = 0x16,
	OP_SEND_ONLY_INV = 0x17,
	OP_FLUSH = 0x1c,
	OP_ATOMIC_WRITE = 0x1d,
};

#define SERVICE_RC	0x00
#define SERVICE_UC	0x20
#define SERVICE_UD	0x60
#define SERVICE_XRC	0xa0
#define SERVICE_MASK	0xe0

enum checksum {
	CHECKSUM_RIGHT,
	CHECKSUM_ZERO,
	CHECKSUM_WRONG,
};

enum icrc {
	ICRC_RIGHT,
	ICRC_WRONG,
	ICRC_ZERO,
	ICRC_SWAPPED,
	ICRC_MISSING,
};

#define WHOLE		0xffffU

/*
 * A packet before it is bytes: all that is in it, and all that may be wrong with it. A packet made
 * by packet_init() and filled in by its opcode is right in everything.
 */
struct packet {
	/* Ethernet */
	u8 from_mac[MAC_BYTES];
	u8 to_mac[MAC_BYTES];
	/* IP; IPv4 addresses are mapped into IPv6 */
	bool ipv6;
	union ibv_gid from;
	union ibv_gid to;
	u8 traffic_class;
	u8 hops;
	u8 protocol;		/* of what is behind the IP header and its options */
	u16 id;
	u16 fragment;		/* as in the IPv4 header */
	u8 options[OPTIONS_MAX];	/* IPv4: options; IPv6: extension headers */
	u32 options_length;
	u8 first_extension;	/* IPv6: type of the first of them */
	int ip_length_error;
	bool ip_checksum_wrong;
	/* UDP */
	u16 from_port;
	u16 to_port;
	int udp_length_error;
	enum checksum udp_checksum;
	/* BTH */
	u8 opcode;
	u8 pad;
	u8 version;
	bool solicited;
	bool migrated;
	bool ack_request;
	u16 pkey;
	u8 congestion;		/* byte 4: FECN, BECN, reserved */
	u32 qpn;
	u8 reserved;		/* byte 8, seven bits */
	u32 psn;
	/* Extended headers */
	u32 headers;		/* enum header: which of them are there */
	u32 srq_number;
	u32 qkey;
	u32 source_qpn;
	u32 flush;		/* FETH: placement, and selectivity from bit 4 on */
	u64 address;
	u32 rkey;
	u32 dma_length;
	u64 swap_add;
	u64 compare;
	u8 syndrome;
	u32 msn;
	u64 original;
	u32 immediate;
	u32 invalidate_rkey;
	/* The rest */
	u8 payload[PAYLOAD_MAX];
	u32 payload_length;
	u32 pad_bytes;		/* that are really there */
	u32 cut;		/* so many bytes of all this from the BTH on, then the ICRC */
	enum icrc icrc;
	u32 tail_udp;		/* bytes behind the ICRC, in UDP */
	u32 tail_ip;		/* behind UDP, in IP */
	u32 tail_link;		/* behind IP */
	/* One byte changed: from the BTH on before the ICRC, from the IP header on after all */
	u32 inner_at;
	u8 inner_xor;
	u32 outer_at;
	u8 outer_xor;
};

/* All zero but for what every packet has; addresses and numbers are the caller's. */
void packet_init(struct packet *p, bool ipv6);
/* Sets opcode and the headers that belong to it. */
void packet_set_opcode(struct packet *p, u8 opcode);
/* Payload of @length bytes with its pad. */
void packet_set_length(struct packet *p, u32 length);

/* enum header of an opcode, 0 also for those that are not known. */
u32 opcode_headers(u8 opcode);
bool opcode_known(u8 opcode);
const char *opcode_name(u8 opcode);
/* A known one: @index from 0 to opcode_count() - 1. */
u8 opcode_number(u32 index);
u32 opcode_count(void);

#endif
