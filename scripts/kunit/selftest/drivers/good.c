// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Two suites that pass, one with a case per parameter.
 */
#include <kunit/test.h>
#include <linux/module.h>

static void adds(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 2 + 2, 4);
}

static const int odd[] = { 1, 3, 5 };

KUNIT_ARRAY_PARAM(odd, odd, NULL);

static void is_odd(struct kunit *test)
{
	const int *number = test->param_value;

	KUNIT_EXPECT_EQ(test, *number % 2, 1);
}

static struct kunit_case plain_cases[] = {
	KUNIT_CASE(adds),
	{}
};

static struct kunit_suite plain_suite = {
	.name = "plain",
	.test_cases = plain_cases,
};

static struct kunit_case param_cases[] = {
	KUNIT_CASE(adds),
	KUNIT_CASE_PARAM(is_odd, odd_gen_params),
	{}
};

static struct kunit_suite param_suite = {
	.name = "param",
	.test_cases = param_cases,
};

kunit_test_suites(&plain_suite, &param_suite);

MODULE_DESCRIPTION("Suites that pass");
MODULE_LICENSE("GPL");
