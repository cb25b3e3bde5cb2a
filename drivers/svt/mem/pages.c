// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The page table of a region. It has two levels, so that only the upper one may be larger than a
 * page: 4 MiB for a region of SVT_MAX_REGION bytes in pages of 4 KiB. Verbs fills the table before
 * it publishes it in svt_mr.table. After that it does not change.
 */
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/svt.h>

#include "keys.h"

static u64 chunk_count(u64 blocks)
{
	return DIV_ROUND_UP_ULL(blocks, SVT_PAGES_PER_CHUNK);
}

/* The last chunk is shorter, so that a small region has a small table */
static phys_addr_t *chunk_alloc(u64 blocks, u64 chunk)
{
	u64 left = blocks - chunk * SVT_PAGES_PER_CHUNK;

	return kcalloc(min_t(u64, left, SVT_PAGES_PER_CHUNK), sizeof(phys_addr_t),
		       SVT_GFP_CHARGED);
}

/**
 * svt_page_table_alloc() - allocate a page table, charged to the caller's memory cgroup
 * @blocks: 1 to SVT_MAX_REGION bytes and one block
 * @shift: log2 of the bytes of a block, PAGE_SHIFT to SVT_MAX_BLOCK_SHIFT
 * @first_offset: of the region in the first block
 * Return: the table, or NULL
 */
struct svt_page_table *svt_page_table_alloc(u64 blocks, unsigned int shift, u64 first_offset)
{
	struct svt_page_table *table;
	u64 i;

	if (!blocks || shift < PAGE_SHIFT || shift > SVT_MAX_BLOCK_SHIFT || first_offset >> shift ||
	    blocks - 1 > SVT_MAX_REGION >> shift)
		return NULL;
	table = kzalloc(sizeof(*table), SVT_GFP_CHARGED);
	if (!table)
		return NULL;
	table->shift = shift;
	table->first_offset = first_offset;
	table->blocks = blocks;
	table->chunks = kvcalloc(chunk_count(blocks), sizeof(table->chunks[0]), SVT_GFP_CHARGED);
	if (!table->chunks)
		goto free;
	for (i = 0; i < chunk_count(blocks); i++) {
		table->chunks[i] = chunk_alloc(blocks, i);
		if (!table->chunks[i])
			goto free;
		cond_resched();
	}
	return table;
free:
	svt_page_table_free(table);
	return NULL;
}

/* @start: physical address; a block smaller than a page does not cross the end of its page */
void svt_page_table_set(struct svt_page_table *table, u64 block, phys_addr_t start)
{
	if (WARN_ON_ONCE(block >= table->blocks))
		return;
	table->chunks[block / SVT_PAGES_PER_CHUNK][block % SVT_PAGES_PER_CHUNK] = start;
}

void svt_page_table_free(struct svt_page_table *table)
{
	u64 i;

	if (!table)
		return;
	for (i = 0; table->chunks && i < chunk_count(table->blocks); i++) {
		kfree(table->chunks[i]);
		cond_resched();
	}
	kvfree(table->chunks);
	kfree(table);
}
