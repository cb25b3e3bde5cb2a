// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks below the BTH, and shapes in which valid packets must get through.
 */
#include <string.h>

#include "known.h"

static void source_wrong(struct test *k)
{
	static const char *const kinds[] = { "rc rts", "uc rts", "rc reads" };
	struct target *t;
	struct packet *p;
	u32 i, ipv6;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (ipv6 = 0; ipv6 < 2; ipv6++) {
			t = known_target(k, kinds[i], ipv6);
			p = known_payload(k, t->kind->type == IBV_QPT_RC ? OP_SEND_ONLY :
					     SERVICE_UC | OP_SEND_ONLY, 8);
			p->from.raw[15]++;
			p = known_payload(k, p->opcode, 8);
			p->from = k->s->ends[ipv6].peer;
			known_send(k);
			known_counts(k, COUNT_ADDRESS, 2);
			known_settle(k);
			known_outcome(k, IBV_QPS_RTS, 0, 0);
		}
	}
}

/* Everything is right but that the attacker is not the peer */
static void not_the_peer(struct test *k)
{
	static const u8 opcodes[] = { OP_SEND_ONLY, OP_WRITE_ONLY, OP_FETCH_ADD, OP_READ_REQUEST };
	struct target *t;
	struct packet *p;
	u32 i;

	t = known_target(k, "rc bystander", false);
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		p = known_packet(k, opcodes[i]);
		p->psn = t->epsn;
		p->address = (exchange_address(k->s, t, &p->rkey, &p->dma_length) + 7) & ~7ULL;
		p->dma_length = 8;
		if (i < 2)
			packet_set_length(p, 8);
	}
	p = known_packet(k, OP_ACKNOWLEDGE);
	p->psn = t->next_psn;
	p->syndrome = 0x63;
	known_send(k);
	known_counts(k, COUNT_ADDRESS, 5);
	known_settle(k);
}

static void icrc_wrong(struct test *k)
{
	enum icrc icrc;

	known_target(k, "rc rts", true);
	for (icrc = ICRC_WRONG; icrc <= ICRC_MISSING; icrc++)
		known_payload(k, OP_SEND_ONLY, 8)->icrc = icrc;
	known_send(k);
	known_counts(k, COUNT_BACKEND, 4);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

/* UDP ends before IP does, or behind the ICRC: what the ICRC covers is not certain any more */
static void lengths_differ(struct test *k)
{
	known_target(k, "rc rts", false);
	known_payload(k, OP_SEND_ONLY, 8)->tail_ip = 4;
	known_payload(k, OP_SEND_ONLY, 8)->tail_udp = 4;
	known_payload(k, OP_SEND_ONLY, 8)->udp_length_error = -4;
	k->x.packets[2].udp_checksum = CHECKSUM_ZERO;
	known_send(k);
	known_counts(k, COUNT_BACKEND, 3);
	known_settle(k);
	/* A tail of the link is nobody's, and no harm */
	known_payload(k, OP_SEND_ONLY, 8)->tail_link = 13;
	known_send(k);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 1, 0);
}

static void ip_options(struct test *k)
{
	struct packet *p;

	known_target(k, "rc rts", false);
	p = known_payload(k, OP_SEND_ONLY, 8);
	p->options_length = 4;
	memset(p->options, 1, 4);
	known_send(k);
	known_target(k, "rc rts", true);
	p = known_payload(k, OP_SEND_ONLY, 8);
	p->options_length = 8;
	memcpy(p->options, "\x11\0\x01\x04\0\0\0\0", 8);
	p = known_payload(k, OP_SEND_ONLY, 8);
	p->first_extension = 60;
	p->options_length = 8;
	memcpy(p->options, "\x11\0\x01\x04\0\0\0\0", 8);
	known_send(k);
	known_counts(k, COUNT_BACKEND, 3);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

/* Fragments are IP's business: put together again, it is the packet that was sent */
static void ip_fragments(struct test *k)
{
	struct random r;
	u32 i;

	for (i = 0; i < 4; i++) {
		known_target(k, "ud rts", i & 1);
		k->x.id = 0x7700 + i;
		known_payload(k, SERVICE_UD | OP_SEND_ONLY, 256);
		random_start(&r, 2, 0);
		shape_fragments(k->s, &k->x, &r);
		known_settle(k);
		known_outcome(k, IBV_QPS_RTS, 1, 0);
	}
}

static void send_super(struct test *k, struct super *super, bool seal)
{
	u64 refused = k->s->link.refused;

	if (seal)
		super_seal(super, k->x.packets[0].ipv6);
	super_finish(super, k->x.packets[0].ipv6);
	link_send_super(&k->s->link, super);
	MUST(k->s->link.refused == refused,
	     "this kernel does not take GSO of UDP from packet sockets");
}

static void gso_train(struct test *k)
{
	static struct super super;
	u32 i, ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		known_target(k, "ud rts", ipv6);
		for (i = 0; i < 4; i++)
			known_payload(k, SERVICE_UD | OP_SEND_ONLY, i < 3 ? 100 : 60);
		super_build(&super, &k->x, 1);
		send_super(k, &super, false);
		known_settle(k);
		known_outcome(k, IBV_QPS_RTS, 4, 0);
	}
}

/* The second is longer than the first: cut at the first's length it is two pieces of nothing */
static void gso_unequal(struct test *k)
{
	static struct super super;

	known_target(k, "ud rts", false);
	known_payload(k, SERVICE_UD | OP_SEND_ONLY, 60);
	known_payload(k, SERVICE_UD | OP_SEND_ONLY, 100);
	super_build(&super, &k->x, 1);
	send_super(k, &super, false);
	known_counts(k, COUNT_BACKEND, 2);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 1, 0);
}

/* Segments of 17 bytes, each with an ICRC that is right, and of 5, in which there is no BTH */
static void gso_tiny(struct test *k)
{
	static const u16 sizes[] = { 17, 5 };
	static struct super super;
	u32 i, segments;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		known_target(k, "ud rts", false);
		known_payload(k, SERVICE_UD | OP_SEND_ONLY, 200)->qpn = known_nobody(k);
		super_build(&super, &k->x, 1);
		super.gso_size = sizes[i];
		segments = (super.length - super.header_length - 1) / sizes[i] + 1;
		send_super(k, &super, true);
		/* All of the first size but the last, which is shorter, have a BTH */
		known_counts(k, COUNT_BACKEND, i ? segments : 1);
		known_counts(k, COUNT_NO_QP, i ? 0 : segments - 1);
		known_settle(k);
	}
}

/* One by one, for GRO to merge: a wrong ICRC in the middle costs that packet, the last is short */
static void merged_icrc(struct test *k)
{
	u32 i, ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		known_target(k, "ud rts", ipv6);
		for (i = 0; i < 5; i++)
			known_payload(k, SERVICE_UD | OP_SEND_ONLY, i < 4 ? 100 : 60);
		k->x.packets[2].icrc = ICRC_WRONG;
		known_send(k);
		known_counts(k, COUNT_BACKEND, 1);
		known_settle(k);
		known_outcome(k, IBV_QPS_RTS, 4, 0);
	}
}

/* The same for two QPs by turns, all by one UDP port */
static void merged_qps(struct test *k)
{
	struct target *other;
	struct packet *p;
	u32 i, ipv6;

	for (ipv6 = 0; ipv6 < 2; ipv6++) {
		other = known_target(k, "ud srq", ipv6);
		known_target(k, "ud rts", ipv6);
		for (i = 0; i < 6; i++) {
			p = known_payload(k, SERVICE_UD | OP_SEND_ONLY, 100);
			if (i / 2 != 1)
				continue;
			p->qpn = other->qpn;
			p->qkey = other->qkey;
		}
		known_send(k);
		known_settle(k);
		known_outcome(k, IBV_QPS_RTS, 4, 0);
		k->x.target = other;
		known_outcome(k, IBV_QPS_RTS, 6, 0);
	}
}

const struct suite_case known_network[] = {
	{ "source_wrong", source_wrong, "packets from others than the peer" },
	{ "bystander", not_the_peer, "the same with PSN, key and address right" },
	{ "icrc_wrong", icrc_wrong, "wrong, zero, swapped and missing ICRC" },
	{ "lengths_differ", lengths_differ, "lengths of IP, UDP and the packet" },
	{ "ip_options", ip_options, "IPv4 options, IPv6 extension headers" },
	{ "ip_fragments", ip_fragments, "IP fragments of a valid packet" },
	{ "merged_icrc", merged_icrc, "a wrong ICRC among packets that GRO merges" },
	{ "merged_qps", merged_qps, "packets for two QPs that GRO merges" },
	{ "gso_train", gso_train, "valid packets in one frame" },
	{ "gso_unequal", gso_unequal, "a longer packet behind a shorter in one frame" },
	{ "gso_tiny", gso_tiny, "segments shorter than headers" },
	{ }
};
