// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of a dma-buf for a region: a buffer of another driver (udmabuf, a graphics card). The
 * exporter maps it for the kernel, and keeps it in place, as long as the region exists. No lock of
 * ours is involved. Only mr.c calls this. A device without DMA has no struct device to attach
 * with, so it imports by CPU, and only memory: the exporter may refuse what is behind a PCI bus,
 * and otherwise we do.
 */
#include <linux/dma-buf.h>
#include <linux/iosys-map.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/svt.h>

#include "dmabuf.h"

/* The whole buffer is mapped, as an exporter maps no parts */
struct svt_buffer {
	struct dma_buf *dmabuf;
	struct iosys_map map;
};

static int buffer_check(const struct dma_buf *dmabuf, u64 offset, u64 length, bool write)
{
	u64 end;

	if (check_add_overflow(offset, length, &end) || end > dmabuf->size)
		return -EINVAL;
	if (write && !(dmabuf->file->f_mode & FMODE_WRITE))
		return -EACCES;
	return dmabuf->ops->vmap ? 0 : -EOPNOTSUPP;
}

/* Waits for what a device still writes. The CPU has access until buffer_unmap(). */
static int buffer_map(struct svt_buffer *buffer)
{
	int ret = dma_buf_begin_cpu_access(buffer->dmabuf, DMA_BIDIRECTIONAL);

	if (ret)
		return ret;
	ret = dma_buf_vmap_unlocked(buffer->dmabuf, &buffer->map);
	if (ret)
		dma_buf_end_cpu_access(buffer->dmabuf, DMA_BIDIRECTIONAL);
	return ret;
}

static void buffer_unmap(struct svt_buffer *buffer)
{
	dma_buf_vunmap_unlocked(buffer->dmabuf, &buffer->map);
	dma_buf_end_cpu_access(buffer->dmabuf, DMA_BIDIRECTIONAL);
}

/* -EACCES: it was opened for reading. -EOPNOTSUPP: its exporter does not map it, or not memory. */
struct svt_buffer *svt_buffer_open(int fd, u64 offset, u64 length, bool write)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	struct svt_buffer *buffer;

	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	buffer = svt_buffer_get(dmabuf, offset, length, write);
	/* @buffer has its own reference */
	dma_buf_put(dmabuf);
	return buffer;
}

/* The same for a dma-buf that is known; takes its own reference */
struct svt_buffer *svt_buffer_get(struct dma_buf *dmabuf, u64 offset, u64 length, bool write)
{
	struct svt_buffer *buffer;
	int ret = buffer_check(dmabuf, offset, length, write);

	if (ret)
		return ERR_PTR(ret);
	buffer = kzalloc(sizeof(*buffer), SVT_GFP_CHARGED);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	get_dma_buf(dmabuf);
	buffer->dmabuf = dmabuf;
	ret = buffer_map(buffer);
	if (ret)
		goto free;
	if (!buffer->map.is_iomem && !offset_in_page(buffer->map.vaddr))
		return buffer;
	ret = -EOPNOTSUPP;
	buffer_unmap(buffer);
free:
	dma_buf_put(dmabuf);
	kfree(buffer);
	return ERR_PTR(ret);
}

/* Nobody may use the pages of @buffer any more; may be NULL */
void svt_buffer_put(struct svt_buffer *buffer)
{
	if (!buffer)
		return;
	buffer_unmap(buffer);
	dma_buf_put(buffer->dmabuf);
	kfree(buffer);
}

bool svt_buffer_is_writable(const struct svt_buffer *buffer)
{
	return buffer->dmabuf->file->f_mode & FMODE_WRITE;
}

/* NULL: not memory that the kernel manages */
static struct page *buffer_page(const struct svt_buffer *buffer, u64 number)
{
	void *virt = buffer->map.vaddr + (number << PAGE_SHIFT);
	struct page *page = is_vmalloc_addr(virt) ? vmalloc_to_page(virt) : virt_to_page(virt);

	return page && pfn_valid(page_to_pfn(page)) ? page : NULL;
}

/*
 * udmabuf of Linux 6.12 maps the first page of a huge page in place of each of its pages: writes
 * would go to the wrong place. So this compares each page with the one before it, and looks at one
 * page before and one behind the part, too.
 */
static int buffer_fill(const struct svt_buffer *buffer, u64 first, struct svt_page_table *table)
{
	u64 number = first ? first - 1 : first, last = first + table->blocks;
	struct page *page, *before = NULL;

	for (; number <= last && number < buffer->dmabuf->size >> PAGE_SHIFT; number++) {
		page = buffer_page(buffer, number);
		if (!page || page == before)
			return -EOPNOTSUPP;
		if (number >= first && number < last)
			svt_page_table_set(table, number - first, page_to_phys(page));
		before = page;
		cond_resched();
	}
	return 0;
}

/* @length is not 0. Free the table before svt_buffer_put(). -EOPNOTSUPP: see buffer_fill(). */
struct svt_page_table *svt_buffer_table(const struct svt_buffer *buffer, u64 offset, u64 length)
{
	u64 first = offset >> PAGE_SHIFT, last = (offset + length - 1) >> PAGE_SHIFT;
	struct svt_page_table *table;
	int ret;

	table = svt_page_table_alloc(last - first + 1, PAGE_SHIFT, offset_in_page(offset));
	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = buffer_fill(buffer, first, table);
	if (!ret)
		return table;
	svt_page_table_free(table);
	return ERR_PTR(ret);
}

MODULE_IMPORT_NS("DMA_BUF");
