// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the peer sends.
 */
#include <stdio.h>
#include <string.h>

#include "conform.h"

#define BECN		0x40
#define CNP_BYTES	16	/* reserved */

static void need_support(struct test *t, const struct packet *p)
{
	if (p->headers & HEADER_ATOMIC && !t->w->atomics)
		SKIP("the device has no atomics");
	if (p->headers & HEADER_IETH && !t->w->invalidates)
		SKIP("the device has no SEND with invalidate");
	if (p->headers & HEADER_FETH && !t->w->flushes)
		SKIP("the device has no FLUSH");
	if (p->opcode == (SERVICE_RC | OP_ATOMIC_WRITE) && !t->w->atomic_writes)
		SKIP("the device has no ATOMIC WRITE");
}

static struct packet *start(struct test *t, u8 opcode, u32 psn)
{
	struct packet *p = &t->out;

	peer_address(&t->w->peer, p);
	packet_set_opcode(p, opcode);
	need_support(t, p);
	p->qpn = t->qp->qp_num;
	p->psn = psn & PSN_MASK;
	p->traffic_class = t->traffic_class;
	p->migrated = !t->not_migrated;
	t->but = NULL;
	return p;
}

static void fill(struct packet *p, u32 offset, u32 length)
{
	u32 i;

	packet_set_length(p, length);
	for (i = 0; i < length; i++)
		p->payload[i] = payload_byte(offset + i);
}

static bool ends_message(u8 operation)
{
	switch (operation) {
	case OP_SEND_FIRST:
	case OP_SEND_MIDDLE:
	case OP_WRITE_FIRST:
	case OP_WRITE_MIDDLE:
		return false;
	default:
		return true;
	}
}

struct packet *request(struct test *t, u8 operation, int psn, u32 length)
{
	struct packet *p = start(t, t->service | operation, t->path.peer.psn + psn);
	bool first = operation == OP_WRITE_FIRST;

	if (operation != OP_READ_REQUEST && !(p->headers & (HEADER_ATOMIC | HEADER_FETH)))
		fill(p, 0, length);
	p->ack_request = ends_message(operation) && t->service != SERVICE_UC &&
			 t->service != SERVICE_UD;
	p->address = (uintptr_t)t->w->memory[ZONE_REMOTE];
	p->rkey = t->w->mr[ZONE_REMOTE]->rkey;
	p->dma_length = first ? 2 * MTU : length;
	p->flush = FLUSH_GLOBAL | FLUSH_RANGE << 4;
	p->qkey = t->path.qkey;
	p->source_qpn = t->peer_qpn;
	p->immediate = 0x11223344;
	if (t->srq && ibv_get_srq_num(t->srq, &p->srq_number))
		SKIP("the SRQ has no number");
	return p;
}

void but(struct test *t, const char *what)
{
	t->but = what;
}

void put(struct test *t)
{
	note_packet(t, t->input, &t->out);
	if (t->but)
		snprintf(t->input + strlen(t->input), COLUMN_MAX - strlen(t->input), " (%s)",
			 t->but);
	peer_send(&t->w->peer, &t->out);
}

void ask(struct test *t, u8 operation, int psn, u32 length)
{
	request(t, operation, psn, length);
	put(t);
}

/* How many messages of the device are complete up to its PSN */
static u32 messages_up_to(const struct test *t, int psn)
{
	u32 i, count = 0;

	for (i = 0; i < t->num_ends; i++)
		count += t->ends[i] <= psn;
	return count;
}

static struct packet *start_answer(struct test *t, u8 operation, int psn)
{
	struct packet *p = start(t, t->service | operation, t->path.sq_psn + psn);

	p->msn = t->peer_msn == ~0U ? messages_up_to(t, psn) : t->peer_msn;
	p->syndrome = t->peer_credits;
	return p;
}

void answer(struct test *t, u8 syndrome, int psn)
{
	struct packet *p = start_answer(t, OP_ACKNOWLEDGE, psn);

	if (syndrome)
		p->syndrome = syndrome;
	put(t);
}

struct packet *response(struct test *t, u8 operation, int psn, u32 offset, u32 length)
{
	struct packet *p = start_answer(t, operation, psn);

	fill(p, offset, length);
	return p;
}

void respond(struct test *t, u8 operation, int psn, u32 offset, u32 length)
{
	response(t, operation, psn, offset, length);
	put(t);
}

void answer_atomic(struct test *t, int psn, u64 original)
{
	start_answer(t, OP_ATOMIC_ACKNOWLEDGE, psn)->original = original;
	put(t);
}

void notify_congestion(struct test *t, int psn)
{
	struct packet *p = start(t, OPCODE_CNP, t->path.peer.psn + psn);

	p->congestion = BECN;
	packet_set_length(p, CNP_BYTES);
	memset(p->payload, 0, CNP_BYTES);
	put(t);
}
