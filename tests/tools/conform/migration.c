// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MigReq of a QP without an alternate path: whatever the peer says, there is nothing to migrate to.
 */
#include "conform.h"

#define TURNS	4

static void without(struct test *t, enum ibv_qp_type type)
{
	t->not_migrated = true;
	note(t->input, "MigReq 0");
	connect_qp(t, type);
}

static void taken(struct test *t)
{
	without(t, IBV_QPT_RC);
	post_receive(t, 4 * MTU);
	ask(t, OP_SEND_FIRST, 0, MTU);
	ask(t, OP_SEND_LAST, 1, 8);
	expect_ack(t, 1);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	ask(t, OP_READ_REQUEST, 2, 2 * MTU);
	expect_read(t, 2, 0, 2 * MTU);
	expect_no_other(t, 4);
}

/* Answers go where they went before */
static void turns(struct test *t)
{
	int psn;

	without(t, IBV_QPT_RC);
	for (psn = 0; psn < TURNS; psn++) {
		t->not_migrated = !t->not_migrated;
		note(t->input, "MigReq %u", !t->not_migrated);
		ask(t, OP_WRITE_ONLY, psn, 8);
		expect_ack(t, psn);
	}
}

static void answers(struct test *t)
{
	without(t, IBV_QPT_RC);
	post(t, IBV_WR_SEND, 8);
	post(t, IBV_WR_RDMA_READ, 8);
	expect_request(t, OP_SEND_ONLY, 0, 8);
	expect_request(t, OP_READ_REQUEST, 1, 8);
	answer(t, 0, 0);
	expect_completion(t, 0, IBV_WC_SUCCESS);
	respond(t, OP_READ_RESPONSE_ONLY, 1, 0, 8);
	expect_completion(t, 1, IBV_WC_SUCCESS);
	expect_sink(t, 8);
}

static void uc(struct test *t)
{
	without(t, IBV_QPT_UC);
	post_receive(t, 64);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_nothing(t);
}

static void datagram(struct test *t)
{
	without(t, IBV_QPT_UD);
	post_receive(t, 128);
	ask(t, OP_SEND_ONLY, 0, 8);
	expect_completion(t, RECEIVE, IBV_WC_SUCCESS);
	expect_nothing(t);
}

/* Which of the two the clause leaves to a device that never migrates */
static void says_the_same(struct test *t)
{
	bool migrated;

	connect_qp(t, IBV_QPT_RC);
	post(t, IBV_WR_SEND, 2 * MTU);
	migrated = expect_request(t, OP_SEND_FIRST, 0, MTU)->migrated;
	expect_request(t, OP_SEND_LAST, 1, MTU);
	expect_value(t, "MigReq", t->in.migrated, migrated);
	answer(t, 0, 1);
	expect_completion(t, 0, IBV_WC_SUCCESS);
}

#define CLAUSE	"9.2, 17.2.8"
#define ROW(name, function, says) { "migreq_" name, function, CLAUSE, says }

const struct rule migration_rules[] = {
	ROW("taken", taken, "a request without MigReq is carried out"),
	ROW("turns", turns, "requests with MigReq and without it are answered alike"),
	ROW("answers", answers, "answers without MigReq complete what they are to"),
	ROW("uc", uc, "a UC message without MigReq arrives"),
	ROW("ud", datagram, "a datagram without MigReq arrives"),
	ROW("sent", says_the_same, "the packets of a message have the same MigReq"),
	{ }
};
