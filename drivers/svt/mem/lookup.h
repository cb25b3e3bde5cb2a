/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Look-up of regions, between the files of mem/ only.
 */
#ifndef SVT_MEM_LOOKUP_H
#define SVT_MEM_LOOKUP_H

#include "keys.h"

struct svt_mr *svt_region_find(struct svt_keys *keys, const struct ib_pd *pd, u32 value);

/* No sum here can wrap */
static inline bool svt_range_within(u64 addr, u64 length, u64 start, u64 range)
{
	return addr >= start && length <= range && addr - start <= range - length;
}

#endif
