/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_RDMANL_H
#define TOOLS_RDMANL_H

#include "netlink.h"
#include "types.h"

#define RDMANL_KINDS	16

/* How many objects of each kind a device has, as `rdma resource show` lists them. */
struct rdmanl_counts {
	u32 kinds;
	struct {
		char name[16];
		u64 number;
	} of[RDMANL_KINDS];
};

/* All return 0 or an errno, as netlink_talk() does. */
int rdmanl_open(void);
int rdmanl_link_add(const char *device, const char *type, const char *netdev);
int rdmanl_link_delete(u32 index);
int rdmanl_device_index(const char *device, u32 *index);
int rdmanl_count(u32 index, struct rdmanl_counts *counts);
/* Objects of a kind, by RDMA_NLDEV_CMD_RES_*_GET, and counters of QPs; @fn gets each answer */
int rdmanl_show(u32 index, int command, message_fn fn);
int rdmanl_show_counters(u32 index, message_fn fn);

bool rdmanl_same(const struct rdmanl_counts *a, const struct rdmanl_counts *b);
/* A note of a suite: @when there were so many */
void rdmanl_note(const char *when, const struct rdmanl_counts *counts);

#endif
