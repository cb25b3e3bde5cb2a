/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copies into memory regions.
 */
#ifndef SVT_TRANSPORT_COPY_H
#define SVT_TRANSPORT_COPY_H

#include <linux/skbuff.h>

#include "../mem/keys.h"

int svt_region_fill_skb(const struct svt_region *region, u64 offset, u32 length,
			const struct sk_buff *skb, u32 skb_offset);
int svt_region_fill(const struct svt_region *region, u64 offset, u32 length, const void *from);

#endif
