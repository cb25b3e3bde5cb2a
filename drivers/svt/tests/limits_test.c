// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of what a device has: it is told, and processes come to it before kernel clients do.
 */
#include <kunit/test.h>

#include "tests/fake.h"
#include "verbs/verbs.h"

static void a_process_is_refused_before_a_kernel_client(struct kunit *test)
{
	atomic_t count = ATOMIC_INIT(79);

	KUNIT_EXPECT_TRUE(test, svt_take(&count, 80, true));
	KUNIT_EXPECT_FALSE(test, svt_take(&count, 80, true));
	atomic_set(&count, 89);
	KUNIT_EXPECT_FALSE(test, svt_take(&count, 80, true));
	KUNIT_EXPECT_TRUE(test, svt_take(&count, 80, false));
	KUNIT_EXPECT_FALSE(test, svt_take(&count, 80, false));
	KUNIT_EXPECT_EQ(test, atomic_read(&count), 90);
}

static void what_is_told_is_what_a_process_may_have(struct kunit *test)
{
	struct svt_fake *fake = test->priv;
	atomic_t *count = &fake->core.pd_count;
	struct ib_device_attr attr = {};
	struct svt_pd pd = {};
	void *deposit;

	KUNIT_ASSERT_EQ(test, svt_query_device(&fake->dev.ibdev, &attr, NULL), 0);
	pd.ibpd.device = &fake->dev.ibdev;
	atomic_set(count, attr.max_pd - 1);
	KUNIT_EXPECT_EQ(test, svt_take_deposit(count, SVT_MAX_PD, true, &deposit), 0);
	KUNIT_EXPECT_NOT_NULL(test, deposit);
	kfree(deposit);
	KUNIT_EXPECT_EQ(test, svt_take_deposit(count, SVT_MAX_PD, true, &deposit), -ENOMEM);
	KUNIT_EXPECT_EQ(test, svt_alloc_pd(&pd.ibpd, NULL), 0);
	KUNIT_EXPECT_NULL(test, pd.deposit);
	KUNIT_EXPECT_EQ(test, svt_dealloc_pd(&pd.ibpd, NULL), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(count), attr.max_pd);
	atomic_set(count, 0);
}

/* All keys and numbers of QPs that can be in use: others are found still */
static void numbers_last_longer_than_objects(struct kunit *test)
{
	struct ib_device_attr attr = {};
	struct svt_fake *fake = test->priv;
	u64 qps, keys;

	KUNIT_ASSERT_EQ(test, svt_query_device(&fake->dev.ibdev, &attr, NULL), 0);
	qps = (u64)attr.max_qp + SVT_RESERVE(attr.max_qp);
	keys = (u64)attr.max_mr + SVT_RESERVE(attr.max_mr) + attr.max_mw;
	KUNIT_EXPECT_LE(test, qps, (SVT_QPN_MASK + 1ULL) * 3 / 4);
	KUNIT_EXPECT_LE(test, keys, (1ULL << (32 - SVT_KEY_TAG_BITS)) * 7 / 8);
	KUNIT_EXPECT_LE(test, attr.max_srq, (int)SVT_SRQN_MASK);
}

static int limits_init(struct kunit *test)
{
	test->priv = svt_fake_create(test);
	return 0;
}

static void limits_exit(struct kunit *test)
{
	svt_fake_destroy(test->priv);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(a_process_is_refused_before_a_kernel_client),
	KUNIT_CASE(what_is_told_is_what_a_process_may_have),
	KUNIT_CASE(numbers_last_longer_than_objects),
	{}
};

static struct kunit_suite limits_suite = {
	.name = "svt-limits",
	.init = limits_init,
	.exit = limits_exit,
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);
