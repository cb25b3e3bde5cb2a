// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a process may map: rings, and device memory. It belongs to an entry of ib_core's
 * table of mappings: it is freed with the last reference of the entry, one of which the queue or
 * the device memory holds until it is destroyed, the others each call of mmap while it lasts. Pages
 * that are mapped then are kept by the mapping, and seen by nobody else.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "verbs.h"

/**
 * struct svt_mmap_entry - memory in the table of mappings
 * @entry: ib_core's
 * @memory: from svt_shared_alloc(); nobody else frees it
 */
struct svt_mmap_entry {
	struct rdma_user_mmap_entry entry;
	void *memory;
};

static struct svt_mmap_entry *to_svt_mmap_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct svt_mmap_entry, entry);
}

/**
 * svt_memory_share - let a process map memory
 * @context: of the process
 * @memory: from svt_shared_alloc(); on success it is freed by svt_memory_unshare() only
 * @bytes: all of it
 *
 * Context: may sleep.
 * Return: the entry, or -ENOMEM.
 */
struct rdma_user_mmap_entry *svt_memory_share(struct ib_ucontext *context, void *memory,
					      size_t bytes)
{
	struct svt_mmap_entry *entry = kzalloc(sizeof(*entry), SVT_GFP_CHARGED);
	int ret;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->memory = memory;
	ret = rdma_user_mmap_entry_insert(context, &entry->entry, bytes);
	if (!ret)
		return &entry->entry;
	kfree(entry);
	return ERR_PTR(ret);
}

/**
 * svt_ring_share - let a process map a ring
 * @context: of the process
 * @ring: from svt_ring_alloc(); on success its memory is freed by svt_ring_unshare() only
 * @info: set to what the process is to be told
 *
 * Context: may sleep.
 * Return: the entry, or -ENOMEM.
 */
struct rdma_user_mmap_entry *svt_ring_share(struct ib_ucontext *context,
					    const struct svt_ring *ring,
					    struct svt_ring_info *info)
{
	struct rdma_user_mmap_entry *entry;

	entry = svt_memory_share(context, ring->control, ring->bytes);
	if (!IS_ERR(entry))
		svt_ring_info(ring, rdma_user_mmap_get_offset(entry), info);
	return entry;
}

/**
 * svt_ring_unshare - free a ring, shared or not
 * @ring: nobody in the kernel uses it any more; zeroed
 * @entry: from svt_ring_share(), or NULL
 *
 * Context: may sleep.
 */
void svt_ring_unshare(struct svt_ring *ring, struct rdma_user_mmap_entry *entry)
{
	if (!entry) {
		svt_ring_free(ring);
		return;
	}
	memset(ring, 0, sizeof(*ring));
	rdma_user_mmap_entry_remove(entry);
}

/**
 * svt_mmap_free - ib_device_ops.mmap_free
 * @entry: that nobody refers to
 *
 * Context: may sleep.
 */
void svt_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct svt_mmap_entry *mapping = to_svt_mmap_entry(entry);

	vfree(mapping->memory);
	kfree(mapping);
}

/**
 * svt_mmap - ib_device_ops.mmap: a process maps a ring or device memory
 * @context: of the process
 * @vma: the whole of one entry at its offset, shared, not executable
 *
 * Context: may sleep; mmap lock held.
 * Return: 0; -EINVAL no such entry, or not all of it; -EPERM executable; -ENOMEM.
 */
int svt_mmap(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int ret;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	entry = rdma_user_mmap_entry_get(context, vma);
	if (!entry)
		return -EINVAL;
	ret = remap_vmalloc_range(vma, to_svt_mmap_entry(entry)->memory, 0);
	rdma_user_mmap_entry_put(entry);
	return ret;
}
