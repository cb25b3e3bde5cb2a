// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues: taking, the limit event, the error event, resize.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "queue/srq.h"

#define ENTRIES	8
#define MAX_SGE	2

struct fixture {
	struct svt_srq srq;
	struct svt_recv_wqe *copy;
	u32 length;
	enum ib_wc_status status;
	int event;
	int raised;
	unsigned int raises;
};

static void record_event(struct ib_event *event, void *context)
{
	struct fixture *f = context;

	f->raised = event->event;
	f->raises += event->element.srq == &f->srq.ibsrq;
}

static int srq_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	test->priv = f;
	f->copy = kunit_kzalloc(test, svt_recv_wqe_stride(MAX_SGE), GFP_KERNEL);
	if (!f->copy)
		return -ENOMEM;
	spin_lock_init(&f->srq.lock);
	spin_lock_init(&f->srq.post_lock);
	f->srq.wqe_limits.max_sge = MAX_SGE;
	f->srq.max_wr = ENTRIES;
	f->srq.ibsrq.event_handler = record_event;
	f->srq.ibsrq.srq_context = f;
	return svt_ring_alloc(&f->srq.ring, ENTRIES, svt_recv_wqe_stride(MAX_SGE));
}

static void srq_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_ring_free(&f->srq.ring);
}

/* As if 2^32 - 3 WQEs had gone through */
static void age(struct fixture *f)
{
	f->srq.ring.index = -3;
	f->srq.ring.control->producer = -3;
	f->srq.ring.control->consumer = -3;
}

static struct svt_recv_wqe *post(struct fixture *f, u64 wr_id)
{
	struct svt_recv_wqe *wqe;
	u32 producer;

	wqe = svt_ring_produce(&f->srq.ring, &producer);
	if (!wqe)
		return NULL;
	wqe->wr_id = wr_id;
	wqe->num_sge = 1;
	wqe->sge[0] = (struct svt_sge) { 0x1000, 64, 1 };
	svt_ring_publish_producer(&f->srq.ring, producer);
	return wqe;
}

static void post_range(struct kunit *test, u64 first, u64 last)
{
	u64 wr_id;

	for (wr_id = first; wr_id <= last; wr_id++)
		KUNIT_ASSERT_NOT_NULL(test, post(test->priv, wr_id));
}

static enum svt_srq_take take(struct fixture *f)
{
	return svt_srq_take(&f->srq, f->copy, &f->length, &f->status, &f->event);
}

static void expect_take(struct kunit *test, u64 first, u64 last)
{
	struct fixture *f = test->priv;
	u64 wr_id;

	for (wr_id = first; wr_id <= last; wr_id++) {
		KUNIT_ASSERT_EQ(test, take(f), SVT_SRQ_TAKEN);
		KUNIT_EXPECT_EQ(test, f->copy->wr_id, wr_id);
		KUNIT_EXPECT_EQ(test, f->status, IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, f->length, 64);
	}
}

static void wqes_are_taken_in_order_for_many_rounds(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	age(f);
	for (i = 0; i < 10 * ENTRIES; i += ENTRIES) {
		post_range(test, i, i + ENTRIES - 1);
		KUNIT_EXPECT_NULL(test, post(f, 0));
		expect_take(test, i, i + ENTRIES - 1);
		KUNIT_EXPECT_EQ(test, take(f), SVT_SRQ_EMPTY);
		KUNIT_EXPECT_EQ(test, f->event, -1);
	}
}

static void a_wqe_taken_gives_room_at_once(struct kunit *test)
{
	struct fixture *f = test->priv;

	post_range(test, 1, ENTRIES);
	expect_take(test, 1, 1);
	KUNIT_EXPECT_EQ(test, f->srq.ring.control->consumer, 1);
	KUNIT_EXPECT_NOT_NULL(test, post(f, 100));
}

static void a_bad_wqe_is_taken_and_can_be_completed(struct kunit *test)
{
	struct fixture *f = test->priv;

	post(f, 1)->num_sge = MAX_SGE + 1;
	post(f, 2)->num_sge = U32_MAX;
	post(f, 3);
	KUNIT_EXPECT_EQ(test, take(f), SVT_SRQ_BAD_WQE);
	KUNIT_EXPECT_EQ(test, f->status, IB_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, f->copy->wr_id, 1);
	KUNIT_EXPECT_EQ(test, take(f), SVT_SRQ_BAD_WQE);
	KUNIT_EXPECT_EQ(test, f->copy->wr_id, 2);
	expect_take(test, 3, 3);
}

static void the_limit_event_comes_once_when_fewer_are_left(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 i;

	post_range(test, 1, ENTRIES);
	KUNIT_ASSERT_EQ(test, svt_srq_set_limit(&f->srq, 3), 0);
	for (i = 1; i <= ENTRIES; i++) {
		expect_take(test, i, i);
		KUNIT_EXPECT_EQ(test, f->event,
				i == ENTRIES - 2 ? IB_EVENT_SRQ_LIMIT_REACHED : -1);
	}
	KUNIT_EXPECT_EQ(test, f->srq.limit, 0);
}

static void the_limit_event_can_be_armed_again(struct kunit *test)
{
	struct fixture *f = test->priv;

	post_range(test, 1, 4);
	KUNIT_ASSERT_EQ(test, svt_srq_set_limit(&f->srq, 4), 0);
	expect_take(test, 1, 1);
	KUNIT_EXPECT_EQ(test, f->event, IB_EVENT_SRQ_LIMIT_REACHED);
	KUNIT_ASSERT_EQ(test, svt_srq_set_limit(&f->srq, 1), 0);
	expect_take(test, 2, 3);
	KUNIT_EXPECT_EQ(test, f->event, -1);
	expect_take(test, 4, 4);
	KUNIT_EXPECT_EQ(test, f->event, IB_EVENT_SRQ_LIMIT_REACHED);
}

static void a_limit_of_0_disarms(struct kunit *test)
{
	struct fixture *f = test->priv;

	post_range(test, 1, 1);
	svt_srq_set_limit(&f->srq, 1);
	KUNIT_EXPECT_EQ(test, svt_srq_set_limit(&f->srq, 0), 0);
	expect_take(test, 1, 1);
	KUNIT_EXPECT_EQ(test, f->event, -1);
}

static void a_limit_above_the_size_is_refused(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, svt_srq_set_limit(&f->srq, ENTRIES), 0);
	KUNIT_EXPECT_EQ(test, svt_srq_set_limit(&f->srq, ENTRIES + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->srq.limit, ENTRIES);
}

static void a_producer_index_that_can_not_be_is_an_error_once_and_for_good(struct kunit *test)
{
	struct fixture *f = test->priv;

	post_range(test, 1, 1);
	f->srq.ring.control->producer = ENTRIES + 1;
	KUNIT_EXPECT_EQ(test, take(f), SVT_SRQ_ERROR);
	KUNIT_EXPECT_EQ(test, f->event, IB_EVENT_SRQ_ERR);
	f->srq.ring.control->producer = 1;
	KUNIT_EXPECT_EQ(test, take(f), SVT_SRQ_ERROR);
	KUNIT_EXPECT_EQ(test, f->event, -1);
}

static void events_go_to_the_handler(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_srq_raise(&f->srq, -1);
	KUNIT_EXPECT_EQ(test, f->raises, 0);
	svt_srq_raise(&f->srq, IB_EVENT_SRQ_ERR);
	KUNIT_EXPECT_EQ(test, f->raises, 1);
	KUNIT_EXPECT_EQ(test, f->raised, IB_EVENT_SRQ_ERR);
	f->srq.ibsrq.event_handler = NULL;
	svt_srq_raise(&f->srq, IB_EVENT_SRQ_ERR);
	KUNIT_EXPECT_EQ(test, f->raises, 1);
}

static int replace(struct fixture *f, u32 entries, u32 max_wr)
{
	struct svt_ring ring;
	int ret;

	ret = svt_ring_alloc(&ring, entries, svt_recv_wqe_stride(MAX_SGE));
	if (ret)
		return ret;
	ret = svt_srq_replace(&f->srq, &ring, max_wr);
	svt_ring_free(&ring);
	return ret;
}

static void a_resize_keeps_what_is_pending(struct kunit *test)
{
	struct fixture *f = test->priv;

	age(f);
	post_range(test, 1, ENTRIES);
	expect_take(test, 1, 2);
	KUNIT_ASSERT_EQ(test, replace(f, 4 * ENTRIES, 4 * ENTRIES), 0);
	KUNIT_EXPECT_EQ(test, f->srq.max_wr, 4 * ENTRIES);
	post_range(test, ENTRIES + 1, 4 * ENTRIES + 2);
	KUNIT_EXPECT_NULL(test, post(f, 0));
	expect_take(test, 3, 4 * ENTRIES + 2);
	KUNIT_EXPECT_EQ(test, take(f), SVT_SRQ_EMPTY);
}

static void a_queue_can_shrink_to_what_is_pending(struct kunit *test)
{
	struct fixture *f = test->priv;

	age(f);
	post_range(test, 1, 4);
	KUNIT_EXPECT_EQ(test, replace(f, 2, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->srq.max_wr, ENTRIES);
	KUNIT_ASSERT_EQ(test, replace(f, 4, 4), 0);
	expect_take(test, 1, 4);
}

static void a_queue_does_not_shrink_below_its_limit(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_srq_set_limit(&f->srq, 4);
	KUNIT_EXPECT_EQ(test, replace(f, 2, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, replace(f, 4, 4), 0);
}

static void a_resize_refuses_a_producer_index_that_can_not_be(struct kunit *test)
{
	struct fixture *f = test->priv;

	f->srq.ring.control->producer = -1;
	KUNIT_EXPECT_EQ(test, replace(f, 2 * ENTRIES, 2 * ENTRIES), -EINVAL);
	KUNIT_EXPECT_EQ(test, f->srq.ring.entries, ENTRIES);
}

static struct kunit_case srq_cases[] = {
	KUNIT_CASE(wqes_are_taken_in_order_for_many_rounds),
	KUNIT_CASE(a_wqe_taken_gives_room_at_once),
	KUNIT_CASE(a_bad_wqe_is_taken_and_can_be_completed),
	KUNIT_CASE(the_limit_event_comes_once_when_fewer_are_left),
	KUNIT_CASE(the_limit_event_can_be_armed_again),
	KUNIT_CASE(a_limit_of_0_disarms),
	KUNIT_CASE(a_limit_above_the_size_is_refused),
	KUNIT_CASE(a_producer_index_that_can_not_be_is_an_error_once_and_for_good),
	KUNIT_CASE(events_go_to_the_handler),
	KUNIT_CASE(a_resize_keeps_what_is_pending),
	KUNIT_CASE(a_queue_can_shrink_to_what_is_pending),
	KUNIT_CASE(a_queue_does_not_shrink_below_its_limit),
	KUNIT_CASE(a_resize_refuses_a_producer_index_that_can_not_be),
	{ }
};

static struct kunit_suite srq_suite = {
	.name = "svt-srq",
	.init = srq_test_init,
	.exit = srq_test_exit,
	.test_cases = srq_cases,
};

kunit_test_suite(srq_suite);
