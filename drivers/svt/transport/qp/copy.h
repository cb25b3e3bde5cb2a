/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Copies into memory regions.
 */
#ifndef SVT_TRANSPORT_QP_COPY_H
#define SVT_TRANSPORT_QP_COPY_H

#include <linux/skbuff.h>

#include "../../mem/keys.h"

struct svt_rx_packet;

int svt_region_fill_payload(const struct svt_region *region, u64 offset, u32 length,
			    const struct svt_rx_packet *rx, u32 from);
int svt_rx_copy(const struct svt_rx_packet *rx, void *to, u32 length);
int svt_region_fill(const struct svt_region *region, u64 offset, u32 length, const void *from);

#endif
