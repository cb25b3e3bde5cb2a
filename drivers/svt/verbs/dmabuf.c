// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of a dma-buf, for a region: buffers that another driver has made, udmabuf or a graphics
 * card, say. The exporter maps it for the kernel as long as the region is there, and keeps it in
 * place so long; no lock of ours is involved. Called by mr.c alone.
 *
 * A device without DMA has no struct device that it could attach with, so it is an importer by CPU:
 * whoever made the buffer hands out memory only. What is behind a PCI bus it may refuse, and if it
 * does not we do.
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

/*
 * Waits for what a device still writes to the buffer. That the CPU has it from now on ends in
 * buffer_unmap(): accesses come at any time until then.
 */
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

/**
 * svt_buffer_open - have a dma-buf at hand
 * @fd: of the calling process
 * @offset: first byte that is wanted
 * @length: bytes
 * @write: they are going to be changed
 *
 * Context: may sleep.
 * Return: what svt_buffer_put() releases, or ERR_PTR: -EBADF no such file; -EINVAL no dma-buf, or
 * it ends before; -EACCES it was opened for reading; -EOPNOTSUPP its exporter does not map it, or
 * it is not memory; -ENOMEM; what the exporter says.
 */
struct svt_buffer *svt_buffer_open(int fd, u64 offset, u64 length, bool write)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	struct svt_buffer *buffer;

	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	buffer = svt_buffer_get(dmabuf, offset, length, write);
	/* That has a reference of its own */
	dma_buf_put(dmabuf);
	return buffer;
}

/**
 * svt_buffer_get - the same, of a buffer that is known
 * @dmabuf: buffer
 * @offset: first byte that is wanted
 * @length: bytes
 * @write: they are going to be changed
 *
 * Context: may sleep.
 * Return: as svt_buffer_open().
 */
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

/**
 * svt_buffer_put - let go of it
 * @buffer: whose pages nobody uses; may be NULL
 *
 * Context: may sleep.
 */
void svt_buffer_put(struct svt_buffer *buffer)
{
	if (!buffer)
		return;
	buffer_unmap(buffer);
	dma_buf_put(buffer->dmabuf);
	kfree(buffer);
}

/**
 * svt_buffer_is_writable - whether a region of it may have rights to change it
 * @buffer: buffer
 *
 * Context: any.
 * Return: it was opened for writing.
 */
bool svt_buffer_is_writable(const struct svt_buffer *buffer)
{
	return buffer->dmabuf->file->f_mode & FMODE_WRITE;
}

/* NULL: no memory that the kernel manages */
static struct page *buffer_page(const struct svt_buffer *buffer, u64 number)
{
	void *virt = buffer->map.vaddr + (number << PAGE_SHIFT);
	struct page *page = is_vmalloc_addr(virt) ? vmalloc_to_page(virt) : virt_to_page(virt);

	return page && pfn_valid(page_to_pfn(page)) ? page : NULL;
}

/*
 * The udmabuf of Linux 6.12 maps the first page of a huge one in place of each of its pages. Nobody
 * wants that, and whoever got it would write over what is elsewhere in the buffer. So each page is
 * compared with the one before it, also the first of the part, and the one behind the part.
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

/**
 * svt_buffer_table - the pages of a part
 * @buffer: that has the part
 * @offset: first byte
 * @length: bytes, at least one
 *
 * Context: may sleep.
 * Return: a page table, to be freed before @buffer is put, or ERR_PTR: -EOPNOTSUPP they are not
 * pages of memory, or one stands for several; -ENOMEM.
 */
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
