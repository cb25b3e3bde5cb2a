// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Credits and RNR delays of the AETH syndrome.
 */
#include <kunit/test.h>
#include <linux/limits.h>

#include "wire/aeth.h"

static void credits_have_the_values_of_the_specification(struct kunit *test)
{
	static const u32 expected[] = { 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
	u8 code;

	for (code = 0; code < ARRAY_SIZE(expected); code++)
		KUNIT_EXPECT_EQ(test, svt_aeth_decode_credits(code), expected[code]);
	for (code = 6; code < SVT_AETH_NO_CREDITS; code++)
		KUNIT_EXPECT_EQ(test, svt_aeth_decode_credits(code),
				2 * svt_aeth_decode_credits(code - 2));
	KUNIT_EXPECT_EQ(test, svt_aeth_decode_credits(30), 32768);
}

static void every_credit_code_comes_back(struct kunit *test)
{
	u8 code;

	for (code = 0; code < SVT_AETH_NO_CREDITS; code++)
		KUNIT_EXPECT_EQ(test, svt_aeth_encode_credits(svt_aeth_decode_credits(code)), code);
}

static void credits_are_rounded_down_to_the_nearest_code(struct kunit *test)
{
	u32 credits;

	for (credits = 0; credits < 70000; credits++) {
		u8 code = svt_aeth_encode_credits(credits);

		KUNIT_ASSERT_LT(test, code, SVT_AETH_NO_CREDITS);
		KUNIT_ASSERT_LE(test, svt_aeth_decode_credits(code), credits);
		if (code < 30)
			KUNIT_ASSERT_GT(test, svt_aeth_decode_credits(code + 1), credits);
	}
	KUNIT_EXPECT_EQ(test, svt_aeth_encode_credits(U32_MAX), 30);
}

static void no_credits_field_limits_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_aeth_decode_credits(SVT_AETH_NO_CREDITS), U32_MAX);
}

static void the_type_bits_are_no_credits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_aeth_decode_credits(0xe0 | 7), 12);
}

static void rnr_delays_have_the_values_of_the_specification(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(0), 655360);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(1), 10);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(2), 20);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(8), 160);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(12), 640);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(18), 5120);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(25), 61440);
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(31), 491520);
}

static void rnr_delays_double_every_second_code(struct kunit *test)
{
	u8 timer;

	for (timer = 6; timer < 32; timer++)
		KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(timer),
				2 * svt_rnr_timer_microseconds(timer - 2));
}

static void rnr_delays_ignore_the_type_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, svt_rnr_timer_microseconds(SVT_AETH_RNR | 1), 10);
}

static struct kunit_case aeth_cases[] = {
	KUNIT_CASE(credits_have_the_values_of_the_specification),
	KUNIT_CASE(every_credit_code_comes_back),
	KUNIT_CASE(credits_are_rounded_down_to_the_nearest_code),
	KUNIT_CASE(no_credits_field_limits_nothing),
	KUNIT_CASE(the_type_bits_are_no_credits),
	KUNIT_CASE(rnr_delays_have_the_values_of_the_specification),
	KUNIT_CASE(rnr_delays_double_every_second_code),
	KUNIT_CASE(rnr_delays_ignore_the_type_bits),
	{ }
};

static struct kunit_suite aeth_suite = {
	.name = "svt-aeth",
	.test_cases = aeth_cases,
};

kunit_test_suite(aeth_suite);
