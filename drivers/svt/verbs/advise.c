// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Advice on regions that are paged on demand: brings the pages that a process will use soon; and
 * their statistics. An advice holds references to what it is about, not to regions.
 *
 * A process's pager follows one by one the advice that nobody waits for. When too many wait, the
 * process follows the next itself, so it cannot run ahead of its pages.
 */
#include <linux/slab.h>
#include <rdma/rdma_netlink.h>

#include "../mem/paging.h"
#include "verbs.h"

/* Advices of a process that may wait: each may be for all of its memory */
#define SVT_ADVICES	64

struct svt_advice_part {
	struct svt_paging *paging;
	u64 offset;
	u64 length;
};

struct svt_advice {
	struct list_head node;	/* in svt_pager.advices, if nobody waits */
	enum svt_paging_want want;
	u32 parts;		/* length of @part */
	struct svt_advice_part part[];
};

/* Goes on after a failure, and returns -EFAULT then. Stops at -EINTR: the process ends. */
static int svt_advice_follow(struct svt_advice *advice)
{
	int ret, result = 0;
	u32 i;

	for (i = 0; i < advice->parts; i++) {
		struct svt_advice_part *part = &advice->part[i];

		ret = svt_paging_fault(part->paging, part->offset, part->length, advice->want,
				       &part->paging->prefetched);
		if (ret == -EINTR)
			return ret;
		if (ret)
			result = -EFAULT;
	}
	return result;
}

static void svt_advice_free(struct svt_advice *advice)
{
	u32 i;

	for (i = 0; i < advice->parts; i++)
		svt_paging_put(advice->part[i].paging);
	kvfree(advice);
}

static struct svt_advice *svt_advice_next(struct svt_pager *pager)
{
	struct svt_advice *advice;

	spin_lock(&pager->lock);
	advice = list_first_entry_or_null(&pager->advices, struct svt_advice, node);
	if (advice) {
		list_del(&advice->node);
		pager->waiting--;
	}
	spin_unlock(&pager->lock);
	return advice;
}

void svt_advices_follow(struct work_struct *work)
{
	struct svt_pager *pager = container_of(work, struct svt_pager, work);
	struct svt_advice *advice;

	while ((advice = svt_advice_next(pager))) {
		svt_advice_follow(advice);
		svt_advice_free(advice);
	}
}

/* False: too many wait, and the caller keeps @advice */
static bool svt_advice_leave(struct svt_pager *pager, struct svt_advice *advice)
{
	bool room;

	spin_lock(&pager->lock);
	room = pager->waiting < SVT_ADVICES;
	if (room) {
		list_add_tail(&advice->node, &pager->advices);
		pager->waiting++;
	}
	spin_unlock(&pager->lock);
	if (room)
		queue_work(pager->queue, &pager->work);
	return room;
}

static int svt_advice_find(struct svt_keys *keys, struct ib_pd *pd, const struct ib_sge *sge,
			   bool write, struct svt_advice_part *part)
{
	const struct svt_sge wanted = { sge->addr, sge->length, sge->lkey };
	struct svt_region region = {};
	int ret;

	rcu_read_lock();
	ret = svt_region_local(keys, pd, &wanted, write ? IB_ACCESS_LOCAL_WRITE : 0, &region);
	if (!ret && !rcu_access_pointer(region.mr->paging))
		ret = -EINVAL;
	if (!ret) {
		part->paging = svt_paging_get(&region);
		part->offset = region.addr - region.mr->key.start;
		part->length = region.length;
	}
	rcu_read_unlock();
	return ret == -EACCES ? -EPERM : ret;
}

static struct svt_advice *svt_advice_make(struct ib_pd *pd, const struct ib_sge *sge, u32 count,
					  bool write)
{
	struct svt_core *core = to_svt_device(pd->device)->core;
	struct svt_advice *advice;
	int ret;

	advice = kvzalloc(struct_size(advice, part, count), SVT_GFP_CHARGED);
	if (!advice)
		return ERR_PTR(-ENOMEM);
	while (advice->parts < count) {
		struct svt_advice_part part;

		ret = svt_advice_find(&core->keys, pd, &sge[advice->parts], write, &part);
		if (ret) {
			svt_advice_free(advice);
			return ERR_PTR(ret);
		}
		advice->part[advice->parts++] = part;
	}
	return advice;
}

static int svt_advice_want(enum ib_uverbs_advise_mr_advice advice, enum svt_paging_want *want)
{
	switch (advice) {
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH:
		*want = SVT_PAGING_READ;
		return 0;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE:
		*want = SVT_PAGING_WRITE;
		return 0;
	case IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT:
		*want = SVT_PAGING_PRESENT;
		return 0;
	}
	return -EOPNOTSUPP;
}

/*
 * ib_device_ops.advise_mr. -EPERM: the region is of another protection domain, or not writable.
 * -EFAULT: out of the region, or, with the FLUSH flag, not mapped in the process.
 */
int svt_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		  struct ib_sge *sge, u32 count, struct uverbs_attr_bundle *attrs)
{
	bool flush = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	enum svt_paging_want want;
	struct svt_advice *made;
	struct svt_pager *pager;
	int ret;

	ret = svt_advice_want(advice, &want);
	if (ret)
		return ret;
	made = svt_advice_make(pd, sge, count, want == SVT_PAGING_WRITE);
	if (IS_ERR(made))
		return PTR_ERR(made);
	made->want = want;
	pager = svt_pager_of(pd->uobject->context);
	if (!flush && pager && svt_advice_leave(pager, made))
		return 0;
	ret = svt_advice_follow(made);
	svt_advice_free(made);
	return flush || ret == -EINTR ? ret : 0;
}

int svt_fill_stat_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	struct svt_paging *paging;
	struct nlattr *table;

	rcu_read_lock();
	paging = rcu_dereference(to_svt_mr(ibmr)->paging);
	if (!paging)
		goto unlock;
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		goto full;
	if (rdma_nl_stat_hwcounter_entry(msg, "page_faults", atomic64_read(&paging->faults)) ||
	    rdma_nl_stat_hwcounter_entry(msg, "page_invalidations",
					 atomic64_read(&paging->invalidations)) ||
	    rdma_nl_stat_hwcounter_entry(msg, "page_prefetch",
					 atomic64_read(&paging->prefetched)))
		goto cancel;
	nla_nest_end(msg, table);
unlock:
	rcu_read_unlock();
	return 0;

cancel:
	nla_nest_cancel(msg, table);
full:
	rcu_read_unlock();
	return -EMSGSIZE;
}
