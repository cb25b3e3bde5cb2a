// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester and responder over a wire on which all short sequences of what may happen to a packet
 * are tried. Whatever that is, and for however long it goes on: each request completes, none is
 * carried out twice, and the QP gives up when its peer is not heard.
 *
 * Time passes only as the model says. A round trip is always measured as ROUND_TRIP.
 */
#include "tests/requester_fixture.h"
#include "wire/psn.h"

#define ROUND_TRIP	(60 * (u64)NSEC_PER_SEC)
/* Of one sequence. With 4 nothing else was found, in 37 s instead of 6. */
#define FATES		3
/* After so many a QP is said to go on for ever */
#define EVENTS_MAX	4000
#define READ_BYTES	(3 * MTU)
#define WRITE_BYTES	(2 * MTU)
#define WRITE_AT	(8 * MTU)
#define COUNTER_AT	(16 * MTU)
#define REQUESTS	4

/* What happens to the packet that is to arrive next */
enum fate {
	ARRIVES,
	IS_LOST,
	ARRIVES_TWICE,	/* once more behind all that are under way */
	IS_OVERTAKEN,	/* by all that are under way */
	IS_SLOW,	/* a round trip, and a half, passes first */
	FATES_KNOWN,
};

/* What happens behind the end of a sequence */
enum ending {
	ALL_ARRIVES,
	ALL_IS_LOST,
	IT_GOES_ON,	/* from its beginning */
};

struct model {
	struct requester_fixture *f;
	struct svt_qp *responder;
	struct svt_fake_memory *memory;	/* the responder's */
	struct sk_buff_head wire;
	enum fate fates[FATES];
	enum ending ending;
	unsigned int packets;		/* that had their fate */
	unsigned int done;
	bool failed;
};

static enum fate model_fate(struct model *m)
{
	unsigned int n = m->packets++;

	if (n < FATES || m->ending == IT_GOES_ON)
		return m->fates[n % FATES];
	return m->ending == ALL_IS_LOST ? IS_LOST : ARRIVES;
}

/* What both have sent goes to the end of the wire; what they put off is waited for if need be */
static void model_collect(struct model *m)
{
	const struct svt_fake_sent *sent;

	if (skb_queue_empty(&m->wire))
		flush_workqueue(m->f->fake->core.workqueue);
	while ((sent = svt_fake_next(m->f->fake)))
		svt_fake_put(m->f->fake, &sent->packet, sent->payload, sent->length);
	skb_queue_splice_tail_init(&m->f->fake->wire, &m->wire);
}

static void model_deliver(struct model *m, struct sk_buff *skb)
{
	bool response = svt_opcode_info(skb->data[0])->flags & SVT_OP_RESPONSE;
	struct svt_fake *fake = m->f->fake;

	skb_queue_tail(&fake->wire, skb);
	svt_fake_deliver(fake, response ? m->f->qp : m->responder);
}

static void model_pass(struct model *m, s64 ns)
{
	m->f->qp->send.srtt = ROUND_TRIP;
	m->f->qp->send.rttvar = ROUND_TRIP;
	requester_let_pass(m->f, ns);
}

/* One that had its fate arrives, or a packet could be under way for ever */
static void model_requeue(struct model *m, struct sk_buff *skb)
{
	skb->mark = 1;
	skb_queue_tail(&m->wire, skb);
}

static void model_packet(struct model *m)
{
	struct sk_buff *skb = skb_dequeue(&m->wire);

	switch (skb->mark ? ARRIVES : model_fate(m)) {
	case IS_LOST:
		kfree_skb(skb);
		return;
	case ARRIVES_TWICE:
		model_requeue(m, skb_copy(skb, GFP_KERNEL));
		break;
	case IS_OVERTAKEN:
		model_requeue(m, skb);
		return;
	case IS_SLOW:
		model_pass(m, ROUND_TRIP * 3 / 2);
		break;
	default:
		break;
	}
	model_deliver(m, skb);
}

/* Nothing is under way: only the timer can help. False: it is not set. */
static bool model_wait(struct model *m)
{
	ktime_t deadline = m->f->qp->send.deadline;

	if (!deadline)
		return false;
	model_pass(m, max_t(s64, ktime_to_ns(ktime_sub(deadline, ktime_get())), 0) + 1);
	return true;
}

/* Return: whether all requests have completed */
static bool model_done(struct model *m)
{
	struct ib_wc wc;

	while (svt_fake_poll_send(m->f->qp, &wc)) {
		m->done++;
		m->failed |= wc.status != IB_WC_SUCCESS;
	}
	return m->done == REQUESTS;
}

static bool model_run(struct model *m)
{
	unsigned int events;

	for (events = 0; events < EVENTS_MAX; events++) {
		model_collect(m);
		if (model_done(m))
			return true;
		if (!skb_queue_empty(&m->wire))
			model_packet(m);
		else if (!model_wait(m))
			return false;
	}
	return false;
}

static void model_post(struct model *m)
{
	const struct svt_sge receive = svt_fake_sge(m->memory, 32 * MTU, MTU);
	struct svt_send_wqe wqe = requester_wqe(m->f, WR_READ, 0);
	struct svt_sge sge = svt_fake_sge(m->f->memory, 0, READ_BYTES);
	u64 base = (unsigned long)m->memory->bytes;
	u32 rkey = m->memory->mr.key.key;

	KUNIT_ASSERT_EQ(m->f->test, svt_fake_post_recv(m->responder, 1, &receive, 1), 0);
	KUNIT_ASSERT_EQ(m->f->test, svt_fake_post_recv(m->responder, 2, &receive, 1), 0);
	wqe.rdma.remote_addr = base;
	wqe.rdma.rkey = rkey;
	requester_post_wqe(m->f, &wqe, &sge);
	requester_post(m->f, WR_SEND, WRITE_AT, 8);
	wqe = requester_wqe(m->f, WR_FETCH_ADD, 0);
	wqe.atomic.remote_addr = base + COUNTER_AT;
	wqe.atomic.rkey = rkey;
	wqe.atomic.compare_add = 5;
	sge = svt_fake_sge(m->f->memory, COUNTER_AT, 8);
	requester_post_wqe(m->f, &wqe, &sge);
	wqe = requester_wqe(m->f, WR_WRITE, 0);
	wqe.rdma.remote_addr = base + WRITE_AT;
	wqe.rdma.rkey = rkey;
	sge = svt_fake_sge(m->f->memory, WRITE_AT, WRITE_BYTES);
	requester_post_wqe(m->f, &wqe, &sge);
	requester_push(m->f);
}

/* Nothing twice, and all of it if all completed */
static void model_check(struct model *m)
{
	u64 counter = *(u64 *)(m->memory->bytes + COUNTER_AT);
	struct kunit *test = m->f->test;
	unsigned int received = 0;
	struct ib_wc wc;

	while (svt_fake_poll_recv(m->responder, &wc))
		received += wc.status == IB_WC_SUCCESS;
	KUNIT_EXPECT_LE(test, received, 1);
	KUNIT_EXPECT_TRUE(test, counter == 0 || counter == 5);
	if (m->failed)
		return;
	KUNIT_EXPECT_EQ(test, received, 1);
	KUNIT_EXPECT_EQ(test, counter, 5);
	KUNIT_EXPECT_EQ(test, *(u64 *)(m->f->memory->bytes + COUNTER_AT), 0);
	KUNIT_EXPECT_MEMEQ(test, m->f->memory->bytes, m->memory->bytes, READ_BYTES);
	KUNIT_EXPECT_MEMEQ(test, m->memory->bytes + WRITE_AT, m->f->memory->bytes + WRITE_AT,
			   WRITE_BYTES);
}

static void model_one(struct model *m)
{
	struct svt_fake_options options = REQUESTER_RC;
	struct kunit *test = m->f->test;

	m->f->qp = requester_qp(m->f, &options);
	options.rq_psn = options.sq_psn;
	m->responder = requester_qp(m->f, &options);
	memset(m->memory->bytes + COUNTER_AT, 0, 8);
	memset(m->memory->bytes + WRITE_AT, 0, WRITE_BYTES);
	memset(m->f->memory->bytes, 0, READ_BYTES);
	m->packets = 0;
	m->done = 0;
	m->failed = false;
	model_post(m);
	if (!model_run(m))
		KUNIT_FAIL(test, "fates %u%u%u: %u of %u are done", m->fates[0], m->fates[1],
			   m->fates[2], m->done, REQUESTS);
	/* It may have given up where losses have no end */
	else if (m->ending == ALL_ARRIVES && m->failed)
		KUNIT_FAIL(test, "fates %u%u%u: gave up", m->fates[0], m->fates[1],
			   m->fates[2]);
	else
		model_check(m);
	skb_queue_purge(&m->wire);
	while (svt_fake_next(m->f->fake))
		;
}

static void name_ending(const enum ending *ending, char *name)
{
	static const char *const names[] = {
		[ALL_ARRIVES] = "then all arrives",
		[ALL_IS_LOST] = "then all is lost",
		[IT_GOES_ON] = "again and again",
	};

	strscpy(name, names[*ending], KUNIT_PARAM_DESC_SIZE);
}

static const enum ending endings[] = { ALL_ARRIVES, ALL_IS_LOST, IT_GOES_ON };

KUNIT_ARRAY_PARAM(ending, endings, name_ending);

static void every_sequence_comes_to_an_end(struct kunit *test)
{
	struct requester_fixture *f = requester_open(test, &REQUESTER_RC);
	struct model m = { .f = f, .ending = *(const enum ending *)test->param_value };
	unsigned int sequence, n, rest;

	skb_queue_head_init(&m.wire);
	m.memory = svt_fake_memory(f->fake, 64 * MTU, SVT_FAKE_REMOTE | IB_ACCESS_LOCAL_WRITE);
	svt_fake_fill(m.memory->bytes, READ_BYTES, 7);
	for (sequence = 0; sequence < FATES_KNOWN * FATES_KNOWN * FATES_KNOWN; sequence++) {
		for (n = 0, rest = sequence; n < FATES; n++, rest /= FATES_KNOWN)
			m.fates[n] = rest % FATES_KNOWN;
		model_one(&m);
	}
}

static struct kunit_case model_cases[] = {
	KUNIT_CASE_PARAM(every_sequence_comes_to_an_end, ending_gen_params),
	{ }
};

static struct kunit_suite model_suite = {
	.name = "svt-recovery-model",
	.init = requester_fixture_init,
	.exit = requester_fixture_exit,
	.test_cases = model_cases,
};

kunit_test_suite(model_suite);
