// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From bytes to a packet, for packets that were seen on the wire.
 */
#include <string.h>

#include "frame.h"

struct input {
	const u8 *at;
	u32 left;
};

/* The next @bytes; NULL when there are less */
static const u8 *take(struct input *in, u32 bytes)
{
	const u8 *at = in->at;

	if (in->left < bytes)
		return NULL;
	in->at += bytes;
	in->left -= bytes;
	return at;
}

static bool parse_ipv4(struct packet *p, struct input *in)
{
	const u8 *ip = take(in, 20);

	if (!ip || ip[0] != 0x45 || ip[9] != 17)
		return false;
	p->traffic_class = ip[1];
	p->id = get_16(ip + 4);
	p->fragment = get_16(ip + 6);
	p->hops = ip[8];
	memset(p->from.raw + 10, 0xff, 2);
	memcpy(p->from.raw + 12, ip + 12, 4);
	memset(p->to.raw + 10, 0xff, 2);
	memcpy(p->to.raw + 12, ip + 16, 4);
	return !(p->fragment & 0x3fff);
}

static bool parse_ipv6(struct packet *p, struct input *in)
{
	const u8 *ip = take(in, 40);

	if (!ip || ip[0] >> 4 != 6 || ip[6] != 17)
		return false;
	p->hops = ip[7];
	memcpy(p->from.raw, ip + 8, 16);
	memcpy(p->to.raw, ip + 24, 16);
	return true;
}

static bool parse_udp(struct packet *p, struct input *in)
{
	const u8 *udp = take(in, UDP_BYTES);

	if (!udp || get_16(udp + 2) != ROCE_PORT)
		return false;
	if (get_16(udp + 4) < UDP_BYTES || get_16(udp + 4) - UDP_BYTES > (int)in->left)
		return false;
	in->left = get_16(udp + 4) - UDP_BYTES;
	p->from_port = get_16(udp);
	return true;
}

static bool parse_bth(struct packet *p, struct input *in)
{
	const u8 *bth = take(in, BTH_BYTES);

	if (!bth || !opcode_known(bth[0]))
		return false;
	packet_set_opcode(p, bth[0]);
	p->solicited = bth[1] >> 7;
	p->migrated = bth[1] >> 6 & 1;
	p->pad = bth[1] >> 4 & 3;
	p->pkey = get_16(bth + 2);
	p->congestion = bth[4];
	p->qpn = get_24(bth + 5);
	p->ack_request = bth[8] >> 7;
	p->psn = get_24(bth + 9);
	return true;
}

static bool parse_requests(struct packet *p, struct input *in)
{
	const u8 *at;

	if (p->headers & HEADER_XRCETH) {
		at = take(in, 4);
		if (!at)
			return false;
		p->srq_number = get_32(at);
	}
	if (p->headers & HEADER_DETH) {
		at = take(in, 8);
		if (!at)
			return false;
		p->qkey = get_32(at);
		p->source_qpn = get_32(at + 4);
	}
	if (p->headers & HEADER_FETH) {
		at = take(in, 4);
		if (!at)
			return false;
		p->flush = get_32(at);
	}
	if (p->headers & (HEADER_RETH | HEADER_ATOMIC)) {
		at = take(in, p->headers & HEADER_RETH ? 16 : 28);
		if (!at)
			return false;
		p->address = get_64(at);
		p->rkey = get_32(at + 8);
		if (p->headers & HEADER_RETH) {
			p->dma_length = get_32(at + 12);
		} else {
			p->swap_add = get_64(at + 12);
			p->compare = get_64(at + 20);
		}
	}
	return true;
}

static bool parse_others(struct packet *p, struct input *in)
{
	const u8 *at;

	if (p->headers & HEADER_AETH) {
		at = take(in, 4);
		if (!at)
			return false;
		p->syndrome = at[0];
		p->msn = get_24(at + 1);
	}
	if (p->headers & HEADER_ATOMIC_ACK) {
		at = take(in, 8);
		if (!at)
			return false;
		p->original = get_64(at);
	}
	if (p->headers & (HEADER_IMM | HEADER_IETH)) {
		at = take(in, 4);
		if (!at)
			return false;
		p->immediate = get_32(at);
		p->invalidate_rkey = get_32(at);
	}
	return true;
}

static bool parse_payload(struct packet *p, struct input *in)
{
	u32 length = in->left - ICRC_BYTES;

	if (in->left < ICRC_BYTES || length < p->pad || length - p->pad > PAYLOAD_MAX)
		return false;
	p->pad_bytes = p->pad;
	p->payload_length = length - p->pad;
	memcpy(p->payload, in->at, p->payload_length);
	return true;
}

bool frame_parse(struct packet *p, const u8 *bytes, u32 length)
{
	struct input in = { bytes, length };
	const u8 *ethernet = take(&in, ETHERNET_BYTES);
	bool ipv6;

	if (!ethernet)
		return false;
	ipv6 = get_16(ethernet + 12) == 0x86dd;
	if (!ipv6 && get_16(ethernet + 12) != 0x0800)
		return false;
	packet_init(p, ipv6);
	memcpy(p->to_mac, ethernet, MAC_BYTES);
	memcpy(p->from_mac, ethernet + MAC_BYTES, MAC_BYTES);
	if (!(ipv6 ? parse_ipv6(p, &in) : parse_ipv4(p, &in)) || !parse_udp(p, &in))
		return false;
	return parse_bth(p, &in) && parse_requests(p, &in) && parse_others(p, &in) &&
	       parse_payload(p, &in);
}
