// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What can be wrong from the BTH on. Lengths, checksums and ICRC are made right afterwards.
 */
#include "mutate.h"

/* Every other time one of @table, of @count numbers, else anything */
static u32 some_number(struct mutant *m, const u32 *table, u32 count)
{
	u32 any = random_u32(m->r);

	return random_chance(m->r, 50) ? table[random_below(m->r, count)] : any;
}

static void opcode_any(struct mutant *m)
{
	m->p->opcode = random_u32(m->r);
}

static void opcode_other(struct mutant *m)
{
	packet_set_opcode(m->p, opcode_number(random_below(m->r, opcode_count())));
	m->p->flush = random_u32(m->r);
}

/* The headers stay those of the old one */
static void opcode_sibling(struct mutant *m)
{
	m->p->opcode = (m->p->opcode & 0xe0) | random_below(m->r, 0x1e);
}

static void opcode_service(struct mutant *m)
{
	m->p->opcode = (m->p->opcode & 0x1f) | random_below(m->r, 8) << 5;
}

static void pad_count(struct mutant *m)
{
	m->p->pad = random_below(m->r, 4);
}

static void pad_bytes(struct mutant *m)
{
	m->p->pad_bytes = random_below(m->r, 9);
}

static void length_around(struct mutant *m)
{
	packet_set_length(m->p, m->p->payload_length + random_below(m->r, 9) - 4);
}

static void length_any(struct mutant *m)
{
	static const u32 lengths[] = {
		0, 1, 3, 4, 255, 256, 257, 1023, 1024, 1025, 2048, 4095, 4096, 4097, PAYLOAD_MAX,
	};

	packet_set_length(m->p, some_number(m, lengths, ARRAY_SIZE(lengths)) % (PAYLOAD_MAX + 1));
}

static void length_odd(struct mutant *m)
{
	m->p->payload_length = random_below(m->r, 64);
}

static void version(struct mutant *m)
{
	m->p->version = random_within(m->r, 1, 15);
}

static void flags(struct mutant *m)
{
	m->p->solicited = random_chance(m->r, 50);
	m->p->migrated = random_chance(m->r, 50);
	m->p->ack_request = random_chance(m->r, 50);
	m->p->congestion = random_u32(m->r);
	m->p->reserved = random_u32(m->r);
}

static void pkey(struct mutant *m)
{
	static const u32 keys[] = { 0, 0x7fff, 0x8000, 0xfffe, 0x8001, 1 };

	m->p->pkey = some_number(m, keys, ARRAY_SIZE(keys));
}

static void psn_near(struct mutant *m)
{
	m->p->psn += random_below(m->r, 17) - 8;
}

static void psn_any(struct mutant *m)
{
	m->p->psn = random_u32(m->r);
}

static void psn_far(struct mutant *m)
{
	m->p->psn += 0x800000 + random_below(m->r, 5) - 2;
}

static void srq_number(struct mutant *m)
{
	const struct target *t = &m->s->targets[random_below(m->r, m->s->target_count)];

	m->p->srq_number = random_chance(m->r, 50) ? t->srq_number : random_below(m->r, 64);
}

static void qpn_any(struct mutant *m)
{
	static const u32 numbers[] = { 0, 1, 2, QPN_MULTICAST, QPN_MULTICAST - 1, 0x800000 };

	m->p->qpn = some_number(m, numbers, ARRAY_SIZE(numbers));
}

/* Of another of the attacked QPs, with its PSN every other time */
static void qpn_target(struct mutant *m)
{
	const struct target *t = &m->s->targets[random_below(m->r, m->s->target_count)];

	m->p->qpn = t->qpn;
	if (random_chance(m->r, 50))
		m->p->psn = t->epsn;
}

/* Of another program's, with all of it but the source that its peer has */
static void qpn_other(struct mutant *m)
{
	u32 slot = random_below(m->r, OTHERS);

	m->p->qpn = m->s->others[slot];
	m->p->psn = m->s->other_psns[slot] + random_below(m->r, 4);
}

static void qkey(struct mutant *m)
{
	static const u32 keys[] = { 0, GSI_QKEY, 0x80000000, 0xffffffff, 0x11111112 };

	if (random_chance(m->r, 30))
		m->p->qkey ^= 1u << random_below(m->r, 32);
	else
		m->p->qkey = some_number(m, keys, ARRAY_SIZE(keys));
	m->p->source_qpn = random_u32(m->r);
}

static u32 some_key(struct mutant *m)
{
	const struct target *t = &m->s->targets[random_below(m->r, m->s->target_count)];

	switch (random_below(m->r, 8)) {
	case 0:
		return 0;
	case 1:
		return random_u32(m->r);
	case 2:
		return t->window ? t->window->rkey : 0xffffffff;
	default:
		return m->s->memory.zones[random_below(m->r, ZONES)].rkey;
	}
}

static void rkey_other(struct mutant *m)
{
	m->p->rkey = some_key(m);
}

/* One bit wrong */
static void rkey_near(struct mutant *m)
{
	m->p->rkey ^= 1u << random_below(m->r, 32);
}

/* The key of a zone, and an address in it or around it */
static void rkey_zone(struct mutant *m)
{
	const struct zone *zone = &m->s->memory.zones[random_below(m->r, ZONES)];

	m->p->rkey = zone->rkey;
	m->p->address = (uintptr_t)zone->start + random_below(m->r, zone->length + 200) - 100;
}

static void address_edge(struct mutant *m)
{
	const struct zone *zone = &m->s->memory.zones[ZONE_REMOTE];
	u64 edge = (uintptr_t)zone->start + (random_chance(m->r, 70) ? zone->length : 0);

	m->p->address = edge + random_below(m->r, 9);
	m->p->address -= random_below(m->r, m->p->payload_length + 16);
}

/* With the length it goes beyond the end of all addresses */
static void address_wraps(struct mutant *m)
{
	m->p->address = -(u64)random_within(m->r, 1, 1u << random_below(m->r, 32));
	if (random_chance(m->r, 50))
		m->p->dma_length = random_u32(m->r);
}

static void address_any(struct mutant *m)
{
	switch (random_below(m->r, 4)) {
	case 0:
		m->p->address = 0;
		break;
	case 1:
		m->p->address ^= 1ULL << random_below(m->r, 64);
		break;
	case 2:
		m->p->address = random_u64(m->r);
		break;
	default:
		m->p->address += random_below(m->r, 1 << 20) - (1 << 19);
	}
}

static void dma_length(struct mutant *m)
{
	static const u32 lengths[] = {
		0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffff000, 4096,
	};

	if (random_chance(m->r, 50))
		m->p->dma_length += random_below(m->r, 9) - 4;
	else
		m->p->dma_length = some_number(m, lengths, ARRAY_SIZE(lengths));
}

static void syndrome(struct mutant *m)
{
	m->p->syndrome = random_u32(m->r);
}

static void nak(struct mutant *m)
{
	packet_set_opcode(m->p, OP_ACKNOWLEDGE);
	if (random_chance(m->r, 50))
		m->p->syndrome = 0x60 | random_below(m->r, 8);
	else
		m->p->syndrome = 0x20 | random_below(m->r, 6);
	packet_set_length(m->p, 0);
}

static void msn(struct mutant *m)
{
	m->p->msn = random_u32(m->r);
}

static void invalidate(struct mutant *m)
{
	if (m->p->headers & HEADER_IETH || random_chance(m->r, 50))
		packet_set_opcode(m->p, OP_SEND_ONLY_INV);
	m->p->invalidate_rkey = some_key(m);
}

static void headers(struct mutant *m)
{
	m->p->headers ^= 1u << random_below(m->r, 9);
}

static void cut(struct mutant *m)
{
	m->p->cut = random_below(m->r, random_chance(m->r, 70) ? 48 : PAYLOAD_MAX);
}

static void byte(struct mutant *m)
{
	m->p->inner_at = random_chance(m->r, 80) ? random_below(m->r, 44) : random_u32(m->r);
	m->p->inner_xor = random_within(m->r, 1, 255);
}

const struct mutation transport_mutations[] = {
	{ "any opcode", opcode_any, 6 },
	{ "another opcode", opcode_other, 5 },
	{ "another opcode, same headers", opcode_sibling, 5 },
	{ "another service", opcode_service, 2 },
	{ "pad count", pad_count, 4 },
	{ "pad bytes", pad_bytes, 2 },
	{ "length off by some", length_around, 3 },
	{ "any length", length_any, 3 },
	{ "length without pad", length_odd, 3 },
	{ "version", version, 2 },
	{ "flags", flags, 2 },
	{ "P_Key", pkey, 2 },
	{ "PSN near", psn_near, 5 },
	{ "any PSN", psn_any, 2 },
	{ "PSN half a circle away", psn_far, 2 },
	{ "another SRQ", srq_number, 3 },
	{ "any QPN", qpn_any, 3 },
	{ "another target's QPN", qpn_target, 4 },
	{ "a stranger's QPN", qpn_other, 3 },
	{ "Q_Key", qkey, 2 },
	{ "another R_Key", rkey_other, 3 },
	{ "an R_Key's bit", rkey_near, 2 },
	{ "another zone", rkey_zone, 5 },
	{ "address at an edge", address_edge, 5 },
	{ "address wraps", address_wraps, 4 },
	{ "any address", address_any, 3 },
	{ "DMA length", dma_length, 5 },
	{ "syndrome", syndrome, 3 },
	{ "NAK", nak, 2 },
	{ "MSN", msn, 1 },
	{ "invalidation", invalidate, 2 },
	{ "headers", headers, 3 },
	{ "cut", cut, 6 },
	{ "a byte", byte, 5 },
	{ }
};
