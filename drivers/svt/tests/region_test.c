// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From an access to pages, and atomic operations on them.
 */
#include <linux/limits.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "memory.h"

#define BVECS	16

static int region_test_init(struct kunit *test)
{
	struct memory *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	test->priv = m;
	return memory_init(m);
}

static void region_test_exit(struct kunit *test)
{
	memory_exit(test->priv);
}

static struct svt_region all(struct memory *m)
{
	return (struct svt_region) { &m->mr, MEMORY_START, MEMORY_LENGTH };
}

static u64 bvecs_of(const struct svt_region *region, u64 offset, u64 length, struct bio_vec *bvec,
		    unsigned int max, unsigned int *count)
{
	u64 covered;

	rcu_read_lock();
	covered = svt_region_bvec(region, offset, length, bvec, max, count);
	rcu_read_unlock();
	return covered;
}

static void read_bvecs(const struct bio_vec *bvec, unsigned int count, u8 *to)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		memcpy(to, page_address(bvec[i].bv_page) + bvec[i].bv_offset, bvec[i].bv_len);
		to += bvec[i].bv_len;
	}
}

static void any_part_of_a_region_is_where_its_bytes_are(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_region region = all(m);
	u8 *expected, *got;
	unsigned int i, count;

	expected = kunit_kmalloc(test, MEMORY_LENGTH, GFP_KERNEL);
	got = kunit_kmalloc(test, MEMORY_LENGTH, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, expected);
	KUNIT_ASSERT_NOT_NULL(test, got);
	get_random_bytes(expected, MEMORY_LENGTH);
	for (i = 0; i < MEMORY_LENGTH; i++)
		*memory_byte(m, i) = expected[i];

	for (i = 0; i < 2000; i++) {
		u64 offset = get_random_u32_below(MEMORY_LENGTH);
		u64 length = get_random_u32_below(MEMORY_LENGTH - offset) + 1;
		struct bio_vec bvec[BVECS];

		KUNIT_ASSERT_EQ(test, length,
				bvecs_of(&region, offset, length, bvec, BVECS, &count));
		read_bvecs(bvec, count, got);
		KUNIT_ASSERT_MEMEQ(test, got, expected + offset, length);
	}
}

static void a_block_gives_one_element(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_region region = all(m);
	struct bio_vec bvec[BVECS];
	unsigned int count;

	KUNIT_EXPECT_EQ(test, MEMORY_LENGTH,
			bvecs_of(&region, 0, MEMORY_LENGTH, bvec, BVECS, &count));
	KUNIT_EXPECT_EQ(test, count, MEMORY_PAGES);
	KUNIT_EXPECT_EQ(test, bvec[0].bv_offset, MEMORY_OFFSET);
	KUNIT_EXPECT_EQ(test, bvec[0].bv_len, PAGE_SIZE - MEMORY_OFFSET);
	KUNIT_EXPECT_PTR_EQ(test, bvec[1].bv_page, m->pages[1]);
	KUNIT_EXPECT_EQ(test, bvec[1].bv_len, PAGE_SIZE);
}

static void a_short_array_is_filled_and_the_rest_left(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_region region = all(m);
	struct bio_vec bvec[BVECS] = { };
	unsigned int count;

	KUNIT_EXPECT_EQ(test, 2 * PAGE_SIZE - MEMORY_OFFSET,
			bvecs_of(&region, 0, MEMORY_LENGTH, bvec, 2, &count));
	KUNIT_EXPECT_EQ(test, count, 2);
	KUNIT_EXPECT_NULL(test, bvec[2].bv_page);
	KUNIT_EXPECT_EQ(test, bvecs_of(&region, 0, 100, bvec, 0, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 0);
	KUNIT_EXPECT_EQ(test, bvecs_of(&region, 0, 0, bvec, BVECS, &count), 0);
	KUNIT_EXPECT_EQ(test, count, 0);
}

static void a_region_that_starts_within_the_region_is_shifted(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_region region = { &m->mr, MEMORY_START + 3 * PAGE_SIZE, PAGE_SIZE };
	struct bio_vec bvec[BVECS];
	unsigned int count;

	KUNIT_EXPECT_EQ(test, bvecs_of(&region, 8, 16, bvec, BVECS, &count), 16);
	KUNIT_EXPECT_EQ(test, count, 1);
	KUNIT_EXPECT_PTR_EQ(test, bvec[0].bv_page, m->pages[3]);
	KUNIT_EXPECT_EQ(test, bvec[0].bv_offset, MEMORY_OFFSET + 8);
}

static void a_large_block_is_one_element_at_any_offset(struct kunit *test)
{
	const unsigned int order = 4;
	const u64 size = PAGE_SIZE << order;
	struct page *pages = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
	struct svt_page_table *table;
	struct svt_mr mr = { };
	struct svt_region region = { &mr, 0x10000, 2 * size - 100 };
	struct bio_vec bvec[BVECS];
	unsigned int count;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	table = svt_page_table_alloc(2, PAGE_SHIFT + order, 100);
	KUNIT_ASSERT_NOT_NULL(test, table);
	svt_page_table_set(table, 0, page_to_phys(pages));
	svt_page_table_set(table, 1, page_to_phys(pages));
	rcu_assign_pointer(mr.table, table);
	mr.key.start = 0x10000;

	/* All of it, then from within the sixth page of the first block */
	KUNIT_EXPECT_EQ(test, 2 * size - 100,
			bvecs_of(&region, 0, 2 * size - 100, bvec, BVECS, &count));
	KUNIT_EXPECT_EQ(test, count, 2);
	KUNIT_EXPECT_EQ(test, bvec[0].bv_len, size - 100);
	KUNIT_EXPECT_EQ(test, bvec[1].bv_len, size);
	KUNIT_EXPECT_EQ(test, size,
			bvecs_of(&region, 5 * PAGE_SIZE, size, bvec, BVECS, &count));
	KUNIT_EXPECT_EQ(test, count, 2);
	KUNIT_EXPECT_PTR_EQ(test, bvec[0].bv_page, pages + 5);
	KUNIT_EXPECT_EQ(test, bvec[0].bv_offset, 100);
	KUNIT_EXPECT_EQ(test, bvec[0].bv_len, size - 5 * PAGE_SIZE - 100);
	svt_page_table_free(table);
	__free_pages(pages, order);
}

static void page_tables_reach_over_many_chunks(struct kunit *test)
{
	const u64 blocks = 3 * SVT_PAGES_PER_CHUNK + 1;
	struct page *page = alloc_page(GFP_KERNEL);
	struct svt_mr mr = { };
	struct svt_region region = { &mr, 0, blocks * PAGE_SIZE };
	struct svt_page_table *table;
	struct bio_vec bvec[BVECS];
	unsigned int count;
	u64 i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	table = svt_page_table_alloc(blocks, PAGE_SHIFT, 0);
	KUNIT_ASSERT_NOT_NULL(test, table);
	for (i = 0; i < blocks; i++)
		svt_page_table_set(table, i, page_to_phys(page));
	rcu_assign_pointer(mr.table, table);
	for (i = 0; i < blocks; i++) {
		KUNIT_EXPECT_EQ(test, 1,
				bvecs_of(&region, (i + 1) * PAGE_SIZE - 1, 1, bvec, 1, &count));
		KUNIT_EXPECT_PTR_EQ(test, bvec[0].bv_page, page);
		KUNIT_EXPECT_EQ(test, bvec[0].bv_offset, PAGE_SIZE - 1);
	}
	svt_page_table_free(table);
	__free_page(page);
}

static void a_page_table_that_makes_no_sense_is_refused(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc(0, PAGE_SHIFT, 0));
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc(1, PAGE_SHIFT - 1, 0));
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc(1, 31, 0));
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc(1, 63, 0));
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc(1, PAGE_SHIFT, PAGE_SIZE));
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc(U64_MAX, PAGE_SHIFT, 0));
	KUNIT_EXPECT_NULL(test, svt_page_table_alloc((SVT_MAX_REGION >> 21) + 2, 21, 0));
	svt_page_table_free(NULL);
}

static void the_longest_region_has_a_page_table(struct kunit *test)
{
	struct svt_page_table *table = svt_page_table_alloc((SVT_MAX_REGION >> 21) + 1, 21, 1);

	KUNIT_ASSERT_NOT_NULL(test, table);
	svt_page_table_free(table);
}

static void check_kernel_region(struct kunit *test, void *memory, u32 length)
{
	struct svt_mr mr = { };
	struct svt_region region = { &mr, (uintptr_t)memory, length };
	u8 *got = kunit_kmalloc(test, length, GFP_KERNEL);
	struct bio_vec bvec[BVECS];
	unsigned int count;

	KUNIT_ASSERT_NOT_NULL(test, got);
	get_random_bytes(memory, length);
	KUNIT_ASSERT_EQ(test, length - 10,
			bvecs_of(&region, 10, length - 10, bvec, BVECS, &count));
	read_bvecs(bvec, count, got);
	KUNIT_EXPECT_MEMEQ(test, got, (u8 *)memory + 10, length - 10);
}

static void a_dma_region_is_addressed_by_kernel_address(struct kunit *test)
{
	const u32 length = 3 * PAGE_SIZE + 123;
	void *linear = kunit_kmalloc(test, length, GFP_KERNEL);
	void *virt = vmalloc(length);

	KUNIT_ASSERT_NOT_NULL(test, linear);
	KUNIT_ASSERT_NOT_NULL(test, virt);
	check_kernel_region(test, linear, length);
	check_kernel_region(test, virt, length);
	vfree(virt);
}

static u64 *word(struct memory *m, u64 offset)
{
	return (u64 *)memory_byte(m, offset);
}

static int fetch_add(struct memory *m, u64 offset, u64 add, u64 *original)
{
	const struct svt_region region = { &m->mr, MEMORY_START + offset, 8 };
	int ret;

	rcu_read_lock();
	ret = svt_region_fetch_add(&region, add, original);
	rcu_read_unlock();
	return ret;
}

static int compare_swap(struct memory *m, u64 offset, u64 compare, u64 swap, u64 *original)
{
	const struct svt_region region = { &m->mr, MEMORY_START + offset, 8 };
	int ret;

	rcu_read_lock();
	ret = svt_region_compare_swap(&region, compare, swap, original);
	rcu_read_unlock();
	return ret;
}

static void fetch_and_add_adds_and_returns_what_was_there(struct kunit *test)
{
	struct memory *m = test->priv;
	u64 original;

	*word(m, 16) = U64_MAX - 1;
	KUNIT_ASSERT_EQ(test, fetch_add(m, 16, 5, &original), 0);
	KUNIT_EXPECT_EQ(test, original, U64_MAX - 1);
	KUNIT_EXPECT_EQ(test, *word(m, 16), 3);
	KUNIT_EXPECT_EQ(test, *word(m, 8), 0);
	KUNIT_EXPECT_EQ(test, *word(m, 24), 0);
}

static void compare_and_swap_swaps_only_what_compares(struct kunit *test)
{
	struct memory *m = test->priv;
	u64 original;

	*word(m, 0) = 10;
	KUNIT_ASSERT_EQ(test, compare_swap(m, 0, 11, 20, &original), 0);
	KUNIT_EXPECT_EQ(test, original, 10);
	KUNIT_EXPECT_EQ(test, *word(m, 0), 10);
	KUNIT_ASSERT_EQ(test, compare_swap(m, 0, 10, 20, &original), 0);
	KUNIT_EXPECT_EQ(test, original, 10);
	KUNIT_EXPECT_EQ(test, *word(m, 0), 20);
}

static void an_atomic_reaches_every_page(struct kunit *test)
{
	struct memory *m = test->priv;
	u64 offset, original;

	for (offset = 0; offset + 8 <= MEMORY_LENGTH; offset += 504) {
		KUNIT_ASSERT_EQ(test, fetch_add(m, offset, offset + 1, &original), 0);
		KUNIT_EXPECT_EQ(test, original, 0);
		KUNIT_EXPECT_EQ(test, *word(m, offset), offset + 1);
	}
}

static void an_atomic_on_an_unaligned_address_is_refused(struct kunit *test)
{
	struct memory *m = test->priv;
	u64 i, original = 77;

	for (i = 1; i < 8; i++) {
		KUNIT_EXPECT_EQ(test, fetch_add(m, i, 1, &original), -EINVAL);
		KUNIT_EXPECT_EQ(test, compare_swap(m, i, 0, 1, &original), -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, original, 77);
	KUNIT_EXPECT_EQ(test, *word(m, 0), 0);
	KUNIT_EXPECT_EQ(test, *word(m, 8), 0);
}

static void an_atomic_on_unaligned_memory_is_refused(struct kunit *test)
{
	struct memory *m = test->priv;
	u64 original;

	/* The address is a multiple of 8, the memory behind it is not */
	m->mr.key.start = MEMORY_START - 4;
	KUNIT_EXPECT_EQ(test, fetch_add(m, 0, 1, &original), -EINVAL);
}

static void an_atomic_on_less_than_8_bytes_is_refused(struct kunit *test)
{
	struct memory *m = test->priv;
	const struct svt_region region = { &m->mr, MEMORY_START, 7 };
	u64 original;

	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, svt_region_fetch_add(&region, 1, &original), -EINVAL);
	rcu_read_unlock();
}

static struct kunit_case region_cases[] = {
	KUNIT_CASE(any_part_of_a_region_is_where_its_bytes_are),
	KUNIT_CASE(a_block_gives_one_element),
	KUNIT_CASE(a_short_array_is_filled_and_the_rest_left),
	KUNIT_CASE(a_region_that_starts_within_the_region_is_shifted),
	KUNIT_CASE(a_large_block_is_one_element_at_any_offset),
	KUNIT_CASE(page_tables_reach_over_many_chunks),
	KUNIT_CASE(a_page_table_that_makes_no_sense_is_refused),
	KUNIT_CASE(the_longest_region_has_a_page_table),
	KUNIT_CASE(a_dma_region_is_addressed_by_kernel_address),
	KUNIT_CASE(fetch_and_add_adds_and_returns_what_was_there),
	KUNIT_CASE(compare_and_swap_swaps_only_what_compares),
	KUNIT_CASE(an_atomic_reaches_every_page),
	KUNIT_CASE(an_atomic_on_an_unaligned_address_is_refused),
	KUNIT_CASE(an_atomic_on_unaligned_memory_is_refused),
	KUNIT_CASE(an_atomic_on_less_than_8_bytes_is_refused),
	{ }
};

static struct kunit_suite region_suite = {
	.name = "svt-region",
	.init = region_test_init,
	.exit = region_test_exit,
	.test_cases = region_cases,
};

kunit_test_suite(region_suite);
