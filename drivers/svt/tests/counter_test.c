// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of single QPs beside what is done to QPs and counters meanwhile. ib_core's part of a
 * counter is made here.
 */
#include <kunit/test.h>

#include "tests/fake.h"
#include "verbs/verbs.h"

struct counter_fixture {
	struct kunit *test;
	struct svt_fake *fake;
	struct rdma_counter counter;
	struct svt_qp qp;
};

static void make_qp(struct counter_fixture *f)
{
	struct svt_qp *other = svt_fake_qp(f->fake, &SVT_FAKE_RC);
	struct ib_qp_init_attr init = {
		.send_cq = &other->send_cq->ibcq,
		.recv_cq = &other->recv_cq->ibcq,
		.qp_type = IB_QPT_RC,
		.port_num = 1,
	};

	f->qp.ibqp.device = &f->fake->dev.ibdev;
	f->qp.ibqp.pd = &f->fake->pd;
	f->qp.ibqp.qp_type = IB_QPT_RC;
	KUNIT_ASSERT_EQ(f->test, svt_create_qp(&f->qp.ibqp, &init, NULL), 0);
}

/* The reader has no reference on what it reads: lockdep sees whether it is in a read section */
static void what_was_counted_is_read_where_it_is_not_freed(struct kunit *test)
{
	struct counter_fixture *f = test->priv;
	struct ib_qp *ibqp = &f->qp.ibqp;

	KUNIT_EXPECT_EQ(test, svt_counter_update_stats(&f->counter), -EINVAL);
	KUNIT_ASSERT_EQ(test, svt_counter_bind_qp(&f->counter, ibqp, 1), 0);
	svt_count(svt_qp_counters(&f->qp), SVT_COUNT_TX_TRAINS);
	KUNIT_EXPECT_EQ(test, svt_counter_update_stats(&f->counter), 0);
	KUNIT_EXPECT_EQ(test, f->counter.stats->value[SVT_COUNT_TX_TRAINS], 1);
	KUNIT_EXPECT_EQ(test, svt_counter_unbind_qp(ibqp, 1), 0);
	KUNIT_EXPECT_EQ(test, svt_counter_dealloc(&f->counter), 0);
	KUNIT_EXPECT_EQ(test, svt_counter_update_stats(&f->counter), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_destroy_qp(ibqp, NULL), 0);
}

/* ib_core would not unbind it any more, and the counter would stay for good */
static void a_qp_that_goes_is_not_bound(struct kunit *test)
{
	struct counter_fixture *f = test->priv;
	struct ib_qp *ibqp = &f->qp.ibqp;

	KUNIT_ASSERT_EQ(test, svt_destroy_qp(ibqp, NULL), 0);
	KUNIT_EXPECT_EQ(test, svt_counter_bind_qp(&f->counter, ibqp, 1), -EINVAL);
	KUNIT_EXPECT_PTR_EQ(test, ibqp->counter, (struct rdma_counter *)NULL);
	KUNIT_EXPECT_TRUE(test, xa_empty(&f->fake->core.counter_sets));
}

static int counter_fixture_init(struct kunit *test)
{
	struct counter_fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	test->priv = f;
	f->test = test;
	f->fake = svt_fake_create(test);
	f->counter.device = &f->fake->dev.ibdev;
	f->counter.stats = svt_counter_alloc_stats(&f->counter);
	KUNIT_ASSERT_NOT_NULL(test, f->counter.stats);
	make_qp(f);
	return 0;
}

static void counter_fixture_exit(struct kunit *test)
{
	struct counter_fixture *f = test->priv;

	if (!f)
		return;
	svt_counter_dealloc(&f->counter);
	rdma_free_hw_stats_struct(f->counter.stats);
	svt_fake_destroy(f->fake);
}

static struct kunit_case counter_cases[] = {
	KUNIT_CASE(what_was_counted_is_read_where_it_is_not_freed),
	KUNIT_CASE(a_qp_that_goes_is_not_bound),
	{}
};

static struct kunit_suite counter_suite = {
	.name = "svt-counter",
	.init = counter_fixture_init,
	.exit = counter_fixture_exit,
	.test_cases = counter_cases,
};

kunit_test_suite(counter_suite);
