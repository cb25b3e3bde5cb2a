// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH to persistent memory: what is written back, in pieces and before the answer, what waits for
 * it, and which memory it may be asked of. No memory here is of that kind, so what is written back
 * is noted in place of it.
 */
#include <kunit/static_stub.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "mem/persist.h"
#include "tests/responder_fixture.h"
#include "wire/aeth.h"
#include "wire/psn.h"

#define FLUSH		IB_OPCODE_RC_FLUSH
#define ANSWER		IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY
#define RIGHTS		(IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)
/* What one run writes back */
#define PIECE		SZ_64K
#define PIECES		(RESPONDER_MEMORY / PIECE)

/**
 * struct written - what was written back
 * @fixture: of the test
 * @bytes: how many
 * @answers: trains that had been sent by then
 * @times: of each byte of the memory, how often
 */
struct written {
	struct responder_fixture *fixture;
	u32 bytes;
	u32 answers;
	u8 *times;
};

/* Tests run one after the other */
static struct written written;

/* Where the memory, which is mapped page by page, has what the kernel has at @bytes; or -1 */
static s64 offset_of(const void *bytes)
{
	const struct svt_fake_memory *memory = written.fixture->memory;
	u8 *page = (u8 *)PAGE_ALIGN_DOWN((unsigned long)memory->bytes);

	for (; page < memory->bytes + memory->length; page += PAGE_SIZE)
		if (vmalloc_to_page(page) == virt_to_page(bytes))
			return page + offset_in_page(bytes) - memory->bytes;
	return -1;
}

static void note(void *bytes, size_t length)
{
	s64 offset = offset_of(bytes);

	written.bytes += length;
	written.answers = written.fixture->fake->trains;
	if (offset >= 0 && offset + length <= RESPONDER_MEMORY)
		for (; length; length--)
			written.times[offset++]++;
}

static int init(struct kunit *test)
{
	int ret = responder_fixture_init(test);

	if (ret)
		return ret;
	written = (struct written) {
		.fixture = test->priv,
		.times = kunit_kzalloc(test, RESPONDER_MEMORY, GFP_KERNEL),
	};
	kunit_activate_static_stub(test, svt_write_back, note);
	return written.times ? 0 : -ENOMEM;
}

/* A QP and memory with all rights */
static struct responder_fixture *open(struct kunit *test)
{
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	f->memory->mr.key.access |= RIGHTS;
	f->qp->attr.qp_access_flags |= RIGHTS;
	return f;
}

static void put_flush(struct responder_fixture *f, int n, u8 selectivity, u32 offset, u32 length)
{
	struct svt_packet packet = responder_packet(f, FLUSH, n);

	packet.placement = SVT_FLUSH_PERSISTENT;
	packet.selectivity = selectivity;
	packet.remote_addr = (unsigned long)f->memory->bytes + offset;
	packet.rkey = f->memory->mr.key.key;
	packet.dma_length = length;
	svt_fake_put(f->fake, &packet, NULL, 0);
}

static void put_range(struct responder_fixture *f, int n, u32 offset, u32 length)
{
	put_flush(f, n, SVT_FLUSH_RANGE, offset, length);
}

static void put_region(struct responder_fixture *f, int n)
{
	put_flush(f, n, SVT_FLUSH_REGION, 1, 1);
}

/* What is on the wire arrives, and no worker comes in between */
static void begin(struct responder_fixture *f)
{
	preempt_disable();
	responder_deliver(f);
}

/* One run more, as the worker makes it */
static void go_on(struct responder_fixture *f)
{
	svt_recv_schedule(f->qp, SVT_WORK_BUDGET);
}

static void end(struct responder_fixture *f)
{
	preempt_enable();
	flush_workqueue(f->fake->core.workqueue);
}

/* The rest of a FLUSH of the whole region, and nothing more */
static void go_to_the_end(struct responder_fixture *f)
{
	unsigned int i;

	for (i = 1; i < PIECES; i++)
		go_on(f);
	end(f);
}

/* Each byte of the range once, and no other */
static void expect_written(struct responder_fixture *f, u32 offset, u32 length)
{
	u32 i;

	KUNIT_EXPECT_EQ(f->test, written.bytes, length);
	for (i = 0; i < RESPONDER_MEMORY; i++)
		if (written.times[i] != (i >= offset && i < offset + length))
			break;
	KUNIT_EXPECT_EQ(f->test, i, RESPONDER_MEMORY);
}

static void a_range_is_written_back_before_its_answer(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put_write(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 0, 5000, 100, 100);
	put_range(f, 1, 5000, 10001);
	responder_deliver(f);
	expect_written(f, 5000, 10001);
	KUNIT_EXPECT_EQ(test, written.answers, 0);
	responder_sent(f, ANSWER, responder_psn(f, 1));
	responder_expect_silence(f);
	responder_expect_data(f, 5000, 5000, 100);
}

static void a_region_is_written_back_in_pieces(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 after[PIECES], sent[PIECES], i;

	put_region(f, 0);
	begin(f);
	for (i = 0; i < PIECES; i++) {
		if (i)
			go_on(f);
		after[i] = written.bytes;
		sent[i] = f->fake->trains;
	}
	end(f);
	for (i = 0; i < PIECES; i++) {
		KUNIT_EXPECT_EQ(test, after[i], (i + 1) * PIECE);
		KUNIT_EXPECT_EQ(test, sent[i], i == PIECES - 1);
	}
	expect_written(f, 0, RESPONDER_MEMORY);
	KUNIT_EXPECT_EQ(test, written.answers, 0);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_silence(f);
}

static void a_worker_goes_on_with_it(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	unsigned int i;

	put_region(f, 0);
	responder_deliver(f);
	for (i = 0; i < PIECES; i++)
		flush_workqueue(f->fake->core.workqueue);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_silence(f);
}

static void packets_that_come_together_share_a_piece(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 first, second;

	put_range(f, 0, 0, 3 * PIECE / 4);
	put_range(f, 1, 3 * PIECE / 4, 3 * PIECE / 4);
	begin(f);
	first = written.bytes;
	go_on(f);
	second = written.bytes;
	end(f);
	KUNIT_EXPECT_EQ(test, first, PIECE);
	KUNIT_EXPECT_EQ(test, second, 3 * PIECE / 2);
	expect_written(f, 0, 3 * PIECE / 2);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_sent(f, ANSWER, responder_psn(f, 1));
	responder_expect_silence(f);
}

static void a_range_of_no_bytes_is_answered(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	put_range(f, 0, 0, 0);
	responder_deliver(f);
	KUNIT_EXPECT_EQ(test, written.bytes, 0);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_silence(f);
}

static void answers_stay_in_order(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_put_read(f, 0, 0, MTU);
	put_region(f, 1);
	responder_put_read(f, 2, MTU, MTU);
	begin(f);
	go_to_the_end(f);
	responder_expect_read(f, ANSWER, 0, 0, MTU);
	responder_sent(f, ANSWER, responder_psn(f, 1));
	responder_expect_read(f, ANSWER, 2, MTU, MTU);
	responder_expect_silence(f);
}

static void writes_do_not_wait_but_their_acknowledgment_does(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	u32 sent;

	put_region(f, 0);
	responder_put_write(f, IB_OPCODE_RC_RDMA_WRITE_ONLY, 1, 64, 100, 100);
	begin(f);
	sent = f->fake->trains;
	go_to_the_end(f);
	KUNIT_EXPECT_EQ(test, sent, 0);
	responder_expect_data(f, 64, 64, 100);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_ack(f, 1, 2);
	responder_expect_silence(f);
}

static const struct word {
	const char *name;
	u8 opcode;
	u8 answer;
} words[] = {
	{ "SEND", IB_OPCODE_RC_SEND_ONLY, IB_OPCODE_RC_ACKNOWLEDGE },
	{ "SEND with immediate", IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE, IB_OPCODE_RC_ACKNOWLEDGE },
	{ "WRITE with immediate", IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE,
	  IB_OPCODE_RC_ACKNOWLEDGE },
	{ "atomic", IB_OPCODE_RC_FETCH_ADD, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE },
	{ "ATOMIC WRITE", IB_OPCODE_RC_ATOMIC_WRITE, ANSWER },
};

static void word_name(const struct word *word, char *name)
{
	strscpy(name, word->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(word, words, word_name);

static void put_word(struct responder_fixture *f, const struct word *word, int n)
{
	if (word->opcode == IB_OPCODE_RC_FETCH_ADD)
		responder_put_atomic(f, word->opcode, n, 0, 0, 1);
	else
		responder_put_write(f, word->opcode, n, 0, 8, 8);
}

/* Nothing of it is seen, at the first time */
static void who_could_tell_of_it_comes_behind_it(struct kunit *test)
{
	const struct word *word = test->param_value;
	struct responder_fixture *f = open(test);
	static const u8 untouched[8];
	struct ib_wc wc;

	responder_post(f, 1, 1024, 64);
	put_region(f, 0);
	put_word(f, word, 1);
	begin(f);
	go_to_the_end(f);
	KUNIT_EXPECT_MEMEQ(test, f->memory->bytes, untouched, 8);
	responder_expect_no_recv(f);
	KUNIT_EXPECT_EQ(test, svt_fake_count(f->fake, SVT_COUNT_RX_DROPPED_BACKLOG), 1);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_nak(f, 1, SVT_AETH_NAK | SVT_NAK_PSN_SEQUENCE);
	responder_expect_silence(f);

	put_word(f, word, 1);
	responder_deliver(f);
	responder_sent(f, word->answer, responder_psn(f, 1));
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_poll_recv(f->qp, &wc),
			word->answer == IB_OPCODE_RC_ACKNOWLEDGE);
}

static void behind_a_short_one_nobody_waits(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	responder_post(f, 1, 1024, 64);
	put_range(f, 0, 0, PIECE);
	responder_put_write(f, IB_OPCODE_RC_ATOMIC_WRITE, 1, 0, 8, 8);
	responder_put(f, IB_OPCODE_RC_SEND_ONLY, 2, 0, 8);
	responder_deliver(f);
	expect_written(f, 0, PIECE);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_sent(f, ANSWER, responder_psn(f, 1));
	responder_expect_ack(f, 2, 3);
	responder_expect_recv(f, 1, IB_WC_SUCCESS);
}

static void a_duplicate_is_not_carried_out_again(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	put_region(f, 0);
	put_region(f, 0);
	begin(f);
	go_to_the_end(f);
	expect_written(f, 0, RESPONDER_MEMORY);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_silence(f);

	put_region(f, 0);
	responder_deliver(f);
	expect_written(f, 0, RESPONDER_MEMORY);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_silence(f);
}

static void an_answer_without_room_is_sent_later(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	f->fake->busy = true;
	put_range(f, 0, 0, 100);
	responder_deliver(f);
	responder_expect_silence(f);
	f->fake->busy = false;
	svt_fake_ready(f->fake, f->qp);
	expect_written(f, 0, 100);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	responder_expect_silence(f);
}

static void a_region_that_goes_meanwhile_ends_it(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	put_region(f, 0);
	begin(f);
	WRITE_ONCE(f->memory->mr.key.valid, false);
	go_on(f);
	go_on(f);
	end(f);
	expect_written(f, 0, PIECE);
	responder_expect_refusal(f, 0, SVT_NAK_REMOTE_ACCESS, IB_EVENT_QP_ACCESS_ERR);
	responder_expect_silence(f);
}

static void a_qp_that_ends_meanwhile_leaves_it(struct kunit *test)
{
	struct responder_fixture *f = open(test);

	put_region(f, 0);
	begin(f);
	WRITE_ONCE(f->qp->state, IB_QPS_ERR);
	go_on(f);
	go_on(f);
	end(f);
	expect_written(f, 0, PIECE);
	responder_expect_silence(f);
	KUNIT_EXPECT_EQ(test, svt_fake_modify(f->qp, IB_QPS_RESET), 0);
	KUNIT_EXPECT_EQ(test, f->qp->recv.persisting, 0);
	KUNIT_EXPECT_FALSE(test, work_pending(&f->qp->recv.half.defer));
}

static const struct missing {
	const char *name;
	int of_qp;
	int of_region;
	u8 nak;
	int event;
} missing[] = {
	{ "the QP", IB_ACCESS_FLUSH_GLOBAL, RIGHTS, SVT_NAK_INVALID_REQUEST, IB_EVENT_QP_REQ_ERR },
	{ "the region", RIGHTS, IB_ACCESS_FLUSH_GLOBAL, SVT_NAK_REMOTE_ACCESS,
	  IB_EVENT_QP_ACCESS_ERR },
};

static void missing_name(const struct missing *missing, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s has another", missing->name);
}

KUNIT_ARRAY_PARAM(missing, missing, missing_name);

static void it_needs_a_right_of_its_own(struct kunit *test)
{
	const struct missing *wrong = test->param_value;
	struct responder_fixture *f = responder_open(test, &SVT_FAKE_RC);

	f->qp->attr.qp_access_flags |= wrong->of_qp;
	f->memory->mr.key.access |= wrong->of_region;
	put_range(f, 0, 0, 64);
	responder_deliver(f);
	responder_expect_refusal(f, 0, wrong->nak, wrong->event);
	KUNIT_EXPECT_EQ(test, written.bytes, 0);
}

static void visibility_alone_writes_nothing_back(struct kunit *test)
{
	struct responder_fixture *f = open(test);
	struct svt_packet packet = responder_packet(f, FLUSH, 0);

	packet.placement = SVT_FLUSH_GLOBAL;
	packet.selectivity = SVT_FLUSH_REGION;
	packet.rkey = f->memory->mr.key.key;
	svt_fake_put(f->fake, &packet, NULL, 0);
	responder_deliver(f);
	responder_sent(f, ANSWER, responder_psn(f, 0));
	KUNIT_EXPECT_EQ(test, written.bytes, 0);
}

static const struct page *volatile_page;

static bool all_but_one(struct page *first, u64 length)
{
	return first != volatile_page && length == PAGE_SIZE;
}

/* A page that is none decides, wherever it stands */
static void a_region_is_persistent_as_a_whole(struct kunit *test)
{
	struct scatterlist entries[3];
	struct sg_table sg = { .sgl = entries, .nents = 3, .orig_nents = 3 };
	unsigned int i;

	kunit_activate_static_stub(test, svt_pages_are_persistent, all_but_one);
	sg_init_table(entries, ARRAY_SIZE(entries));
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		sg_set_page(&entries[i], ZERO_PAGE(0) + i, PAGE_SIZE, 0);
	volatile_page = NULL;
	KUNIT_EXPECT_TRUE(test, svt_sg_is_persistent(&sg));
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		volatile_page = sg_page(&entries[i]);
		KUNIT_EXPECT_FALSE(test, svt_sg_is_persistent(&sg));
	}
}

static void ordinary_memory_is_not_persistent(struct kunit *test)
{
	void *memory = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_EXPECT_FALSE(test, svt_pages_are_persistent(virt_to_page(memory), PAGE_SIZE));
}

static struct kunit_case persist_cases[] = {
	KUNIT_CASE(a_range_is_written_back_before_its_answer),
	KUNIT_CASE(a_region_is_written_back_in_pieces),
	KUNIT_CASE(a_worker_goes_on_with_it),
	KUNIT_CASE(packets_that_come_together_share_a_piece),
	KUNIT_CASE(a_range_of_no_bytes_is_answered),
	KUNIT_CASE(answers_stay_in_order),
	KUNIT_CASE(writes_do_not_wait_but_their_acknowledgment_does),
	KUNIT_CASE_PARAM(who_could_tell_of_it_comes_behind_it, word_gen_params),
	KUNIT_CASE(behind_a_short_one_nobody_waits),
	KUNIT_CASE(a_duplicate_is_not_carried_out_again),
	KUNIT_CASE(an_answer_without_room_is_sent_later),
	KUNIT_CASE(a_region_that_goes_meanwhile_ends_it),
	KUNIT_CASE(a_qp_that_ends_meanwhile_leaves_it),
	KUNIT_CASE_PARAM(it_needs_a_right_of_its_own, missing_gen_params),
	KUNIT_CASE(visibility_alone_writes_nothing_back),
	KUNIT_CASE(a_region_is_persistent_as_a_whole),
	KUNIT_CASE(ordinary_memory_is_not_persistent),
	{}
};

static struct kunit_suite persist_suite = {
	.name = "svt-persist",
	.init = init,
	.exit = responder_fixture_exit,
	.test_cases = persist_cases,
};

kunit_test_suite(persist_suite);
