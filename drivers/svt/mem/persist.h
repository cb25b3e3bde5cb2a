/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Persistent memory: see persist.c.
 */
#ifndef SVT_MEM_PERSIST_H
#define SVT_MEM_PERSIST_H

#include <linux/scatterlist.h>

#include "keys.h"

bool svt_pages_are_persistent(struct page *first, u64 length);
bool svt_sg_is_persistent(const struct sg_table *sg);
void svt_write_back(void *bytes, size_t length);
bool svt_region_persist(const struct svt_region *region);

#endif
