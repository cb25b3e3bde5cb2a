// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: the order of opcodes within a message.
 */
#include "conform.h"

/* What was begun before, and the opcode that must not follow */
struct order {
	enum { IDLE, IN_SEND, IN_WRITE } begun;
	u8 operation;
};

static bool has_payload(u8 operation)
{
	return operation < OP_READ_REQUEST || operation == OP_SEND_LAST_INV;
}

static void wrong_order(struct test *t)
{
	const struct order *o = t->rule->arg;
	int psn = o->begun == IDLE ? 0 : 1;
	bool first = o->operation == OP_SEND_FIRST || o->operation == OP_WRITE_FIRST ||
		     o->operation == OP_SEND_MIDDLE || o->operation == OP_WRITE_MIDDLE;

	connect_qp(t, IBV_QPT_RC);
	post_receives(t, 2, 4 * MTU);
	if (o->begun != IDLE)
		ask(t, o->begun == IN_SEND ? OP_SEND_FIRST : OP_WRITE_FIRST, 0, MTU);
	ask(t, o->operation, psn, !has_payload(o->operation) ? 8 : first ? MTU : 64);
	expect_nak(t, NAK_INVALID_REQUEST, psn);
	expect_error_state(t);
}

#define BEGINS	"a message begins by FIRST or ONLY"
#define ENDS	"a message is not interrupted by another request"
#define STAYS	"a message goes on with packets of its own operation"
#define CLAUSE	"9.7.4.1.2"

#define ORDER(name, state, operation, says) \
	{ "order_" name, wrong_order, CLAUSE, says, &(const struct order){ state, operation } }

const struct rule order_rules[] = {
	ORDER("idle_send_middle", IDLE, OP_SEND_MIDDLE, BEGINS),
	ORDER("idle_send_last", IDLE, OP_SEND_LAST, BEGINS),
	ORDER("idle_send_last_imm", IDLE, OP_SEND_LAST_IMM, BEGINS),
	ORDER("idle_send_last_inv", IDLE, OP_SEND_LAST_INV, BEGINS),
	ORDER("idle_write_middle", IDLE, OP_WRITE_MIDDLE, BEGINS),
	ORDER("idle_write_last", IDLE, OP_WRITE_LAST, BEGINS),
	ORDER("idle_write_last_imm", IDLE, OP_WRITE_LAST_IMM, BEGINS),
	ORDER("send_send_first", IN_SEND, OP_SEND_FIRST, ENDS),
	ORDER("send_send_only", IN_SEND, OP_SEND_ONLY, ENDS),
	ORDER("send_send_only_imm", IN_SEND, OP_SEND_ONLY_IMM, ENDS),
	ORDER("send_write_first", IN_SEND, OP_WRITE_FIRST, ENDS),
	ORDER("send_write_middle", IN_SEND, OP_WRITE_MIDDLE, STAYS),
	ORDER("send_write_last", IN_SEND, OP_WRITE_LAST, STAYS),
	ORDER("send_write_only", IN_SEND, OP_WRITE_ONLY, ENDS),
	ORDER("send_write_only_imm", IN_SEND, OP_WRITE_ONLY_IMM, ENDS),
	ORDER("send_read", IN_SEND, OP_READ_REQUEST, ENDS),
	ORDER("send_fetch_add", IN_SEND, OP_FETCH_ADD, ENDS),
	ORDER("send_compare_swap", IN_SEND, OP_COMPARE_SWAP, ENDS),
	ORDER("write_write_first", IN_WRITE, OP_WRITE_FIRST, ENDS),
	ORDER("write_write_only", IN_WRITE, OP_WRITE_ONLY, ENDS),
	ORDER("write_send_first", IN_WRITE, OP_SEND_FIRST, ENDS),
	ORDER("write_send_middle", IN_WRITE, OP_SEND_MIDDLE, STAYS),
	ORDER("write_send_last", IN_WRITE, OP_SEND_LAST, STAYS),
	ORDER("write_send_only", IN_WRITE, OP_SEND_ONLY, ENDS),
	ORDER("write_read", IN_WRITE, OP_READ_REQUEST, ENDS),
	ORDER("write_fetch_add", IN_WRITE, OP_FETCH_ADD, ENDS),
	ORDER("send_flush", IN_SEND, OP_FLUSH, ENDS),
	ORDER("send_atomic_write", IN_SEND, OP_ATOMIC_WRITE, ENDS),
	ORDER("write_flush", IN_WRITE, OP_FLUSH, ENDS),
	ORDER("write_atomic_write", IN_WRITE, OP_ATOMIC_WRITE, ENDS),
	{ }
};
