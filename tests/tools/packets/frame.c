// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a packet to bytes. Whatever is wrong with the packet is written as it is; lengths, ICRC and
 * checksums are of the bytes that are there, unless the packet says otherwise.
 */
#include <string.h>

#include "crc.h"
#include "frame.h"

#define ETH_IPV4	0x0800
#define ETH_IPV6	0x86dd
#define IPV4_BYTES	20
#define IPV6_BYTES	40

static u8 *put_ethernet(u8 *at, const struct packet *p)
{
	memcpy(at, p->to_mac, MAC_BYTES);
	memcpy(at + MAC_BYTES, p->from_mac, MAC_BYTES);
	return put_16(at + 2 * MAC_BYTES, p->ipv6 ? ETH_IPV6 : ETH_IPV4);
}

static u8 *put_bth(u8 *at, const struct packet *p)
{
	*at++ = p->opcode;
	*at++ = p->solicited << 7 | p->migrated << 6 | (p->pad & 3) << 4 | (p->version & 15);
	at = put_16(at, p->pkey);
	at = put_32(at, (u32)p->congestion << 24 | (p->qpn & QPN_MASK));
	return put_32(at, (u32)p->ack_request << 31 | (u32)(p->reserved & 0x7f) << 24 |
			  (p->psn & PSN_MASK));
}

static u8 *put_headers(u8 *at, const struct packet *p)
{
	if (p->headers & HEADER_XRCETH)
		at = put_32(at, p->srq_number);
	if (p->headers & HEADER_DETH) {
		at = put_32(at, p->qkey);
		at = put_32(at, p->source_qpn);
	}
	if (p->headers & HEADER_FETH)
		at = put_32(at, p->flush);
	if (p->headers & HEADER_RETH) {
		at = put_64(at, p->address);
		at = put_32(at, p->rkey);
		at = put_32(at, p->dma_length);
	}
	if (p->headers & HEADER_ATOMIC) {
		at = put_64(at, p->address);
		at = put_32(at, p->rkey);
		at = put_64(at, p->swap_add);
		at = put_64(at, p->compare);
	}
	if (p->headers & HEADER_AETH)
		at = put_32(at, (u32)p->syndrome << 24 | (p->msn & PSN_MASK));
	if (p->headers & HEADER_ATOMIC_ACK)
		at = put_64(at, p->original);
	if (p->headers & HEADER_IMM)
		at = put_32(at, p->immediate);
	if (p->headers & HEADER_IETH)
		at = put_32(at, p->invalidate_rkey);
	return at;
}

static u8 *put_zero(u8 *at, u32 count)
{
	memset(at, 0, count);
	return at + count;
}

/* From the BTH to the pad; what does not fit into a frame is left out */
static u8 *put_transport(u8 *at, const struct packet *p, u32 room)
{
	u8 *start = at;
	u32 length;

	at = put_headers(put_bth(at, p), p);
	length = min_u32(p->payload_length, room - (at - start));
	memcpy(at, p->payload, length);
	at = put_zero(at + length, min_u32(p->pad_bytes, room - (at + length - start)));
	if ((u32)(at - start) > p->cut)
		at = start + p->cut;
	if (p->inner_xor && at > start)
		start[p->inner_at % (at - start)] ^= p->inner_xor;
	return at;
}

static void put_ipv4(u8 *ip, const struct packet *p, u32 length)
{
	u32 words = (IPV4_BYTES + p->options_length) / 4;

	ip[0] = 0x40 | words;
	ip[1] = p->traffic_class;
	put_16(ip + 2, length + p->ip_length_error);
	put_16(ip + 4, p->id);
	put_16(ip + 6, p->fragment);
	ip[8] = p->hops;
	ip[9] = p->protocol;
	put_16(ip + 10, 0);
	memcpy(ip + 12, p->from.raw + 12, 4);
	memcpy(ip + 16, p->to.raw + 12, 4);
	memcpy(ip + IPV4_BYTES, p->options, p->options_length);
	frame_sum_ip(ip);
	if (p->ip_checksum_wrong)
		ip[10] ^= 0x5a;
}

static void put_ipv6(u8 *ip, const struct packet *p, u32 length)
{
	put_32(ip, 6u << 28 | (u32)p->traffic_class << 20);
	put_16(ip + 4, length - IPV6_BYTES + p->ip_length_error);
	ip[6] = p->options_length ? p->first_extension : p->protocol;
	ip[7] = p->hops;
	memcpy(ip + 8, p->from.raw, 16);
	memcpy(ip + 24, p->to.raw, 16);
	memcpy(ip + IPV6_BYTES, p->options, p->options_length);
}

static void put_udp(u8 *udp, const struct packet *p, u32 length)
{
	put_16(udp, p->from_port);
	put_16(udp + 2, p->to_port);
	put_16(udp + 4, length + p->udp_length_error);
	put_16(udp + 6, 0);
}

/* Returns where UDP ends */
static u8 *put_icrc(u8 *at, const struct packet *p, const u8 *ip, const u8 *udp)
{
	u32 crc = icrc_of(ip, udp, at - udp - UDP_BYTES);

	if (p->icrc == ICRC_MISSING)
		return at;
	if (p->icrc == ICRC_WRONG)
		crc ^= 0x00010000;
	else if (p->icrc == ICRC_ZERO)
		crc = 0;
	return put_32(at, p->icrc == ICRC_SWAPPED ? crc : __builtin_bswap32(crc));
}

void frame_sum_ip(u8 *ip)
{
	u32 bytes = (ip[0] & 15) * 4;

	put_16(ip + 10, 0);
	put_16(ip + 10, checksum_end(checksum_add(0, ip, bytes)));
}

void frame_sum_udp(const u8 *ip, u8 *udp, u32 length)
{
	bool ipv6 = ip[0] >> 4 == 6;
	u32 sum = checksum_add(17 + length, ipv6 ? ip + 8 : ip + 12, ipv6 ? 32 : 8);
	u16 check;

	put_16(udp + 6, 0);
	check = checksum_end(checksum_add(sum, udp, length));
	put_16(udp + 6, check ?: 0xffff);
}

static void put_checksum(struct frame *f, const struct packet *p)
{
	u8 *udp = f->bytes + f->udp;

	if (p->udp_checksum == CHECKSUM_ZERO)
		return;
	frame_sum_udp(f->bytes + ETHERNET_BYTES, udp, f->end - f->udp);
	if (p->udp_checksum == CHECKSUM_WRONG)
		udp[7] ^= 0x21;
}

void frame_build(struct frame *f, const struct packet *p)
{
	u32 header = (p->ipv6 ? IPV6_BYTES : IPV4_BYTES) + p->options_length;
	u32 tails = p->tail_udp + p->tail_ip + p->tail_link;
	u8 *ip = put_ethernet(f->bytes, p);
	u8 *udp = ip + header;
	u8 *end, *at;

	f->udp = udp - f->bytes;
	f->bth = f->udp + UDP_BYTES;
	at = put_transport(udp + UDP_BYTES, p, FRAME_MAX - f->bth - ICRC_BYTES - tails);
	end = at + (p->icrc == ICRC_MISSING ? 0 : ICRC_BYTES) + p->tail_udp;
	put_udp(udp, p, end - udp);
	if (p->ipv6)
		put_ipv6(ip, p, end + p->tail_ip - ip);
	else
		put_ipv4(ip, p, end + p->tail_ip - ip);
	put_zero(put_icrc(at, p, ip, udp), tails);
	f->end = end - f->bytes;
	f->length = f->end + p->tail_ip + p->tail_link;
	put_checksum(f, p);
	if (p->outer_xor)
		ip[p->outer_at % (f->length - ETHERNET_BYTES)] ^= p->outer_xor;
}
