/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that is paged on demand: see paging.c.
 */
#ifndef SVT_MEM_PAGING_H
#define SVT_MEM_PAGING_H

#include <linux/kref.h>
#include <linux/mmu_notifier.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "keys.h"

/**
 * struct svt_paging - the pages of a region that are known at present
 * @notifier: of the range; keeps the mm_struct of the process
 * @ref: of the region, and of each fault under way
 * @pages: struct page by page number of the process, tagged when it may be written
 * @leaving: invalidations under way
 * @gone: no region has it any more
 * @queue: of the process, to fault pages in; outlives the region
 * @id: unique
 * @start: of the region in the process
 * @faults: pages faulted in for requests
 * @prefetched: pages faulted in by advice
 * @invalidations: pages that left
 * @rcu: counters are read under RCU
 */
struct svt_paging {
	struct mmu_interval_notifier notifier;
	struct kref ref;
	struct xarray pages;
	atomic_t leaving;
	bool gone;
	struct workqueue_struct *queue;
	u64 id;
	u64 start;
	atomic64_t faults;
	atomic64_t prefetched;
	atomic64_t invalidations;
	struct rcu_head rcu;
};

enum svt_paging_want {
	SVT_PAGING_READ,
	SVT_PAGING_WRITE,
	SVT_PAGING_PRESENT,	/* those that are there, as they are */
};

struct svt_paging *svt_paging_create(u64 start, u64 length, struct workqueue_struct *queue);
struct svt_paging *svt_paging_get(const struct svt_region *region);
void svt_paging_put(struct svt_paging *paging);
void svt_paging_end(struct svt_paging *paging);
int svt_paging_fault(struct svt_paging *paging, u64 offset, u64 length, enum svt_paging_want want,
		     atomic64_t *count);
u32 svt_paging_page(const struct svt_paging *paging, u64 offset, u64 length, bool write,
		    struct bio_vec *bvec);

#endif
