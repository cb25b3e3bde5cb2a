// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory. NICs have some on their chip; here it is pages of the host. A process maps them
 * to copy, and regions are made of them. The mmap entry owns the memory. ib_core keeps device
 * memory as long as it has a region, and serialises its end with all else. No locks.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "verbs.h"

/* ib_device_ops.alloc_dm, zeroed. A process maps it by SVT_METHOD_DM_QUERY. */
struct ib_dm *svt_alloc_dm(struct ib_device *ibdev, struct ib_ucontext *context,
			   struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct svt_core *core = to_svt_device(ibdev)->core;
	struct svt_dm *dm;
	int ret = -ENOMEM;

	if (!attr->length || attr->length > SVT_MAX_DM_LENGTH || attr->alignment > PAGE_SHIFT)
		return ERR_PTR(-EINVAL);
	if (!svt_take(&core->dm_count, SVT_MAX_DM, true))
		return ERR_PTR(-ENOMEM);
	dm = kzalloc(sizeof(*dm), SVT_GFP_CHARGED);
	if (!dm)
		goto give_back;
	dm->bytes = PAGE_ALIGN(attr->length);
	dm->memory = svt_shared_alloc(dm->bytes);
	if (!dm->memory)
		goto free;
	dm->mmap_entry = svt_memory_share(context, dm->memory, dm->bytes);
	if (!IS_ERR(dm->mmap_entry))
		return &dm->ibdm;

	ret = PTR_ERR(dm->mmap_entry);
	vfree(dm->memory);
free:
	kfree(dm);
give_back:
	atomic_dec(&core->dm_count);
	return ERR_PTR(ret);
}

/* ib_device_ops.dealloc_dm. A process keeps the pages that it has mapped until it unmaps them. */
int svt_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs)
{
	struct svt_dm *dm = to_svt_dm(ibdm);

	rdma_user_mmap_entry_remove(dm->mmap_entry);
	atomic_dec(&to_svt_device(ibdm->device)->core->dm_count);
	kfree(dm);
	return 0;
}

/* A region of no bytes is allowed: it gets the page in front of its end */
static struct svt_page_table *svt_dm_table(const struct svt_dm *dm, u64 offset, u64 length)
{
	u64 last = (max(offset + length, 1ULL) - 1) >> PAGE_SHIFT;
	u64 first = min(offset >> PAGE_SHIFT, last), page;
	struct svt_page_table *table;

	table = svt_page_table_alloc(last - first + 1, PAGE_SHIFT, offset_in_page(offset));
	for (page = first; table && page <= last; page++) {
		struct page *memory = vmalloc_to_page(dm->memory + (page << PAGE_SHIFT));

		svt_page_table_set(table, page - first, page_to_phys(memory));
	}
	return table;
}

/* ib_device_ops.reg_dm_mr: the first byte has address 0. ib_core has checked offset and length. */
struct ib_mr *svt_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ibdm, struct ib_dm_mr_attr *attr,
			    struct uverbs_attr_bundle *attrs)
{
	struct svt_page_table *table;
	struct svt_mr *mr;
	int ret = -ENOMEM;

	mr = kzalloc(sizeof(*mr), SVT_GFP_CHARGED);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->key.pd = pd;
	mr->key.access = attr->access_flags & ~IB_ZERO_BASED;
	mr->key.length = attr->length;
	mr->ibmr.length = attr->length;
	table = svt_dm_table(to_svt_dm(ibdm), attr->offset, attr->length);
	if (!table)
		goto free;
	rcu_assign_pointer(mr->table, table);
	ret = svt_mr_insert(to_svt_device(pd->device)->core, mr);
	if (!ret)
		return &mr->ibmr;

	svt_page_table_free(table);
free:
	kfree(mr);
	return ERR_PTR(ret);
}
