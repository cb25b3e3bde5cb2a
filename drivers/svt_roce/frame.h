/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_FRAME_H
#define ROCE_FRAME_H

#include <rdma/svt.h>

int roce_send_frame(struct svt_device *dev, struct svt_train *train);
int roce_listen(struct svt_device *dev, const union ib_gid *gid, u32 netns, bool begin);

#endif
