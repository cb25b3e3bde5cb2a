// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two QPs of one host, connected with each other: what they do without packets is what they do with
 * them.
 */
#include "tests/requester_fixture.h"

/* Where the data of a test is in the memory of each side */
#define AT	4096

struct pair {
	struct kunit *test;
	struct svt_fake *fake;
	struct svt_qp *qp[2];
	struct svt_fake_memory *memory[2];
	unsigned int rounds, depth, deepest;
};

static void connect(struct pair *pair, int side, int peer)
{
	struct svt_rx_address *address = &pair->fake->address;
	struct svt_qp *qp = pair->qp[side];

	qp->attr.dest_qp_num = pair->qp[peer]->qpn;
	qp->path.sgid = side ? address->dgid : address->sgid;
	qp->path.dgid = peer ? address->dgid : address->sgid;
}

static struct pair *open_type(struct kunit *test, enum ib_qp_type type)
{
	struct svt_fake_options options = SVT_FAKE_RC;
	struct pair *pair = kunit_kzalloc(test, sizeof(*pair), GFP_KERNEL);
	struct requester_fixture *f = test->priv;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, pair);
	options.type = type;
	options.rq_psn = options.sq_psn;
	pair->test = test;
	pair->fake = f->fake;
	pair->fake->loopback = true;
	for (i = 0; i < 2; i++) {
		pair->memory[i] = svt_fake_memory(f->fake, REQUESTER_MEMORY,
						  IB_ACCESS_LOCAL_WRITE | SVT_FAKE_REMOTE);
		svt_fake_fill(pair->memory[i]->bytes, REQUESTER_MEMORY, i);
		pair->qp[i] = svt_fake_qp(f->fake, &options);
	}
	connect(pair, 0, 1);
	connect(pair, 1, 0);
	return pair;
}

static struct pair *open(struct kunit *test)
{
	return open_type(test, IB_QPT_RC);
}

static void post_recv(struct pair *pair, int side, u32 length)
{
	const struct svt_sge list[] = {
		svt_fake_sge(pair->memory[side], AT, 100),
		svt_fake_sge(pair->memory[side], AT + 100, length),
	};

	KUNIT_ASSERT_EQ(pair->test, svt_fake_post_recv(pair->qp[side], 7, list, 2), 0);
}

static void post(struct pair *pair, int side, u8 opcode, u32 length)
{
	const struct svt_fake_memory *peer = pair->memory[!side];
	const struct svt_sge sge = svt_fake_sge(pair->memory[side], AT, length);
	struct svt_send_wqe wqe = {
		.wr_id = 5, .opcode = opcode, .num_sge = 1, .flags = SVT_SEND_SIGNALED,
	};

	if (opcode == WR_FETCH_ADD) {
		wqe.atomic.remote_addr = (unsigned long)peer->bytes + AT;
		wqe.atomic.rkey = peer->mr.key.key;
		wqe.atomic.compare_add = 3;
	} else {
		wqe.rdma.remote_addr = (unsigned long)peer->bytes + AT;
		wqe.rdma.rkey = peer->mr.key.key;
	}
	KUNIT_ASSERT_EQ(pair->test, svt_fake_post_send(pair->qp[side], &wqe, &sge), 0);
	svt_send_schedule(pair->qp[side], SVT_WORK_QUEUE);
	flush_workqueue(pair->fake->core.workqueue);
}

static void expect_sent(struct pair *pair, int side, enum ib_wc_status status)
{
	struct ib_wc wc = {};

	KUNIT_ASSERT_TRUE(pair->test, svt_fake_poll_send(pair->qp[side], &wc));
	KUNIT_EXPECT_EQ(pair->test, wc.status, status);
	KUNIT_EXPECT_EQ(pair->test, wc.wr_id, 5);
}

static void expect_received(struct pair *pair, int side, u32 length)
{
	struct ib_wc wc = {};

	KUNIT_ASSERT_TRUE(pair->test, svt_fake_poll_recv(pair->qp[side], &wc));
	KUNIT_EXPECT_EQ(pair->test, wc.status, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(pair->test, wc.byte_len, length);
}

static void expect_same_data(struct pair *pair, u32 length)
{
	KUNIT_EXPECT_EQ(pair->test, 0, memcmp(pair->memory[0]->bytes + AT,
					      pair->memory[1]->bytes + AT, length));
	KUNIT_EXPECT_NE(pair->test, 0, memcmp(pair->memory[0]->bytes + AT + length,
					      pair->memory[1]->bytes + AT + length, 8));
}

static void expect_no_packet(struct pair *pair)
{
	KUNIT_EXPECT_NULL(pair->test, svt_fake_next(pair->fake));
	KUNIT_EXPECT_GT(pair->test, svt_fake_count(pair->fake, SVT_COUNT_TX_SAME_HOST), 0);
}

static void sends_are_copied(struct kunit *test)
{
	static const u32 lengths[] = { 1, 100, MTU, 3 * MTU + 5, 200 * MTU };
	struct pair *pair = open(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		post_recv(pair, 1, lengths[i]);
		post(pair, 0, WR_SEND, lengths[i]);
		expect_received(pair, 1, lengths[i]);
		expect_sent(pair, 0, IB_WC_SUCCESS);
		expect_same_data(pair, lengths[i]);
	}
	expect_no_packet(pair);
}

static void expect_copy(struct pair *pair, u8 opcode, u32 length)
{
	post(pair, 0, opcode, length);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	expect_same_data(pair, length);
	expect_no_packet(pair);
}

static void writes_are_copied(struct kunit *test)
{
	expect_copy(open(test), WR_WRITE, 100 * MTU + 7);
}

static void reads_are_copied(struct kunit *test)
{
	struct pair *pair = open(test);

	/* More parts than may be out, and more trains than are answered in one round */
	pair->qp[0]->attr.max_rd_atomic = 1;
	expect_copy(pair, WR_READ, 500 * MTU + 3);
}

static void atomics_are_carried_out(struct kunit *test)
{
	struct pair *pair = open(test);
	u64 *here = (u64 *)(pair->memory[0]->bytes + AT);
	u64 *there = (u64 *)(pair->memory[1]->bytes + AT), before = *there;

	post(pair, 0, WR_FETCH_ADD, 8);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, *here, before);
	KUNIT_EXPECT_EQ(test, *there, before + 3);
	expect_no_packet(pair);
}

static void atomic_writes_are_carried_out(struct kunit *test)
{
	struct pair *pair = open(test);

	post(pair, 0, IB_UVERBS_WR_ATOMIC_WRITE, 8);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	expect_same_data(pair, 8);
	expect_no_packet(pair);
}

static void both_send_at_once(struct kunit *test)
{
	struct pair *pair = open(test);
	int i;

	for (i = 0; i < 2; i++)
		post_recv(pair, i, 2 * MTU);
	for (i = 0; i < 2; i++)
		post(pair, i, WR_SEND, 2 * MTU);
	for (i = 0; i < 2; i++) {
		expect_received(pair, i, 2 * MTU);
		expect_sent(pair, i, IB_WC_SUCCESS);
	}
	expect_no_packet(pair);
}

static void a_qp_is_its_own_peer(struct kunit *test)
{
	struct pair *pair = open(test);
	struct svt_qp *qp = pair->qp[0];

	qp->attr.dest_qp_num = qp->qpn;
	qp->path.dgid = qp->path.sgid;
	post_recv(pair, 0, 2 * MTU);
	post(pair, 0, WR_SEND, 2 * MTU);
	expect_received(pair, 0, 2 * MTU);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	post(pair, 0, WR_WRITE, 2 * MTU);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	expect_same_data(pair, 2 * MTU);
	expect_no_packet(pair);
}

static void uc_messages_are_copied(struct kunit *test)
{
	struct pair *pair = open_type(test, IB_QPT_UC);

	post_recv(pair, 1, 5 * MTU);
	post(pair, 0, WR_SEND, 5 * MTU);
	expect_received(pair, 1, 5 * MTU);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	expect_same_data(pair, 5 * MTU);
	/* Nobody waits for it: it is lost */
	post(pair, 0, WR_SEND, 5 * MTU);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, 1, svt_fake_count(pair->fake, SVT_COUNT_OUT_OF_BUFFER));
	expect_no_packet(pair);
}

static void a_receive_that_lacks_is_waited_for(struct kunit *test)
{
	struct pair *pair = open(test);
	struct ib_wc wc;

	post(pair, 0, WR_SEND, MTU);
	KUNIT_EXPECT_FALSE(test, svt_fake_poll_send(pair->qp[0], &wc));
	/* Once for each time that the RNR timer ran out meanwhile */
	KUNIT_EXPECT_GE(test, svt_fake_count(pair->fake, SVT_COUNT_RNR_NAK_RETRY_ERR), 1);
	post_recv(pair, 1, MTU);
	spin_lock_bh(&pair->qp[0]->send.half.lock);
	pair->qp[0]->send.rnr_until = 1;
	spin_unlock_bh(&pair->qp[0]->send.half.lock);
	svt_send_schedule(pair->qp[0], SVT_WORK_TIMER);
	flush_workqueue(pair->fake->core.workqueue);
	expect_received(pair, 1, MTU);
	expect_sent(pair, 0, IB_WC_SUCCESS);
}

static void what_is_refused_ends_both(struct kunit *test)
{
	struct pair *pair = open(test);

	pair->memory[1]->mr.key.access = IB_ACCESS_LOCAL_WRITE;
	post(pair, 0, WR_WRITE, MTU);
	expect_sent(pair, 0, IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, pair->qp[0]->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, pair->qp[1]->state, IB_QPS_ERR);
	KUNIT_EXPECT_EQ(test, pair->fake->events[IB_EVENT_QP_ACCESS_ERR], 1);
}

/* Its memory is not for whoever knows its number */
static void who_is_not_the_peer_gets_nothing(struct kunit *test)
{
	struct pair *pair = open(test);

	pair->qp[1]->attr.dest_qp_num = SVT_FAKE_PEER_QPN;
	post(pair, 0, WR_WRITE, MTU);
	KUNIT_EXPECT_EQ(test, 1, svt_fake_count(pair->fake, SVT_COUNT_RX_DROPPED_ADDRESS));
	pair->qp[1]->attr.dest_qp_num = pair->qp[0]->qpn;
	pair->qp[1]->path.dgid.raw[15] ^= 1;
	post(pair, 0, WR_WRITE, MTU);
	KUNIT_EXPECT_GE(test, svt_fake_count(pair->fake, SVT_COUNT_RX_DROPPED_ADDRESS), 2);
	KUNIT_EXPECT_NE(test, 0, memcmp(pair->memory[0]->bytes + AT, pair->memory[1]->bytes + AT,
					MTU));
}

static void a_peer_that_is_gone_is_waited_for(struct kunit *test)
{
	struct pair *pair = open(test);

	pair->qp[0]->attr.dest_qp_num = 0x333333;
	post(pair, 0, WR_WRITE, MTU);
	KUNIT_EXPECT_EQ(test, 1, svt_fake_count(pair->fake, SVT_COUNT_RX_DROPPED_NO_QP));
	KUNIT_EXPECT_EQ(test, pair->qp[0]->state, IB_QPS_RTS);
	KUNIT_EXPECT_GT(test, pair->qp[0]->send.deadline, 0);
}

/* Returns each message, until there were enough */
static void send_back(struct ib_cq *ibcq, void *context)
{
	struct svt_cq *cq = container_of(ibcq, struct svt_cq, ibcq);
	struct pair *pair = context;
	int side = cq == pair->qp[1]->recv_cq;
	const struct svt_sge sge = svt_fake_sge(pair->memory[side], AT, 8);
	const struct svt_send_wqe wqe = { .opcode = WR_SEND, .num_sge = 1 };
	struct ib_wc wc;

	pair->deepest = max(pair->deepest, ++pair->depth);
	svt_cq_arm(cq, IB_CQ_NEXT_COMP);
	while (svt_fake_poll_recv(pair->qp[side], &wc)) {
		svt_fake_post_recv(pair->qp[side], 7, &sge, 1);
		if (++pair->rounds < 300)
			svt_fake_post_send(pair->qp[side], &wqe, &sge);
	}
	pair->depth--;
}

static void handlers_that_answer_do_not_nest_for_ever(struct kunit *test)
{
	struct pair *pair = open(test);
	int i;

	for (i = 0; i < 2; i++) {
		struct svt_cq *cq = pair->qp[i]->recv_cq;

		cq->ibcq.comp_handler = send_back;
		cq->ibcq.cq_context = pair;
		svt_cq_arm(cq, IB_CQ_NEXT_COMP);
		post_recv(pair, i, 100);
	}
	post(pair, 0, WR_SEND, 8);
	for (i = 0; i < 1000 && READ_ONCE(pair->rounds) < 300; i++)
		flush_workqueue(pair->fake->core.workqueue);
	flush_workqueue(pair->fake->core.workqueue);
	KUNIT_EXPECT_EQ(test, pair->rounds, 300);
	KUNIT_EXPECT_LE(test, pair->deepest, 2);
	expect_no_packet(pair);
}

struct behind_case {
	const char *name;
	bool send_first;
	u8 opcode;
};

static const struct behind_case behind_cases[] = {
	{ "a READ", false, WR_READ },
	{ "a READ, with a SEND in front", true, WR_READ },
	{ "an atomic", false, WR_FETCH_ADD },
	{ "an atomic, with a SEND in front", true, WR_FETCH_ADD },
	{ "a WRITE", false, WR_WRITE },
};

static void name_behind(const struct behind_case *behind, char *name)
{
	strscpy(name, behind->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(behind, behind_cases, name_behind);

/* Behind the engine's back, until the next is posted */
static void post_silently(struct pair *pair, const struct svt_send_wqe *wqe)
{
	const struct svt_sge sge = svt_fake_sge(pair->memory[0], AT, 8);

	WRITE_ONCE(pair->qp[0]->send.ring.control->wakeup, 0);
	KUNIT_ASSERT_EQ(pair->test, svt_fake_post_send(pair->qp[0], wqe, &sge), 0);
}

/* Its answer comes while the requester has not looked yet at what is done in front of it */
static void what_stands_behind_a_local_request_is_answered(struct kunit *test)
{
	const struct behind_case *behind = test->param_value;
	struct pair *pair = open(test);
	struct svt_send_wqe wqe = { .wr_id = 5, .num_sge = 1, .flags = SVT_SEND_SIGNALED };

	if (behind->send_first) {
		post_recv(pair, 1, 8);
		wqe.opcode = WR_SEND;
		post_silently(pair, &wqe);
	}
	wqe.opcode = IB_UVERBS_WR_LOCAL_INV;
	wqe.num_sge = 0;
	wqe.invalidate_rkey = svt_fake_window(pair->fake)->key.key;
	post_silently(pair, &wqe);
	post(pair, 0, behind->opcode, 8);
	if (behind->send_first)
		expect_sent(pair, 0, IB_WC_SUCCESS);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	expect_sent(pair, 0, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, 0, svt_fake_count(pair->fake, SVT_COUNT_IMPLIED_NAK_SEQ_ERR));
	KUNIT_EXPECT_EQ(test, 0, svt_fake_count(pair->fake, SVT_COUNT_LOCAL_ACK_TIMEOUT_ERR));
	expect_no_packet(pair);
}

static struct kunit_case same_host_cases[] = {
	KUNIT_CASE(sends_are_copied),
	KUNIT_CASE(writes_are_copied),
	KUNIT_CASE(reads_are_copied),
	KUNIT_CASE(atomics_are_carried_out),
	KUNIT_CASE(atomic_writes_are_carried_out),
	KUNIT_CASE(both_send_at_once),
	KUNIT_CASE(a_qp_is_its_own_peer),
	KUNIT_CASE(uc_messages_are_copied),
	KUNIT_CASE(a_receive_that_lacks_is_waited_for),
	KUNIT_CASE(what_is_refused_ends_both),
	KUNIT_CASE(who_is_not_the_peer_gets_nothing),
	KUNIT_CASE(a_peer_that_is_gone_is_waited_for),
	KUNIT_CASE_PARAM(what_stands_behind_a_local_request_is_answered, behind_gen_params),
	KUNIT_CASE(handlers_that_answer_do_not_nest_for_ever),
	{}
};

static struct kunit_suite same_host_suite = {
	.name = "svt-loopback",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = same_host_cases,
};

kunit_test_suite(same_host_suite);
