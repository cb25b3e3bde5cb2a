/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_DEVICE_H
#define ROCE_DEVICE_H

struct net_device;
struct roce_device;

int roce_create(const char *name, struct net_device *netdev);
struct roce_device *roce_device_get(const struct net_device *netdev);
void roce_device_gone(const struct net_device *netdev);

#endif
