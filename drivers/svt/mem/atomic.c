// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Atomic operations on a region, by the CPU's own atomic instructions: atomic also against other
 * devices that do the same, and against user space (IB_ATOMIC_GLOB). Called by the responder in the
 * RCU read section of the look-up. Takes no lock.
 */
#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/highmem.h>

#include "keys.h"

static atomic64_t *map_value(const struct svt_region *region)
{
	struct bio_vec bvec;
	unsigned int count;

	BUILD_BUG_ON(sizeof(atomic64_t) != sizeof(u64));
	if (region->length < sizeof(u64) || !IS_ALIGNED(region->addr, sizeof(u64)))
		return ERR_PTR(-EINVAL);
	if (!svt_region_bvec(region, 0, sizeof(u64), &bvec, 1, &count))
		return ERR_PTR(-EAGAIN);
	/* An IOVA may be aligned where the memory is not */
	if (!IS_ALIGNED(bvec.bv_offset, sizeof(u64)))
		return ERR_PTR(-EINVAL);
	return kmap_local_page(bvec.bv_page) + bvec.bv_offset;
}

/*
 * The 8 bytes at region->addr, until unmap(); -EINVAL: not aligned; -EAGAIN: invalidated
 * meanwhile, or not at hand.
 */
static atomic64_t *map(const struct svt_region *region)
{
	atomic64_t *value;

	if (!svt_region_enter(region))
		return ERR_PTR(-EAGAIN);
	value = map_value(region);
	if (IS_ERR(value))
		svt_region_leave(region);
	return value;
}

static void unmap(const struct svt_region *region, atomic64_t *value)
{
	kunmap_local(value);
	svt_region_leave(region);
}

/**
 * svt_region_fetch_add() - add to 8 bytes of memory
 * @region: 8 bytes, from svt_region_remote() with IB_ACCESS_REMOTE_ATOMIC
 * @add: added, host order, wraps
 * @original: set to what was there
 *
 * Context: The RCU read section in which @region was looked up.
 * Return: 0; -EINVAL the address is not a multiple of 8 (IBTA 9.4.5); -EAGAIN the region was
 * invalidated since it was looked up, or the page is not at hand.
 */
int svt_region_fetch_add(const struct svt_region *region, u64 add, u64 *original)
{
	atomic64_t *value = map(region);

	if (IS_ERR(value))
		return PTR_ERR(value);
	*original = atomic64_fetch_add(add, value);
	unmap(region, value);
	return 0;
}

/**
 * svt_region_store() - replace 8 bytes of memory at once
 * @region: 8 bytes, from svt_region_remote() with IB_ACCESS_REMOTE_WRITE
 * @value: what replaces them, as it is to be in memory
 *
 * Context: The RCU read section in which @region was looked up.
 * Return: 0; -EINVAL the address is not a multiple of 8; -EAGAIN the region was invalidated since
 * it was looked up, or the page is not at hand.
 */
int svt_region_store(const struct svt_region *region, u64 value)
{
	atomic64_t *word = map(region);

	if (IS_ERR(word))
		return PTR_ERR(word);
	/* Whoever sees the value sees all that the peer wrote before it */
	atomic64_set_release(word, value);
	unmap(region, word);
	return 0;
}

/**
 * svt_region_compare_swap() - replace 8 bytes of memory if they are as expected
 * @region: 8 bytes, from svt_region_remote() with IB_ACCESS_REMOTE_ATOMIC
 * @compare: what is expected, host order
 * @swap: what replaces it
 * @original: set to what was there
 *
 * Context: The RCU read section in which @region was looked up.
 * Return: 0; -EINVAL the address is not a multiple of 8 (IBTA 9.4.5); -EAGAIN the region was
 * invalidated since it was looked up, or the page is not at hand.
 */
int svt_region_compare_swap(const struct svt_region *region, u64 compare, u64 swap, u64 *original)
{
	atomic64_t *value = map(region);

	if (IS_ERR(value))
		return PTR_ERR(value);
	*original = atomic64_cmpxchg(value, compare, swap);
	unmap(region, value);
	return 0;
}
