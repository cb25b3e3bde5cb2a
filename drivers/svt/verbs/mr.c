// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: pins user memory or imports a dma-buf, describes the pages to mem/, and gives
 * them a key. ib_core serialises rereg and dereg of one region; windows and look-ups come at any
 * time. So before its fields or pages change a region is claimed, which keeps windows out, and its
 * key is disabled, which waits for the look-ups. mem/fast.c has most of fast registration.
 */
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#include "../mem/paging.h"
#include "../mem/persist.h"
#include "dmabuf.h"
#include "verbs.h"

/* Memory on its way into a region, or out of it */
struct svt_mr_pages {
	struct ib_umem *umem;		/* pinned memory, or */
	struct svt_buffer *buffer;	/* memory of a dma-buf */
	struct svt_page_table *table;	/* of either, for the engine; or */
	struct svt_paging *paging;	/* nothing is pinned */
};

/* A device without DMA: the DMA address of a block is its kernel address */
static phys_addr_t svt_phys(u64 dma_address)
{
	return page_to_phys(ib_virt_dma_to_page(dma_address)) + offset_in_page(dma_address);
}

static struct svt_page_table *svt_mr_table(struct ib_umem *umem, u64 iova)
{
	struct svt_page_table *table;
	struct ib_block_iter iter;
	unsigned long size;
	u64 block = 0;

	size = ib_umem_find_best_pgsz(umem, SVT_BLOCK_SIZES, iova);
	if (!size)
		return ERR_PTR(-EINVAL);
	table = svt_page_table_alloc(ib_umem_num_dma_blocks(umem, size), __ffs(size),
				     iova & (size - 1));
	if (!table)
		return ERR_PTR(-ENOMEM);
	rdma_umem_for_each_dma_block(umem, &iter, size)
		svt_page_table_set(table, block++,
				   svt_phys(rdma_block_iter_dma_address(&iter)));
	return table;
}

/* All memory that the process has or will have, at its own addresses */
static bool svt_mr_is_implicit(u64 start, u64 length, u64 iova, int access)
{
	return access & IB_ACCESS_ON_DEMAND && !start && !iova && length == U64_MAX;
}

static int svt_mr_page(struct ib_ucontext *context, struct svt_mr_pages *pages, u64 start,
		       u64 length)
{
	struct svt_pager *pager = svt_pager_of(context);

	if (!pager)
		return -ENOMEM;
	pages->paging = svt_paging_create(start, length == U64_MAX ? TASK_SIZE_MAX : length,
					  pager->queue);
	return PTR_ERR_OR_ZERO(pages->paging);
}

static int svt_mr_pin(struct ib_ucontext *context, struct svt_mr_pages *pages, u64 start,
		      u64 length, u64 iova, int access)
{
	u64 end;

	*pages = (struct svt_mr_pages) {};
	if (svt_mr_is_implicit(start, length, iova, access))
		return svt_mr_page(context, pages, start, length);
	if (!length || length > SVT_MAX_MR_LENGTH || check_add_overflow(iova, length, &end))
		return -EINVAL;
	if (access & IB_ACCESS_ON_DEMAND)
		return svt_mr_page(context, pages, start, length);
	pages->umem = ib_umem_get_va(context->device, start, length, access);
	if (IS_ERR(pages->umem))
		return PTR_ERR(pages->umem);
	pages->table = svt_mr_table(pages->umem, iova);
	if (!IS_ERR(pages->table))
		return 0;
	ib_umem_release(pages->umem);
	return PTR_ERR(pages->table);
}

static void svt_mr_unpin(struct svt_mr_pages *pages)
{
	svt_page_table_free(pages->table);
	ib_umem_release(pages->umem);
	svt_buffer_put(pages->buffer);
	svt_paging_end(pages->paging);
}

/* @mr is not in the table yet, or its key is disabled */
static struct svt_mr_pages svt_mr_set_pages(struct svt_mr *mr, const struct svt_mr_pages *pages)
{
	struct svt_mr_pages old = { .umem = mr->umem, .buffer = mr->buffer };

	old.table = rcu_replace_pointer(mr->table, pages->table, true);
	old.paging = rcu_replace_pointer(mr->paging, pages->paging, true);
	mr->umem = pages->umem;
	mr->buffer = pages->buffer;
	return old;
}

/* FLUSH to persistent memory needs a region that is all of it, and pinned */
static bool svt_mr_may_persist(const struct ib_umem *umem, int access)
{
	return !(access & IB_ACCESS_FLUSH_PERSISTENT) ||
	       (umem && svt_sg_is_persistent(&umem->sgt_append.sgt));
}

/* All of @mr but its keys is set. -EINVAL: asks for FLUSH to persistent memory, and has other. */
int svt_mr_insert(struct svt_core *core, struct svt_mr *mr)
{
	int ret;

	if (!svt_mr_may_persist(mr->umem, mr->key.access))
		return -EINVAL;
	mr->key.type = SVT_KEY_REGION;
	mr->key.valid = !mr->fast;
	if (!svt_take(&core->mr_count, SVT_MAX_MR, mr->key.pd->uobject))
		return -ENOMEM;
	ret = svt_key_insert(&core->keys, &mr->key);
	if (ret) {
		atomic_dec(&core->mr_count);
		return ret;
	}
	mr->ibmr.lkey = mr->key.key;
	mr->ibmr.rkey = mr->key.key;
	return 0;
}

/* ib_device_ops.get_dma_mr: all memory, by kernel address; for kernel clients */
struct ib_mr *svt_get_dma_mr(struct ib_pd *pd, int access)
{
	struct svt_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int ret;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->key.pd = pd;
	mr->key.access = access;
	mr->key.length = U64_MAX;
	ret = svt_mr_insert(to_svt_device(pd->device)->core, mr);
	if (!ret)
		return &mr->ibmr;
	kfree(mr);
	return ERR_PTR(ret);
}

static void svt_mr_set_start(struct svt_mr *mr)
{
	mr->key.start = mr->key.access & IB_ZERO_BASED ? 0 : mr->iova;
}

/* Takes @pages, also when it fails */
static struct ib_mr *svt_mr_of_pages(struct ib_pd *pd, struct svt_mr_pages *pages, u64 length,
				     u64 iova, int access)
{
	struct svt_mr *mr = kzalloc(sizeof(*mr), SVT_GFP_CHARGED);
	int ret = -ENOMEM;

	if (!mr)
		goto unpin;
	mr->key.pd = pd;
	mr->key.access = access;
	mr->key.length = length;
	mr->iova = iova;
	svt_mr_set_start(mr);
	svt_mr_set_pages(mr, pages);
	ret = svt_mr_insert(to_svt_device(pd->device)->core, mr);
	if (!ret)
		return &mr->ibmr;
	kfree(mr);
unpin:
	svt_mr_unpin(pages);
	return ERR_PTR(ret);
}

/*
 * ib_device_ops.reg_user_mr: see svt_mr_is_implicit() for all of the process. @iova has the same
 * offset in its page as @start. -EOPNOTSUPP: @dmah, hints for a device on a bus.
 */
struct ib_mr *svt_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
			      struct ib_dmah *dmah, struct ib_udata *udata)
{
	struct svt_mr_pages pages;
	int ret;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	ret = ib_no_udata_io(udata);
	if (!ret)
		ret = svt_mr_pin(svt_udata_context(udata), &pages, start, length, iova, access);
	return ret ? ERR_PTR(ret) : svt_mr_of_pages(pd, &pages, length, iova, access);
}

/* Not for a dma-buf: it is not known what its exporter would have to do */
#define SVT_ACCESS_FLUSH	(IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)

static int svt_mr_import(struct svt_mr_pages *pages, int fd, u64 offset, u64 length, bool write)
{
	*pages = (struct svt_mr_pages) {
		.buffer = svt_buffer_open(fd, offset, length, write),
	};
	if (IS_ERR(pages->buffer))
		return PTR_ERR(pages->buffer);
	pages->table = svt_buffer_table(pages->buffer, offset, length);
	if (!IS_ERR(pages->table))
		return 0;
	svt_buffer_put(pages->buffer);
	return PTR_ERR(pages->table);
}

/* ib_device_ops.reg_user_mr_dmabuf; @iova has the same offset in its page as @offset */
struct ib_mr *svt_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd,
				     int access, struct ib_dmah *dmah,
				     struct uverbs_attr_bundle *command)
{
	struct svt_mr_pages pages;
	u64 end;
	int ret;

	if (dmah || access & SVT_ACCESS_FLUSH)
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || length > SVT_MAX_MR_LENGTH || check_add_overflow(iova, length, &end))
		return ERR_PTR(-EINVAL);
	ret = ib_no_udata_io(svt_command_udata(command)) ?:
	      svt_mr_import(&pages, fd, offset, length, ib_access_writable(access));
	return ret ? ERR_PTR(ret) : svt_mr_of_pages(pd, &pages, length, iova, access);
}

/* ib_device_ops.alloc_mr. No access passes until IB_WR_REG_MR has registered something. */
struct ib_mr *svt_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_pages)
{
	struct svt_mr *mr;
	int ret;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_pages || max_pages > SVT_MAX_FAST_PAGES)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), SVT_GFP_CHARGED);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->key.pd = pd;
	ret = svt_fast_init(mr, max_pages);
	if (ret)
		goto free;
	ret = svt_mr_insert(to_svt_device(pd->device)->core, mr);
	if (!ret)
		return &mr->ibmr;
	svt_fast_free(mr);
free:
	kfree(mr);
	return ERR_PTR(ret);
}

static int svt_map_page(struct ib_mr *ibmr, u64 address)
{
	return svt_fast_map_block(to_svt_mr(ibmr), svt_phys(address));
}

/*
 * ib_device_ops.map_mr_sg, with interrupts on; a registration may be valid or posted. The list
 * stays with the region, for any number of registrations, until the next call.
 */
int svt_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	struct svt_mr *mr = to_svt_mr(ibmr);
	int ret;

	if (!svt_is_block_size(ibmr->page_size))
		return -EINVAL;
	svt_fast_map_begin(mr, ibmr->page_size);
	ret = ib_sg_to_pages(ibmr, sg, nents, offset, svt_map_page);
	svt_fast_map_end(mr);
	return ret;
}

/* Pages that were pinned for reading may be shared with others */
static bool svt_mr_is_read_only(const struct svt_mr *mr)
{
	if (mr->buffer)
		return !svt_buffer_is_writable(mr->buffer);
	return mr->umem && !mr->umem->writable;
}

static int svt_rereg_check(const struct svt_mr *mr, int flags, int access)
{
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return -EOPNOTSUPP;
	if (flags & IB_MR_REREG_TRANS || !(flags & IB_MR_REREG_ACCESS))
		return 0;
	if (mr->buffer && access & SVT_ACCESS_FLUSH)
		return -EOPNOTSUPP;
	/* Whether it is pinned changes with the memory only */
	if ((mr->key.access ^ access) & IB_ACCESS_ON_DEMAND)
		return -EINVAL;
	return ib_access_writable(access) && svt_mr_is_read_only(mr) ? -EACCES : 0;
}

/*
 * ib_device_ops.rereg_user_mr (IBTA 11.2.8.7). The keys stay; requests that come meanwhile fail.
 * NULL: ib_core keeps @ibmr. -EBUSY: windows are bound (IBTA C10-91). After a failure the region is
 * as it was.
 */
struct ib_mr *svt_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length, u64 iova,
				int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct svt_mr *mr = to_svt_mr(ibmr);
	struct svt_mr_pages pages = {};
	int ret;

	ret = ib_no_udata_io(udata) ?: svt_rereg_check(mr, flags, access);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->key.access;
	if (!ret && flags & IB_MR_REREG_TRANS)
		ret = svt_mr_pin(svt_udata_context(udata), &pages, start, length, iova, access);
	if (ret)
		return ERR_PTR(ret);
	ret = -EINVAL;
	if (!svt_mr_may_persist(flags & IB_MR_REREG_TRANS ? pages.umem : mr->umem, access))
		goto unpin;
	ret = svt_mr_claim(mr);
	if (ret)
		goto unpin;

	svt_key_disable(&mr->key);
	if (flags & IB_MR_REREG_TRANS) {
		pages = svt_mr_set_pages(mr, &pages);
		mr->iova = iova;
		mr->key.length = length;
	}
	mr->key.access = access;
	svt_mr_set_start(mr);
	if (flags & IB_MR_REREG_PD)
		mr->key.pd = pd;
	svt_key_enable(&mr->key);
	svt_mr_unclaim(mr);
unpin:
	svt_mr_unpin(&pages);
	return ERR_PTR(ret);
}

/* ib_device_ops.dereg_mr; waits for accesses. -EBUSY: windows are bound (IBTA C10-91). */
int svt_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct svt_core *core = to_svt_device(ibmr->device)->core;
	struct svt_mr *mr = to_svt_mr(ibmr);
	struct svt_mr_pages pages;
	int ret;

	ret = svt_mr_claim(mr);
	if (ret)
		return ret;
	svt_key_remove(&core->keys, &mr->key);
	atomic_dec(&core->mr_count);
	if (mr->fast)
		svt_fast_free(mr);
	pages = svt_mr_set_pages(mr, &(struct svt_mr_pages){});
	svt_mr_unpin(&pages);
	kfree(mr);
	return 0;
}
