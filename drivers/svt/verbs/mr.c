// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: pins user memory, or imports a dma-buf, describes the pages to mem/, and gives
 * them a key. ib_core serialises rereg and dereg of one region. Windows and look-ups come at any
 * time: a region is claimed, which keeps windows out, and its key disabled, which waits for the
 * look-ups, before its fields or its pages change. Regions for fast registration only begin and end
 * here, and are told of pages; mem/fast.c has the rest.
 */
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#include "../mem/paging.h"
#include "../mem/persist.h"
#include "dmabuf.h"
#include "verbs.h"

/**
 * struct svt_mr_pages - memory on its way into a region, or out of it
 * @umem: the pins
 * @buffer: instead of them: memory of a dma-buf
 * @table: the same as the engine wants it
 * @paging: instead of all: nothing is pinned
 */
struct svt_mr_pages {
	struct ib_umem *umem;
	struct svt_buffer *buffer;
	struct svt_page_table *table;
	struct svt_paging *paging;
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

/* All that the process has or will have, at its own addresses */
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

/* Nobody looks at @mr: not in the table yet, or its key is disabled */
static struct svt_mr_pages svt_mr_set_pages(struct svt_mr *mr, const struct svt_mr_pages *pages)
{
	struct svt_mr_pages old = { .umem = mr->umem, .buffer = mr->buffer };

	old.table = rcu_replace_pointer(mr->table, pages->table, true);
	old.paging = rcu_replace_pointer(mr->paging, pages->paging, true);
	mr->umem = pages->umem;
	mr->buffer = pages->buffer;
	return old;
}

/* The right to flush to persistent memory: all of the region has to be of it, and pinned */
static bool svt_mr_may_persist(const struct ib_umem *umem, int access)
{
	return !(access & IB_ACCESS_FLUSH_PERSISTENT) ||
	       (umem && svt_sg_is_persistent(&umem->sgt_append.sgt));
}

/**
 * svt_mr_insert - count a region, give it its key, and let accesses pass
 * @core: of the device
 * @mr: all but the keys is set
 *
 * Context: may sleep.
 * Return: 0; -EINVAL it is to be persistent and its memory is not; -ENOMEM.
 */
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

/**
 * svt_get_dma_mr - a kernel client's region of all memory, addressed by kernel address
 * @pd: protection domain
 * @access: enum ib_access_flags
 *
 * Context: may sleep.
 * Return: the region, or -ENOMEM.
 */
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

/* In a region that is zero based the address of a byte is its offset */
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

/**
 * svt_reg_user_mr - register memory of the calling process
 * @pd: protection domain
 * @start: address in the process
 * @length: bytes, 1 to 2^40; with IB_ACCESS_ON_DEMAND, @start 0 and @iova 0 also U64_MAX
 * @iova: by which it is addressed in work requests, unless @access has IB_ZERO_BASED; same offset
 *	in its page as @start
 * @access: enum ib_access_flags, checked by ib_core
 * @dmah: hints for a device on a bus
 * @udata: of the command
 *
 * Context: may sleep.
 * Return: the region; -EINVAL length, addresses wrap, or the right to flush to persistent memory
 * for other memory, or for what is paged on demand; -ENOMEM memory, pinned memory or regions run
 * out; -EFAULT not mapped; -EINTR the process is to end; -EOPNOTSUPP there is @dmah.
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

/* What a buffer's exporter has to do for that nobody knows */
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

/**
 * svt_reg_user_mr_dmabuf - register memory of a dma-buf
 * @pd: protection domain
 * @offset: first byte, in the buffer
 * @length: bytes, 1 to 2^40
 * @iova: by which it is addressed in work requests; same offset in its page as @offset
 * @fd: of the calling process
 * @access: enum ib_access_flags, checked by ib_core
 * @dmah: hints for a device on a bus
 * @command: of ib_core
 *
 * Context: may sleep.
 * Return: the region; -EINVAL length, addresses wrap, or no dma-buf so long; -ENOMEM memory or
 * regions run out; -EOPNOTSUPP there is @dmah, or FLUSH in @access; as svt_buffer_open() and
 * svt_buffer_table().
 */
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

/**
 * svt_alloc_mr - a kernel client's region for fast registration
 * @pd: protection domain
 * @type: IB_MR_TYPE_MEM_REG
 * @max_pages: blocks that it can be made of, 1 to SVT_MAX_FAST_PAGES
 *
 * No access passes until IB_WR_REG_MR has registered something.
 *
 * Context: may sleep.
 * Return: the region; -EOPNOTSUPP type; -EINVAL; -ENOMEM.
 */
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

/**
 * svt_map_mr_sg - ib_device_ops.map_mr_sg
 * @ibmr: from svt_alloc_mr(); page_size is set; a registration may be valid, or posted
 * @sg: list, mapped by ib_dma_map_sg()
 * @nents: entries
 * @offset: in the first entry; NULL means 0
 *
 * What is mapped stays with the region, for any number of registrations, until the next call.
 *
 * Context: any with interrupts on. Takes the region's lock.
 * Return: entries that were mapped, from the first on; -EINVAL page size, or a list that makes no
 * sense; -ENOMEM not even one fits.
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

/* What ib_core passes is what changes by @flags; the rest stays */
static int svt_rereg_check(const struct svt_mr *mr, int flags, int access)
{
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return -EOPNOTSUPP;
	if (flags & IB_MR_REREG_TRANS || !(flags & IB_MR_REREG_ACCESS))
		return 0;
	if (mr->buffer && access & SVT_ACCESS_FLUSH)
		return -EOPNOTSUPP;
	/* Pinned or not: that is of the memory */
	if ((mr->key.access ^ access) & IB_ACCESS_ON_DEMAND)
		return -EINVAL;
	return ib_access_writable(access) && svt_mr_is_read_only(mr) ? -EACCES : 0;
}

/**
 * svt_rereg_user_mr - change a region's memory, access or protection domain (IBTA 11.2.8.7)
 * @ibmr: region
 * @flags: IB_MR_REREG_*: which of the following change
 * @start: address in the process
 * @length: bytes
 * @iova: address in work requests
 * @access: enum ib_access_flags, checked by ib_core
 * @pd: protection domain
 * @udata: of the command
 *
 * The region keeps its keys. Requests that come while it changes fail; one that fails to change is
 * as it was.
 *
 * Context: may sleep.
 * Return: NULL, which says to ib_core that @ibmr stays; -EBUSY windows are bound to it (IBTA
 * C10-91); -EACCES writing is asked for and the memory is pinned for reading; -EINVAL that memory
 * which stays be paged on demand, or no longer; as svt_reg_user_mr().
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

/**
 * svt_dereg_mr - ib_device_ops.dereg_mr
 * @ibmr: region
 * @udata: not used
 *
 * Context: may sleep; waits until no access uses the region.
 * Return: 0, or -EBUSY: windows are bound to it (IBTA C10-91).
 */
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
