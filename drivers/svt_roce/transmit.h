/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_TRANSMIT_H
#define ROCE_TRANSMIT_H

#include <rdma/svt.h>

int roce_xmit(struct svt_device *dev, struct svt_train *train);
void roce_transmit_exit(void);

#endif
