// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows of type 1 and 2: bind, rebind, invalidate, and what they keep from happening.
 */
#include <linux/hrtimer.h>

#include "memory.h"

#define WINDOW_OFFSET	0x1000ULL
#define WINDOW_LENGTH	0x800ULL

struct fixture {
	struct memory memory;
	struct svt_mw mw;
	struct svt_mw_bind bind;
	struct svt_mw_owner owner;
	struct hrtimer timer;
	struct svt_region region;
	bool left;
};

static int window_test_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int ret;

	if (!f)
		return -ENOMEM;
	test->priv = f;
	ret = memory_init(&f->memory);
	if (ret)
		return ret;
	svt_mw_owner_init(&f->owner);
	spin_lock_init(&f->mw.lock);
	f->mw.key.type = SVT_KEY_WINDOW;
	f->mw.key.pd = &f->memory.pd;
	return svt_key_insert(&f->memory.keys, &f->mw.key);
}

static void window_test_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	svt_mw_retire(&f->mw);
	svt_key_remove(&f->memory.keys, &f->mw.key);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->memory.mr.windows), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&f->owner.windows));
	memory_exit(&f->memory);
}

/* A request that is in order: the tag goes up by one, as ibv_inc_rkey() does */
static struct fixture *setup(struct kunit *test, enum ib_mw_type type)
{
	struct fixture *f = test->priv;
	u32 key = f->mw.key.key;

	f->mw.ibmw.type = type;
	f->bind = (struct svt_mw_bind) {
		.mw_rkey = key,
		.new_rkey = (key & ~0xff) | ((key + 1) & 0xff),
		.mr_lkey = f->memory.mr.key.key,
		.addr = MEMORY_START + WINDOW_OFFSET,
		.length = WINDOW_LENGTH,
		.access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ,
		.qpn = MEMORY_QPN,
		.owner = &f->owner,
	};
	return f;
}

static int bind(struct fixture *f)
{
	u32 rkey;

	return svt_mw_bind(&f->memory.keys, &f->memory.pd, &f->bind, &rkey);
}

static int use_of(struct fixture *f, u32 qpn, u32 rkey, u64 addr, u64 length, int access)
{
	struct svt_region region;

	return memory_remote(&f->memory, &f->memory.pd, qpn, rkey, addr, length, access, &region);
}

static int use(struct fixture *f, u32 rkey)
{
	return use_of(f, MEMORY_QPN, rkey, MEMORY_START + WINDOW_OFFSET, WINDOW_LENGTH,
		      IB_ACCESS_REMOTE_WRITE);
}

static int invalidate(struct fixture *f, u32 rkey)
{
	return svt_key_invalidate(&f->memory.keys, &f->memory.pd, MEMORY_QPN, rkey);
}

/* Refused, and nothing is bound that was not */
static void expect_refused(struct kunit *test, int expected)
{
	struct fixture *f = test->priv;
	int windows = atomic_read(&f->memory.mr.windows);
	u32 key = f->mw.key.key;

	KUNIT_EXPECT_EQ(test, bind(f), expected);
	KUNIT_EXPECT_EQ(test, f->mw.key.key, key);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->memory.mr.windows), windows);
}

static void a_window_that_is_not_bound_lets_nothing_pass(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	KUNIT_EXPECT_EQ(test, use(f, f->mw.key.key), -EINVAL);
}

static void a_bound_window_lets_pass_what_is_within(struct kunit *test)
{
	const u64 start = MEMORY_START + WINDOW_OFFSET;
	const int write = IB_ACCESS_REMOTE_WRITE;
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	u32 rkey = f->bind.new_rkey;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, use(f, rkey), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, start + WINDOW_LENGTH - 1, 1, write), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, start - 1, 1, write), -EFAULT);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, start + WINDOW_LENGTH, 1, write),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, start, WINDOW_LENGTH + 1, write),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, start + 1, -1ULL, write), -EFAULT);
}

static void a_bound_window_allows_what_it_was_bound_for(struct kunit *test)
{
	const u64 start = MEMORY_START + WINDOW_OFFSET;
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	u32 rkey = f->bind.new_rkey;

	f->bind.access = IB_ACCESS_REMOTE_READ;
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, 1, rkey, start, 8, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, 1, rkey, start, 8, IB_ACCESS_REMOTE_WRITE), -EACCES);
	KUNIT_EXPECT_EQ(test, use_of(f, 1, rkey, start, 8, IB_ACCESS_REMOTE_ATOMIC), -EACCES);
}

static void a_window_has_no_lkey(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			memory_local(&f->memory, &f->memory.pd, f->mw.key.key,
				     MEMORY_START + WINDOW_OFFSET, 1, 0, &region));
}

static void addresses_of_a_window_are_those_of_its_region(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_ASSERT_EQ(test, 0,
			memory_remote(&f->memory, &f->memory.pd, 1, f->mw.key.key,
				      MEMORY_START + WINDOW_OFFSET + 5, 7, IB_ACCESS_REMOTE_READ,
				      &region));
	KUNIT_EXPECT_PTR_EQ(test, region.mr, &f->memory.mr);
	KUNIT_EXPECT_EQ(test, region.addr, MEMORY_START + WINDOW_OFFSET + 5);
	KUNIT_EXPECT_EQ(test, region.length, 7);
}

static void addresses_of_a_zero_based_window_start_at_0(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	u32 rkey = f->bind.new_rkey;
	struct svt_region region;

	f->bind.access |= IB_ZERO_BASED;
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_ASSERT_EQ(test, 0,
			memory_remote(&f->memory, &f->memory.pd, MEMORY_QPN, rkey, 5, 7,
				      IB_ACCESS_REMOTE_READ, &region));
	KUNIT_EXPECT_EQ(test, region.addr, MEMORY_START + WINDOW_OFFSET + 5);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, WINDOW_LENGTH, 1, IB_ACCESS_REMOTE_READ),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, use(f, rkey), -EFAULT);
}

static void a_bind_changes_the_key_to_the_one_that_is_asked_for(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	u32 rkey, old = f->mw.key.key;

	KUNIT_ASSERT_EQ(test, 0, svt_mw_bind(&f->memory.keys, &f->memory.pd, &f->bind, &rkey));
	KUNIT_EXPECT_EQ(test, rkey, f->bind.new_rkey);
	KUNIT_EXPECT_EQ(test, f->mw.key.key, rkey);
	KUNIT_EXPECT_EQ(test, use(f, rkey), 0);
	KUNIT_EXPECT_EQ(test, use(f, old), -EINVAL);
}

static void a_new_key_of_another_window_is_refused(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	f->bind.new_rkey ^= 0x100;
	expect_refused(test, -EINVAL);
	setup(test, IB_MW_TYPE_1);
	f->bind.new_rkey ^= 0x80000000;
	expect_refused(test, -EINVAL);
}

static void type_1_may_leave_the_choice_of_the_key(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	unsigned int i;
	u32 rkey, old;

	f->bind.new_rkey = 0;
	for (i = 0; i < 1000; i++) {
		old = f->mw.key.key;
		KUNIT_ASSERT_EQ(test, 0,
				svt_mw_bind(&f->memory.keys, &f->memory.pd, &f->bind, &rkey));
		KUNIT_EXPECT_NE(test, rkey, old);
		KUNIT_EXPECT_EQ(test, rkey >> 8, old >> 8);
		KUNIT_EXPECT_EQ(test, use(f, rkey), 0);
		KUNIT_EXPECT_EQ(test, use(f, old), -EINVAL);
	}
}

static void type_2_needs_a_new_key(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	f->bind.new_rkey = 0;
	expect_refused(test, -EINVAL);
}

static void a_window_is_found_by_the_upper_bits_of_any_of_its_keys(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	/* After a bind that failed user space does not know the lowest byte */
	f->bind.mw_rkey ^= 0x55;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
	setup(test, IB_MW_TYPE_1);
	f->bind.mw_rkey ^= 0x55;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
	f->bind.mw_rkey ^= 0x100;
	expect_refused(test, -EINVAL);
}

static void type_1_can_be_bound_again(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	const u64 first = f->bind.addr;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	setup(test, IB_MW_TYPE_1);
	f->bind.addr += 0x2000;
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->memory.mr.windows), 1);
	KUNIT_EXPECT_EQ(test, use_of(f, 1, f->bind.new_rkey, first + 0x2000, 8,
				     IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, 1, f->bind.new_rkey, first, 8, IB_ACCESS_REMOTE_READ),
			-EFAULT);
}

static void type_2_can_not_be_bound_again_before_it_is_invalidated(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	u32 rkey = f->bind.new_rkey;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	setup(test, IB_MW_TYPE_2);
	expect_refused(test, -EINVAL);
	KUNIT_EXPECT_EQ(test, use(f, rkey), 0);
	KUNIT_ASSERT_EQ(test, invalidate(f, rkey), 0);
	KUNIT_EXPECT_EQ(test, bind(f), 0);
}

static void a_bind_to_0_bytes_unbinds_type_1(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	u32 rkey = f->bind.new_rkey;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	setup(test, IB_MW_TYPE_1);
	f->bind.length = 0;
	f->bind.mr_lkey = 0;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, use(f, rkey), -EINVAL);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->memory.mr.windows), 0);
}

static void a_bind_to_0_bytes_is_refused_for_type_2(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	f->bind.length = 0;
	expect_refused(test, -EINVAL);
}

static void type_2_is_for_one_qp_and_type_1_for_any(struct kunit *test)
{
	const u64 start = MEMORY_START + WINDOW_OFFSET;
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	u32 rkey = f->bind.new_rkey;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN, rkey, start, 8, IB_ACCESS_REMOTE_READ), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN + 1, rkey, start, 8, IB_ACCESS_REMOTE_READ),
			-EACCES);
	KUNIT_ASSERT_EQ(test, invalidate(f, rkey), 0);

	setup(test, IB_MW_TYPE_1);
	rkey = f->bind.new_rkey;
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, use_of(f, MEMORY_QPN + 1, rkey, start, 8, IB_ACCESS_REMOTE_READ), 0);
}

static void window_and_region_have_to_be_of_the_qps_protection_domain(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	u32 rkey;

	f->memory.mr.key.pd = &f->memory.other_pd;
	expect_refused(test, -EACCES);
	KUNIT_EXPECT_EQ(test, -EACCES, svt_mw_bind(&f->memory.keys, &f->memory.other_pd, &f->bind,
						   &rkey));
	f->memory.mr.key.pd = &f->memory.pd;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
}

static void another_protection_domain_can_not_use_a_window(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, -EACCES,
			memory_remote(&f->memory, &f->memory.other_pd, MEMORY_QPN,
				      f->bind.new_rkey, f->bind.addr, 8, IB_ACCESS_REMOTE_READ,
				      &region));
}

static void a_region_has_to_allow_windows(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	f->memory.mr.key.access &= ~IB_ACCESS_MW_BIND;
	expect_refused(test, -EACCES);
}

static void a_window_that_changes_memory_needs_a_region_that_may(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	f->memory.mr.key.access = IB_ACCESS_MW_BIND;
	expect_refused(test, -EACCES);
	f->bind.access = IB_ACCESS_REMOTE_ATOMIC;
	expect_refused(test, -EACCES);
	f->bind.access = IB_ACCESS_REMOTE_READ;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
}

static void flags_that_mean_nothing_for_a_window_are_ignored(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	f->bind.access |= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_RELAXED_ORDERING;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
}

static void unknown_access_flags_are_refused(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	f->bind.access |= IB_ACCESS_ON_DEMAND;
	expect_refused(test, -EINVAL);
	f->bind.access = IB_ACCESS_REMOTE_READ | BIT(30);
	expect_refused(test, -EINVAL);
}

static void a_window_has_to_be_within_its_region(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	f->bind.addr = MEMORY_START - 1;
	expect_refused(test, -EFAULT);
	f->bind.addr = MEMORY_START;
	f->bind.length = MEMORY_LENGTH + 1;
	expect_refused(test, -EFAULT);
	f->bind.length = -1ULL;
	expect_refused(test, -EFAULT);
	f->bind.addr = MEMORY_START + 8;
	f->bind.length = -8ULL;
	expect_refused(test, -EFAULT);
	f->bind.addr = MEMORY_START;
	f->bind.length = MEMORY_LENGTH;
	KUNIT_EXPECT_EQ(test, bind(f), 0);
}

static void keys_of_the_wrong_kind_are_refused(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	f->bind.mr_lkey = f->mw.key.key;
	expect_refused(test, -EINVAL);
	setup(test, IB_MW_TYPE_1);
	f->bind.mw_rkey = f->memory.mr.key.key;
	expect_refused(test, -EINVAL);
	f->bind.mw_rkey = 0;
	expect_refused(test, -EINVAL);
}

static void a_region_with_windows_can_not_be_claimed(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, svt_mr_claim(&f->memory.mr), -EBUSY);
	KUNIT_ASSERT_EQ(test, invalidate(f, f->bind.new_rkey), 0);
	KUNIT_EXPECT_EQ(test, svt_mr_claim(&f->memory.mr), 0);
	svt_mr_unclaim(&f->memory.mr);
}

static void a_claimed_region_takes_no_window(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	KUNIT_ASSERT_EQ(test, svt_mr_claim(&f->memory.mr), 0);
	KUNIT_EXPECT_EQ(test, svt_mr_claim(&f->memory.mr), -EBUSY);
	expect_refused(test, -EINVAL);
	svt_mr_unclaim(&f->memory.mr);
	KUNIT_EXPECT_EQ(test, bind(f), 0);
}

static void an_invalidated_window_lets_nothing_pass(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->bind.new_rkey), 0);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->memory.mr.windows), 0);
	/* Once more does no harm */
	KUNIT_EXPECT_EQ(test, invalidate(f, f->bind.new_rkey), 0);
}

static void only_its_qp_and_its_key_invalidate_a_window(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	u32 rkey = f->bind.new_rkey;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, -EACCES, svt_key_invalidate(&f->memory.keys, &f->memory.pd,
							  MEMORY_QPN + 1, rkey));
	KUNIT_EXPECT_EQ(test, -EACCES, svt_key_invalidate(&f->memory.keys, &f->memory.other_pd,
							  MEMORY_QPN, rkey));
	KUNIT_EXPECT_EQ(test, invalidate(f, rkey ^ 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, invalidate(f, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, use(f, rkey), 0);
}

static void type_1_and_regions_can_not_be_invalidated(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);
	struct memory *m = &f->memory;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->bind.new_rkey), -EACCES);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), 0);
	KUNIT_EXPECT_EQ(test, invalidate(f, m->mr.key.key), -EACCES);
	KUNIT_EXPECT_EQ(test, 0, use_of(f, 1, m->mr.key.key, MEMORY_START, 1,
					IB_ACCESS_REMOTE_READ));
}

/* What was bound and looked up */
static struct svt_region looked_up(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct svt_region region;

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	KUNIT_ASSERT_EQ(test, 0,
			memory_remote(&f->memory, &f->memory.pd, MEMORY_QPN, f->bind.new_rkey,
				      f->bind.addr, 8, IB_ACCESS_REMOTE_WRITE, &region));
	return region;
}

static void expect_shut(struct kunit *test, const struct svt_region *region)
{
	struct bio_vec bvec;
	unsigned int count;

	KUNIT_EXPECT_FALSE(test, svt_region_enter(region));
	KUNIT_EXPECT_EQ(test, svt_region_bvec(region, 0, 8, &bvec, 1, &count), 0);
}

/* The read section keeps the binding, of which a look-up is left */
static void what_was_looked_up_before_can_not_be_entered_any_more(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	struct svt_region region;

	rcu_read_lock();
	region = looked_up(test);
	KUNIT_ASSERT_TRUE(test, svt_region_enter(&region));
	svt_region_leave(&region);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->bind.new_rkey), 0);
	expect_shut(test, &region);

	setup(test, IB_MW_TYPE_1);
	region = looked_up(test);
	setup(test, IB_MW_TYPE_1);
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	expect_shut(test, &region);

	region = looked_up(test);
	setup(test, IB_MW_TYPE_1);
	f->bind.length = 0;
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	expect_shut(test, &region);

	setup(test, IB_MW_TYPE_2);
	region = looked_up(test);
	svt_mw_disown(&f->owner);
	expect_shut(test, &region);
	rcu_read_unlock();
}

/* Who is in leaves in an interrupt */
static enum hrtimer_restart leave(struct hrtimer *timer)
{
	struct fixture *f = container_of(timer, struct fixture, timer);

	WRITE_ONCE(f->left, true);
	svt_region_leave(&f->region);
	return HRTIMER_NORESTART;
}

static void an_invalidation_waits_for_who_is_in(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	hrtimer_setup(&f->timer, leave, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	rcu_read_lock();
	f->region = looked_up(test);
	KUNIT_ASSERT_TRUE(test, svt_region_enter(&f->region));
	hrtimer_start(&f->timer, ms_to_ktime(20), HRTIMER_MODE_REL_HARD);
	KUNIT_EXPECT_EQ(test, invalidate(f, f->bind.new_rkey), 0);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(f->left));
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), -EINVAL);
	rcu_read_unlock();
	hrtimer_cancel(&f->timer);
}

static void a_qp_that_goes_leaves_its_windows_unbound(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);
	struct svt_mw_owner other;

	svt_mw_owner_init(&other);
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	svt_mw_disown(&other);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), 0);
	svt_mw_disown(&f->owner);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), -EINVAL);
	KUNIT_EXPECT_EQ(test, svt_mr_claim(&f->memory.mr), 0);
	svt_mr_unclaim(&f->memory.mr);

	/* For another QP, and it is that one's then */
	setup(test, IB_MW_TYPE_2);
	f->bind.qpn = MEMORY_QPN + 1;
	f->bind.owner = &other;
	KUNIT_ASSERT_EQ(test, bind(f), 0);
	svt_mw_disown(&f->owner);
	KUNIT_EXPECT_FALSE(test, list_empty(&other.windows));
	svt_mw_disown(&other);
	KUNIT_EXPECT_EQ(test, atomic_read(&f->memory.mr.windows), 0);
}

static void a_qp_that_goes_leaves_windows_of_type_1(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_1);

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	svt_mw_disown(&f->owner);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), 0);
}

static void a_window_that_goes_is_not_bound_again(struct kunit *test)
{
	struct fixture *f = setup(test, IB_MW_TYPE_2);

	KUNIT_ASSERT_EQ(test, bind(f), 0);
	svt_mw_retire(&f->mw);
	KUNIT_EXPECT_EQ(test, use(f, f->bind.new_rkey), -EINVAL);
	KUNIT_EXPECT_TRUE(test, list_empty(&f->owner.windows));
	setup(test, IB_MW_TYPE_2);
	expect_refused(test, -EINVAL);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(a_window_that_is_not_bound_lets_nothing_pass),
	KUNIT_CASE(a_bound_window_lets_pass_what_is_within),
	KUNIT_CASE(a_bound_window_allows_what_it_was_bound_for),
	KUNIT_CASE(a_window_has_no_lkey),
	KUNIT_CASE(addresses_of_a_window_are_those_of_its_region),
	KUNIT_CASE(addresses_of_a_zero_based_window_start_at_0),
	KUNIT_CASE(a_bind_changes_the_key_to_the_one_that_is_asked_for),
	KUNIT_CASE(a_new_key_of_another_window_is_refused),
	KUNIT_CASE(type_1_may_leave_the_choice_of_the_key),
	KUNIT_CASE(type_2_needs_a_new_key),
	KUNIT_CASE(a_window_is_found_by_the_upper_bits_of_any_of_its_keys),
	KUNIT_CASE(type_1_can_be_bound_again),
	KUNIT_CASE(type_2_can_not_be_bound_again_before_it_is_invalidated),
	KUNIT_CASE(a_bind_to_0_bytes_unbinds_type_1),
	KUNIT_CASE(a_bind_to_0_bytes_is_refused_for_type_2),
	KUNIT_CASE(type_2_is_for_one_qp_and_type_1_for_any),
	KUNIT_CASE(window_and_region_have_to_be_of_the_qps_protection_domain),
	KUNIT_CASE(another_protection_domain_can_not_use_a_window),
	KUNIT_CASE(a_region_has_to_allow_windows),
	KUNIT_CASE(a_window_that_changes_memory_needs_a_region_that_may),
	KUNIT_CASE(flags_that_mean_nothing_for_a_window_are_ignored),
	KUNIT_CASE(unknown_access_flags_are_refused),
	KUNIT_CASE(a_window_has_to_be_within_its_region),
	KUNIT_CASE(keys_of_the_wrong_kind_are_refused),
	KUNIT_CASE(a_region_with_windows_can_not_be_claimed),
	KUNIT_CASE(a_claimed_region_takes_no_window),
	KUNIT_CASE(an_invalidated_window_lets_nothing_pass),
	KUNIT_CASE(only_its_qp_and_its_key_invalidate_a_window),
	KUNIT_CASE(type_1_and_regions_can_not_be_invalidated),
	KUNIT_CASE(what_was_looked_up_before_can_not_be_entered_any_more),
	KUNIT_CASE(an_invalidation_waits_for_who_is_in),
	KUNIT_CASE(a_qp_that_goes_leaves_its_windows_unbound),
	KUNIT_CASE(a_qp_that_goes_leaves_windows_of_type_1),
	KUNIT_CASE(a_window_that_goes_is_not_bound_again),
	{ }
};

static struct kunit_suite window_suite = {
	.name = "svt-window",
	.init = window_test_init,
	.exit = window_test_exit,
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
