// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks on memory: addresses, lengths and keys that do not belong together.
 */
#include "known.h"

#define NAK_INVALID	0x61
#define NAK_ACCESS	0x62

/* Sends what was added, the first of which is refused, and ends the QP */
static void refused(struct test *k, u8 syndrome)
{
	u32 psn = k->x.packets[0].psn;

	known_send(k);
	known_counts(k, COUNT_NAKS_SENT, 1);
	known_answer(k, syndrome, psn);
	known_settle(k);
	known_outcome(k, IBV_QPS_ERR, 0, 0);
}

static struct packet *remote(struct test *k, u8 opcode, u64 address, u32 length)
{
	struct packet *p = known_packet(k, opcode);
	u32 room;

	exchange_address(k->s, k->x.target, &p->rkey, &room);
	p->address = address;
	p->dma_length = length;
	if (!(opcode_headers(opcode) & HEADER_ATOMIC) && opcode != OP_READ_REQUEST)
		packet_set_length(p, min_u32(length, k->x.target->mtu));
	return p;
}

static void wraps(struct test *k, u8 opcode, u64 address, u32 length)
{
	known_target(k, "rc rts", false);
	remote(k, opcode, address, length);
	refused(k, NAK_ACCESS);
}

static void address_wraps(struct test *k)
{
	wraps(k, OP_WRITE_ONLY, -8ULL, 16);
	wraps(k, OP_WRITE_FIRST, -512ULL, 2048);
	wraps(k, OP_READ_REQUEST, -4096ULL, 8192);
	wraps(k, OP_READ_REQUEST, -1ULL, 0x80000000);
	wraps(k, OP_FETCH_ADD, -8ULL, 0);
	wraps(k, OP_COMPARE_SWAP, -8ULL, 0);
	known_target(k, "uc rts", false);
	remote(k, SERVICE_UC | OP_WRITE_ONLY, -8ULL, 16);
	known_send(k);
	known_counts(k, COUNT_LENGTH, 1);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void length_beyond_limit(struct test *k)
{
	u64 start = (uintptr_t)k->s->memory.zones[ZONE_REMOTE].start;

	known_target(k, "rc rts", false);
	remote(k, OP_WRITE_FIRST, start, 0x80000001);
	refused(k, NAK_INVALID);
	known_target(k, "rc rts", false);
	remote(k, OP_READ_REQUEST, start, 0xffffffff);
	refused(k, NAK_INVALID);
}

/* The length that RETH says is not what follows */
static void length_differs(struct test *k)
{
	u64 start = (uintptr_t)k->s->memory.zones[ZONE_REMOTE].start;
	u32 mtu;

	known_target(k, "rc rts", false);
	remote(k, OP_WRITE_ONLY, start, 16)->dma_length = 15;
	refused(k, NAK_INVALID);
	known_target(k, "rc rts", false);
	remote(k, OP_WRITE_ONLY, start, 16)->dma_length = 17;
	refused(k, NAK_INVALID);
	mtu = known_target(k, "rc rts", false)->mtu;
	remote(k, OP_WRITE_FIRST, start, mtu + 8);
	known_payload(k, OP_WRITE_MIDDLE, mtu);
	known_send(k);
	known_counts(k, COUNT_NAKS_SENT, 1);
	known_answer(k, NAK_INVALID, k->x.packets[1].psn);
	known_settle(k);
}

static void region_edges(struct test *k)
{
	const struct zone *zone = &k->s->memory.zones[ZONE_REMOTE];
	u64 start = (uintptr_t)zone->start, end = start + zone->length;

	wraps(k, OP_WRITE_ONLY, end - 7, 8);
	wraps(k, OP_WRITE_ONLY, start - 1, 8);
	wraps(k, OP_READ_REQUEST, end - 7, 8);
	wraps(k, OP_FETCH_ADD, end & ~7ULL, 0);
	known_target(k, "rc rts", false);
	remote(k, OP_WRITE_ONLY, end - 8, 8)->ack_request = true;
	known_send(k);
	known_answer(k, 0, k->x.target->epsn);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void unaligned_atomic(struct test *k)
{
	u64 start = (uintptr_t)k->s->memory.zones[ZONE_REMOTE].start;

	known_target(k, "rc rts", false);
	remote(k, OP_FETCH_ADD, (start + 7) | 4, 0);
	refused(k, NAK_INVALID);
}

/* All that is registered, but not for this: with its own key and address */
static void keys_of_others(struct test *k)
{
	static const u8 zones[] = {
		ZONE_READ_ONLY, ZONE_LOCAL, ZONE_OTHER_PD, ZONE_STALE, ZONE_WINDOW, ZONE_RECEIVE,
		ZONE_SINK,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(zones); i++) {
		const struct zone *zone = &k->s->memory.zones[zones[i]];

		known_target(k, "rc rts", i & 1);
		remote(k, OP_WRITE_ONLY, (uintptr_t)zone->start + 64, 8)->rkey = zone->rkey;
		refused(k, NAK_ACCESS);
		if (zones[i] == ZONE_READ_ONLY)
			continue;
		known_target(k, "rc rts", i & 1);
		remote(k, OP_READ_REQUEST, (uintptr_t)zone->start + 64, 8)->rkey = zone->rkey;
		refused(k, NAK_ACCESS);
	}
}

/* A window serves its own QP only, and only as far as it goes */
static void windows(struct test *k)
{
	struct target *t = known_target(k, "rc window", false);
	u32 rkey = t->window->rkey, room;
	u64 start = exchange_address(k->s, t, &rkey, &room);

	remote(k, OP_WRITE_ONLY, start, 64)->ack_request = true;
	known_send(k);
	known_answer(k, 0, t->epsn);
	known_target(k, "rc rts", false);
	remote(k, OP_WRITE_ONLY, start, 64)->rkey = rkey;
	refused(k, NAK_ACCESS);
	known_target(k, "rc window", false);
	remote(k, OP_WRITE_ONLY, start + room - 63, 64);
	refused(k, NAK_ACCESS);
	known_target(k, "rc rts", false);
	known_payload(k, OP_SEND_ONLY_INV, 8)->invalidate_rkey = rkey;
	known_send(k);
	known_counts(k, COUNT_NAKS_SENT, 1);
	known_answer(k, NAK_ACCESS, k->x.packets[0].psn);
	known_settle(k);
	known_outcome(k, IBV_QPS_ERR, 0, 0);
}

/* SRQs that nobody has, and one of a domain that is not the target's */
static void srq_foreign(struct test *k)
{
	static const u32 numbers[] = { 0, 0xfffff0, 0xffffff };
	u32 other, i;

	other = known_target(k, "xrc rts", false)->srq_number;
	for (i = 0; i <= ARRAY_SIZE(numbers); i++) {
		known_target(k, "xrc rtr", false);
		known_payload(k, SERVICE_XRC | OP_SEND_ONLY, 8)->srq_number =
			i < ARRAY_SIZE(numbers) ? numbers[i] : other;
		refused(k, NAK_INVALID);
	}
}

const struct suite_case known_memory[] = {
	{ "srq_foreign", srq_foreign, "SRQs that are not of the XRC domain" },
	{ "address_wraps", address_wraps, "address and length beyond the end of all addresses" },
	{ "length_beyond_limit", length_beyond_limit, "more than 2^31 bytes" },
	{ "length_differs", length_differs, "a DMA length that is not the message's" },
	{ "region_edges", region_edges, "one byte beyond a region" },
	{ "unaligned_atomic", unaligned_atomic, "an atomic on four bytes' alignment" },
	{ "keys_of_others", keys_of_others, "keys that do not allow it" },
	{ "windows", windows, "a window of another QP, and beyond its end" },
	{ }
};
