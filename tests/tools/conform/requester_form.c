// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: what the packets of a request look like.
 */
#include "conform.h"

struct form {
	enum ibv_wr_opcode opcode;
	const u8 *operations;	/* of a FIRST, MIDDLE, LAST and ONLY packet */
	u32 length;
	u32 flags;
};

static u8 operation_at(const struct form *f, u32 i, u32 count)
{
	if (count == 1)
		return f->operations[3];
	if (i == count - 1)
		return f->operations[2];
	return f->operations[i ? 1 : 0];
}

static u32 packets_of(u32 length)
{
	return length ? (length - 1) / MTU + 1 : 1;
}

/* Each packet of a request names the SRQ that it is for */
static void look_at_srq(struct test *t, const struct packet *p)
{
	if (p->headers & HEADER_XRCETH)
		expect_value(t, "SRQ", p->srq_number, PEER_SRQ);
}

static void look_at_headers(struct test *t, const struct packet *p, const struct form *f)
{
	look_at_srq(t, p);
	expect_value(t, "P_Key", p->pkey, DEFAULT_PKEY);
	expect_value(t, "pad", p->pad, -p->payload_length & 3);
	if (p->headers & HEADER_RETH) {
		expect_value(t, "address", p->address, 0x10000);
		expect_value(t, "R_Key", p->rkey, 0x1234);
		expect_value(t, "DMA length", p->dma_length, f->length);
	}
	if (p->headers & HEADER_IMM)
		expect_value(t, "immediate", p->immediate, 0x11223344);
	if (p->headers & HEADER_IETH)
		expect_value(t, "invalidated R_Key", p->invalidate_rkey, 0x1234);
}

static void message(struct test *t)
{
	const struct form *f = t->rule->arg;
	u32 i, count = packets_of(f->length), request;
	struct packet *p;

	connect_requester(t);
	request = post_flags(t, f->opcode, f->length, f->flags);
	for (i = 0; i < count; i++) {
		p = expect_request(t, operation_at(f, i, count), i,
				   min_u32(f->length - i * MTU, MTU));
		look_at_headers(t, p, f);
		if (i == count - 1)
			expect_value(t, "SE", p->solicited, !!(f->flags & IBV_SEND_SOLICITED));
	}
	expect_value(t, "AckReq", p->ack_request, 1);
	answer(t, 0, count - 1);
	expect_completion(t, request, IBV_WC_SUCCESS);
}

/* Answers as a responder does */
static void respond_all(struct test *t, int psn, u32 length)
{
	u32 i, count = packets_of(length);

	for (i = 0; i < count; i++)
		respond(t, count == 1 ? OP_READ_RESPONSE_ONLY : !i ? OP_READ_RESPONSE_FIRST :
			i < count - 1 ? OP_READ_RESPONSE_MIDDLE : OP_READ_RESPONSE_LAST,
			psn + i, i * MTU, min_u32(length - i * MTU, MTU));
}

static void reads(struct test *t)
{
	const struct form *f = t->rule->arg;
	u32 request, next;

	connect_requester(t);
	request = post(t, IBV_WR_RDMA_READ, f->length);
	look_at_headers(t, expect_request(t, OP_READ_REQUEST, 0, f->length), f);
	respond_all(t, 0, f->length);
	expect_completion(t, request, IBV_WC_SUCCESS);
	expect_sink(t, f->length);
	next = post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, packets_of(f->length), 8);
	answer(t, 0, packets_of(f->length));
	expect_completion(t, next, IBV_WC_SUCCESS);
}

static void atomic(struct test *t)
{
	const struct form *f = t->rule->arg;
	const u64 *result = (const u64 *)t->w->memory[ZONE_SINK];
	struct packet *p;
	u32 request;

	connect_requester(t);
	request = post(t, f->opcode, 8);
	p = expect_request(t, f->operations[0], 0, 0);
	look_at_srq(t, p);
	expect_value(t, "address", p->address, 0x10000);
	expect_value(t, "R_Key", p->rkey, 0x1234);
	if (f->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		expect_value(t, "compare", p->compare, 0x1122334455667788);
		expect_value(t, "swap", p->swap_add, 0x99aabbccddeeff00);
	} else {
		expect_value(t, "add", p->swap_add, 0x1122334455667788);
	}
	answer_atomic(t, 0, 0x0102030405060708);
	expect_completion(t, request, IBV_WC_SUCCESS);
	expect_value(t, "result", *result, 0x0102030405060708);
}

static void wraps(struct test *t)
{
	u32 request;

	t->path.sq_psn = 0xffffff;
	connect_requester(t);
	request = post(t, IBV_WR_SEND, 3 * MTU);
	expect_request(t, OP_SEND_FIRST, 0, MTU);
	expect_request(t, OP_SEND_MIDDLE, 1, MTU);
	expect_request(t, OP_SEND_LAST, 2, MTU);
	answer(t, 0, 2);
	expect_completion(t, request, IBV_WC_SUCCESS);
}

static const u8 sends[] = { OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_ONLY };
static const u8 sends_imm[] = {
	OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST_IMM, OP_SEND_ONLY_IMM
};

static const u8 sends_inv[] = {
	OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST_INV, OP_SEND_ONLY_INV
};

static const u8 writes[] = { OP_WRITE_FIRST, OP_WRITE_MIDDLE, OP_WRITE_LAST, OP_WRITE_ONLY };
static const u8 writes_imm[] = {
	OP_WRITE_FIRST, OP_WRITE_MIDDLE, OP_WRITE_LAST_IMM, OP_WRITE_ONLY_IMM
};

#define ROW(name, opcode, operations, length) \
	{ "form_" name, message, "9.4, 9.7.3", \
	  "a message is FIRST, MIDDLE, LAST or ONLY, all but the last as long as the path MTU", \
	  &(const struct form){ opcode, operations, length } }
/* Of no byte, one, a packet, a packet and a byte, three packets */
#define ROWS(name, opcode, operations) \
	ROW(name "_0", opcode, operations, 0), \
	ROW(name "_1", opcode, operations, 1), \
	ROW(name "_mtu", opcode, operations, MTU), \
	ROW(name "_mtu_1", opcode, operations, MTU + 1), \
	ROW(name "_3_mtu", opcode, operations, 3 * MTU)
#define READ(name, length) \
	{ "form_read_" name, reads, "9.4.4, 9.7.3.2", \
	  "a READ takes as many PSNs as its response has packets", \
	  &(const struct form){ IBV_WR_RDMA_READ, NULL, length } }
#define ATOMIC(name, opcode, operation) \
	{ "form_" name, atomic, "9.4.5", "an atomic takes one PSN and brings the old value", \
	  &(const struct form){ opcode, &(const u8){ operation } } }

#define XRC(name, function, ...) \
	XRC_RULE(name, function, "9.7.3", "a request names the SRQ in each packet", \
		 .arg = &(const struct form){ __VA_ARGS__ })

const struct rule form_rules[] = {
	ROWS("send", IBV_WR_SEND, sends),
	ROWS("send_imm", IBV_WR_SEND_WITH_IMM, sends_imm),
	ROWS("send_inv", IBV_WR_SEND_WITH_INV, sends_inv),
	ROWS("write", IBV_WR_RDMA_WRITE, writes),
	ROWS("write_imm", IBV_WR_RDMA_WRITE_WITH_IMM, writes_imm),
	READ("0", 0),
	READ("1", 1),
	READ("mtu", MTU),
	READ("mtu_1", MTU + 1),
	READ("3_mtu", 3 * MTU),
	ATOMIC("compare_swap", IBV_WR_ATOMIC_CMP_AND_SWP, OP_COMPARE_SWAP),
	ATOMIC("fetch_add", IBV_WR_ATOMIC_FETCH_AND_ADD, OP_FETCH_ADD),
	{ "form_solicited", message, "9.2", "SE is in the last packet of who asks for it",
	  &(const struct form){ IBV_WR_SEND, sends, 2 * MTU, IBV_SEND_SOLICITED } },
	XRC("form_send_0", message, IBV_WR_SEND, sends, 0),
	XRC("form_send_mtu", message, IBV_WR_SEND, sends, MTU),
	XRC("form_send_3_mtu", message, IBV_WR_SEND, sends, 3 * MTU),
	XRC("form_send_imm_mtu_1", message, IBV_WR_SEND_WITH_IMM, sends_imm, MTU + 1),
	XRC("form_send_inv_mtu_1", message, IBV_WR_SEND_WITH_INV, sends_inv, MTU + 1),
	XRC("form_write_3_mtu", message, IBV_WR_RDMA_WRITE, writes, 3 * MTU),
	XRC("form_write_imm_mtu", message, IBV_WR_RDMA_WRITE_WITH_IMM, writes_imm, MTU),
	XRC("form_read_3_mtu", reads, IBV_WR_RDMA_READ, NULL, 3 * MTU),
	XRC("form_compare_swap", atomic, IBV_WR_ATOMIC_CMP_AND_SWP, &(const u8){ OP_COMPARE_SWAP }),
	XRC("form_fetch_add", atomic, IBV_WR_ATOMIC_FETCH_AND_ADD, &(const u8){ OP_FETCH_ADD }),
	{ "form_wrap", wraps, "9.7.1", "PSN 0 follows 0xffffff" },
	{ }
};
