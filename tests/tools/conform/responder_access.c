// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder: what a peer may do with the device's memory.
 */
#include "conform.h"

/* A request for memory that it may not have */
struct access {
	u8 operation;
	enum zone zone;
	u32 key_xor;
	int shift;		/* from where it may be */
	u32 length;
	const char *what;
};

static void aim(struct test *t, const struct access *a)
{
	u32 length = a->length ?: 8;
	struct packet *p = request(t, a->operation, 0, length);

	p->rkey = t->w->mr[a->zone]->rkey ^ a->key_xor;
	p->address = (uintptr_t)t->w->memory[a->zone] + a->shift;
	if (a->operation == OP_WRITE_FIRST)
		p->dma_length = 2 * MTU;
	but(t, a->what);
	put(t);
}

static void refused(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	aim(t, t->rule->arg);
	expect_nak(t, NAK_REMOTE_ACCESS, 0);
	expect_error_state(t);
}

static void not_aligned(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	aim(t, t->rule->arg);
	expect_nak(t, NAK_INVALID_REQUEST, 0);
	expect_error_state(t);
}

/* The QP has no right to any memory */
static void without_flag(struct test *t)
{
	t->path.access = IBV_ACCESS_LOCAL_WRITE;
	connect_qp(t, IBV_QPT_RC);
	aim(t, t->rule->arg);
	expect_refusal(t, NAK_INVALID_REQUEST, NAK_REMOTE_ACCESS, 0);
	expect_error_state(t);
}

static void nothing_written(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	request(t, OP_WRITE_ONLY, 0, 0)->rkey ^= 0xffffff00;
	but(t, "wrong R_Key");
	put(t);
	expect_ack(t, 0);
}

static void nothing_read(struct test *t)
{
	connect_qp(t, IBV_QPT_RC);
	request(t, OP_READ_REQUEST, 0, 0)->rkey ^= 0xffffff00;
	but(t, "wrong R_Key");
	put(t);
	expect_read(t, 0, 0, 0);
}

static void last_byte(struct test *t)
{
	struct packet *p;

	connect_qp(t, IBV_QPT_RC);
	p = request(t, OP_WRITE_ONLY, 0, 8);
	p->address += ZONE_BYTES - 8;
	put(t);
	expect_ack(t, 0);
	p = request(t, OP_READ_REQUEST, 1, 8);
	p->address += ZONE_BYTES - 16;
	put(t);
	expect_read(t, 1, ZONE_BYTES - 16, 8);
}

/* A long WRITE is checked as a whole before its first byte is written */
static void checked_first(struct test *t)
{
	struct packet *p;

	connect_qp(t, IBV_QPT_RC);
	p = request(t, OP_WRITE_FIRST, 0, MTU);
	p->dma_length = 2 * MTU;
	p->address += ZONE_BYTES - 2 * MTU + 1;
	but(t, "its last byte is beyond the region");
	put(t);
	expect_nak(t, NAK_REMOTE_ACCESS, 0);
	expect_error_state(t);
}

#define CLAUSE	"9.7.4.1.5"
#define KEY	"an R_Key is the right one"
#define RANGE	"a request stays within its region"
#define RIGHT	"a region has the right that a request needs"
#define DOMAIN	"a region is of the QP's protection domain"
#define FLAG	"a QP has the right that a request needs"
#define OWN	"of another PD"
#define PAST	"1 byte past the end"
#define BEFORE	"1 byte before the start"

#define ROW(name, says, ...) \
	{ "access_" name, refused, CLAUSE, says, &(const struct access){ __VA_ARGS__ } }
#define FLAGS(name, operation) \
	{ "access_flag_" name, without_flag, "9.7.4.1.3, 9.7.4.1.5", FLAG, \
	  &(const struct access){ operation, ZONE_REMOTE, .what = "QP without the right" } }
#define ALIGN(name, operation) \
	{ "access_aligned_" name, not_aligned, "9.4.5, 9.9.3", \
	  "the address of an atomic is a multiple of 8", \
	  &(const struct access){ operation, ZONE_REMOTE, 0, 4, .what = "address + 4" } }

const struct rule access_rules[] = {
	ROW("key_write", KEY, OP_WRITE_ONLY, ZONE_REMOTE, 0xffffff00, .what = "wrong R_Key"),
	ROW("key_write_first", KEY, OP_WRITE_FIRST, ZONE_REMOTE, 0xffffff00, 0, MTU,
	    "wrong R_Key"),
	ROW("key_read", KEY, OP_READ_REQUEST, ZONE_REMOTE, 0xffffff00, .what = "wrong R_Key"),
	ROW("key_fetch_add", KEY, OP_FETCH_ADD, ZONE_REMOTE, 0xffffff00, .what = "wrong R_Key"),
	ROW("key_compare_swap", KEY, OP_COMPARE_SWAP, ZONE_REMOTE, 0xffffff00,
	    .what = "wrong R_Key"),
	ROW("key_flush", KEY, OP_FLUSH, ZONE_REMOTE, 0xffffff00, .what = "wrong R_Key"),
	ROW("key_atomic_write", KEY, OP_ATOMIC_WRITE, ZONE_REMOTE, 0xffffff00,
	    .what = "wrong R_Key"),
	ROW("key_byte", KEY, OP_WRITE_ONLY, ZONE_REMOTE, 1, .what = "R_Key with another last byte"),
	ROW("end_write", RANGE, OP_WRITE_ONLY, ZONE_REMOTE, 0, ZONE_BYTES - 7, .what = PAST),
	ROW("end_read", RANGE, OP_READ_REQUEST, ZONE_REMOTE, 0, ZONE_BYTES - 7, .what = PAST),
	ROW("end_fetch_add", RANGE, OP_FETCH_ADD, ZONE_REMOTE, 0, ZONE_BYTES,
	    .what = "8 bytes past the end"),
	ROW("end_flush", RANGE, OP_FLUSH, ZONE_REMOTE, 0, ZONE_BYTES - 7, .what = PAST),
	ROW("end_atomic_write", RANGE, OP_ATOMIC_WRITE, ZONE_REMOTE, 0, ZONE_BYTES,
	    .what = "8 bytes past the end"),
	ROW("start_write", RANGE, OP_WRITE_ONLY, ZONE_REMOTE, 0, -1, .what = BEFORE),
	ROW("start_read", RANGE, OP_READ_REQUEST, ZONE_REMOTE, 0, -1, .what = BEFORE),
	ROW("start_flush", RANGE, OP_FLUSH, ZONE_REMOTE, 0, -1, .what = BEFORE),
	{ "access_end_write_first", checked_first, CLAUSE,
	  "a WRITE is checked as a whole with its first packet" },
	ROW("right_write", RIGHT, OP_WRITE_ONLY, ZONE_READ, .what = "region for READ"),
	ROW("right_read", RIGHT, OP_READ_REQUEST, ZONE_WRITE, .what = "region for WRITE"),
	ROW("right_fetch_add", RIGHT, OP_FETCH_ADD, ZONE_WRITE, .what = "region for WRITE"),
	ROW("right_compare_swap", RIGHT, OP_COMPARE_SWAP, ZONE_READ, .what = "region for READ"),
	ROW("right_flush", RIGHT, OP_FLUSH, ZONE_WRITE, .what = "region for WRITE"),
	ROW("right_atomic_write", RIGHT, OP_ATOMIC_WRITE, ZONE_READ, .what = "region for READ"),
	ROW("right_local", RIGHT, OP_WRITE_ONLY, ZONE_LOCAL, .what = "region for nobody else"),
	ROW("pd_write", DOMAIN, OP_WRITE_ONLY, ZONE_OTHER_PD, .what = OWN),
	ROW("pd_read", DOMAIN, OP_READ_REQUEST, ZONE_OTHER_PD, .what = OWN),
	ROW("pd_fetch_add", DOMAIN, OP_FETCH_ADD, ZONE_OTHER_PD, .what = OWN),
	ROW("pd_flush", DOMAIN, OP_FLUSH, ZONE_OTHER_PD, .what = OWN),
	ROW("pd_atomic_write", DOMAIN, OP_ATOMIC_WRITE, ZONE_OTHER_PD, .what = OWN),
	FLAGS("write", OP_WRITE_ONLY),
	FLAGS("read", OP_READ_REQUEST),
	FLAGS("fetch_add", OP_FETCH_ADD),
	FLAGS("compare_swap", OP_COMPARE_SWAP),
	FLAGS("flush", OP_FLUSH),
	FLAGS("atomic_write", OP_ATOMIC_WRITE),
	ALIGN("fetch_add", OP_FETCH_ADD),
	ALIGN("compare_swap", OP_COMPARE_SWAP),
	ALIGN("atomic_write", OP_ATOMIC_WRITE),
	{ "access_nothing_written", nothing_written, "9.7.4.1.5, C9-88",
	  "a WRITE of no bytes needs no R_Key" },
	{ "access_nothing_read", nothing_read, "9.7.4.1.5, C9-88",
	  "a READ of no bytes needs no R_Key" },
	{ "access_last_byte", last_byte, CLAUSE, "a region has all of its bytes" },
	{ }
};
