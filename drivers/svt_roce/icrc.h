/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_ICRC_H
#define ROCE_ICRC_H

#include <linux/skbuff.h>

/* At the end of each packet */
#define ROCE_ICRC_LENGTH	4

int roce_icrc_init(void);
void roce_icrc_exit(void);
__le32 roce_icrc(const void *packet, unsigned int length);
bool roce_icrc_ok(struct sk_buff *skb);

#endif
