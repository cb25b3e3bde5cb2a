// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keys and access checks.
 */
#include <linux/limits.h>
#include <linux/random.h>

#include "memory.h"

static int keys_test_init(struct kunit *test)
{
	struct memory *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	test->priv = m;
	return memory_init(m);
}

static void keys_test_exit(struct kunit *test)
{
	memory_exit(test->priv);
}

static int local(struct memory *m, u64 addr, u32 length, int access)
{
	struct svt_region region;

	return memory_local(m, &m->pd, m->mr.key.key, addr, length, access, &region);
}

static int remote(struct memory *m, u64 addr, u64 length, int access)
{
	struct svt_region region;

	return memory_remote(m, &m->pd, MEMORY_QPN, m->mr.key.key, addr, length, access, &region);
}

static int remote_key(struct memory *m, u32 key)
{
	struct svt_region region;

	return memory_remote(m, &m->pd, MEMORY_QPN, key, MEMORY_START, 1, IB_ACCESS_REMOTE_READ,
			     &region);
}

static void keys_are_never_0_and_never_twice_the_same_index(struct kunit *test)
{
	struct memory *m = test->priv;
	const unsigned int count = 2000;
	struct svt_key *keys;
	unsigned int i, same_tag = 0;

	keys = kunit_kcalloc(test, count, sizeof(*keys), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, keys);
	for (i = 0; i < count; i++) {
		KUNIT_ASSERT_EQ(test, svt_key_insert(&m->keys, &keys[i]), 0);
		KUNIT_EXPECT_NE(test, keys[i].index, 0);
		KUNIT_EXPECT_EQ(test, keys[i].index, keys[i].key >> 8);
		same_tag += i && (keys[i].key & 0xff) == (keys[i - 1].key & 0xff);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&m->keys.count), count + 1);
	/* Tags are random too: 8 in 2000 are expected */
	KUNIT_EXPECT_LT(test, same_tag, 100);
	for (i = 0; i < count; i++)
		svt_key_remove(&m->keys, &keys[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&m->keys.count), 1);
}

/* 8 random bits over a counter would let a stranger guess the key of another */
static void keys_are_random_over_their_full_width(struct kunit *test)
{
	struct memory *m = test->priv;
	u32 set = 0, clear = 0, steps = 0, last = m->mr.key.key;
	int i;

	for (i = 0; i < 64; i++) {
		struct svt_key key = { };

		KUNIT_ASSERT_EQ(test, svt_key_insert(&m->keys, &key), 0);
		set |= key.key;
		clear |= ~key.key;
		steps |= key.key - last;
		last = key.key;
		svt_key_remove(&m->keys, &key);
	}
	/* Each bit is the same in 64 keys once in 2^63 */
	KUNIT_EXPECT_EQ(test, set, U32_MAX);
	KUNIT_EXPECT_EQ(test, clear, U32_MAX);
	KUNIT_EXPECT_EQ(test, steps, U32_MAX);
}

static void a_key_is_found_until_it_is_removed(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_mr mr = { };

	mr.key = m->mr.key;
	KUNIT_ASSERT_EQ(test, svt_key_insert(&m->keys, &mr.key), 0);
	KUNIT_EXPECT_EQ(test, remote_key(m, mr.key.key), 0);
	svt_key_remove(&m->keys, &mr.key);
	KUNIT_EXPECT_EQ(test, remote_key(m, mr.key.key), -EINVAL);
	KUNIT_EXPECT_FALSE(test, mr.key.valid);
}

static void every_bit_of_a_key_counts(struct kunit *test)
{
	struct memory *m = test->priv;
	unsigned int bit;

	KUNIT_EXPECT_EQ(test, remote_key(m, m->mr.key.key), 0);
	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ(test, remote_key(m, m->mr.key.key ^ BIT(bit)), -EINVAL);
	KUNIT_EXPECT_EQ(test, remote_key(m, 0), -EINVAL);
}

static void a_disabled_key_lets_nothing_pass(struct kunit *test)
{
	struct memory *m = test->priv;

	svt_key_disable(&m->mr.key);
	KUNIT_EXPECT_EQ(test, local(m, MEMORY_START, 1, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, remote(m, MEMORY_START, 1, IB_ACCESS_REMOTE_READ), -EINVAL);
	svt_key_enable(&m->mr.key);
	KUNIT_EXPECT_EQ(test, local(m, MEMORY_START, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, remote(m, MEMORY_START, 1, IB_ACCESS_REMOTE_READ), 0);
}

static void another_protection_domain_is_refused(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_region region;

	KUNIT_EXPECT_EQ(test, -EACCES,
			memory_local(m, &m->other_pd, m->mr.key.key, MEMORY_START, 1, 0, &region));
	KUNIT_EXPECT_EQ(test, -EACCES,
			memory_remote(m, &m->other_pd, MEMORY_QPN, m->mr.key.key, MEMORY_START, 1,
				      IB_ACCESS_REMOTE_READ, &region));
}

static int again(struct memory *m, const struct ib_pd *pd, u32 key, u64 addr,
		 struct svt_region *region)
{
	const struct svt_sge sge = { .addr = addr, .length = 1, .lkey = key };
	struct svt_region copy = *region;
	int ret, remote;

	rcu_read_lock();
	ret = svt_region_local(&m->keys, pd, &sge, 0, region);
	remote = svt_region_remote(&m->keys, pd, MEMORY_QPN, key, addr, 1,
				   IB_ACCESS_REMOTE_READ, &copy);
	rcu_read_unlock();
	return ret == remote ? ret : -EPROTO;
}

static void what_a_look_up_found_is_checked_in_the_next_as_if_it_were_new(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_key *key = &m->mr.key;
	struct svt_region region = {};

	KUNIT_ASSERT_EQ(test, again(m, &m->pd, key->key, MEMORY_START, &region), 0);
	KUNIT_ASSERT_PTR_EQ(test, region.mr, &m->mr);
	KUNIT_EXPECT_EQ(test, again(m, &m->pd, key->key, MEMORY_START + 7, &region), 0);
	KUNIT_EXPECT_EQ(test, region.addr, MEMORY_START + 7);
	KUNIT_EXPECT_EQ(test, again(m, &m->pd, key->key ^ 1, MEMORY_START, &region), -EINVAL);
	KUNIT_EXPECT_EQ(test, again(m, &m->other_pd, key->key, MEMORY_START, &region), -EACCES);
	KUNIT_EXPECT_EQ(test, again(m, &m->pd, key->key, MEMORY_START - 1, &region), -EFAULT);
	key->access = 0;
	KUNIT_EXPECT_EQ(test, svt_region_remote(&m->keys, &m->pd, MEMORY_QPN, key->key,
						MEMORY_START, 1, IB_ACCESS_REMOTE_READ, &region),
			-EACCES);
	key->valid = false;
	KUNIT_EXPECT_EQ(test, again(m, &m->pd, key->key, MEMORY_START, &region), -EINVAL);
}

static void only_what_the_region_allows_is_allowed(struct kunit *test)
{
	static const int kinds[] = {
		IB_ACCESS_REMOTE_READ, IB_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_ATOMIC,
	};
	struct memory *m = test->priv;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		m->mr.key.access = kinds[i];
		KUNIT_EXPECT_EQ(test, local(m, MEMORY_START, 1, 0), 0);
		KUNIT_EXPECT_EQ(test, local(m, MEMORY_START, 1, IB_ACCESS_LOCAL_WRITE), -EACCES);
		for (j = 0; j < ARRAY_SIZE(kinds); j++)
			KUNIT_EXPECT_EQ(test, remote(m, MEMORY_START, 1, kinds[j]),
					i == j ? 0 : -EACCES);
	}
	m->mr.key.access = IB_ACCESS_LOCAL_WRITE;
	KUNIT_EXPECT_EQ(test, local(m, MEMORY_START, 1, IB_ACCESS_LOCAL_WRITE), 0);
	KUNIT_EXPECT_EQ(test, remote(m, MEMORY_START, 1, IB_ACCESS_REMOTE_WRITE), -EACCES);
}

static void an_access_within_the_region_passes_and_says_where(struct kunit *test)
{
	struct memory *m = test->priv;
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, 0, memory_remote(m, &m->pd, MEMORY_QPN, m->mr.key.key,
					       MEMORY_START + 5, 77, IB_ACCESS_REMOTE_WRITE,
					       &region));
	KUNIT_EXPECT_PTR_EQ(test, region.mr, &m->mr);
	KUNIT_EXPECT_EQ(test, region.addr, MEMORY_START + 5);
	KUNIT_EXPECT_EQ(test, region.length, 77);
}

static void expect_both(struct kunit *test, u64 addr, u64 length, int expected)
{
	struct memory *m = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, remote(m, addr, length, IB_ACCESS_REMOTE_WRITE), expected,
			    "0x%llx bytes at 0x%llx", length, addr);
	if (length <= U32_MAX)
		KUNIT_EXPECT_EQ_MSG(test, local(m, addr, length, IB_ACCESS_LOCAL_WRITE), expected,
				    "0x%llx bytes at 0x%llx", length, addr);
}

static void the_edges_of_a_region_are_exact(struct kunit *test)
{
	const u64 end = MEMORY_START + MEMORY_LENGTH;

	expect_both(test, MEMORY_START, MEMORY_LENGTH, 0);
	expect_both(test, MEMORY_START, 1, 0);
	expect_both(test, end - 1, 1, 0);
	expect_both(test, MEMORY_START - 1, 1, -EFAULT);
	expect_both(test, MEMORY_START - 1, 2, -EFAULT);
	expect_both(test, MEMORY_START, MEMORY_LENGTH + 1, -EFAULT);
	expect_both(test, MEMORY_START + 1, MEMORY_LENGTH, -EFAULT);
	expect_both(test, end, 1, -EFAULT);
	expect_both(test, end - 1, 2, -EFAULT);
	expect_both(test, 0, 1, -EFAULT);
}

static void an_access_of_0_bytes_has_to_be_within_too(struct kunit *test)
{
	expect_both(test, MEMORY_START, 0, 0);
	expect_both(test, MEMORY_START + MEMORY_LENGTH, 0, 0);
	expect_both(test, MEMORY_START + MEMORY_LENGTH + 1, 0, -EFAULT);
	expect_both(test, MEMORY_START - 1, 0, -EFAULT);
}

static void addresses_that_wrap_are_refused(struct kunit *test)
{
	struct memory *m = test->priv;

	expect_both(test, MEMORY_START, U64_MAX, -EFAULT);
	expect_both(test, MEMORY_START + 8, -8ULL, -EFAULT);
	expect_both(test, MEMORY_START + 8, 1 - (MEMORY_START + 8), -EFAULT);
	expect_both(test, U64_MAX, 1, -EFAULT);
	expect_both(test, U64_MAX, 2, -EFAULT);
	expect_both(test, -0x1000ULL, 0x1001, -EFAULT);

	/* A region at the very end of the address space */
	m->mr.key.start = -MEMORY_LENGTH - 1ULL;
	expect_both(test, m->mr.key.start, MEMORY_LENGTH, 0);
	expect_both(test, U64_MAX - 1, 1, 0);
	expect_both(test, U64_MAX - 1, 2, -EFAULT);
	expect_both(test, U64_MAX - 1, 3, -EFAULT);
	expect_both(test, U64_MAX, 1, -EFAULT);
}

static void the_range_check_agrees_with_wide_arithmetic(struct kunit *test)
{
	struct memory *m = test->priv;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		/* Near the edges, where it matters */
		u64 addr = MEMORY_START - MEMORY_LENGTH / 2 +
			   get_random_u32_below(2 * MEMORY_LENGTH);
		u64 length = get_random_u32_below(2 * MEMORY_LENGTH);
		__int128 first = addr, end = first + length;
		bool within = first >= MEMORY_START && end <= MEMORY_START + MEMORY_LENGTH;

		KUNIT_ASSERT_EQ(test, remote(m, addr, length, IB_ACCESS_REMOTE_READ),
				within ? 0 : -EFAULT);
	}
}

static void a_region_of_all_memory_allows_any_address(struct kunit *test)
{
	struct memory *m = test->priv;

	m->mr.key.start = 0;
	m->mr.key.length = U64_MAX;
	expect_both(test, 0, 1, 0);
	expect_both(test, U64_MAX - 1, 1, 0);
	expect_both(test, 0xffff888000000000ULL, 0x80000000, 0);
	expect_both(test, U64_MAX - 1, 2, -EFAULT);
}

static struct kunit_case keys_cases[] = {
	KUNIT_CASE(keys_are_never_0_and_never_twice_the_same_index),
	KUNIT_CASE(keys_are_random_over_their_full_width),
	KUNIT_CASE(a_key_is_found_until_it_is_removed),
	KUNIT_CASE(every_bit_of_a_key_counts),
	KUNIT_CASE(a_disabled_key_lets_nothing_pass),
	KUNIT_CASE(another_protection_domain_is_refused),
	KUNIT_CASE(what_a_look_up_found_is_checked_in_the_next_as_if_it_were_new),
	KUNIT_CASE(only_what_the_region_allows_is_allowed),
	KUNIT_CASE(an_access_within_the_region_passes_and_says_where),
	KUNIT_CASE(the_edges_of_a_region_are_exact),
	KUNIT_CASE(an_access_of_0_bytes_has_to_be_within_too),
	KUNIT_CASE(addresses_that_wrap_are_refused),
	KUNIT_CASE(the_range_check_agrees_with_wide_arithmetic),
	KUNIT_CASE(a_region_of_all_memory_allows_any_address),
	{ }
};

static struct kunit_suite keys_suite = {
	.name = "svt-keys",
	.init = keys_test_init,
	.exit = keys_test_exit,
	.test_cases = keys_cases,
};

kunit_test_suite(keys_suite);
