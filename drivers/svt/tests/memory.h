/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A key table with two protection domains and a region of real pages, for the tests of mem/.
 */
#ifndef SVT_TESTS_MEMORY_H
#define SVT_TESTS_MEMORY_H

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "mem/keys.h"

#define MEMORY_PAGES	8
#define MEMORY_START	(0x7f0000000000ULL + MEMORY_OFFSET)
#define MEMORY_OFFSET	0x128ULL
#define MEMORY_LENGTH	(MEMORY_PAGES * PAGE_SIZE - 0x300)
#define MEMORY_QPN	0x123456
#define ALL_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND)

/**
 * struct memory - what a test of mem/ works on
 * @keys: the table
 * @pd: of the region
 * @other_pd: of nothing
 * @pages: of the region, one block each, not in the order of their addresses
 * @mr: MEMORY_LENGTH bytes at MEMORY_START
 */
struct memory {
	struct svt_keys keys;
	struct ib_pd pd;
	struct ib_pd other_pd;
	struct page *pages[MEMORY_PAGES];
	struct svt_mr mr;
};

static inline int memory_set_table(struct memory *m)
{
	struct svt_page_table *table;
	unsigned int i;

	table = svt_page_table_alloc(MEMORY_PAGES, PAGE_SHIFT, MEMORY_OFFSET);
	if (!table)
		return -ENOMEM;
	rcu_assign_pointer(m->mr.table, table);
	for (i = 0; i < MEMORY_PAGES; i++) {
		m->pages[MEMORY_PAGES - 1 - i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!m->pages[MEMORY_PAGES - 1 - i])
			return -ENOMEM;
	}
	for (i = 0; i < MEMORY_PAGES; i++)
		svt_page_table_set(table, i, page_to_phys(m->pages[i]));
	return 0;
}

static inline int memory_init(struct memory *m)
{
	int ret;

	ret = svt_keys_init(&m->keys);
	if (ret)
		return ret;
	m->mr.key.type = SVT_KEY_REGION;
	m->mr.key.valid = true;
	m->mr.key.pd = &m->pd;
	m->mr.key.access = ALL_ACCESS;
	m->mr.key.start = MEMORY_START;
	m->mr.key.length = MEMORY_LENGTH;
	return memory_set_table(m) ?: svt_key_insert(&m->keys, &m->mr.key);
}

static inline void memory_exit(struct memory *m)
{
	unsigned int i;

	svt_key_remove(&m->keys, &m->mr.key);
	svt_keys_destroy(&m->keys);
	svt_page_table_free(rcu_dereference_protected(m->mr.table, true));
	for (i = 0; i < MEMORY_PAGES; i++)
		if (m->pages[i])
			__free_page(m->pages[i]);
}

/* The byte at @offset of the region */
static inline u8 *memory_byte(struct memory *m, u64 offset)
{
	offset += MEMORY_OFFSET;
	return page_address(m->pages[offset / PAGE_SIZE]) + offset % PAGE_SIZE;
}

static inline int memory_local(struct memory *m, const struct ib_pd *pd, u32 lkey, u64 addr,
			       u32 length, int access, struct svt_region *region)
{
	const struct svt_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	int ret;

	region->mr = NULL;
	rcu_read_lock();
	ret = svt_region_local(&m->keys, pd, &sge, access, region);
	rcu_read_unlock();
	return ret;
}

static inline int memory_remote(struct memory *m, const struct ib_pd *pd, u32 qpn, u32 rkey,
				u64 addr, u64 length, int access, struct svt_region *region)
{
	int ret;

	region->mr = NULL;
	rcu_read_lock();
	ret = svt_region_remote(&m->keys, pd, qpn, rkey, addr, length, access, region);
	rcu_read_unlock();
	return ret;
}

#endif
