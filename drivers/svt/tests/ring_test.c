// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings: shape, indices with and without sense, the doorbell handshake.
 */
#include <kunit/test.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "queue/ring.h"

#define ENTRIES	8
#define STRIDE	64

static int ring_test_init(struct kunit *test)
{
	struct svt_ring *ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);

	if (!ring)
		return -ENOMEM;
	test->priv = ring;
	return svt_ring_alloc(ring, ENTRIES, STRIDE);
}

static void ring_test_exit(struct kunit *test)
{
	svt_ring_free(test->priv);
}

/* As if 2^32 - 3 entries had gone through */
static void age(struct svt_ring *ring)
{
	ring->index = -3;
	ring->control->producer = ring->index;
	ring->control->consumer = ring->index;
}

static void entries_are_rounded_up_to_a_power_of_two(struct kunit *test)
{
	static const u32 wanted[] = { 1, 2, 3, 100, 4096, 4097 };
	static const u32 got[] = { 1, 2, 4, 128, 4096, 8192 };
	struct svt_ring ring;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		KUNIT_ASSERT_EQ(test, svt_ring_alloc(&ring, wanted[i], 48), 0);
		KUNIT_EXPECT_EQ(test, ring.entries, got[i]);
		KUNIT_EXPECT_EQ(test, ring.bytes % PAGE_SIZE, 0);
		KUNIT_EXPECT_GE(test, ring.bytes,
				sizeof(struct svt_ring_control) + (size_t)got[i] * 48);
		svt_ring_free(&ring);
	}
}

static void a_shape_that_makes_no_sense_is_refused(struct kunit *test)
{
	struct svt_ring ring;

	KUNIT_EXPECT_EQ(test, svt_ring_alloc(&ring, 0, 64), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_ring_alloc(&ring, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_ring_alloc(&ring, 1, 12), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_ring_alloc(&ring, U32_MAX, 64), -EINVAL);
}

static void a_ring_that_was_never_allocated_can_be_freed(struct kunit *test)
{
	struct svt_ring ring = { };

	svt_ring_free(&ring);
	KUNIT_EXPECT_NULL(test, ring.control);
}

static void a_new_ring_is_empty_and_zero(struct kunit *test)
{
	struct svt_ring *ring = test->priv;

	KUNIT_EXPECT_EQ(test, svt_ring_pending(ring), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(ring->control, 0, ring->bytes));
}

static void info_tells_the_shape(struct kunit *test)
{
	struct svt_ring *ring = test->priv;
	struct svt_ring_info info;

	svt_ring_info(ring, 0x123000, &info);
	KUNIT_EXPECT_EQ(test, info.mmap_offset, 0x123000);
	KUNIT_EXPECT_EQ(test, info.mmap_length, ring->bytes);
	KUNIT_EXPECT_EQ(test, info.entries, ENTRIES);
	KUNIT_EXPECT_EQ(test, info.stride, STRIDE);
}

static void elements_lie_behind_the_control_words_and_repeat(struct kunit *test)
{
	struct svt_ring *ring = test->priv;
	u32 i;

	for (i = 0; i < ENTRIES; i++) {
		KUNIT_EXPECT_PTR_EQ(test, svt_ring_element(ring, i),
				    (void *)ring->control + 256 + i * STRIDE);
		KUNIT_EXPECT_PTR_EQ(test, svt_ring_element(ring, i),
				    svt_ring_element(ring, i - ENTRIES));
	}
}

static void pending_counts_up_to_a_full_ring(struct kunit *test)
{
	struct svt_ring *ring = test->priv;
	u32 i;

	age(ring);
	for (i = 0; i <= ENTRIES; i++) {
		ring->control->producer = ring->index + i;
		KUNIT_EXPECT_EQ(test, svt_ring_pending(ring), i);
	}
}

static void a_producer_index_that_can_not_be_is_a_protocol_error(struct kunit *test)
{
	static const u32 offsets[] = { ENTRIES + 1, 0x7fffffff, 0x80000000, -1, -ENTRIES };
	struct svt_ring *ring = test->priv;
	u32 i, bases[] = { 0, 100, -3 };

	for (i = 0; i < ARRAY_SIZE(bases) * ARRAY_SIZE(offsets); i++) {
		ring->index = bases[i / ARRAY_SIZE(offsets)];
		ring->control->producer = ring->index + offsets[i % ARRAY_SIZE(offsets)];
		KUNIT_EXPECT_EQ(test, svt_ring_pending(ring), -EPROTO);
	}
}

static void the_consumer_index_in_the_ring_is_not_read_back(struct kunit *test)
{
	struct svt_ring *ring = test->priv;

	ring->control->producer = 3;
	ring->control->consumer = 0xdeadbeef;
	KUNIT_EXPECT_EQ(test, svt_ring_pending(ring), 3);
}

static void an_empty_ring_lets_its_owner_sleep_and_asks_for_the_doorbell(struct kunit *test)
{
	struct svt_ring *ring = test->priv;

	age(ring);
	KUNIT_EXPECT_FALSE(test, svt_ring_wants_doorbell(ring));
	KUNIT_EXPECT_TRUE(test, svt_ring_sleep(ring));
	KUNIT_EXPECT_TRUE(test, svt_ring_wants_doorbell(ring));
	svt_ring_awake(ring);
	KUNIT_EXPECT_FALSE(test, svt_ring_wants_doorbell(ring));
}

static void an_entry_or_nonsense_keeps_the_owner_awake(struct kunit *test)
{
	struct svt_ring *ring = test->priv;

	ring->control->producer = 1;
	KUNIT_EXPECT_FALSE(test, svt_ring_sleep(ring));
	KUNIT_EXPECT_FALSE(test, svt_ring_wants_doorbell(ring));
	ring->control->producer = 1000;
	KUNIT_EXPECT_FALSE(test, svt_ring_sleep(ring));
	KUNIT_EXPECT_FALSE(test, svt_ring_wants_doorbell(ring));
}

static void a_kernel_producer_fills_the_ring_and_no_more(struct kunit *test)
{
	struct svt_ring *ring = test->priv;
	u32 i, producer;

	age(ring);
	for (i = 0; i < ENTRIES; i++) {
		void *element = svt_ring_produce(ring, &producer);

		KUNIT_ASSERT_PTR_EQ(test, element, svt_ring_element(ring, ring->index + i));
		KUNIT_EXPECT_EQ(test, svt_ring_pending(ring), i);
		svt_ring_publish_producer(ring, producer);
		KUNIT_EXPECT_EQ(test, svt_ring_pending(ring), i + 1);
	}
	KUNIT_EXPECT_NULL(test, svt_ring_produce(ring, &producer));

	svt_ring_publish_consumer(ring, ++ring->index);
	KUNIT_EXPECT_NOT_NULL(test, svt_ring_produce(ring, &producer));
}

static void entries_go_through_in_order_for_many_rounds(struct kunit *test)
{
	struct svt_ring *ring = test->priv;
	u32 i, producer, *element;

	age(ring);
	for (i = 0; i < 10 * ENTRIES; i++) {
		element = svt_ring_produce(ring, &producer);
		KUNIT_ASSERT_NOT_NULL(test, element);
		*element = i;
		svt_ring_publish_producer(ring, producer);
		KUNIT_ASSERT_EQ(test, svt_ring_pending(ring), 1);
		element = svt_ring_element(ring, ring->index);
		KUNIT_EXPECT_EQ(test, *element, i);
		svt_ring_publish_consumer(ring, ++ring->index);
	}
}

static void a_copy_keeps_the_indices_of_the_entries(struct kunit *test)
{
	struct svt_ring *ring = test->priv, larger;
	u32 i;

	KUNIT_ASSERT_EQ(test, svt_ring_alloc(&larger, 4 * ENTRIES, STRIDE), 0);
	for (i = -4; i != 4; i++)
		memset(svt_ring_element(ring, i), 0x40 + i, STRIDE);
	svt_ring_copy(ring, &larger, -4, 4);
	for (i = -4; i != 4; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(svt_ring_element(&larger, i), 0x40 + i, STRIDE));
	KUNIT_EXPECT_NULL(test, memchr_inv(svt_ring_element(&larger, 4), 0, STRIDE));
	svt_ring_free(&larger);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(entries_are_rounded_up_to_a_power_of_two),
	KUNIT_CASE(a_shape_that_makes_no_sense_is_refused),
	KUNIT_CASE(a_ring_that_was_never_allocated_can_be_freed),
	KUNIT_CASE(a_new_ring_is_empty_and_zero),
	KUNIT_CASE(info_tells_the_shape),
	KUNIT_CASE(elements_lie_behind_the_control_words_and_repeat),
	KUNIT_CASE(pending_counts_up_to_a_full_ring),
	KUNIT_CASE(a_producer_index_that_can_not_be_is_a_protocol_error),
	KUNIT_CASE(the_consumer_index_in_the_ring_is_not_read_back),
	KUNIT_CASE(an_empty_ring_lets_its_owner_sleep_and_asks_for_the_doorbell),
	KUNIT_CASE(an_entry_or_nonsense_keeps_the_owner_awake),
	KUNIT_CASE(a_kernel_producer_fills_the_ring_and_no_more),
	KUNIT_CASE(entries_go_through_in_order_for_many_rounds),
	KUNIT_CASE(a_copy_keeps_the_indices_of_the_entries),
	{ }
};

static struct kunit_suite ring_suite = {
	.name = "svt-ring",
	.init = ring_test_init,
	.exit = ring_test_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
