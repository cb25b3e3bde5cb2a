// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The columns of a row: what was sent, what had to come, and what came.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conform.h"

void note(char *column, const char *format, ...)
{
	size_t length = strlen(column);
	va_list args;

	if (length)
		length += snprintf(column + length, COLUMN_MAX - length, "; ");
	if (length >= COLUMN_MAX)
		return;
	va_start(args, format);
	vsnprintf(column + length, COLUMN_MAX - length, format, args);
	va_end(args);
}

/* As a distance from the first PSN of who asks */
static int distance(u32 psn, u32 first)
{
	return (int)((psn - first) << 8) >> 8;
}

const char *nak_name(u8 syndrome)
{
	static const char *const names[] = {
		"sequence", "invalid request", "remote access", "remote operational",
		"invalid RD request",
	};

	return names[syndrome - NAK_SEQUENCE];
}

bool is_answer(u8 opcode)
{
	u8 operation = opcode & ~SERVICE_MASK;

	return operation >= OP_READ_RESPONSE_FIRST && operation <= OP_ATOMIC_ACKNOWLEDGE;
}

static void name_ack(char *name, u32 size, u8 syndrome)
{
	if (syndrome < SYNDROME_RNR)
		snprintf(name, size, "ACK");
	else if (syndrome < 2 * SYNDROME_RNR)
		snprintf(name, size, "RNR NAK timer %u", syndrome & 31);
	else if (syndrome >= NAK_SEQUENCE && syndrome <= NAK_INVALID_RD_REQUEST)
		snprintf(name, size, "NAK %s", nak_name(syndrome));
	else
		snprintf(name, size, "AETH syndrome 0x%02x", syndrome);
}

static void name_packet(char *name, u32 size, const struct packet *p)
{
	const char *known = opcode_name(p->opcode);

	if (p->opcode == OPCODE_CNP)
		snprintf(name, size, "CNP");
	else if (!opcode_known(p->opcode))
		snprintf(name, size, "opcode 0x%02x", p->opcode);
	else if ((p->opcode & ~SERVICE_MASK) == OP_ACKNOWLEDGE)
		name_ack(name, size, p->syndrome);
	else
		snprintf(name, size, "%s", known + strcspn(known, " ") + 1);
}

/* What is as long as the path MTU, or has no payload ever, is noted without a length */
void note_packet(struct test *t, char *column, const struct packet *p)
{
	bool peers = is_answer(p->opcode) == (p == &t->in);
	int psn = distance(p->psn, peers ? t->path.peer.psn : t->path.sq_psn);
	u32 bytes = p->headers & HEADER_RETH ? p->dma_length : p->payload_length;
	char name[40];

	name_packet(name, sizeof(name), p);
	if (bytes == MTU || (!bytes && (is_answer(p->opcode) || p->headers & HEADER_ATOMIC)))
		note(column, "%s %+d", name, psn);
	else
		note(column, "%s %+d, %u B", name, psn, bytes);
}

void deviates(struct test *t)
{
	suite_fail("expected %s: seen %s", t->expected, t->seen[0] ? t->seen : "nothing");
	suite_leave();
}
