// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Arithmetic on 24-bit packet sequence numbers.
 */
#include <kunit/test.h>

#include "wire/psn.h"

static void a_psn_has_24_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_psn(0xff123456), 0x123456);
	KUNIT_EXPECT_EQ(test, svt_psn(0x1000000), 0);
}

static void addition_wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_psn_add(0xffffff, 1), 0);
	KUNIT_EXPECT_EQ(test, svt_psn_add(0xfffff0, 0x20), 0x10);
	KUNIT_EXPECT_EQ(test, svt_psn_add(0, -1), 0xffffff);
	KUNIT_EXPECT_EQ(test, svt_psn_add(5, 0), 5);
}

static void difference_has_the_sign_of_who_is_ahead(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_psn_diff(5, 5), 0);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(6, 5), 1);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(5, 6), -1);
}

static void difference_counts_across_the_wrap(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0xffffff, 0), -1);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0x10, 0xfffff0), 0x20);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0xfffff0, 0x10), -0x20);
}

static void half_of_the_circle_is_ahead(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0x7fffff, 0), 0x7fffff);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0x800000, 0), -0x800000);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0x7fffff + 0x900000, 0x900000), 0x7fffff);
}

static void difference_ignores_bits_above_24(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0x1000001, 0xffffff), 2);
	KUNIT_EXPECT_EQ(test, svt_psn_diff(0xab000001, 0xcd000002), -1);
}

static void difference_undoes_addition_everywhere(struct kunit *test)
{
	u32 psn, count;

	for (psn = 0; psn <= SVT_PSN_MASK; psn += 0xfffd) {
		for (count = 0; count < 0x800000; count += 0xffff1)
			KUNIT_EXPECT_EQ(test, svt_psn_diff(svt_psn_add(psn, count), psn),
					(s32)count);
	}
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE(a_psn_has_24_bits),
	KUNIT_CASE(addition_wraps),
	KUNIT_CASE(difference_has_the_sign_of_who_is_ahead),
	KUNIT_CASE(difference_counts_across_the_wrap),
	KUNIT_CASE(half_of_the_circle_is_ahead),
	KUNIT_CASE(difference_ignores_bits_above_24),
	KUNIT_CASE(difference_undoes_addition_everywhere),
	{ }
};

static struct kunit_suite psn_suite = {
	.name = "svt-psn",
	.test_cases = psn_cases,
};

kunit_test_suite(psn_suite);
