// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Regions for fast registration: what registers and invalidates them, and what passes when.
 */
#include "memory.h"

#define FAST_PAGES	4
#define FAST_START	(0x123450000ULL + 0x40)
#define FAST_LENGTH	(FAST_PAGES * PAGE_SIZE - 0x40)

struct fixture {
	struct memory memory;
	struct svt_mr mr;
	struct svt_fast_reg reg;
};

static int fast_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int ret;

	if (!f)
		return -ENOMEM;
	test->priv = f;
	ret = memory_init(&f->memory) ?: svt_fast_init(&f->mr, FAST_PAGES);
	if (ret)
		return ret;
	f->mr.key.type = SVT_KEY_REGION;
	f->mr.key.pd = &f->memory.pd;
	return svt_key_insert(&f->memory.keys, &f->mr.key);
}

static void fast_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	KUNIT_EXPECT_EQ(test, atomic_read(&f->mr.fast->users), 0);
	svt_key_remove(&f->memory.keys, &f->mr.key);
	svt_fast_free(&f->mr);
	memory_exit(&f->memory);
}

static int map_part(struct fixture *f, unsigned int page, u32 offset)
{
	return svt_fast_map_block(&f->mr, page_to_phys(f->memory.pages[page]) + offset);
}

static void map(struct kunit *test, unsigned int first, unsigned int pages)
{
	struct fixture *f = test->priv;
	unsigned int i;

	svt_fast_map_begin(&f->mr, PAGE_SIZE);
	for (i = 0; i < pages; i++)
		KUNIT_EXPECT_EQ(test, 0, map_part(f, first + i, 0));
	svt_fast_map_end(&f->mr);
}

/* Maps FAST_PAGES pages from @first on, and makes a request that is in order */
static struct fixture *setup(struct kunit *test, unsigned int first)
{
	struct fixture *f = test->priv;
	u32 key = f->mr.key.key;

	map(test, first, FAST_PAGES);
	f->reg = (struct svt_fast_reg) {
		.key = (key & ~0xff) | ((key + 1) & 0xff),
		.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE,
		.start = FAST_START,
		.length = FAST_LENGTH,
	};
	return f;
}

static int reg(struct fixture *f)
{
	return svt_fast_register(&f->memory.keys, &f->memory.pd, &f->reg);
}

static int invalidate(struct fixture *f, u32 key)
{
	return svt_key_invalidate(&f->memory.keys, &f->memory.pd, MEMORY_QPN, key);
}

static int use(struct fixture *f, u32 key, int access, struct svt_region *region)
{
	return memory_remote(&f->memory, &f->memory.pd, MEMORY_QPN, key, FAST_START, FAST_LENGTH,
			     access, region);
}

/* The page of the first byte of @region, or NULL when it can not be entered */
static struct page *page_of(const struct svt_region *region)
{
	struct bio_vec bvec = { };
	unsigned int count;

	rcu_read_lock();
	svt_region_bvec(region, 0, 8, &bvec, 1, &count);
	rcu_read_unlock();
	return bvec.bv_page;
}

static void nothing_passes_before_it_is_registered(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct svt_region region;

	KUNIT_EXPECT_EQ(test, use(f, f->mr.key.key, 0, &region), -EINVAL);
	KUNIT_EXPECT_EQ(test, use(f, f->reg.key, 0, &region), -EINVAL);
}

static void a_registration_lets_pass_what_it_says(struct kunit *test)
{
	struct fixture *f = setup(test, 1);
	u32 old = f->mr.key.key;
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, reg(f), 0);
	KUNIT_EXPECT_EQ(test, use(f, f->reg.key, IB_ACCESS_REMOTE_READ, &region), -EACCES);
	KUNIT_EXPECT_EQ(test, use(f, old, IB_ACCESS_REMOTE_WRITE, &region), -EINVAL);
	KUNIT_EXPECT_EQ(test, -EFAULT,
			memory_remote(&f->memory, &f->memory.pd, 1, f->reg.key, FAST_START,
				      FAST_LENGTH + 1, IB_ACCESS_REMOTE_WRITE, &region));
	KUNIT_EXPECT_EQ(test, -EACCES,
			memory_remote(&f->memory, &f->memory.other_pd, 1, f->reg.key, FAST_START,
				      8, IB_ACCESS_REMOTE_WRITE, &region));
	KUNIT_ASSERT_EQ(test, use(f, f->reg.key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_PTR_EQ(test, page_of(&region), f->memory.pages[1]);
	KUNIT_EXPECT_EQ(test, 0, memory_local(&f->memory, &f->memory.pd, f->reg.key, FAST_START, 8,
					      IB_ACCESS_LOCAL_WRITE, &region));
}

static void a_valid_region_is_not_registered_again(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	u32 key = f->reg.key;
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, reg(f), 0);
	setup(test, 2);
	KUNIT_EXPECT_EQ(test, reg(f), -EINVAL);
	KUNIT_ASSERT_EQ(test, use(f, key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_PTR_EQ(test, page_of(&region), f->memory.pages[0]);
	KUNIT_ASSERT_EQ(test, invalidate(f, key), 0);
	/* What was mapped meanwhile is there */
	KUNIT_ASSERT_EQ(test, reg(f), 0);
	KUNIT_ASSERT_EQ(test, use(f, f->reg.key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_PTR_EQ(test, page_of(&region), f->memory.pages[2]);
}

static void a_registration_needs_what_is_mapped(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	f->reg.length++;
	KUNIT_EXPECT_EQ(test, reg(f), -EFAULT);
	f->reg.length = 0;
	KUNIT_EXPECT_EQ(test, reg(f), -EFAULT);
	f->reg.length = U64_MAX;
	KUNIT_EXPECT_EQ(test, reg(f), -EFAULT);
	f->reg.length = FAST_LENGTH;
	map(test, 0, FAST_PAGES - 1);
	KUNIT_EXPECT_EQ(test, reg(f), -EFAULT);
	map(test, 0, 0);
	KUNIT_EXPECT_EQ(test, reg(f), -EFAULT);
}

static void what_is_mapped_has_its_limits(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	svt_fast_map_begin(&f->mr, PAGE_SIZE);
	while (f->mr.fast->mapped < FAST_PAGES)
		KUNIT_EXPECT_EQ(test, 0, map_part(f, 0, 0));
	KUNIT_EXPECT_EQ(test, map_part(f, 0, 0), -ENOMEM);
	svt_fast_map_end(&f->mr);
	KUNIT_EXPECT_FALSE(test, svt_is_block_size(SZ_2K));
	KUNIT_EXPECT_TRUE(test, svt_is_block_size(SZ_4K));
	KUNIT_EXPECT_FALSE(test, svt_is_block_size(PAGE_SIZE + 512));
	KUNIT_EXPECT_TRUE(test, svt_is_block_size(2 * PAGE_SIZE));
}

static void expect_piece(struct kunit *test, const struct bio_vec *bvec, const struct page *page,
			 u32 offset, u32 length)
{
	KUNIT_EXPECT_PTR_EQ(test, bvec->bv_page, page);
	KUNIT_EXPECT_EQ(test, bvec->bv_offset, offset);
	KUNIT_EXPECT_EQ(test, bvec->bv_len, length);
}

/* As with blocks of 4 KiB where a page is larger. They come from pages in any order. */
static void a_block_may_be_a_part_of_a_page(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct page **pages = f->memory.pages;
	const u32 size = PAGE_SIZE / 4, skipped = FAST_START % size;
	struct svt_region region;
	struct bio_vec bvec[3];
	unsigned int count;

	svt_fast_map_begin(&f->mr, size);
	KUNIT_EXPECT_EQ(test, 0, map_part(f, 2, 3 * size));
	KUNIT_EXPECT_EQ(test, 0, map_part(f, 2, 0));
	KUNIT_EXPECT_EQ(test, 0, map_part(f, 0, size));
	svt_fast_map_end(&f->mr);
	f->reg.length = 3 * size - skipped + 1;
	KUNIT_EXPECT_EQ(test, reg(f), -EFAULT);
	f->reg.length--;
	KUNIT_ASSERT_EQ(test, reg(f), 0);

	KUNIT_ASSERT_EQ(test, 0, memory_remote(&f->memory, &f->memory.pd, MEMORY_QPN, f->reg.key,
					       FAST_START, f->reg.length, IB_ACCESS_REMOTE_WRITE,
					       &region));
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, f->reg.length, svt_region_bvec(&region, 0, f->reg.length, bvec,
							     ARRAY_SIZE(bvec), &count));
	KUNIT_EXPECT_EQ(test, count, 3);
	expect_piece(test, &bvec[0], pages[2], 3 * size + skipped, size - skipped);
	expect_piece(test, &bvec[1], pages[2], 0, size);
	expect_piece(test, &bvec[2], pages[0], size, size);
	/* One byte in front of the end of the second, and all behind that is asked for */
	KUNIT_EXPECT_EQ(test, 1, svt_region_page(&region, 2 * size - skipped - 1, size, bvec));
	expect_piece(test, &bvec[0], pages[2], size - 1, 1);
	rcu_read_unlock();
}

/* Registers, and looks which page is the first; the region is valid then */
static void registered_is(struct kunit *test, unsigned int first)
{
	struct fixture *f = test->priv;
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, reg(f), 0);
	KUNIT_ASSERT_EQ(test, use(f, f->reg.key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_PTR_EQ(test, page_of(&region), f->memory.pages[first]);
}

/* The same again and again, without being mapped; the region is not valid then */
static void registered_stays(struct kunit *test, unsigned int first)
{
	struct fixture *f = test->priv;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		registered_is(test, first);
		KUNIT_ASSERT_EQ(test, invalidate(f, f->reg.key), 0);
	}
}

static void what_is_mapped_stays_with_the_region(struct kunit *test)
{
	setup(test, 0);
	registered_stays(test, 0);
	setup(test, 2);
	registered_stays(test, 2);
}

/* A client maps for the next registration while the one before is posted still */
static void a_registration_takes_what_was_mapped_last(struct kunit *test)
{
	setup(test, 0);
	setup(test, 2);
	registered_stays(test, 2);
}

/* Nor does what is mapped beside change what is valid */
static void what_is_valid_stays_while_others_are_mapped(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct svt_region region;
	u32 key = f->reg.key;

	registered_is(test, 0);
	setup(test, 1);
	setup(test, 2);
	KUNIT_ASSERT_EQ(test, use(f, key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_PTR_EQ(test, page_of(&region), f->memory.pages[0]);
}

static void a_registration_that_is_not_allowed_is_refused(struct kunit *test)
{
	struct fixture *f = setup(test, 0);

	KUNIT_EXPECT_EQ(test, -EACCES, svt_fast_register(&f->memory.keys, &f->memory.other_pd,
							 &f->reg));
	f->reg.access = IB_ACCESS_REMOTE_WRITE;
	KUNIT_EXPECT_EQ(test, reg(f), -EINVAL);
	f->reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND;
	KUNIT_EXPECT_EQ(test, reg(f), -EINVAL);
	f->reg.access = IB_ACCESS_REMOTE_READ;
	f->reg.key = f->memory.mr.key.key;
	KUNIT_EXPECT_EQ(test, reg(f), -EINVAL);
	f->reg.key = 0;
	KUNIT_EXPECT_EQ(test, reg(f), -EINVAL);
}

static void only_its_key_and_domain_invalidate_it(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, reg(f), 0);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->reg.key ^ 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, -EACCES, svt_key_invalidate(&f->memory.keys, &f->memory.other_pd,
							  MEMORY_QPN, f->reg.key));
	KUNIT_EXPECT_EQ(test, use(f, f->reg.key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->reg.key), 0);
	KUNIT_EXPECT_EQ(test, use(f, f->reg.key, IB_ACCESS_REMOTE_WRITE, &region), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->reg.key), -EALREADY);
}

/* Who looked it up before has nothing of it, nor of what has the same key next */
static void a_look_up_ends_with_its_registration(struct kunit *test)
{
	struct fixture *f = setup(test, 0);
	struct svt_region region;
	u32 key = f->reg.key;

	KUNIT_ASSERT_EQ(test, reg(f), 0);
	KUNIT_ASSERT_EQ(test, use(f, key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_ASSERT_EQ(test, invalidate(f, key), 0);
	KUNIT_EXPECT_NULL(test, page_of(&region));
	KUNIT_EXPECT_FALSE(test, svt_region_enter(&region));
	setup(test, 2);
	f->reg.key = key;
	KUNIT_ASSERT_EQ(test, reg(f), 0);
	KUNIT_EXPECT_NULL(test, page_of(&region));
	KUNIT_ASSERT_EQ(test, use(f, key, IB_ACCESS_REMOTE_WRITE, &region), 0);
	KUNIT_EXPECT_PTR_EQ(test, page_of(&region), f->memory.pages[2]);
}

static struct kunit_case fast_cases[] = {
	KUNIT_CASE(nothing_passes_before_it_is_registered),
	KUNIT_CASE(a_registration_lets_pass_what_it_says),
	KUNIT_CASE(a_valid_region_is_not_registered_again),
	KUNIT_CASE(a_registration_needs_what_is_mapped),
	KUNIT_CASE(what_is_mapped_has_its_limits),
	KUNIT_CASE(a_block_may_be_a_part_of_a_page),
	KUNIT_CASE(what_is_mapped_stays_with_the_region),
	KUNIT_CASE(a_registration_takes_what_was_mapped_last),
	KUNIT_CASE(what_is_valid_stays_while_others_are_mapped),
	KUNIT_CASE(a_registration_that_is_not_allowed_is_refused),
	KUNIT_CASE(only_its_key_and_domain_invalidate_it),
	KUNIT_CASE(a_look_up_ends_with_its_registration),
	{}
};

static struct kunit_suite fast_suite = {
	.name = "svt-fast",
	.init = fast_test_init,
	.exit = fast_test_exit,
	.test_cases = fast_cases,
};

kunit_test_suite(fast_suite);
