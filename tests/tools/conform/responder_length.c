// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: lengths of packets and messages.
 */
#include "conform.h"

/* Packets of a message from its first on; the last one has a wrong length. */
struct part {
	u8 operation;
	u32 length;
};

struct lengths {
	struct part parts[3];
	u32 count;
	u32 dma_length;
};

static void wrong_length(struct test *t)
{
	const struct lengths *l = t->rule->arg;
	u32 i;

	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 8 * MTU);
	for (i = 0; i < l->count; i++) {
		request(t, l->parts[i].operation, i, l->parts[i].length);
		if (l->dma_length)
			t->out.dma_length = l->dma_length;
		put(t);
	}
	expect_nak(t, NAK_INVALID_REQUEST, l->count - 1);
	expect_error_state(t);
}

static void wrong_pad(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	post_receive(t, 8 * MTU);
	request(t, OP_SEND_FIRST, 0, MTU)->pad = 1;
	but(t, "pad count 1");
	put(t);
	expect_nak(t, NAK_INVALID_REQUEST, 0);
	expect_error_state(t);
}

static void right_pad(struct test *t)
{
	u32 length;

	connect_qp(t, IBV_QPT_RC);
	for (length = 1; length < 4; length++) {
		post_receive(t, 64);
		ask(t, OP_SEND_ONLY, length - 1, length);
		expect_ack(t, length - 1);
		expect_value(t, "bytes", expect_completion(t, RECEIVE + length - 1,
							   IBV_WC_SUCCESS)->byte_len, length);
	}
}

static void beyond_receive(struct test *t)
{
	u32 receive;

	connect_qp(t, IBV_QPT_RC);
	receive = post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 0, 65);
	expect_nak(t, NAK_INVALID_REQUEST, 0);
	expect_completion(t, receive, IBV_WC_LOC_LEN_ERR);
	expect_error_state(t);
}

static void beyond_receive_later(struct test *t)
{
	u32 receive;

	connect_qp(t, IBV_QPT_RC);
	receive = post_receive(t, MTU + 8);
	ask(t, OP_SEND_FIRST, 0, MTU);
	ask(t, OP_SEND_LAST, 1, 9);
	expect_nak(t, NAK_INVALID_REQUEST, 1);
	expect_completion(t, receive, IBV_WC_LOC_LEN_ERR);
	expect_error_state(t);
}

static void send_of_nothing(struct test *t)
{
	u32 receive;

	connect_qp(t, IBV_QPT_RC);
	receive = post_receive(t, 0);
	ask(t, OP_SEND_ONLY, 0, 0);
	expect_ack(t, 0);
	expect_value(t, "bytes", expect_completion(t, receive, IBV_WC_SUCCESS)->byte_len, 0);
}

static void fits_exactly(struct test *t)
{
	u32 receive;

	connect_qp(t, IBV_QPT_RC);
	receive = post_receive(t, 2 * MTU);
	ask(t, OP_SEND_FIRST, 0, MTU);
	ask(t, OP_SEND_LAST, 1, MTU);
	expect_ack(t, 1);
	expect_value(t, "bytes", expect_completion(t, receive, IBV_WC_SUCCESS)->byte_len,
		     2 * MTU);
	expect_received(t, 2 * MTU);
}

#define CLAUSE	"9.7.4.1.6"
#define FULL	"FIRST and MIDDLE are as long as the path MTU"
#define LAST	"LAST has 1 byte to the path MTU"
#define ONLY	"ONLY has at most the path MTU"
#define EIGHT	"an ATOMIC WRITE has 8 bytes, and says so"
#define SUM	"packets of a WRITE are as long as its DMA length says"

#define ROW(name, says, ...) \
	{ "length_" name, wrong_length, CLAUSE, says, &(const struct lengths){ __VA_ARGS__ } }

const struct rule length_rules[] = {
	ROW("send_first_short", FULL, { { OP_SEND_FIRST, MTU - 4 } }, 1),
	ROW("send_first_long", FULL, { { OP_SEND_FIRST, MTU + 4 } }, 1),
	ROW("send_first_empty", FULL, { { OP_SEND_FIRST, 0 } }, 1),
	ROW("send_middle_short", FULL,
	    { { OP_SEND_FIRST, MTU }, { OP_SEND_MIDDLE, MTU - 4 } }, 2),
	ROW("send_middle_long", FULL,
	    { { OP_SEND_FIRST, MTU }, { OP_SEND_MIDDLE, MTU + 4 } }, 2),
	ROW("send_last_empty", LAST, { { OP_SEND_FIRST, MTU }, { OP_SEND_LAST, 0 } }, 2),
	ROW("send_last_long", LAST, { { OP_SEND_FIRST, MTU }, { OP_SEND_LAST, MTU + 4 } }, 2),
	ROW("send_only_long", ONLY, { { OP_SEND_ONLY, MTU + 4 } }, 1),
	ROW("write_first_short", FULL, { { OP_WRITE_FIRST, MTU - 4 } }, 1),
	ROW("write_first_long", FULL, { { OP_WRITE_FIRST, MTU + 4 } }, 1),
	ROW("write_middle_short", FULL,
	    { { OP_WRITE_FIRST, MTU }, { OP_WRITE_MIDDLE, MTU - 4 } }, 2, 3 * MTU),
	ROW("write_middle_long", FULL,
	    { { OP_WRITE_FIRST, MTU }, { OP_WRITE_MIDDLE, MTU + 4 } }, 2, 3 * MTU),
	ROW("write_last_empty", LAST, { { OP_WRITE_FIRST, MTU }, { OP_WRITE_LAST, 0 } }, 2),
	ROW("write_last_long", LAST, { { OP_WRITE_FIRST, MTU }, { OP_WRITE_LAST, MTU + 4 } }, 2,
	    2 * MTU + 4),
	ROW("write_only_long", ONLY, { { OP_WRITE_ONLY, MTU + 4 } }, 1),
	ROW("write_only_less", SUM, { { OP_WRITE_ONLY, 64 } }, 1, 128),
	ROW("write_only_more", SUM, { { OP_WRITE_ONLY, 64 } }, 1, 32),
	ROW("write_sum_less", SUM, { { OP_WRITE_FIRST, MTU }, { OP_WRITE_LAST, 64 } }, 2,
	    MTU + 128),
	ROW("write_sum_more", SUM, { { OP_WRITE_FIRST, MTU }, { OP_WRITE_LAST, 64 } }, 2,
	    MTU + 32),
	ROW("write_middle_more", SUM, { { OP_WRITE_FIRST, MTU }, { OP_WRITE_MIDDLE, MTU } }, 2,
	    MTU + 32),
	ROW("atomic_write_empty", EIGHT, { { OP_ATOMIC_WRITE, 0 } }, 1, 8),
	ROW("atomic_write_short", EIGHT, { { OP_ATOMIC_WRITE, 4 } }, 1, 8),
	ROW("atomic_write_long", EIGHT, { { OP_ATOMIC_WRITE, 12 } }, 1, 8),
	ROW("atomic_write_less", EIGHT, { { OP_ATOMIC_WRITE, 8 } }, 1, 4),
	ROW("atomic_write_more", EIGHT, { { OP_ATOMIC_WRITE, 8 } }, 1, 16),
	{ "length_pad_of_first", wrong_pad, CLAUSE, "FIRST and MIDDLE have no pad" },
	{ "length_pad", right_pad, "9.2, 9.4.1", "the pad is not part of the message" },
	{ "length_beyond_receive", beyond_receive, "9.7.4.1.6, 9.9.3",
	  "a SEND beyond the receive is an invalid request, and a local length error" },
	{ "length_beyond_receive_last", beyond_receive_later, "9.7.4.1.6, 9.9.3",
	  "so is a SEND whose last packet alone is beyond it" },
	{ "length_send_of_nothing", send_of_nothing, "9.4.1", "a SEND may be empty" },
	{ "length_fits", fits_exactly, "9.4.1", "a SEND may fill its receive to the last byte" },
	{ }
};
