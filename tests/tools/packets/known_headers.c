// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attacks by headers from the BTH on that are not what they should be.
 */
#include "known.h"

/* IPv4, UDP, BTH, four bytes, ICRC: 48 bytes */
#define ODD_BYTES	4
#define NAK_INVALID	0x61

static void opcode_ff_no_qp(struct test *k)
{
	bool ipv6 = false;

	do {
		known_target(k, "rc rts", ipv6);
		known_payload(k, 0xff, ODD_BYTES)->qpn = known_nobody(k);
		known_payload(k, 0xff, ODD_BYTES)->qpn = 0;
		known_payload(k, 0xff, ODD_BYTES)->qpn = QPN_MULTICAST;
		known_send(k);
		known_counts(k, COUNT_NO_QP, 3);
		known_settle(k);
		ipv6 = !ipv6;
	} while (ipv6);
}

static void opcode_ff(struct test *k)
{
	static const char *const kinds[] = { "rc rts", "uc rts", "ud rts", "gsi" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		known_target(k, kinds[i], i & 1);
		known_payload(k, 0xff, ODD_BYTES);
		known_send(k);
		known_counts(k, COUNT_MALFORMED, 1);
		known_settle(k);
		known_outcome(k, IBV_QPS_RTS, 0, 0);
	}
}

static bool opcode_reserved_of(u32 opcode, u32 service)
{
	return !opcode_known(opcode) && (opcode & SERVICE_MASK) == service;
}

/* A responder refuses what its service has not (IBTA 9.7.4.1.3) */
static void opcode_reserved(struct test *k)
{
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		if (!opcode_reserved_of(opcode, SERVICE_RC))
			continue;
		known_target(k, "rc rts", opcode & 1);
		known_payload(k, opcode, ODD_BYTES);
		known_send(k);
		known_counts(k, COUNT_NAKS_SENT, 1);
		known_answer(k, 0x61, k->x.target->epsn);
		known_settle(k);
		known_outcome(k, IBV_QPS_ERR, 0, 0);
	}
}

/* None is read beyond its end, and those that svt does not know go nowhere */
static void opcode_every(struct test *k)
{
	struct packet *p;
	u32 opcode;

	known_target(k, "rc rts", false);
	for (opcode = 0; opcode < 256; opcode++) {
		p = known_payload(k, opcode, ODD_BYTES);
		p->headers = 0;
		p->qpn = known_nobody(k);
		if (opcode_known(opcode) || opcode_reserved_of(opcode, SERVICE_RC))
			continue;
		p = known_payload(k, opcode, ODD_BYTES);
		known_counts(k, opcode_reserved_of(opcode, SERVICE_XRC) ? COUNT_OPCODE :
									  COUNT_MALFORMED, 1);
	}
	known_send(k);
	known_counts(k, COUNT_NO_QP, 256);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void pad_beyond_payload(struct test *k)
{
	u32 pad;

	known_target(k, "rc rts", false);
	for (pad = 1; pad < 4; pad++)
		known_packet(k, OP_SEND_ONLY)->pad = pad;
	known_packet(k, OP_ACKNOWLEDGE)->pad = 1;
	known_packet(k, OP_FETCH_ADD)->pad = 3;
	known_send(k);
	known_counts(k, COUNT_MALFORMED, 5);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
	/* As much as there is may be pad: a message of one byte */
	known_payload(k, OP_SEND_ONLY, 1)->ack_request = true;
	known_send(k);
	known_answer(k, 0, k->x.target->epsn);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 1, 0);
}

static void payload_without_pad(struct test *k)
{
	u32 length;

	known_target(k, "ud rts", true);
	for (length = 1; length < 4; length++) {
		struct packet *p = known_payload(k, SERVICE_UD | OP_SEND_ONLY, length);

		p->pad = 0;
		p->pad_bytes = 0;
	}
	known_send(k);
	known_counts(k, COUNT_MALFORMED, 3);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

/* From no byte at all to one less than a BTH and an ICRC */
static void icrc_beyond_packet(struct test *k)
{
	struct packet *p;
	u32 bytes;

	known_target(k, "rc rts", false);
	for (bytes = 0; bytes < BTH_BYTES + ICRC_BYTES; bytes++) {
		p = known_payload(k, OP_SEND_ONLY, 8);
		p->cut = bytes < ICRC_BYTES ? bytes : bytes - ICRC_BYTES;
		p->icrc = bytes < ICRC_BYTES ? ICRC_MISSING : ICRC_RIGHT;
	}
	known_send(k);
	known_counts(k, COUNT_BACKEND, BTH_BYTES + ICRC_BYTES);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void short_headers(struct test *k, u8 opcode, u32 whole)
{
	bool xrc = (opcode & SERVICE_MASK) == SERVICE_XRC;
	struct packet *p;
	u32 bytes;

	known_target(k, xrc ? "xrc rts" : "rc rts", false);
	for (bytes = BTH_BYTES; bytes < whole; bytes++) {
		p = known_packet(k, opcode);
		p->address = exchange_address(k->s, k->x.target, &p->rkey, &p->dma_length);
		p->cut = bytes;
	}
	known_counts(k, COUNT_MALFORMED, whole - BTH_BYTES);
	known_send(k);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void atomic_short(struct test *k)
{
	short_headers(k, OP_FETCH_ADD, 40);
	short_headers(k, OP_COMPARE_SWAP, 40);
}

/* With less than its header it is nothing; with less than its value it ends the QP */
static void atomic_write_short(struct test *k)
{
	struct packet *p;

	short_headers(k, OP_ATOMIC_WRITE, BTH_BYTES + 16);
	known_target(k, "rc rts", false);
	p = known_packet(k, OP_ATOMIC_WRITE);
	p->address = exchange_address(k->s, k->x.target, &p->rkey, &p->dma_length);
	p->address = (p->address + 7) & ~7ULL;
	p->dma_length = 8;
	packet_set_length(p, 4);
	known_send(k);
	known_counts(k, COUNT_NAKS_SENT, 1);
	known_answer(k, NAK_INVALID, k->x.packets[0].psn);
	known_settle(k);
	known_outcome(k, IBV_QPS_ERR, 0, 0);
}

static void reth_short(struct test *k)
{
	short_headers(k, OP_WRITE_ONLY, BTH_BYTES + 16);
	short_headers(k, OP_WRITE_ONLY_IMM, BTH_BYTES + 20);
	short_headers(k, OP_READ_REQUEST, BTH_BYTES + 16);
	short_headers(k, OP_FLUSH, BTH_BYTES + 20);
	short_headers(k, OP_SEND_ONLY_IMM, BTH_BYTES + 4);
	short_headers(k, OP_SEND_ONLY_INV, BTH_BYTES + 4);
	short_headers(k, OP_ACKNOWLEDGE, BTH_BYTES + 4);
	short_headers(k, OP_READ_RESPONSE_ONLY, BTH_BYTES + 4);
	short_headers(k, OP_ATOMIC_ACKNOWLEDGE, BTH_BYTES + 12);
	short_headers(k, SERVICE_XRC | OP_SEND_ONLY, BTH_BYTES + 4);
	short_headers(k, SERVICE_XRC | OP_WRITE_ONLY_IMM, BTH_BYTES + 24);
	short_headers(k, SERVICE_XRC | OP_FETCH_ADD, BTH_BYTES + 32);
}

static void version(struct test *k)
{
	u32 i;

	known_target(k, "rc rts", false);
	for (i = 1; i < 16; i++)
		known_payload(k, OP_SEND_ONLY, 8)->version = i;
	known_counts(k, COUNT_MALFORMED, 15);
	known_send(k);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void keys_wrong(struct test *k)
{
	known_target(k, "rc rts", false);
	known_payload(k, OP_SEND_ONLY, 8)->pkey = 0xfffe;
	known_send(k);
	known_counts(k, COUNT_PKEY, 1);
	known_settle(k);
	known_target(k, "ud rts", false);
	known_payload(k, SERVICE_UD | OP_SEND_ONLY, 8)->qkey ^= 1;
	known_send(k);
	known_counts(k, COUNT_QKEY, 1);
	known_settle(k);
	known_outcome(k, IBV_QPS_RTS, 0, 0);
}

static void service_wrong(struct test *k)
{
	known_target(k, "rc rts", false);
	known_payload(k, SERVICE_UC | OP_SEND_ONLY, 8);
	known_payload(k, SERVICE_UD | OP_SEND_ONLY, 8);
	known_send(k);
	known_target(k, "uc rts", true);
	known_payload(k, OP_SEND_ONLY, 8);
	known_packet(k, OP_ACKNOWLEDGE);
	known_send(k);
	known_target(k, "gsi", false);
	known_payload(k, OP_SEND_ONLY, 8);
	known_send(k);
	known_target(k, "xrc rts", false);
	known_payload(k, OP_SEND_ONLY, 8);
	known_packet(k, SERVICE_XRC | OP_ACKNOWLEDGE);
	known_send(k);
	known_counts(k, COUNT_OPCODE, 7);
	known_settle(k);
}

const struct suite_case known_headers[] = {
	{ "opcode_ff_no_qp", opcode_ff_no_qp, "48 bytes with opcode 0xff and no QP" },
	{ "opcode_ff", opcode_ff, "the same to QPs of each type" },
	{ "opcode_every", opcode_every, "every opcode with four bytes behind the BTH" },
	{ "opcode_reserved", opcode_reserved, "reserved opcodes of RC where a request is due" },
	{ "pad_beyond_payload", pad_beyond_payload, "more pad than payload" },
	{ "payload_without_pad", payload_without_pad, "a length that is no multiple of four" },
	{ "icrc_beyond_packet", icrc_beyond_packet, "packets shorter than BTH and ICRC" },
	{ "atomic_short", atomic_short, "atomics cut at each byte of their headers" },
	{ "atomic_write_short", atomic_write_short, "ATOMIC WRITE of every length" },
	{ "headers_short", reth_short, "others cut at each byte of their headers" },
	{ "version", version, "versions of the BTH" },
	{ "keys_wrong", keys_wrong, "P_Key and Q_Key" },
	{ "service_wrong", service_wrong, "opcodes of another service" },
	{ }
};
