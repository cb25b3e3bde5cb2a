/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* GIDs of devices, as they come and go */
#ifndef ROCE_GID_H
#define ROCE_GID_H

#include <rdma/svt.h>

struct roce_net;

int roce_add_gid(struct svt_device *dev, const struct ib_gid_attr *attr, void **context);
void roce_del_gid(struct svt_device *dev, const struct ib_gid_attr *attr, void **context);
int roce_enable(struct ib_device *ibdev);
void roce_gids_leave(struct roce_net *rnet);

#endif
