// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * End-to-end credits (IBTA 9.7.7.2.5) where messages that take a receive go among others.
 */
#include "tests/requester_fixture.h"
#include "wire/psn.h"

/* A QP whose peer has receives for @credits messages, behind one SEND */
static struct requester_fixture *open_with_credits(struct kunit *test, u32 credits)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);

	requester_send(f, WR_SEND, 0, 8);
	requester_drop_sent(f);
	requester_answer(f, 0, SVT_AETH_ACK | svt_aeth_encode_credits(credits), 1);
	requester_expect_done(f, 0, IB_WC_SUCCESS);
	return f;
}

static void post_sends(struct requester_fixture *f, unsigned int count)
{
	while (count--)
		requester_post(f, WR_SEND, 0, 8);
}

static void what_takes_no_receive_leaves_the_credits(struct kunit *test)
{
	struct requester_fixture *f = open_with_credits(test, 2);
	unsigned int n;

	for (n = 1; n < 7; n++)
		requester_post(f, WR_WRITE, 0, 8);
	/* Two messages to the peer */
	requester_post(f, WR_READ, 0, 257 * MTU);
	requester_post(f, WR_FETCH_ADD, 0, 8);
	post_sends(f, 3);
	requester_push(f);
	for (n = 1; n < 7; n++)
		requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, n);
	requester_expect_read(f, 7, 0, 256 * MTU);
	requester_expect_read(f, 263, 256 * MTU, MTU);
	requester_expect(f, IB_OPCODE_RC_FETCH_ADD, 264);
	requester_expect_sends(f, 265, 267);
	requester_expect_silence(f);
}

static void what_is_repeated_brings_no_credit(struct kunit *test)
{
	struct requester_fixture *f = open_with_credits(test, 1);

	requester_post(f, WR_WRITE, 0, 8);
	requester_post(f, WR_WRITE, 0, 8);
	post_sends(f, 2);
	requester_push(f);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 2);
	requester_expect_sends(f, 3, 4);
	requester_nak(f, 1, SVT_NAK_PSN_SEQUENCE);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 2);
	requester_expect_sends(f, 3, 4);
	requester_expect_silence(f);
}

static void what_the_backend_refused_brings_no_credit(struct kunit *test)
{
	struct requester_fixture *f = open_with_credits(test, 1);

	f->fake->busy = true;
	requester_post(f, WR_WRITE, 0, 8);
	requester_post(f, WR_WRITE, 0, 8);
	post_sends(f, 2);
	requester_push(f);
	requester_expect_silence(f);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1);
	requester_expect(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 2);
	requester_expect_sends(f, 3, 4);
	requester_expect_silence(f);
}

static struct kunit_case credit_cases[] = {
	KUNIT_CASE(what_takes_no_receive_leaves_the_credits),
	KUNIT_CASE(what_is_repeated_brings_no_credit),
	KUNIT_CASE(what_the_backend_refused_brings_no_credit),
	{ }
};

static struct kunit_suite credit_suite = {
	.name = "svt-credit",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = credit_cases,
};

kunit_test_suite(credit_suite);
