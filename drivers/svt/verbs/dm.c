// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device memory. NICs have some on their chip; here it is pages of the host, which a process maps
 * and copies to and from by itself, and which regions are made of. The memory belongs to its entry
 * in the table of mappings. ib_core keeps device memory as long as there is a region of it, and
 * serialises its end with all else. No locks.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "verbs.h"

/**
 * svt_alloc_dm - ib_device_ops.alloc_dm
 * @ibdev: device
 * @context: of the process, which maps it by SVT_METHOD_DM_QUERY
 * @attr: length in bytes, and log2 of the alignment
 * @attrs: not used
 *
 * Context: may sleep.
 * Return: the memory, all zero; -EINVAL no length, or more than SVT_MAX_DM_LENGTH, or an alignment
 * of more than a page; -ENOMEM.
 */
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

/**
 * svt_dealloc_dm - ib_device_ops.dealloc_dm
 * @ibdm: of which there is no region
 * @attrs: not used
 *
 * A process that has it mapped keeps the pages until it unmaps them.
 *
 * Context: may sleep.
 * Return: 0.
 */
int svt_dealloc_dm(struct ib_dm *ibdm, struct uverbs_attr_bundle *attrs)
{
	struct svt_dm *dm = to_svt_dm(ibdm);

	rdma_user_mmap_entry_remove(dm->mmap_entry);
	atomic_dec(&to_svt_device(ibdm->device)->core->dm_count);
	kfree(dm);
	return 0;
}

/*
 * The pages that hold @length bytes from @offset on. A region without a byte, which programs may
 * have, gets the page in front of its end.
 */
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

/**
 * svt_reg_dm_mr - ib_device_ops.reg_dm_mr: a region of device memory
 * @pd: protection domain
 * @ibdm: memory
 * @attr: offset and length, which ib_core has found to be within the memory; access
 * @attrs: not used
 *
 * Its first byte has address 0 in work requests.
 *
 * Context: may sleep.
 * Return: the region; -EINVAL the right to flush to persistent memory; -ENOMEM.
 */
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
