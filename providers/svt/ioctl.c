// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ioctls that only svt has: a header and up to SVT_IOCTL_MAX_ATTRS attributes behind it. No
 * locks; whoever builds a call owns it until it is built.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include <rdma/svt-abi.h>

#include "ioctl.h"

void svt_ioctl_init(struct svt_ioctl *call, uint16_t object, uint16_t method)
{
	memset(call, 0, sizeof(*call));
	call->header.length = sizeof(call->header);
	call->header.object_id = object;
	call->header.method_id = method;
	call->header.driver_id = SVT_DRIVER_ID;
}

static struct ib_uverbs_attr *add(struct svt_ioctl *call, uint16_t id)
{
	struct ib_uverbs_attr *attr = &call->header.attrs[call->header.num_attrs];

	assert(call->header.num_attrs < SVT_IOCTL_MAX_ATTRS);
	call->header.num_attrs++;
	call->header.length += sizeof(*attr);
	attr->attr_id = id;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	return attr;
}

/* An object: the kernel takes its handle as a 64-bit value of length 0 */
void svt_ioctl_add_handle(struct svt_ioctl *call, uint16_t attr, uint32_t handle)
{
	add(call, attr)->data = handle;
}

/* Input of up to 8 bytes stands in the attribute itself, from its first byte on */
void svt_ioctl_add_u32(struct svt_ioctl *call, uint16_t attr, uint32_t value)
{
	struct ib_uverbs_attr *added = add(call, attr);

	added->len = sizeof(value);
	memcpy(&added->data, &value, sizeof(value));
}

void svt_ioctl_add_output(struct svt_ioctl *call, uint16_t attr, void *data, uint16_t length)
{
	struct ib_uverbs_attr *added = add(call, attr);

	added->len = length;
	added->data = (uintptr_t)data;
}

/**
 * svt_ioctl_run - enter the kernel
 * @call: what to do
 * @cmd_fd: of the context
 *
 * Return: 0 or an errno; EIO: the device is gone.
 */
int svt_ioctl_run(const struct svt_ioctl *call, int cmd_fd)
{
	int ret;

	do {
		ret = ioctl(cmd_fd, RDMA_VERBS_IOCTL, &call->header);
	} while (ret && errno == EINTR);
	return ret ? errno : 0;
}
