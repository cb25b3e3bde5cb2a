/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_LINK_H
#define ROCE_LINK_H

struct roce_device;

void roce_update_link(struct roce_device *device);

#endif
