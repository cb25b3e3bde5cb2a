// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that is paged on demand: nothing is pinned. The known pages of a region are in an xarray;
 * svt_paging_fault() brings others. The mm calls svt_paging_invalidate() before it takes a page, or
 * the right to write it, away. The engine uses pages until its RCU read section ends, so an
 * invalidation that forgot a page waits for a grace period. A page that was faulted in is entered
 * under the lock of the xarray, and only if the sequence count of the notifier, which changes under
 * the same lock, is the same as before.
 */
#include <linux/highmem.h>
#include <linux/hmm.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/svt.h>

#include "paging.h"

/* The tag of a page that may be written */
#define WRITABLE	1UL
#define BATCH		64
/* How often a page may be taken away while it is brought */
#define TRIES		1000

static atomic64_t last_id;

static bool is_writable(const void *entry)
{
	return xa_pointer_tag((void *)entry) == WRITABLE;
}

/* The mm does not know what the engine wrote */
static void forget_page(struct svt_paging *paging, void *entry)
{
	if (is_writable(entry))
		set_page_dirty(compound_head(xa_untag_pointer(entry)));
	atomic64_inc(&paging->invalidations);
}

/* Whether there was a page. The mm keeps the pages until the notifier has returned. */
static bool forget(struct svt_paging *paging, const struct mmu_notifier_range *range,
		   unsigned long seq)
{
	XA_STATE(xas, &paging->pages, range->start >> PAGE_SHIFT);
	unsigned long last = (range->end - 1) >> PAGE_SHIFT;
	unsigned int forgotten = 0;
	void *entry;

	xas_lock(&xas);
	mmu_interval_set_seq(&paging->notifier, seq);
	xas_for_each(&xas, entry, last) {
		forget_page(paging, entry);
		xas_store(&xas, NULL);
		if (++forgotten % XA_CHECK_SCHED)
			continue;
		xas_pause(&xas);
		xas_unlock(&xas);
		cond_resched();
		xas_lock(&xas);
	}
	xas_unlock(&xas);
	return forgotten;
}

/*
 * Of two invalidations of one page the second may find nothing, but has to wait too. So each counts
 * in @leaving from before it forgets a page until the grace period has passed.
 */
static bool svt_paging_invalidate(struct mmu_interval_notifier *notifier,
				  const struct mmu_notifier_range *range, unsigned long seq)
{
	struct svt_paging *paging = container_of(notifier, struct svt_paging, notifier);

	if (!mmu_notifier_range_blockable(range))
		return false;
	atomic_inc(&paging->leaving);
	if (forget(paging, range, seq) || atomic_read(&paging->leaving) > 1)
		synchronize_rcu_expedited();
	atomic_dec(&paging->leaving);
	return true;
}

static const struct mmu_interval_notifier_ops notifier_ops = {
	.invalidate = svt_paging_invalidate,
};

/**
 * svt_paging_create() - page memory of the calling process on demand
 * @start: address in the process
 * @length: bytes, mapped or not
 * @queue: for those who fault pages in
 * Return: released by svt_paging_end(); or ERR_PTR: -ENOMEM; -EINVAL the addresses wrap; -EINTR the
 * process is to end
 */
struct svt_paging *svt_paging_create(u64 start, u64 length, struct workqueue_struct *queue)
{
	struct svt_paging *paging;
	u64 end;
	int ret;

	/* A process may have tagged its address, which the mm knows without the tag (arm64) */
	start = untagged_addr(start);
	if (check_add_overflow(start, length, &end))
		return ERR_PTR(-EINVAL);
	paging = kzalloc(sizeof(*paging), SVT_GFP_CHARGED);
	if (!paging)
		return ERR_PTR(-ENOMEM);
	kref_init(&paging->ref);
	xa_init_flags(&paging->pages, XA_FLAGS_ACCOUNT);
	paging->id = atomic64_inc_return(&last_id);
	paging->start = start;
	paging->queue = queue;
	ret = mmu_interval_notifier_insert(&paging->notifier, current->mm, start, length,
					   &notifier_ops);
	if (!ret)
		return paging;
	kfree(paging);
	return ERR_PTR(ret);
}

/* The pages are the process's as long as the notifier is there */
static void forget_all(struct svt_paging *paging)
{
	unsigned long index;
	void *entry;

	xa_for_each(&paging->pages, index, entry) {
		xa_lock(&paging->pages);
		entry = __xa_erase(&paging->pages, index);
		if (entry)
			forget_page(paging, entry);
		xa_unlock(&paging->pages);
		cond_resched();
	}
}

static void paging_release(struct kref *ref)
{
	struct svt_paging *paging = container_of(ref, struct svt_paging, ref);

	forget_all(paging);
	mmu_interval_notifier_remove(&paging->notifier);
	xa_destroy(&paging->pages);
	kfree_rcu(paging, rcu);
}

/* In the RCU read section of the look-up: until it ends the region has its own reference */
struct svt_paging *svt_paging_get(const struct svt_region *region)
{
	struct svt_paging *paging = rcu_dereference(region->mr->paging);

	kref_get(&paging->ref);
	return paging;
}

/* May sleep. Nobody looks pages up when the last reference goes. */
void svt_paging_put(struct svt_paging *paging)
{
	kref_put(&paging->ref, paging_release);
}

/* No region has it any more: faults under way stop soon. May sleep. */
void svt_paging_end(struct svt_paging *paging)
{
	if (!paging)
		return;
	/* Pairs with the READ_ONCE() in fault_batch(), which may see it late */
	WRITE_ONCE(paging->gone, true);
	svt_paging_put(paging);
}

/* -EBUSY: something was invalidated since @seq */
static int enter(struct svt_paging *paging, unsigned long index, unsigned long pfn,
		 unsigned long seq)
{
	unsigned long tag = pfn & HMM_PFN_WRITE ? WRITABLE : 0;
	void *entry = xa_tag_pointer(hmm_pfn_to_page(pfn), tag);
	XA_STATE(xas, &paging->pages, index);
	int ret;

	do {
		ret = -EBUSY;
		xas_lock(&xas);
		if (!mmu_interval_read_retry(&paging->notifier, seq)) {
			xas_store(&xas, entry);
			ret = xas_error(&xas);
		}
		xas_unlock(&xas);
	} while (xas_nomem(&xas, SVT_GFP_CHARGED));
	return ret;
}

static int enter_all(struct svt_paging *paging, const struct hmm_range *range, atomic64_t *count)
{
	unsigned long index = range->start >> PAGE_SHIFT;
	unsigned long i, pages = (range->end - range->start) >> PAGE_SHIFT;
	int ret = 0;

	for (i = 0; i < pages && !ret; i++) {
		if (!(range->hmm_pfns[i] & HMM_PFN_VALID))
			continue;
		ret = enter(paging, index + i, range->hmm_pfns[i], range->notifier_seq);
		if (!ret)
			atomic64_inc(count);
	}
	return ret;
}

/* Memory that the kernel can not reach, or may not write for a process: as for pinned memory */
static bool is_out_of_reach(const struct vm_area_struct *vma, unsigned long flags)
{
	if (flags & HMM_PFN_REQ_WRITE && vma->vm_flags & VM_SHADOW_STACK)
		return true;
	return vma->vm_file && file_inode(vma->vm_file)->i_sb->s_magic == SECRETMEM_MAGIC;
}

static bool all_in_reach(struct mm_struct *mm, const struct hmm_range *range)
{
	struct vm_area_struct *vma = find_vma(mm, range->start);

	for (; vma && vma->vm_start < range->end; vma = find_vma(mm, vma->vm_end))
		if (is_out_of_reach(vma, range->default_flags))
			return false;
	return true;
}

static int fault_range(struct svt_paging *paging, unsigned long start, unsigned long end,
		       unsigned long flags, atomic64_t *count)
{
	struct mm_struct *mm = paging->notifier.mm;
	unsigned long pfns[BATCH] = {};
	struct hmm_range range = {
		.notifier = &paging->notifier,
		.start = start,
		.end = end,
		.hmm_pfns = pfns,
		.default_flags = flags,
	};
	unsigned int tries = TRIES;
	int ret;

	do {
		range.notifier_seq = mmu_interval_read_begin(range.notifier);
		mmap_read_lock(mm);
		ret = all_in_reach(mm, &range) ? hmm_range_fault(&range) : -EFAULT;
		mmap_read_unlock(mm);
		if (!ret)
			ret = enter_all(paging, &range, count);
		cond_resched();
	} while (ret == -EBUSY && --tries);
	return ret;
}

/* Charges the memory of the xarray to the process, also when a worker is the caller */
static int fault_charged(struct svt_paging *paging, u64 start, u64 end, unsigned long flags,
			 atomic64_t *count)
{
	struct mem_cgroup *cgroup = get_mem_cgroup_from_mm(paging->notifier.mm);
	struct mem_cgroup *old = set_active_memcg(cgroup);
	int ret = fault_range(paging, start, end, flags, count);

	set_active_memcg(old);
	mem_cgroup_put(cgroup);
	return ret;
}

/* Keeps the address space for one batch only, so that it goes when the process does */
static int fault_batch(struct svt_paging *paging, u64 start, u64 end, unsigned long flags,
		       atomic64_t *count)
{
	struct mm_struct *mm = paging->notifier.mm;
	int ret;

	/* Pairs with svt_paging_end() */
	if (READ_ONCE(paging->gone) || !mmget_not_zero(mm))
		return -EFAULT;
	ret = fault_charged(paging, start, end, flags, count);
	/* The end of the mm may wait for us */
	mmput_async(mm);
	return fatal_signal_pending(current) ? -EINTR : ret;
}

static int fault_all(struct svt_paging *paging, u64 start, u64 end, enum svt_paging_want want,
		     atomic64_t *count)
{
	static const unsigned long flags[] = {
		[SVT_PAGING_READ] = HMM_PFN_REQ_FAULT,
		[SVT_PAGING_WRITE] = HMM_PFN_REQ_FAULT | HMM_PFN_REQ_WRITE,
		[SVT_PAGING_PRESENT] = 0,
	};
	int ret = 0;

	for (; start < end && !ret; start += BATCH * PAGE_SIZE)
		ret = fault_batch(paging, start, min(end, start + BATCH * PAGE_SIZE), flags[want],
				  count);
	return ret;
}

/**
 * svt_paging_fault() - fault pages in; they may be gone again on return
 * @paging: the caller has a reference
 * @offset: from the start of the region
 * @length: bytes, within the region
 * @want: access
 * @count: of @paging; the pages are added
 *
 * Context: May sleep, as long as a page fault of the process does.
 * Return: 0; -EBUSY they left faster than they came; -EFAULT nothing is mapped, the kernel can not
 * reach it, the process has ended, or svt_paging_end() came; -EPERM access is not allowed; -ENOMEM
 * limit of the process's control group; -EINTR the caller is to end
 */
int svt_paging_fault(struct svt_paging *paging, u64 offset, u64 length, enum svt_paging_want want,
		     atomic64_t *count)
{
	u64 start = paging->start + offset, end = start + length;

	if (end < start || end > TASK_SIZE_MAX)
		return -EFAULT;
	return fault_all(paging, ALIGN_DOWN(start, PAGE_SIZE), PAGE_ALIGN(end), want, count);
}

/* In the RCU read section in which the page is used. Bytes of the page; 0: it is not at hand. */
u32 svt_paging_page(const struct svt_paging *paging, u64 offset, u64 length, bool write,
		    struct bio_vec *bvec)
{
	u64 addr = paging->start + offset;
	void *entry = xa_load((struct xarray *)&paging->pages, addr >> PAGE_SHIFT);

	if (!entry || (write && !is_writable(entry)))
		return 0;
	bvec_set_page(bvec, xa_untag_pointer(entry),
		      min_t(u64, length, PAGE_SIZE - offset_in_page(addr)), offset_in_page(addr));
	return bvec->bv_len;
}
