// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester: FLUSH and ATOMIC WRITE.
 */
#include "conform.h"

#define FLUSH_LENGTH	(3 * MTU)

/* A request of these, and what the row has more */
struct placed {
	u8 operation;
	u8 selectivity;
	u8 syndrome;			/* of a NAK */
	enum ibv_wc_status status;	/* that comes of it */
	void (*wrong)(struct test *t);	/* is no answer to it */
};

#define MORE_OPS	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_READ | \
			 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)

static bool is_flush(const struct placed *p)
{
	return p->operation == OP_FLUSH;
}

static void connect_placing(struct test *t)
{
	const struct placed *p = t->rule->arg;

	if (!(is_flush(p) ? t->w->flushes : t->w->atomic_writes))
		SKIP("the device has no %s", is_flush(p) ? "FLUSH" : "ATOMIC WRITE");
	t->more_ops = MORE_OPS | (is_flush(p) ? 0 : IBV_QP_EX_WITH_ATOMIC_WRITE);
	connect_qp(t, IBV_QPT_RC);
}

static u32 post_placed(struct test *t)
{
	const struct placed *p = t->rule->arg;

	return is_flush(p) ? post_flush(t, FLUSH_LENGTH, p->selectivity) : post_atomic_write(t);
}

static void expect_placed(struct test *t, int psn)
{
	const struct placed *p = t->rule->arg;

	expect_request(t, p->operation, psn, is_flush(p) ? 0 : 8);
}

static void begin(struct test *t)
{
	connect_placing(t);
	post_placed(t);
	expect_placed(t, 0);
}

static void done(struct test *t, int psn)
{
	respond(t, OP_READ_RESPONSE_ONLY, psn, 0, 0);
}

static void form(struct test *t)
{
	const struct placed *p = t->rule->arg;

	begin(t);
	expect_value(t, "R_Key", t->in.rkey, 0x1234);
	if (!is_flush(p) || p->selectivity == FLUSH_RANGE) {
		expect_value(t, "address", t->in.address, 0x10000);
		expect_value(t, "DMA length", t->in.dma_length, is_flush(p) ? FLUSH_LENGTH : 8);
	}
	if (is_flush(p))
		expect_value(t, "FETH", t->in.flush, FLUSH_GLOBAL | p->selectivity << 4);
	expect_no_completion(t);
	done(t, 0);
	expect_value(t, "opcode of the completion",
		     expect_completion(t, 0, IBV_WC_SUCCESS)->opcode,
		     is_flush(p) ? WC_FLUSH : IBV_WC_ATOMIC_WRITE);
	post(t, IBV_WR_SEND, 8);
	expect_request(t, OP_SEND_ONLY, 1, 8);
}

static void refused(struct test *t)
{
	const struct placed *p = t->rule->arg;

	begin(t);
	answer(t, p->syndrome, 0);
	expect_completion(t, 0, p->status);
	expect_error_state(t);
}

static void lost(struct test *t)
{
	const struct placed *p = t->rule->arg;

	begin(t);
	expect_repeat(t, p->operation, 0);
	expect_no_completion(t);
	done(t, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

static void with_data(struct test *t)
{
	respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
}

static void of_atomic(struct test *t)
{
	if (!t->w->atomics)
		SKIP("the device has no atomics");
	answer_atomic(t, 0, 5);
}

static void first_of_more(struct test *t)
{
	respond(t, OP_READ_RESPONSE_FIRST, 0, 0, MTU);
}

static void wrong_answer(struct test *t)
{
	const struct placed *p = t->rule->arg;

	begin(t);
	p->wrong(t);
	expect_failure(t, 0, IBV_WC_BAD_RESP_ERR, IBV_WC_LOC_LEN_ERR);
	expect_error_state(t);
}

/* It says that the answer is lost, or it is a wrong one */
static void only_acknowledged(struct test *t)
{
	begin(t);
	answer(t, 0, 0);
	note(t->expected, "the request again, or a bad response error");
	if (!sends_again(t, 0)) {
		expect_completion(t, 0, IBV_WC_BAD_RESP_ERR);
		return;
	}
	note(t->seen, "the request again");
	done(t, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

static void implied(struct test *t)
{
	connect_placing(t);
	post(t, IBV_WR_SEND, 8);
	post_placed(t);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	expect_placed(t, 1);
	done(t, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	expect_completion(t, 1, IBV_WC_SUCCESS);
}

static void at_once(struct test *t)
{
	t->path.rd_atomic = 1;
	connect_placing(t);
	post(t, IBV_WR_RDMA_READ, 8);
	post_placed(t);
	expect_request(t, OP_READ_REQUEST, 0, 8);
	expect_no_more(t, 0);
	respond(t, OP_READ_RESPONSE_ONLY, 0, 0, 8);
	expect_placed(t, 1);
}

#define FLUSH(name, function, says, ...) \
	{ name, function, "A19.4.1", says, &(const struct placed){ OP_FLUSH, __VA_ARGS__ } }
#define WRITE(name, function, says, ...) \
	{ name, function, "A19.4.2", says, &(const struct placed){ OP_ATOMIC_WRITE, __VA_ARGS__ } }
#define BOTH(name, function, says, ...) \
	FLUSH("flush_" name, function, says, __VA_ARGS__), \
	WRITE("atomic_write_" name, function, says, __VA_ARGS__)
#define NAK(name, syndrome, status) \
	BOTH("nak_" name, refused, "a NAK ends the request with its error", 0, syndrome, status)
#define WRONG(name, wrong) \
	BOTH("response_" name, wrong_answer, "the answer is a READ response of no bytes", 0, 0, 0, \
	     wrong)

const struct rule requester_placement_rules[] = {
	FLUSH("form_flush_range", form, "a FLUSH has FETH and RETH, and no payload", FLUSH_RANGE),
	FLUSH("form_flush_region", form, "a FLUSH has FETH and RETH, and no payload",
	      FLUSH_REGION),
	WRITE("form_atomic_write", form, "an ATOMIC WRITE has a RETH and 8 bytes", 0),
	NAK("invalid", NAK_INVALID_REQUEST, IBV_WC_REM_INV_REQ_ERR),
	NAK("access", NAK_REMOTE_ACCESS, IBV_WC_REM_ACCESS_ERR),
	NAK("operational", NAK_REMOTE_OPERATIONAL, IBV_WC_REM_OP_ERR),
	WRONG("data", with_data),
	WRONG("first", first_of_more),
	WRONG("atomic", of_atomic),
	BOTH("response_ack", only_acknowledged, "an ACK alone does not complete it", 0),
	BOTH("response_lost", lost, "what is not answered is sent again", 0),
	BOTH("response_implies", implied, "the answer acknowledges what was asked before", 0),
	WRITE("atomic_write_max_rd_atomic", at_once,
	      "READs and ATOMIC WRITEs count together in max_rd_atomic", 0),
	{ }
};
