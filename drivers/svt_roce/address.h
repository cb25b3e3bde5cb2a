/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The addresses of a packet as GIDs */
#ifndef ROCE_ADDRESS_H
#define ROCE_ADDRESS_H

#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

void roce_read_destination(const struct sk_buff *skb, union ib_gid *gid);
void roce_read_source(const struct sk_buff *skb, union ib_gid *gid);

#endif
