// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The opcode table: for each of the 256 values of the BTH's first byte, what the packet means and
 * which headers it has (IBTA 9.2.1, table 38). Constant data, so no lock and no context rules; the
 * rest of svt asks for flags and does not compare opcodes. RD, XRC, FLUSH and ATOMIC WRITE have
 * no row.
 */
#include "packet.h"

#define REQUEST		SVT_OP_REQUEST
#define RESPONSE	SVT_OP_RESPONSE
#define FIRST		SVT_OP_FIRST
#define MIDDLE		0
#define LAST		SVT_OP_LAST
#define ONLY		(SVT_OP_FIRST | SVT_OP_LAST)
#define SEND		(SVT_OP_REQUEST | SVT_OP_SEND | SVT_OP_PAYLOAD)
#define WRITE		(SVT_OP_REQUEST | SVT_OP_WRITE | SVT_OP_PAYLOAD)
#define READ_RESPONSE	(SVT_OP_RESPONSE | SVT_OP_READ | SVT_OP_PAYLOAD)
#define ATOMIC		(SVT_OP_REQUEST | SVT_OP_ATOMIC | SVT_OP_ATOMIC_ETH | ONLY)
#define RC		SVT_SERVICE_RC
#define UC		SVT_SERVICE_UC
#define UD		SVT_SERVICE_UD
#define BTH		SVT_BTH_BYTES
#define BTH_IMM		(SVT_BTH_BYTES + SVT_IMM_BYTES)
#define BTH_IETH	(SVT_BTH_BYTES + SVT_IETH_BYTES)
#define BTH_RETH	(SVT_BTH_BYTES + SVT_RETH_BYTES)
#define BTH_RETH_IMM	(SVT_BTH_BYTES + SVT_RETH_BYTES + SVT_IMM_BYTES)
#define BTH_AETH	(SVT_BTH_BYTES + SVT_AETH_BYTES)
#define BTH_AETH_ATOMIC	(SVT_BTH_BYTES + SVT_AETH_BYTES + SVT_ATOMIC_ACK_BYTES)
#define BTH_ATOMIC	(SVT_BTH_BYTES + SVT_ATOMIC_ETH_BYTES)
#define BTH_DETH	(SVT_BTH_BYTES + SVT_DETH_BYTES)
#define BTH_DETH_IMM	(SVT_BTH_BYTES + SVT_DETH_BYTES + SVT_IMM_BYTES)

static const struct svt_opcode_info opcodes[256] = {
	[0x00] = { "RC_SEND_FIRST", SEND | FIRST, RC, BTH },
	[0x01] = { "RC_SEND_MIDDLE", SEND | MIDDLE, RC, BTH },
	[0x02] = { "RC_SEND_LAST", SEND | LAST, RC, BTH },
	[0x03] = { "RC_SEND_LAST_IMM", SEND | LAST | SVT_OP_IMM, RC, BTH_IMM },
	[0x04] = { "RC_SEND_ONLY", SEND | ONLY, RC, BTH },
	[0x05] = { "RC_SEND_ONLY_IMM", SEND | ONLY | SVT_OP_IMM, RC, BTH_IMM },
	[0x06] = { "RC_WRITE_FIRST", WRITE | FIRST | SVT_OP_RETH, RC, BTH_RETH },
	[0x07] = { "RC_WRITE_MIDDLE", WRITE | MIDDLE, RC, BTH },
	[0x08] = { "RC_WRITE_LAST", WRITE | LAST, RC, BTH },
	[0x09] = { "RC_WRITE_LAST_IMM", WRITE | LAST | SVT_OP_IMM, RC, BTH_IMM },
	[0x0a] = { "RC_WRITE_ONLY", WRITE | ONLY | SVT_OP_RETH, RC, BTH_RETH },
	[0x0b] = { "RC_WRITE_ONLY_IMM", WRITE | ONLY | SVT_OP_RETH | SVT_OP_IMM, RC, BTH_RETH_IMM },
	[0x0c] = { "RC_READ_REQUEST", REQUEST | SVT_OP_READ | ONLY | SVT_OP_RETH, RC, BTH_RETH },
	[0x0d] = { "RC_READ_RESPONSE_FIRST", READ_RESPONSE | FIRST | SVT_OP_AETH, RC, BTH_AETH },
	[0x0e] = { "RC_READ_RESPONSE_MIDDLE", READ_RESPONSE | MIDDLE, RC, BTH },
	[0x0f] = { "RC_READ_RESPONSE_LAST", READ_RESPONSE | LAST | SVT_OP_AETH, RC, BTH_AETH },
	[0x10] = { "RC_READ_RESPONSE_ONLY", READ_RESPONSE | ONLY | SVT_OP_AETH, RC, BTH_AETH },
	[0x11] = { "RC_ACKNOWLEDGE", RESPONSE | SVT_OP_ACK | SVT_OP_AETH, RC, BTH_AETH },
	[0x12] = { "RC_ATOMIC_ACKNOWLEDGE",
		   RESPONSE | SVT_OP_ATOMIC | SVT_OP_AETH | SVT_OP_ATOMIC_ACK, RC,
		   BTH_AETH_ATOMIC },
	[0x13] = { "RC_COMPARE_SWAP", ATOMIC, RC, BTH_ATOMIC },
	[0x14] = { "RC_FETCH_ADD", ATOMIC, RC, BTH_ATOMIC },
	[0x16] = { "RC_SEND_LAST_INV", SEND | LAST | SVT_OP_IETH, RC, BTH_IETH },
	[0x17] = { "RC_SEND_ONLY_INV", SEND | ONLY | SVT_OP_IETH, RC, BTH_IETH },

	[0x20] = { "UC_SEND_FIRST", SEND | FIRST, UC, BTH },
	[0x21] = { "UC_SEND_MIDDLE", SEND | MIDDLE, UC, BTH },
	[0x22] = { "UC_SEND_LAST", SEND | LAST, UC, BTH },
	[0x23] = { "UC_SEND_LAST_IMM", SEND | LAST | SVT_OP_IMM, UC, BTH_IMM },
	[0x24] = { "UC_SEND_ONLY", SEND | ONLY, UC, BTH },
	[0x25] = { "UC_SEND_ONLY_IMM", SEND | ONLY | SVT_OP_IMM, UC, BTH_IMM },
	[0x26] = { "UC_WRITE_FIRST", WRITE | FIRST | SVT_OP_RETH, UC, BTH_RETH },
	[0x27] = { "UC_WRITE_MIDDLE", WRITE | MIDDLE, UC, BTH },
	[0x28] = { "UC_WRITE_LAST", WRITE | LAST, UC, BTH },
	[0x29] = { "UC_WRITE_LAST_IMM", WRITE | LAST | SVT_OP_IMM, UC, BTH_IMM },
	[0x2a] = { "UC_WRITE_ONLY", WRITE | ONLY | SVT_OP_RETH, UC, BTH_RETH },
	[0x2b] = { "UC_WRITE_ONLY_IMM", WRITE | ONLY | SVT_OP_RETH | SVT_OP_IMM, UC, BTH_RETH_IMM },

	[0x64] = { "UD_SEND_ONLY", SEND | ONLY | SVT_OP_DETH, UD, BTH_DETH },
	[0x65] = { "UD_SEND_ONLY_IMM", SEND | ONLY | SVT_OP_DETH | SVT_OP_IMM, UD, BTH_DETH_IMM },
};

/**
 * svt_opcode_info() - what an opcode says of its packet
 * @opcode: first byte of the BTH, any value
 *
 * Context: Any.
 * Return: A row of the table, never NULL; @flags is 0 in the row of an opcode that svt does not
 * know.
 */
const struct svt_opcode_info *svt_opcode_info(u8 opcode)
{
	return &opcodes[opcode];
}
