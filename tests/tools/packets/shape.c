// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How packets get onto the wire.
 */
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>

#include "crc.h"
#include "mutate.h"
#include "shape.h"

/* Missing in the headers of Debian 12 */
#define GSO_UDP_L4	5
#define SEGMENTS	100

static struct frame frames[LINK_FRAMES];

static void build_all(const struct exchange *x)
{
	u32 i;

	for (i = 0; i < x->count; i++)
		frame_build(&frames[i], &x->packets[i]);
}

void shape_packet(struct scene *s, const struct packet *p)
{
	frame_build(&frames[0], p);
	link_send(&s->link, frames, 1);
}

static u32 send_plain(struct scene *s, const struct exchange *x)
{
	build_all(x);
	link_send(&s->link, frames, x->count);
	return x->count;
}

static u32 send_twice(struct scene *s, const struct exchange *x)
{
	send_plain(s, x);
	link_send(&s->link, frames, x->count);
	return 2 * x->count;
}

static u32 send_shuffled(struct scene *s, const struct exchange *x, struct random *r)
{
	static struct frame spare;
	u32 i, other;

	build_all(x);
	for (i = 0; i < x->count; i++) {
		other = random_below(r, x->count);
		spare = frames[i];
		frames[i] = frames[other];
		frames[other] = spare;
	}
	link_send(&s->link, frames, x->count);
	return x->count;
}

static u32 put_fragment_header(u8 *ip, const struct packet *p, u32 offset, bool more, u32 length)
{
	if (!p->ipv6) {
		put_16(ip + 2, 20 + length);
		put_16(ip + 6, offset / 8 | (more ? 0x2000 : 0));
		frame_sum_ip(ip);
		return 20;
	}
	put_16(ip + 4, 8 + length);
	ip[6] = 44;
	ip[40] = 17;
	ip[41] = 0;
	put_16(ip + 42, offset | more);
	put_32(ip + 44, p->id);
	return 48;
}

/* Bytes @from to @to of what is behind the IP header of @whole, which is @p */
static void make_fragment(struct frame *f, const struct frame *whole, const struct packet *p,
			  u32 from, u32 to)
{
	u32 length = whole->end - whole->udp;
	u32 header;

	memcpy(f->bytes, whole->bytes, whole->udp);
	header = put_fragment_header(f->bytes + ETHERNET_BYTES, p, from, to < length, to - from);
	memcpy(f->bytes + ETHERNET_BYTES + header, whole->bytes + whole->udp + from, to - from);
	f->length = ETHERNET_BYTES + header + to - from;
}

/* Now and then one is missing, comes twice, or reaches into its neighbour */
static void spoil_fragments(u32 count, bool ipv6, struct random *r)
{
	u32 one = random_below(r, count);

	switch (random_below(r, 6)) {
	case 0:
		frames[one] = frames[random_below(r, count)];
		break;
	case 1:
		frames[one].bytes[ETHERNET_BYTES + random_below(r, 48)] ^= 1u << random_below(r, 8);
		if (!ipv6)
			frame_sum_ip(frames[one].bytes + ETHERNET_BYTES);
		break;
	case 2:
		frames[one].length -= random_below(r, 16);
		break;
	default:
		break;
	}
}

u32 shape_fragments(struct scene *s, const struct exchange *x, struct random *r)
{
	static struct frame whole;
	const struct packet *p = &x->packets[0];
	u32 length, from, to, count = 0;

	frame_build(&whole, p);
	length = whole.end - whole.udp;
	if (p->options_length || length > MTU_MAX - 48)
		return send_plain(s, x);
	for (from = 0; from < length && count < LINK_FRAMES; from = to) {
		to = from + 8 * random_within(r, 1, random_chance(r, 50) ? 4 : length / 8 + 1);
		to = min_u32(to, length);
		make_fragment(&frames[count++], &whole, p, from, to);
	}
	if (random_chance(r, 50))
		spoil_fragments(count, p->ipv6, r);
	link_send(&s->link, frames, count);
	return count;
}

u32 super_build(struct super *super, const struct exchange *x, u32 times)
{
	const struct frame *first = &frames[0];
	u32 i, length, count = 0;

	build_all(x);
	memcpy(super->bytes, first->bytes, first->bth);
	super->length = first->bth;
	super->gso_type = GSO_UDP_L4;
	super->gso_size = first->end - first->bth;
	super->header_length = first->bth;
	super->checksum_start = first->udp;
	super->checksum_offset = 6;
	for (i = 0; i < times * x->count; i++) {
		const struct frame *f = &frames[i % x->count];

		length = f->end - f->bth;
		if (super->length + length > SUPER_MAX - 14)
			break;
		memcpy(super->bytes + super->length, f->bytes + f->bth, length);
		super->length += length;
		count++;
	}
	put_16(super->bytes + first->udp + 4, super->length - first->udp);
	return count;
}

/* Lengths of the whole, and of UDP the sum over the addresses, to which the kernel adds the rest */
void super_finish(struct super *super, bool ipv6)
{
	u8 *ip = super->bytes + ETHERNET_BYTES;
	u8 *udp = super->bytes + super->checksum_start;
	u32 length = super->bytes + super->length - udp;
	u32 sum = checksum_add(17 + length, ipv6 ? ip + 8 : ip + 12, ipv6 ? 32 : 8);

	if (ipv6) {
		put_16(ip + 4, super->length - ETHERNET_BYTES - 40);
	} else {
		put_16(ip + 2, super->length - ETHERNET_BYTES);
		frame_sum_ip(ip);
	}
	put_16(udp + 4, length);
	put_16(udp + 6, ~checksum_end(sum));
}

/* As segment @i will be; its last four bytes are the ICRC's */
static void seal_segment(struct super *super, bool ipv6, u32 i, u32 from, u32 length)
{
	static u8 packet[SUPER_MAX];
	u32 front = super->header_length - ETHERNET_BYTES;
	u8 *udp = packet + super->checksum_start - ETHERNET_BYTES;

	if (length < ICRC_BYTES)
		return;
	memcpy(packet, super->bytes + ETHERNET_BYTES, front);
	memcpy(packet + front, super->bytes + from, length);
	put_16(udp + 4, UDP_BYTES + length);
	if (ipv6) {
		put_16(packet + 4, front - 40 + length);
	} else {
		put_16(packet + 2, front + length);
		put_16(packet + 4, get_16(packet + 4) + i);
	}
	put_32(super->bytes + from + length - ICRC_BYTES,
	       __builtin_bswap32(icrc_of(packet, udp, length - ICRC_BYTES)));
}

void super_seal(struct super *super, bool ipv6)
{
	u32 size = super->gso_type == GSO_UDP_L4 ? super->gso_size : SUPER_MAX;
	u32 from = super->header_length, i, length;

	for (i = 0; from < super->length && i < 4 * SEGMENTS; i++, from += length) {
		length = min_u32(size, super->length - from);
		seal_segment(super, ipv6, i, from, length);
	}
}

static void spoil_super(struct super *super, struct random *r)
{
	static const u8 types[] = {
		VIRTIO_NET_HDR_GSO_UDP, VIRTIO_NET_HDR_GSO_TCPV4, VIRTIO_NET_HDR_GSO_NONE,
		VIRTIO_NET_HDR_GSO_TCPV6, GSO_UDP_L4 | VIRTIO_NET_HDR_GSO_ECN,
	};

	switch (random_below(r, 7)) {
	case 0:
		super->gso_size = random_within(r, 1, 64);
		break;
	case 1:
		super->gso_size += random_below(r, 9) - 4;
		break;
	case 2:
		super->gso_size = random_u32(r);
		break;
	case 3:
		super->length -= random_below(r, super->length - super->header_length);
		break;
	case 4:
		super->gso_type = types[random_below(r, ARRAY_SIZE(types))];
		break;
	default:
		break;
	}
}

/* What the header says to the kernel beside the packet, of which it must not believe anything */
static void spoil_header(struct super *super, struct random *r)
{
	super->header_length = random_below(r, 128);
	if (random_chance(r, 30))
		super->checksum_start += random_below(r, 9) - 4;
	if (random_chance(r, 10))
		super->checksum_offset = random_below(r, 16);
}

static u32 send_super(struct scene *s, const struct exchange *x, struct random *r)
{
	static struct super super;
	bool ipv6 = x->packets[0].ipv6;
	u32 count;

	if (x->packets[0].options_length)
		return send_plain(s, x);
	count = super_build(&super, x, random_chance(r, 10) ? random_within(r, 2, SEGMENTS) : 1);
	spoil_super(&super, r);
	if (random_chance(r, 60))
		super_seal(&super, ipv6);
	super_finish(&super, ipv6);
	if (random_chance(r, 20))
		spoil_header(&super, r);
	link_send_super(&s->link, &super);
	return count;
}

u32 shape_send(struct scene *s, const struct exchange *x, struct random *r, char *note)
{
	u32 which = random_below(r, 100);
	const char *name = "plain";
	u32 count;

	if (which < 10) {
		name = "GSO";
		count = send_super(s, x, r);
	} else if (which < 17) {
		name = "fragments";
		count = shape_fragments(s, x, r);
	} else if (which < 21) {
		name = "shuffled";
		count = send_shuffled(s, x, r);
	} else if (which < 25) {
		name = "twice";
		count = send_twice(s, x);
	} else {
		count = send_plain(s, x);
	}
	if (note)
		snprintf(note, NOTE_BYTES, "%s", name);
	return count;
}
