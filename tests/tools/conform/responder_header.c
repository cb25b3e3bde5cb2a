// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: headers that are wrong, or that only look so.
 */
#include "conform.h"

/* What is not as it is in other packets */
struct header_change {
	void (*change)(struct packet *p);
	const char *what;
};

static void changed(struct test *t, u8 operation)
{
	const struct header_change *c = t->rule->arg;

	c->change(request(t, operation, 0, 8));
	but(t, c->what);
	put(t);
}

/* It is no packet for this QP: the next one has its PSN */
static void dropped(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 64);
	changed(t, OP_SEND_ONLY);
	expect_silence(t, 0);
	expect_no_completion(t);
}

/* Nor is it the device's to count. */
static void not_for_it(struct test *t)
{
	dropped(t);
	t->dropped = false;
}

static void taken(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 64);
	changed(t, OP_SEND_ONLY);
	expect_ack(t, 0);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
}

static void reserved_opcode(struct test *t)
{
	const u8 *opcode = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	ask(t, *opcode, 0, 0);
	expect_nak(t, NAK_INVALID_REQUEST, 0);
	expect_error_state(t);
}

static void answer_unasked(struct test *t)
{
	const u8 *opcode = t->rule->arg;

	connect_qp(t, IBV_QPT_RC);
	ask(t, *opcode, 0, 0);
	expect_silence(t, 0);
}

static void as_uc(struct packet *p)
{
	p->opcode |= SERVICE_UC;
}

static void as_ud(struct packet *p)
{
	packet_set_opcode(p, SERVICE_UD | OP_SEND_ONLY);
}

static void as_xrc(struct packet *p)
{
	packet_set_opcode(p, SERVICE_XRC | OP_SEND_ONLY);
}

static void as_rd(struct packet *p)
{
	p->opcode |= 0x40;
}

static void version(struct packet *p)
{
	p->version = 1;
}

static void other_pkey(struct packet *p)
{
	p->pkey = 0x1234;
}

static void limited_pkey(struct packet *p)
{
	p->pkey = 0x7fff;
}

static void zero_pkey(struct packet *p)
{
	p->pkey = 0;
}

static void wrong_icrc(struct packet *p)
{
	p->icrc = ICRC_WRONG;
}

static void zero_icrc(struct packet *p)
{
	p->icrc = ICRC_ZERO;
}

static void no_icrc(struct packet *p)
{
	p->icrc = ICRC_MISSING;
}

static void other_qpn(struct packet *p)
{
	p->qpn ^= 0x800000;
}

static void other_source(struct packet *p)
{
	p->from.raw[15] ^= 0x10;
}

static void other_port(struct packet *p)
{
	p->to_port = ROCE_PORT + 1;
}

static void source_port(struct packet *p)
{
	p->from_port = 0xffff;
}

static void no_checksum(struct packet *p)
{
	p->udp_checksum = CHECKSUM_ZERO;
}

static void hops(struct packet *p)
{
	p->hops = 1;
}

static void traffic_class(struct packet *p)
{
	p->traffic_class = 0x68;
}

static void marked(struct packet *p)
{
	p->traffic_class = 0x03;
}

static void congestion(struct packet *p)
{
	p->congestion = 0xc0;
}

static void reserved_bits(struct packet *p)
{
	p->congestion = 0x3f;
	p->reserved = 0x7f;
}

#define DROPPED(name, function, what, clause, says) \
	{ "header_" name, dropped, clause, says, &(const struct header_change){ function, what } }
#define TAKEN(name, function, what, clause, says) \
	{ "header_" name, taken, clause, says, &(const struct header_change){ function, what } }
#define RESERVED(name, opcode) \
	{ "opcode_" name, reserved_opcode, "9.7.4.1.3", "a reserved opcode is an invalid request", \
	  &(const u8){ opcode } }
#define UNASKED(name, opcode) \
	{ "unasked_" name, answer_unasked, "9.7.6.1", "an answer to no request is dropped", \
	  &(const u8){ opcode } }
#define SERVICE		"a packet of another service is dropped"
#define PKEY		"a P_Key that does not match is dropped"
#define ICRC		"a wrong ICRC is dropped"

const struct rule header_rules[] = {
	DROPPED("uc", as_uc, "opcode of UC", "9.6.1.1", SERVICE),
	DROPPED("ud", as_ud, "opcode of UD", "9.6.1.1", SERVICE),
	DROPPED("xrc", as_xrc, "opcode of XRC", "9.6.1.1", SERVICE),
	DROPPED("rd", as_rd, "opcode of RD", "9.6.1.1", SERVICE),
	DROPPED("version", version, "TVer 1", "9.6.1.1", "an unknown BTH version is dropped"),
	DROPPED("pkey", other_pkey, "P_Key 0x1234", "9.6.1.1, 10.9.3", PKEY),
	DROPPED("pkey_zero", zero_pkey, "P_Key 0", "9.6.1.1, 10.9.3", PKEY),
	TAKEN("pkey_limited", limited_pkey, "P_Key 0x7fff", "10.9.3",
	      "a limited member may talk to a full one"),
	DROPPED("icrc", wrong_icrc, "ICRC wrong", "A17, 7.8.1", ICRC),
	DROPPED("icrc_zero", zero_icrc, "ICRC 0", "A17, 7.8.1", ICRC),
	DROPPED("icrc_missing", no_icrc, "no ICRC", "A17, 7.8.1", ICRC),
	DROPPED("qpn", other_qpn, "another QPN", "9.6.1.1", "a QPN that is not there is dropped"),
	DROPPED("source", other_source, "another source address", "9.6.1.2",
		"only the peer's address is heard"),
	{ "header_port", not_for_it, "A17", "only UDP port 4791 is heard",
	  &(const struct header_change){ other_port, "UDP port 4792" } },
	TAKEN("source_port", source_port, "source port 0xffff", "A17",
	      "any UDP source port will do"),
	TAKEN("checksum", no_checksum, "no UDP checksum", "A17", "the UDP checksum may be 0"),
	TAKEN("hops", hops, "TTL 1", "A17", "the TTL is not covered and not looked at"),
	TAKEN("traffic_class", traffic_class, "DSCP 26", "A17", "any DSCP will do"),
	TAKEN("ecn", marked, "ECN CE", "A17", "a packet that was marked is taken all the same"),
	TAKEN("fecn", congestion, "FECN and BECN 1", "9.2, A17",
	      "the congestion bits of the BTH change nothing"),
	TAKEN("reserved", reserved_bits, "reserved bits of the BTH 1", "9.2",
	      "reserved bits of the BTH are ignored"),
	RESERVED("15", 0x15),
	RESERVED("18", 0x18),
	RESERVED("1b", 0x1b),
	RESERVED("1f", 0x1f),
	UNASKED("ack", OP_ACKNOWLEDGE),
	UNASKED("read_first", OP_READ_RESPONSE_FIRST),
	UNASKED("read_middle", OP_READ_RESPONSE_MIDDLE),
	UNASKED("read_last", OP_READ_RESPONSE_LAST),
	UNASKED("read_only", OP_READ_RESPONSE_ONLY),
	UNASKED("atomic", OP_ATOMIC_ACKNOWLEDGE),
	{ }
};
