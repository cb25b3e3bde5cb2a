// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Valid packets, in the order in which a peer sends them: what every attack starts from.
 */
#include <string.h>

#include "exchange.h"

/* Longest message, in packets; it has to fit into a receive for the smallest MTU */
#define MESSAGE_PACKETS	5
/* An ACK that says nothing of credits */
#define SYNDROME_ACK	0x1f

static void group_mac(const union ibv_gid *group, bool ipv6, u8 *mac)
{
	if (ipv6) {
		mac[0] = 0x33;
		mac[1] = 0x33;
		memcpy(mac + 2, group->raw + 12, 4);
		return;
	}
	mac[0] = 0x01;
	mac[1] = 0x00;
	mac[2] = 0x5e;
	mac[3] = group->raw[13] & 0x7f;
	memcpy(mac + 4, group->raw + 14, 2);
}

void exchange_start(struct exchange *x, struct target *t)
{
	x->target = t;
	x->count = 0;
}

struct packet *exchange_add(struct scene *s, struct exchange *x, u8 opcode, u32 psn)
{
	struct target *t = x->target;
	const struct ends *e = &s->ends[t->ipv6];
	struct packet *p = &x->packets[x->count];

	packet_init(p, t->ipv6);
	memcpy(p->from_mac, attacker_mac, MAC_BYTES);
	memcpy(p->to_mac, s->link.far_mac, MAC_BYTES);
	p->from = e->attacker;
	p->to = e->victim;
	p->id = x->id + x->count++;
	packet_set_opcode(p, opcode);
	p->qpn = t->qpn;
	p->psn = psn & PSN_MASK;
	/* All that keeps a stranger from a datagram QP is the Q_Key */
	p->qkey = t->kind->flags & TARGET_BYSTANDER ? ~t->qkey : t->qkey;
	p->source_qpn = t->peer_qpn;
	p->srq_number = t->srq_number;
	if (t->kind->flags & TARGET_MULTICAST) {
		p->to = e->group;
		p->qpn = QPN_MULTICAST;
		group_mac(&e->group, t->ipv6, p->to_mac);
	}
	return p;
}

u64 exchange_address(struct scene *s, const struct target *t, u32 *rkey, u32 *length)
{
	const struct zone *zone = &s->memory.zones[ZONE_REMOTE];

	if (t->window && !t->window_gone) {
		*rkey = t->window->rkey;
		*length = WINDOW_BYTES;
		return (uintptr_t)s->memory.zones[ZONE_WINDOW].start + WINDOW_AT;
	}
	/* A QP of the other PD has a region of its own, which it must keep from the attacker */
	if (t->kind->flags & TARGET_BYSTANDER)
		zone = &s->memory.zones[ZONE_OTHER_PD];
	*rkey = zone->rkey;
	*length = zone->length;
	return (uintptr_t)zone->start;
}

static void fill_remote(struct scene *s, struct packet *p, const struct target *t, u32 length,
			struct random *r)
{
	u32 room;
	u64 start = exchange_address(s, t, &p->rkey, &room);

	p->address = start + random_below(r, room - min_u32(length, room) + 1);
	p->dma_length = length;
}

static u8 service_of(const struct target *t)
{
	switch (t->kind->type) {
	case IBV_QPT_RC:
		return SERVICE_RC;
	case IBV_QPT_UC:
		return SERVICE_UC;
	case IBV_QPT_XRC_RECV:
		return SERVICE_XRC;
	default:
		return SERVICE_UD;
	}
}

/* Zero, one, two, a packet, or anything up to @limit packets */
static u32 pick_length(const struct target *t, u32 limit, struct random *r)
{
	switch (random_below(r, 5)) {
	case 0:
		return random_below(r, 4);
	case 1:
		return t->mtu;
	case 2:
		return random_below(r, t->mtu + 1);
	default:
		return random_below(r, limit + 1);
	}
}

/* The opcode of packet @i of @count; @kind 0: plain, 1: immediate data, 2: invalidation */
static u8 send_opcode(u32 i, u32 count, u32 kind)
{
	static const u8 last[] = { OP_SEND_LAST, OP_SEND_LAST_IMM, OP_SEND_LAST_INV };
	static const u8 only[] = { OP_SEND_ONLY, OP_SEND_ONLY_IMM, OP_SEND_ONLY_INV };

	if (count == 1)
		return only[kind];
	if (i == count - 1)
		return last[kind];
	return i ? OP_SEND_MIDDLE : OP_SEND_FIRST;
}

static u8 write_opcode(u32 i, u32 count, u32 kind)
{
	if (count == 1)
		return kind ? OP_WRITE_ONLY_IMM : OP_WRITE_ONLY;
	if (i == count - 1)
		return kind ? OP_WRITE_LAST_IMM : OP_WRITE_LAST;
	return i ? OP_WRITE_MIDDLE : OP_WRITE_FIRST;
}

static void make_message(struct scene *s, struct exchange *x, bool write, struct random *r)
{
	const struct target *t = x->target;
	u32 limit = min_u32(MESSAGE_PACKETS * t->mtu, SLOT_BYTES);
	u32 length = pick_length(t, limit, r);
	u32 count = length ? (length - 1) / t->mtu + 1 : 1;
	u32 kind = random_below(r, t->window && !t->window_gone && !write ? 3 : 2);
	u32 i, part;

	for (i = 0; i < count; i++) {
		u8 opcode = write ? write_opcode(i, count, kind) : send_opcode(i, count, kind);
		struct packet *p = exchange_add(s, x, service_of(t) | opcode, t->epsn + i);

		part = min_u32(length - i * t->mtu, t->mtu);
		packet_set_length(p, part);
		random_fill(r, p->payload, part);
		p->immediate = random_u32(r);
		p->solicited = random_chance(r, 20);
		p->ack_request = i == count - 1;
		p->invalidate_rkey = t->window ? t->window->rkey : 0;
		if (p->headers & HEADER_RETH)
			fill_remote(s, p, t, length, r);
	}
}

static void make_read(struct scene *s, struct exchange *x, struct random *r)
{
	const struct target *t = x->target;
	struct packet *p = exchange_add(s, x, service_of(t) | OP_READ_REQUEST, t->epsn);

	fill_remote(s, p, t, pick_length(t, 3 * t->mtu, r), r);
}

static void make_atomic(struct scene *s, struct exchange *x, struct random *r)
{
	const struct target *t = x->target;
	u8 opcode = random_chance(r, 50) ? OP_FETCH_ADD : OP_COMPARE_SWAP;
	struct packet *p = exchange_add(s, x, service_of(t) | opcode, t->epsn);

	fill_remote(s, p, t, 16, r);
	p->address = (p->address + 7) & ~7ULL;
	p->swap_add = random_u64(r);
	p->compare = random_u64(r);
}

/* A datagram; to QP 1 one of management (IBTA 13.4.2) */
static void make_datagram(struct scene *s, struct exchange *x, struct random *r)
{
	static const u8 classes[] = { 0x01, 0x03, 0x04, 0x07, 0x81 };
	static const u8 methods[] = { 0x01, 0x02, 0x03, 0x05, 0x81 };
	const struct target *t = x->target;
	bool gsi = t->kind->flags & TARGET_GSI;
	struct packet *p;

	p = exchange_add(s, x, SERVICE_UD | (gsi || random_chance(r, 70) ? OP_SEND_ONLY :
					     OP_SEND_ONLY_IMM), random_u32(r));
	packet_set_length(p, gsi ? 256 : pick_length(t, t->mtu, r));
	random_fill(r, p->payload, p->payload_length);
	p->immediate = random_u32(r);
	if (!gsi)
		return;
	p->source_qpn = 1;
	p->payload[0] = 1;
	p->payload[1] = classes[random_below(r, ARRAY_SIZE(classes))];
	p->payload[2] = p->payload[1] == 0x07 || p->payload[1] == 0x03 ? 2 : 1;
	p->payload[3] = methods[random_below(r, ARRAY_SIZE(methods))];
	/* Attributes of the connection manager, 0x10 and up */
	put_16(p->payload + 16, random_within(r, 0x10, 0x1c));
}

static u8 response_opcode(u32 i, u32 count)
{
	if (count == 1)
		return OP_READ_RESPONSE_ONLY;
	if (i == count - 1)
		return OP_READ_RESPONSE_LAST;
	return i ? OP_READ_RESPONSE_MIDDLE : OP_READ_RESPONSE_FIRST;
}

/* From some packet on: half of the time the first */
static void answer_read(struct scene *s, struct exchange *x, const struct request *request,
			struct random *r)
{
	const struct target *t = x->target;
	u32 from = random_chance(r, 50) ? 0 : random_below(r, request->packets);
	u32 i, count = request->packets - from, offset;

	for (i = 0; i < count && i < EXCHANGE_MAX; i++) {
		struct packet *p = exchange_add(s, x, response_opcode(i, count),
						request->psn + from + i);

		offset = (from + i) * t->mtu;
		packet_set_length(p, min_u32(request->length - offset, t->mtu));
		random_fill(r, p->payload, p->payload_length);
		p->syndrome = SYNDROME_ACK;
		p->msn = random_below(r, 8);
	}
}

/* What the target waits for, in its order; one or two of its requests */
static void make_answer(struct scene *s, struct exchange *x, struct random *r)
{
	const struct target *t = x->target;
	const struct request *request = &t->requests[0];
	struct packet *p;

	if (request->opcode == IBV_WR_RDMA_READ) {
		answer_read(s, x, request, r);
		return;
	}
	p = exchange_add(s, x, OP_ACKNOWLEDGE, request->psn + request->packets - 1);
	if (request->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    request->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		packet_set_opcode(p, OP_ATOMIC_ACKNOWLEDGE);
	p->syndrome = random_chance(r, 70) ? SYNDROME_ACK : random_below(r, 0x20);
	p->msn = random_below(r, 8);
	p->original = random_u64(r);
}

static void make_request(struct scene *s, struct exchange *x, struct random *r)
{
	switch (random_below(r, target_reliable(x->target) ? 8 : 5)) {
	case 0:
	case 1:
		make_message(s, x, true, r);
		return;
	case 5:
	case 6:
		make_read(s, x, r);
		return;
	case 7:
		make_atomic(s, x, r);
		return;
	default:
		make_message(s, x, false, r);
	}
}

void exchange_make(struct scene *s, struct exchange *x, struct target *t, struct random *r)
{
	exchange_start(x, t);
	if (t->kind->type == IBV_QPT_UD)
		make_datagram(s, x, r);
	else if (t->request_count && random_chance(r, 75))
		make_answer(s, x, r);
	else
		make_request(s, x, r);
}
