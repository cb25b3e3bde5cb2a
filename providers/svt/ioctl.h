/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The ioctls that only svt has. They are put together here and not with libibverbs's helpers, which
 * build a call anew each time: a doorbell is built once and rung as often as needed.
 */
#ifndef SVT_IOCTL_H
#define SVT_IOCTL_H

#include <stdint.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#define SVT_IOCTL_MAX_ATTRS	3

/**
 * struct svt_ioctl - a call; not changed by running it, so threads may share it
 * @header: the start of @space
 */
struct svt_ioctl {
	union {
		struct ib_uverbs_ioctl_hdr header;
		uint8_t space[sizeof(struct ib_uverbs_ioctl_hdr) +
			      SVT_IOCTL_MAX_ATTRS * sizeof(struct ib_uverbs_attr)];
	};
};

void svt_ioctl_init(struct svt_ioctl *call, uint16_t object, uint16_t method);
void svt_ioctl_add_handle(struct svt_ioctl *call, uint16_t attr, uint32_t handle);
void svt_ioctl_add_u32(struct svt_ioctl *call, uint16_t attr, uint32_t value);
void svt_ioctl_add_output(struct svt_ioctl *call, uint16_t attr, void *data, uint16_t length);
int svt_ioctl_run(const struct svt_ioctl *call, int cmd_fd);

#endif
