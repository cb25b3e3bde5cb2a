/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Written for 6.12; what 6.1 has otherwise is adapted here, and only here.
 */
#ifndef SVT_COMPAT_H
#define SVT_COMPAT_H

#include <linux/bits.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)

/* Some ib_device_ops are given the driver's part of the command only */
#define svt_command		ib_udata
#define svt_command_udata(command)	(command)

/* They have taken the lock all along */
#define dma_buf_vmap_unlocked	dma_buf_vmap
#define dma_buf_vunmap_unlocked	dma_buf_vunmap

/* Work requests that 6.1 has no names for, and passes on as the numbers that they are */
#define IB_UVERBS_WR_FLUSH		14
#define IB_UVERBS_WR_ATOMIC_WRITE	15
#define IB_WR_FLUSH			IB_UVERBS_WR_FLUSH
#define IB_WR_ATOMIC_WRITE		IB_UVERBS_WR_ATOMIC_WRITE
#define IB_UVERBS_WC_FLUSH		8
#define IB_UVERBS_WC_ATOMIC_WRITE	9
#define IB_OPCODE_FLUSH			0x1c
#define IB_OPCODE_RC_FLUSH		IB_OPCODE_FLUSH
#define IB_OPCODE_ATOMIC_WRITE		0x1d
#define IB_OPCODE_RC_ATOMIC_WRITE	IB_OPCODE_ATOMIC_WRITE
#define IB_DEVICE_ATOMIC_WRITE		BIT_ULL(40)
/* Its ib_core gives no region this right, so there is nothing to claim */
#define IB_ACCESS_FLUSH_GLOBAL		BIT(8)
#define IB_ACCESS_FLUSH_PERSISTENT	BIT(9)
#define IB_DEVICE_FLUSH_GLOBAL		0

/* 6.1 has no shadow stacks */
#define VM_SHADOW_STACK			0

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

#define svt_command		uverbs_attr_bundle
#define svt_command_udata(command) ({					\
	struct uverbs_attr_bundle *command_ = (command);		\
	command_ ? &command_->driver_udata : NULL;			\
})

#define SVT_OPS_SINCE_6_12(...)	__VA_ARGS__,

#endif

#endif
