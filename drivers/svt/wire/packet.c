// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Headers to and from bytes. Pure functions on the caller's memory: any context, no lock. Anybody
 * on the network may have sent the bytes to parse, so a check of their number precedes each read.
 */
#include <linux/unaligned.h>

#include "packet.h"
#include "psn.h"

/* BTH, byte 1 */
#define BTH_SOLICITED		0x80
#define BTH_MIGRATED		0x40
#define BTH_PAD_SHIFT		4
#define BTH_PAD_MASK		0x03
#define BTH_VERSION_MASK	0x0f
/* BTH, byte 4 */
#define BTH_FECN		0x80
#define BTH_BECN		0x40
/* BTH, byte 8 */
#define BTH_ACK_REQUEST		0x80
/* FETH (IBTA A19.4.1) */
#define FETH_PLACEMENT_MASK	0x0f
#define FETH_SELECTIVITY_SHIFT	4
#define FETH_SELECTIVITY_MASK	0x03

/* The upper 8 bits of the word are of another field, or reserved */
static u32 get_24(const u8 *bytes)
{
	return get_unaligned_be32(bytes) & SVT_QPN_MASK;
}

static void put_8_24(u8 high, u32 low, u8 *bytes)
{
	put_unaligned_be32((u32)high << 24 | (low & SVT_QPN_MASK), bytes);
}

static void parse_bth(struct svt_packet *packet, const u8 *bytes)
{
	packet->solicited = bytes[1] & BTH_SOLICITED;
	packet->migrated = bytes[1] & BTH_MIGRATED;
	packet->pad = (bytes[1] >> BTH_PAD_SHIFT) & BTH_PAD_MASK;
	packet->pkey = get_unaligned_be16(bytes + 2);
	packet->fecn = bytes[4] & BTH_FECN;
	packet->becn = bytes[4] & BTH_BECN;
	packet->dest_qpn = get_24(bytes + 4);
	packet->ack_request = bytes[8] & BTH_ACK_REQUEST;
	packet->psn = get_24(bytes + 8);
}

static void build_bth(const struct svt_packet *packet, u8 *bytes)
{
	bytes[0] = packet->opcode;
	bytes[1] = (packet->solicited ? BTH_SOLICITED : 0) |
		   (packet->migrated ? BTH_MIGRATED : 0) |
		   (packet->pad & BTH_PAD_MASK) << BTH_PAD_SHIFT;
	put_unaligned_be16(packet->pkey, bytes + 2);
	put_8_24((packet->fecn ? BTH_FECN : 0) | (packet->becn ? BTH_BECN : 0),
		 packet->dest_qpn, bytes + 4);
	put_8_24(packet->ack_request ? BTH_ACK_REQUEST : 0, packet->psn, bytes + 8);
}

static void parse_atomic_eth(struct svt_packet *packet, const u8 *bytes)
{
	packet->remote_addr = get_unaligned_be64(bytes);
	packet->rkey = get_unaligned_be32(bytes + 8);
	packet->swap_add = get_unaligned_be64(bytes + 12);
	packet->compare = get_unaligned_be64(bytes + 20);
}

static void build_atomic_eth(const struct svt_packet *packet, u8 *bytes)
{
	put_unaligned_be64(packet->remote_addr, bytes);
	put_unaligned_be32(packet->rkey, bytes + 8);
	put_unaligned_be64(packet->swap_add, bytes + 12);
	put_unaligned_be64(packet->compare, bytes + 20);
}

/* The extended headers stand in this order, each present if its flag is set (IBTA 5.2) */
static void parse_extended(struct svt_packet *packet, u32 flags, const u8 *bytes)
{
	if (flags & SVT_OP_XRCETH) {
		packet->srq_num = get_24(bytes);
		bytes += SVT_XRCETH_BYTES;
	}
	if (flags & SVT_OP_DETH) {
		packet->qkey = get_unaligned_be32(bytes);
		packet->src_qpn = get_24(bytes + 4);
		bytes += SVT_DETH_BYTES;
	}
	if (flags & SVT_OP_FETH) {
		packet->placement = bytes[3] & FETH_PLACEMENT_MASK;
		packet->selectivity = bytes[3] >> FETH_SELECTIVITY_SHIFT & FETH_SELECTIVITY_MASK;
		bytes += SVT_FETH_BYTES;
	}
	if (flags & SVT_OP_RETH) {
		packet->remote_addr = get_unaligned_be64(bytes);
		packet->rkey = get_unaligned_be32(bytes + 8);
		packet->dma_length = get_unaligned_be32(bytes + 12);
		bytes += SVT_RETH_BYTES;
	}
	if (flags & SVT_OP_ATOMIC_ETH) {
		parse_atomic_eth(packet, bytes);
		bytes += SVT_ATOMIC_ETH_BYTES;
	}
	if (flags & SVT_OP_AETH) {
		packet->syndrome = bytes[0];
		packet->msn = get_24(bytes);
		bytes += SVT_AETH_BYTES;
	}
	if (flags & SVT_OP_ATOMIC_ACK) {
		packet->atomic_original = get_unaligned_be64(bytes);
		bytes += SVT_ATOMIC_ACK_BYTES;
	}
	if (flags & SVT_OP_IMM)
		packet->imm_data = get_unaligned((const __be32 *)bytes);
	if (flags & SVT_OP_IETH)
		packet->invalidate_rkey = get_unaligned_be32(bytes);
}

void svt_reth_build(u8 *bytes, u64 remote_addr, u32 rkey, u32 dma_length)
{
	put_unaligned_be64(remote_addr, bytes);
	put_unaligned_be32(rkey, bytes + 8);
	put_unaligned_be32(dma_length, bytes + 12);
}

static void build_extended(const struct svt_packet *packet, u32 flags, u8 *bytes)
{
	if (flags & SVT_OP_XRCETH) {
		put_8_24(0, packet->srq_num, bytes);
		bytes += SVT_XRCETH_BYTES;
	}
	if (flags & SVT_OP_DETH) {
		put_unaligned_be32(packet->qkey, bytes);
		put_8_24(0, packet->src_qpn, bytes + 4);
		bytes += SVT_DETH_BYTES;
	}
	if (flags & SVT_OP_FETH) {
		put_unaligned_be32((packet->selectivity & FETH_SELECTIVITY_MASK) <<
				   FETH_SELECTIVITY_SHIFT |
				   (packet->placement & FETH_PLACEMENT_MASK), bytes);
		bytes += SVT_FETH_BYTES;
	}
	if (flags & SVT_OP_RETH) {
		svt_reth_build(bytes, packet->remote_addr, packet->rkey, packet->dma_length);
		bytes += SVT_RETH_BYTES;
	}
	if (flags & SVT_OP_ATOMIC_ETH) {
		build_atomic_eth(packet, bytes);
		bytes += SVT_ATOMIC_ETH_BYTES;
	}
	if (flags & SVT_OP_AETH) {
		put_8_24(packet->syndrome, packet->msn, bytes);
		bytes += SVT_AETH_BYTES;
	}
	if (flags & SVT_OP_ATOMIC_ACK) {
		put_unaligned_be64(packet->atomic_original, bytes);
		bytes += SVT_ATOMIC_ACK_BYTES;
	}
	if (flags & SVT_OP_IMM)
		put_unaligned(packet->imm_data, (__be32 *)bytes);
	if (flags & SVT_OP_IETH)
		put_unaligned_be32(packet->invalidate_rkey, bytes);
}

/**
 * svt_packet_parse() - decode and check the headers of a received packet
 * @packet: complete with SVT_PARSE_OK only
 * @bytes: from the BTH on, any alignment
 * @available: readable at @bytes
 * @length: from the BTH to the pad, without ICRC
 *
 * Checks what the bytes alone can tell (IBTA 9.6.1.1). Reserved bits are ignored.
 * Return: SVT_PARSE_OK or what is wrong
 */
enum svt_parse_result svt_packet_parse(struct svt_packet *packet, const u8 *bytes,
				       u32 available, u32 length)
{
	const struct svt_opcode_info *info;
	u32 payload;

	if (available > length)
		available = length;
	if (available < SVT_BTH_BYTES)
		return SVT_PARSE_SHORT;
	if (bytes[1] & BTH_VERSION_MASK)
		return SVT_PARSE_VERSION;

	info = svt_opcode_info(bytes[0]);
	if (!info->flags)
		return SVT_PARSE_OPCODE;
	if (available < info->header_length)
		return SVT_PARSE_SHORT;

	packet->info = info;
	packet->opcode = bytes[0];
	packet->header_length = info->header_length;
	parse_bth(packet, bytes);
	payload = length - info->header_length;
	if (payload % 4 || packet->pad > payload || (payload && !(info->flags & SVT_OP_PAYLOAD)))
		return SVT_PARSE_PAD;
	packet->payload_length = payload - packet->pad;
	parse_extended(packet, info->flags, bytes + SVT_BTH_BYTES);
	return SVT_PARSE_OK;
}

/**
 * svt_packet_build() - encode the headers of a packet to send
 * @packet: @opcode says which fields are read
 * @bytes: SVT_HEADER_MAX, any alignment
 * Return: bytes written, or 0 when svt does not know the opcode
 */
u32 svt_packet_build(const struct svt_packet *packet, u8 *bytes)
{
	const struct svt_opcode_info *info = svt_opcode_info(packet->opcode);

	if (!info->flags)
		return 0;
	build_bth(packet, bytes);
	build_extended(packet, info->flags, bytes + SVT_BTH_BYTES);
	return info->header_length;
}
