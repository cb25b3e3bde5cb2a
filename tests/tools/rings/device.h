/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_DEVICE_H
#define RINGS_DEVICE_H

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/svt-abi.h>

#include "types.h"

/*
 * A device opened without libibverbs: the commands of uverbs are written and read as the kernel
 * has them, so that nothing stands between what is meant and what arrives.
 */
struct device {
	const char *name;
	int fd;			/* /dev/infiniband/uverbsN */
	int async_fd;
	u8 gid[16];
	u8 gid_index;
	u32 mtu;		/* enum ib_mtu, of the port */
};

/*
 * All that return int return 0 or a negative errno.  @request begins with a struct
 * ib_uverbs_cmd_hdr, which is filled in; behind it stands the address of @response when there is
 * one.
 */
int device_open(struct device *dev, const char *name);
void device_close(struct device *dev);
int device_node(const char *name, char *path, size_t size);
int device_command(int fd, u32 command, void *request, size_t size, void *response,
		   size_t response_size);

#define DEVICE_MAX_ATTRS	16

/* A command by ioctl; add attributes, then device_ioctl() */
struct ioctl_command {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[DEVICE_MAX_ATTRS];
};

void ioctl_begin(struct ioctl_command *c, u16 object, u16 method);
struct ib_uverbs_attr *ioctl_add(struct ioctl_command *c, u16 id, u16 len, u64 data);
int device_ioctl(int fd, struct ioctl_command *c);

/* The next asynchronous event, by enum ib_event_type; -EAGAIN when there is none within @ms */
int device_event(const struct device *dev, u64 *element, u32 ms);

#endif
