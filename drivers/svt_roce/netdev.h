/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_NETDEV_H
#define ROCE_NETDEV_H

int roce_netdev_init(void);
void roce_netdev_exit(void);

#endif
