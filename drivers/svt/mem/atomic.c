// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Atomic operations on a region, by the CPU's own atomic instructions: atomic also against other
 * devices that do the same, and against user space (IB_ATOMIC_GLOB). All run without a lock, in
 * the RCU read section in which the responder looked up the 8 bytes. They return 0; -EINVAL not
 * aligned to 8 (IBTA 9.4.5); -EAGAIN invalidated since the look-up, or the page is not at hand.
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

/* In host order */
int svt_region_fetch_add(const struct svt_region *region, u64 add, u64 *original)
{
	atomic64_t *value = map(region);

	if (IS_ERR(value))
		return PTR_ERR(value);
	*original = atomic64_fetch_add(add, value);
	unmap(region, value);
	return 0;
}

/* @value has the byte order of memory */
int svt_region_store(const struct svt_region *region, u64 value)
{
	atomic64_t *word = map(region);

	if (IS_ERR(word))
		return PTR_ERR(word);
	/* A reader of the value also sees all that the peer wrote before it */
	atomic64_set_release(word, value);
	unmap(region, word);
	return 0;
}

/* In host order */
int svt_region_compare_swap(const struct svt_region *region, u64 compare, u64 swap, u64 *original)
{
	atomic64_t *value = map(region);

	if (IS_ERR(value))
		return PTR_ERR(value);
	*original = atomic64_cmpxchg(value, compare, swap);
	unmap(region, value);
	return 0;
}
