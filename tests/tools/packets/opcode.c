// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the opcodes of RC, UC, UD and XRC mean (IBTA table 38), written down a second time, so that
 * an error in the driver's table is seen.
 */
#include <string.h>

#include "packet.h"

struct row {
	u8 opcode;
	u16 headers;
	const char *name;
};

static const struct row rows[] = {
	{ 0x00, 0, "RC SEND_FIRST" },
	{ 0x01, 0, "RC SEND_MIDDLE" },
	{ 0x02, 0, "RC SEND_LAST" },
	{ 0x03, HEADER_IMM, "RC SEND_LAST_IMM" },
	{ 0x04, 0, "RC SEND_ONLY" },
	{ 0x05, HEADER_IMM, "RC SEND_ONLY_IMM" },
	{ 0x06, HEADER_RETH, "RC WRITE_FIRST" },
	{ 0x07, 0, "RC WRITE_MIDDLE" },
	{ 0x08, 0, "RC WRITE_LAST" },
	{ 0x09, HEADER_IMM, "RC WRITE_LAST_IMM" },
	{ 0x0a, HEADER_RETH, "RC WRITE_ONLY" },
	{ 0x0b, HEADER_RETH | HEADER_IMM, "RC WRITE_ONLY_IMM" },
	{ 0x0c, HEADER_RETH, "RC READ_REQUEST" },
	{ 0x0d, HEADER_AETH, "RC READ_RESPONSE_FIRST" },
	{ 0x0e, 0, "RC READ_RESPONSE_MIDDLE" },
	{ 0x0f, HEADER_AETH, "RC READ_RESPONSE_LAST" },
	{ 0x10, HEADER_AETH, "RC READ_RESPONSE_ONLY" },
	{ 0x11, HEADER_AETH, "RC ACKNOWLEDGE" },
	{ 0x12, HEADER_AETH | HEADER_ATOMIC_ACK, "RC ATOMIC_ACKNOWLEDGE" },
	{ 0x13, HEADER_ATOMIC, "RC COMPARE_SWAP" },
	{ 0x14, HEADER_ATOMIC, "RC FETCH_ADD" },
	{ 0x16, HEADER_IETH, "RC SEND_LAST_INV" },
	{ 0x17, HEADER_IETH, "RC SEND_ONLY_INV" },
	{ 0x1c, HEADER_FETH | HEADER_RETH, "RC FLUSH" },
	{ 0x1d, HEADER_RETH, "RC ATOMIC_WRITE" },
	{ 0x20, 0, "UC SEND_FIRST" },
	{ 0x21, 0, "UC SEND_MIDDLE" },
	{ 0x22, 0, "UC SEND_LAST" },
	{ 0x23, HEADER_IMM, "UC SEND_LAST_IMM" },
	{ 0x24, 0, "UC SEND_ONLY" },
	{ 0x25, HEADER_IMM, "UC SEND_ONLY_IMM" },
	{ 0x26, HEADER_RETH, "UC WRITE_FIRST" },
	{ 0x27, 0, "UC WRITE_MIDDLE" },
	{ 0x28, 0, "UC WRITE_LAST" },
	{ 0x29, HEADER_IMM, "UC WRITE_LAST_IMM" },
	{ 0x2a, HEADER_RETH, "UC WRITE_ONLY" },
	{ 0x2b, HEADER_RETH | HEADER_IMM, "UC WRITE_ONLY_IMM" },
	{ 0x64, HEADER_DETH, "UD SEND_ONLY" },
	{ 0x65, HEADER_DETH | HEADER_IMM, "UD SEND_ONLY_IMM" },
	{ 0xa0, HEADER_XRCETH, "XRC SEND_FIRST" },
	{ 0xa1, HEADER_XRCETH, "XRC SEND_MIDDLE" },
	{ 0xa2, HEADER_XRCETH, "XRC SEND_LAST" },
	{ 0xa3, HEADER_XRCETH | HEADER_IMM, "XRC SEND_LAST_IMM" },
	{ 0xa4, HEADER_XRCETH, "XRC SEND_ONLY" },
	{ 0xa5, HEADER_XRCETH | HEADER_IMM, "XRC SEND_ONLY_IMM" },
	{ 0xa6, HEADER_XRCETH | HEADER_RETH, "XRC WRITE_FIRST" },
	{ 0xa7, HEADER_XRCETH, "XRC WRITE_MIDDLE" },
	{ 0xa8, HEADER_XRCETH, "XRC WRITE_LAST" },
	{ 0xa9, HEADER_XRCETH | HEADER_IMM, "XRC WRITE_LAST_IMM" },
	{ 0xaa, HEADER_XRCETH | HEADER_RETH, "XRC WRITE_ONLY" },
	{ 0xab, HEADER_XRCETH | HEADER_RETH | HEADER_IMM, "XRC WRITE_ONLY_IMM" },
	{ 0xac, HEADER_XRCETH | HEADER_RETH, "XRC READ_REQUEST" },
	{ 0xad, HEADER_AETH, "XRC READ_RESPONSE_FIRST" },
	{ 0xae, 0, "XRC READ_RESPONSE_MIDDLE" },
	{ 0xaf, HEADER_AETH, "XRC READ_RESPONSE_LAST" },
	{ 0xb0, HEADER_AETH, "XRC READ_RESPONSE_ONLY" },
	{ 0xb1, HEADER_AETH, "XRC ACKNOWLEDGE" },
	{ 0xb2, HEADER_AETH | HEADER_ATOMIC_ACK, "XRC ATOMIC_ACKNOWLEDGE" },
	{ 0xb3, HEADER_XRCETH | HEADER_ATOMIC, "XRC COMPARE_SWAP" },
	{ 0xb4, HEADER_XRCETH | HEADER_ATOMIC, "XRC FETCH_ADD" },
	{ 0xb6, HEADER_XRCETH | HEADER_IETH, "XRC SEND_LAST_INV" },
	{ 0xb7, HEADER_XRCETH | HEADER_IETH, "XRC SEND_ONLY_INV" },
};

static const struct row *find(u8 opcode)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

u32 opcode_headers(u8 opcode)
{
	const struct row *row = find(opcode);

	return row ? row->headers : 0;
}

bool opcode_known(u8 opcode)
{
	return find(opcode);
}

const char *opcode_name(u8 opcode)
{
	const struct row *row = find(opcode);

	return row ? row->name : "no opcode";
}

u8 opcode_number(u32 index)
{
	return rows[index].opcode;
}

u32 opcode_count(void)
{
	return ARRAY_SIZE(rows);
}

void packet_init(struct packet *p, bool ipv6)
{
	memset(p, 0, offsetof(struct packet, payload));
	memset(&p->payload_length, 0, sizeof(*p) - offsetof(struct packet, payload_length));
	p->ipv6 = ipv6;
	p->hops = 64;
	p->protocol = 17;
	p->from_port = 0xc123;
	p->to_port = ROCE_PORT;
	p->pkey = DEFAULT_PKEY;
	p->migrated = true;
	p->cut = WHOLE;
}

void packet_set_opcode(struct packet *p, u8 opcode)
{
	p->opcode = opcode;
	p->headers = opcode_headers(opcode);
}

void packet_set_length(struct packet *p, u32 length)
{
	p->payload_length = min_u32(length, PAYLOAD_MAX);
	p->pad = -p->payload_length & 3;
	p->pad_bytes = p->pad;
}
