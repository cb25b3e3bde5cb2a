/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_DEV_H
#define TOOLS_DEV_H

#include <infiniband/verbs.h>

#include "types.h"

#define DEV_PORT	1

/* An opened device, its limits, and the source GID in use. */
struct dev {
	struct ibv_context *ctx;
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
	bool gid_v4;
};

/*
 * @name: NULL for the first device; @gid_index: negative for the first RoCE v2 GID, IPv4 preferred.
 * Return 0, or -1 with a line on stderr.
 */
int dev_open(struct dev *d, const char *name, int gid_index);
void dev_close(struct dev *d);
/* Of the first device where @name is NULL. NULL: there is none, with a line as of complain() */
struct ibv_context *dev_context(const char *name);
/* The source GID may have another index after its address was removed.  False: it is not there. */
bool dev_find_gid(struct dev *d);

/* 0 when @bytes is no path MTU */
enum ibv_mtu dev_mtu_enum(u32 bytes);
u32 dev_mtu_bytes(enum ibv_mtu mtu);
bool gid_is_v4(const union ibv_gid *gid);

#endif
