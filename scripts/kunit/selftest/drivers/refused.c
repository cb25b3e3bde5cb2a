// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A module that does not load: its suite never runs.
 */
#include <kunit/test.h>
#include <linux/module.h>

static void never(struct kunit *test)
{
	KUNIT_SUCCEED(test);
}

static struct kunit_case refused_cases[] = {
	KUNIT_CASE(never),
	{}
};

static struct kunit_suite refused_suite = {
	.name = "refused",
	.test_cases = refused_cases,
};

kunit_test_suite(refused_suite);

static int __init refused_init(void)
{
	return -ENODEV;
}

module_init(refused_init);

MODULE_DESCRIPTION("Refuses to load");
MODULE_LICENSE("GPL");
