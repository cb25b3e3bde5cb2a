/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_ICRC_H
#define ROCE_ICRC_H

#include <linux/skbuff.h>
#include <rdma/ib_pack.h>

#include "crc.h"
#include "headers.h"

/* At the end of each packet */
#define ROCE_ICRC_LENGTH	4

/* What the ICRC of each packet of a flow begins with */
struct roce_masked {
	u8 lrh[8]; /* ones, for the local route header of InfiniBand */
	union roce_headers headers; /* ones for what routers change; lengths and id of the packet */
	u8 bth[IB_BTH_BYTES]; /* room: the BTH stands right behind the headers */
};

void roce_icrc_mask(struct roce_masked *masked, const union roce_headers *headers);
void roce_icrc_begin(struct roce_crc *crc, bool vector, struct roce_masked *masked, bool ipv6,
		     const u8 *bth);
__le32 roce_icrc_end(const struct roce_crc *crc);
__le32 roce_icrc(bool vector, struct roce_masked *masked, bool ipv6, const u8 *bth, u8 *to,
		 const u8 *from, unsigned int length);
bool roce_icrc_ok(struct sk_buff *skb, bool vector, struct roce_masked *masked, bool ipv6,
		  unsigned int offset, unsigned int length);

#endif
