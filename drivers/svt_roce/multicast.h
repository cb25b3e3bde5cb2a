/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_MULTICAST_H
#define ROCE_MULTICAST_H

#include <rdma/svt.h>

struct net_device;

int roce_multicast(struct svt_device *dev, const union ib_gid *gid, u32 netns, bool join);
void roce_multicast_leave(struct net_device *netdev);

#endif
