/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_FRAME_H
#define ROCE_FRAME_H

#include <rdma/svt.h>

extern const struct svt_frame_ops roce_frame_ops;

#endif
