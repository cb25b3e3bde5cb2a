// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings that a process may map. A shared ring's memory belongs to an entry of ib_core's table of
 * mappings: it is freed with the last reference of the entry, one of which the queue holds until it
 * is destroyed, the others each call of mmap while it lasts. Pages that are mapped then are kept
 * by the mapping, and seen by nobody else.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "verbs.h"

/**
 * struct svt_mmap_entry - a ring in the table of mappings
 * @entry: ib_core's
 * @ring: its memory; index and all else that changes is in the queue's own struct svt_ring
 */
struct svt_mmap_entry {
	struct rdma_user_mmap_entry entry;
	struct svt_ring ring;
};

static struct svt_mmap_entry *to_svt_mmap_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct svt_mmap_entry, entry);
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
	struct svt_mmap_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	int ret;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->ring = *ring;
	ret = rdma_user_mmap_entry_insert(context, &entry->entry, ring->bytes);
	if (ret) {
		kfree(entry);
		return ERR_PTR(ret);
	}
	svt_ring_info(ring, rdma_user_mmap_get_offset(&entry->entry), info);
	return &entry->entry;
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

	svt_ring_free(&mapping->ring);
	kfree(mapping);
}

/**
 * svt_mmap - ib_device_ops.mmap: a process maps a ring
 * @context: of the process
 * @vma: the whole of one ring at its offset, shared, not executable
 *
 * Context: may sleep; mmap lock held.
 * Return: 0; -EINVAL no such ring, or not all of it; -EPERM executable; -ENOMEM.
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
	ret = remap_vmalloc_range(vma, to_svt_mmap_entry(entry)->ring.control, 0);
	rdma_user_mmap_entry_put(entry);
	return ret;
}
