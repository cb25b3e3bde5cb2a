// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What can be wrong below the BTH, and with the ICRC.
 */
#include <string.h>

#include "mutate.h"

#define EXTENSION_HOPS		0
#define EXTENSION_ROUTING	43
#define EXTENSION_FRAGMENT	44
#define EXTENSION_NONE		59
#define EXTENSION_DESTINATION	60

static void icrc(struct mutant *m)
{
	m->p->icrc = random_within(m->r, ICRC_WRONG, ICRC_MISSING);
}

static void udp_checksum(struct mutant *m)
{
	m->p->udp_checksum = random_chance(m->r, 70) ? CHECKSUM_ZERO : CHECKSUM_WRONG;
}

static void udp_length(struct mutant *m)
{
	m->p->udp_length_error = random_chance(m->r, 70) ? (int)random_below(m->r, 33) - 24 :
						     (int)random_u32(m->r);
}

static void ip_length(struct mutant *m)
{
	m->p->ip_length_error = random_chance(m->r, 70) ? (int)random_below(m->r, 33) - 24 :
						    (int)random_u32(m->r);
}

static void ip_checksum(struct mutant *m)
{
	m->p->ip_checksum_wrong = true;
}

/* Not routed, not a host's, nobody's, the victim's own, or a neighbour's */
static void source(struct mutant *m)
{
	static const u32 hosts[] = {
		0, 0xffffffff, 0x7f000001, 0xe0000001, 0x0a0000ff, 0x0a000002,
	};

	if (random_chance(m->r, 50))
		m->p->from.raw[15] = random_u32(m->r);
	else if (random_chance(m->r, 30))
		m->p->from = m->s->ends[m->p->ipv6].peer;
	else if (m->p->ipv6)
		random_fill(m->r, m->p->from.raw, 1);
	else
		put_32(m->p->from.raw + 12, hosts[random_below(m->r, ARRAY_SIZE(hosts))]);
}

static void destination(struct mutant *m)
{
	switch (random_below(m->r, 4)) {
	case 0:
		m->p->to = m->s->ends[m->p->ipv6].group;
		break;
	case 1:
		m->p->to = m->s->ends[m->p->ipv6].attacker;
		break;
	case 2:
		m->p->to.raw[15] ^= 1u << random_below(m->r, 8);
		break;
	default:
		if (m->p->ipv6)
			m->p->to.raw[0] = 0xff;
		else
			memset(m->p->to.raw + 12, 0xff, 4);
	}
}

static void link_destination(struct mutant *m)
{
	if (random_chance(m->r, 50))
		memset(m->p->to_mac, 0xff, MAC_BYTES);
	else
		m->p->to_mac[random_below(m->r, MAC_BYTES)] ^= 1u << random_below(m->r, 8);
}

static void port(struct mutant *m)
{
	static const u16 ports[] = { 0, 53, ROCE_PORT - 1, ROCE_PORT + 1, 0xffff };

	if (random_chance(m->r, 50))
		m->p->to_port = ports[random_below(m->r, ARRAY_SIZE(ports))];
	else
		m->p->from_port = random_u32(m->r);
}

static void tails(struct mutant *m)
{
	u32 *tail[] = { &m->p->tail_udp, &m->p->tail_ip, &m->p->tail_link };

	*tail[random_below(m->r, ARRAY_SIZE(tail))] = random_within(m->r, 1, 24);
}

static void hops(struct mutant *m)
{
	m->p->hops = random_below(m->r, 3);
	m->p->traffic_class = random_u32(m->r);
}

static void protocol(struct mutant *m)
{
	static const u8 protocols[] = { 0, 1, 2, 4, 6, 41, 47, 50, 51, 58, 136, 255 };

	m->p->protocol = protocols[random_below(m->r, ARRAY_SIZE(protocols))];
}

/* A fragment without the others, or flags that mean nothing here */
static void fragment(struct mutant *m)
{
	m->p->fragment = random_chance(m->r, 50) ? 0x4000 : random_u32(m->r);
	m->p->id = random_u32(m->r);
}

static u8 *put_bytes(u8 *at, const u8 *bytes, u32 count)
{
	memcpy(at, bytes, count);
	return at + count;
}

static void ipv4_options(struct packet *p, struct random *r)
{
	static const u8 record_route[] = { 7, 7, 4, 0, 0, 0, 0, 1 };
	static const u8 source_route[] = { 131, 7, 4, 10, 0, 0, 2, 0 };
	static const u8 timestamp[] = { 68, 8, 5, 0, 0, 0, 0, 0 };
	static const u8 alert[] = { 148, 4, 0, 0, 1, 1, 1, 0 };
	static const u8 *const known[] = { record_route, source_route, timestamp, alert };

	p->options_length = 4 * random_within(r, 1, 10);
	memset(p->options, 1, p->options_length);
	if (random_chance(r, 30))
		random_fill(r, p->options, p->options_length);
	else if (p->options_length >= sizeof(record_route))
		put_bytes(p->options, known[random_below(r, ARRAY_SIZE(known))],
			  sizeof(record_route));
}

/* Eight bytes each, the first two of which are the next header and a length in eights less one */
static void ipv6_extensions(struct packet *p, struct random *r)
{
	static const u8 types[] = {
		EXTENSION_HOPS, EXTENSION_DESTINATION, EXTENSION_ROUTING, EXTENSION_FRAGMENT,
		EXTENSION_NONE, EXTENSION_DESTINATION,
	};
	u32 i, count = random_within(r, 1, OPTIONS_MAX / 8);
	u8 *at = p->options;

	p->first_extension = types[random_below(r, ARRAY_SIZE(types))];
	p->options_length = 8 * count;
	memset(p->options, 0, p->options_length);
	for (i = 0; i < count; i++, at += 8) {
		at[0] = i == count - 1 ? p->protocol : types[random_below(r, ARRAY_SIZE(types))];
		/* PadN of four bytes; of a routing header an old type without segments */
		at[2] = 1;
		at[3] = 4;
		if (random_chance(r, 20))
			random_fill(r, at + 1, 7);
	}
}

static void options(struct mutant *m)
{
	if (m->p->ipv6)
		ipv6_extensions(m->p, m->r);
	else
		ipv4_options(m->p, m->r);
}

static void byte(struct mutant *m)
{
	m->p->outer_at = random_chance(m->r, 80) ? random_below(m->r, 60) : random_u32(m->r);
	m->p->outer_xor = 1u << random_below(m->r, 8);
}

const struct mutation network_mutations[] = {
	{ "ICRC", icrc, 6 },
	{ "UDP checksum", udp_checksum, 4 },
	{ "UDP length", udp_length, 4 },
	{ "IP length", ip_length, 3 },
	{ "IP checksum", ip_checksum, 1 },
	{ "source", source, 8 },
	{ "destination", destination, 3 },
	{ "link's destination", link_destination, 1 },
	{ "port", port, 2 },
	{ "tail", tails, 5 },
	{ "hop limit", hops, 1 },
	{ "protocol", protocol, 1 },
	{ "fragment bits", fragment, 2 },
	{ "options", options, 5 },
	{ "a byte under the ICRC", byte, 5 },
	{ }
};
