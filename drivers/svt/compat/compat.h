/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Written for 6.12; what 6.1 has otherwise is adapted here, and only here.
 */
#ifndef SVT_COMPAT_H
#define SVT_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)

/* ib_device_ops.create_cq is given the driver's part of the command only */
#define svt_cq_command		ib_udata
#define svt_cq_udata(command)	(command)

/* ib_device_ops that 6.1 has not */
#define SVT_OPS_SINCE_6_12(...)

/* The address that ib_dma_map_* of a device without DMA made: kernel virtual */
#define ib_virt_dma_to_page(address) virt_to_page((void *)(uintptr_t)(address))

/* 6.1 has no record of who chose a device's name */
struct ib_device;
static inline void ib_mark_name_assigned_by_user(struct ib_device *ibdev)
{
}

#else

#define svt_cq_command		uverbs_attr_bundle
#define svt_cq_udata(command) ({						\
	struct uverbs_attr_bundle *command_ = (command);		\
	command_ ? &command_->driver_udata : NULL;			\
})

#define SVT_OPS_SINCE_6_12(...)	__VA_ARGS__,

#endif

#endif
