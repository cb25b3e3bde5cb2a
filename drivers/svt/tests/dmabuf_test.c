// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of a dma-buf, of an exporter that the tests make: what of it is taken, what is refused,
 * and that all of it is given back.
 */
#include <kunit/test.h>
#include <linux/dma-buf.h>
#include <linux/iosys-map.h>
#include <linux/vmalloc.h>

#include "verbs/dmabuf.h"

#define PAGES	8
#define BYTES	(PAGES * PAGE_SIZE)

/* What an exporter may do; and what it was asked for */
struct exporter {
	struct dma_buf *dmabuf;
	u8 *memory;
	bool is_iomem;
	int begin_error;
	int mapped;
	int begun;
};

static struct sg_table *never_attached(struct dma_buf_attachment *attachment,
				       enum dma_data_direction direction)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void never_detached(struct dma_buf_attachment *attachment, struct sg_table *table,
			   enum dma_data_direction direction)
{
}

static void nothing_to_release(struct dma_buf *dmabuf)
{
}

static int begin(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct exporter *e = dmabuf->priv;

	if (e->begin_error)
		return e->begin_error;
	e->begun++;
	return 0;
}

static int end(struct dma_buf *dmabuf, enum dma_data_direction direction)
{
	struct exporter *e = dmabuf->priv;

	e->begun--;
	return 0;
}

static int map(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct exporter *e = dmabuf->priv;

	if (e->is_iomem)
		iosys_map_set_vaddr_iomem(map, (void __iomem *)e->memory);
	else
		iosys_map_set_vaddr(map, e->memory);
	e->mapped++;
	return 0;
}

static void unmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct exporter *e = dmabuf->priv;

	e->mapped--;
}

static const struct dma_buf_ops ops = {
	.map_dma_buf = never_attached,
	.unmap_dma_buf = never_detached,
	.release = nothing_to_release,
	.begin_cpu_access = begin,
	.end_cpu_access = end,
	.vmap = map,
	.vunmap = unmap,
};

static const struct dma_buf_ops ops_without_vmap = {
	.map_dma_buf = never_attached,
	.unmap_dma_buf = never_detached,
	.release = nothing_to_release,
};

static struct exporter *export(struct kunit *test, const struct dma_buf_ops *with, int flags)
{
	struct exporter *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	KUNIT_ASSERT_NOT_NULL(test, e);
	e->memory = vmalloc(BYTES);
	KUNIT_ASSERT_NOT_NULL(test, e->memory);
	info.ops = with;
	info.size = BYTES;
	info.flags = flags;
	info.priv = e;
	e->dmabuf = dma_buf_export(&info);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, e->dmabuf);
	return e;
}

/* Nobody has it any more */
static void expect_given_back(struct kunit *test, struct exporter *e)
{
	KUNIT_EXPECT_EQ(test, e->mapped, 0);
	KUNIT_EXPECT_EQ(test, e->begun, 0);
	KUNIT_EXPECT_EQ(test, file_count(e->dmabuf->file), 1);
	dma_buf_put(e->dmabuf);
	vfree(e->memory);
}

static void expect_refused(struct kunit *test, struct exporter *e, u64 offset, u64 length,
			   bool write, int error)
{
	struct svt_buffer *buffer = svt_buffer_get(e->dmabuf, offset, length, write);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(buffer), error);
	if (!IS_ERR(buffer))
		svt_buffer_put(buffer);
}

static void expect_table(struct kunit *test, struct exporter *e, u64 offset, u64 length)
{
	struct svt_buffer *buffer = svt_buffer_get(e->dmabuf, offset, length, true);
	struct svt_page_table *table;
	u64 block;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buffer);
	KUNIT_EXPECT_TRUE(test, svt_buffer_is_writable(buffer));
	table = svt_buffer_table(buffer, offset, length);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, table);
	KUNIT_EXPECT_EQ(test, table->shift, PAGE_SHIFT);
	KUNIT_EXPECT_EQ(test, table->first_offset, offset % PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, table->blocks,
			DIV_ROUND_UP(offset % PAGE_SIZE + length, PAGE_SIZE));
	for (block = 0; block < table->blocks; block++) {
		struct page *page = vmalloc_to_page(e->memory + offset + block * PAGE_SIZE);

		KUNIT_EXPECT_EQ(test, table->chunks[0][block], page_to_phys(page));
	}
	svt_page_table_free(table);
	svt_buffer_put(buffer);
}

static void a_part_has_the_pages_that_it_touches(struct kunit *test)
{
	struct exporter *e = export(test, &ops, O_RDWR);

	expect_table(test, e, 0, BYTES);
	expect_table(test, e, 0, 1);
	expect_table(test, e, PAGE_SIZE - 1, 1);
	expect_table(test, e, PAGE_SIZE - 1, 2);
	expect_table(test, e, 3 * PAGE_SIZE + 5, 2 * PAGE_SIZE);
	expect_table(test, e, BYTES - 1, 1);
	expect_given_back(test, e);
}

static void a_part_beyond_the_end_is_refused(struct kunit *test)
{
	struct exporter *e = export(test, &ops, O_RDWR);

	expect_refused(test, e, 0, BYTES + 1, true, -EINVAL);
	expect_refused(test, e, BYTES, 1, true, -EINVAL);
	expect_refused(test, e, U64_MAX, 2, true, -EINVAL);
	expect_refused(test, e, 1, U64_MAX, true, -EINVAL);
	expect_given_back(test, e);
}

static void what_was_opened_for_reading_is_not_changed(struct kunit *test)
{
	struct exporter *e = export(test, &ops, O_RDONLY);
	struct svt_buffer *buffer;

	expect_refused(test, e, 0, BYTES, true, -EACCES);
	buffer = svt_buffer_get(e->dmabuf, 0, BYTES, false);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buffer);
	KUNIT_EXPECT_FALSE(test, svt_buffer_is_writable(buffer));
	svt_buffer_put(buffer);
	expect_given_back(test, e);
}

static void what_is_not_memory_is_refused(struct kunit *test)
{
	struct exporter *e = export(test, &ops_without_vmap, O_RDWR);

	expect_refused(test, e, 0, BYTES, true, -EOPNOTSUPP);
	expect_given_back(test, e);
	e = export(test, &ops, O_RDWR);
	e->is_iomem = true;
	expect_refused(test, e, 0, BYTES, true, -EOPNOTSUPP);
	expect_given_back(test, e);
}

static void what_the_exporter_says_is_said(struct kunit *test)
{
	struct exporter *e = export(test, &ops, O_RDWR);

	e->begin_error = -EIO;
	expect_refused(test, e, 0, BYTES, true, -EIO);
	expect_given_back(test, e);
}

/* As the udmabuf of Linux 6.12 does with huge pages */
static void a_page_in_place_of_another_is_refused(struct kunit *test)
{
	struct exporter *e = export(test, &ops, O_RDWR);
	struct page *pages[PAGES];
	struct svt_buffer *buffer;
	u8 *memory = e->memory;
	int i;

	for (i = 0; i < PAGES; i++)
		pages[i] = vmalloc_to_page(memory + (i < 5 ? i : 4) * PAGE_SIZE);
	e->memory = vmap(pages, PAGES, VM_MAP, PAGE_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, e->memory);
	buffer = svt_buffer_get(e->dmabuf, 0, BYTES, true);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buffer);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(svt_buffer_table(buffer, 0, BYTES)), -EOPNOTSUPP);
	/* Also when the part has only one of them: the next, or the one before, is the same */
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(svt_buffer_table(buffer, 4 * PAGE_SIZE, 1)),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(svt_buffer_table(buffer, BYTES - 1, 1)),
			-EOPNOTSUPP);
	svt_buffer_put(buffer);
	vunmap(e->memory);
	e->memory = memory;
	expect_given_back(test, e);
}

static struct kunit_case dmabuf_cases[] = {
	KUNIT_CASE(a_part_has_the_pages_that_it_touches),
	KUNIT_CASE(a_part_beyond_the_end_is_refused),
	KUNIT_CASE(what_was_opened_for_reading_is_not_changed),
	KUNIT_CASE(what_is_not_memory_is_refused),
	KUNIT_CASE(what_the_exporter_says_is_said),
	KUNIT_CASE(a_page_in_place_of_another_is_refused),
	{}
};

static struct kunit_suite dmabuf_suite = {
	.name = "svt-dmabuf",
	.test_cases = dmabuf_cases,
};

kunit_test_suite(dmabuf_suite);
