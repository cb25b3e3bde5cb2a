// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that a process may map: rings and device memory. It belongs to an entry of ib_core's
 * table of mappings, and is freed with the last reference on the entry. The queue or the device
 * memory holds one until it is destroyed, and each call of mmap while it lasts. Mapped pages stay
 * with the mapping after that, and nobody else sees them.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "verbs.h"

struct svt_mmap_entry {
	struct rdma_user_mmap_entry entry;
	void *memory;	/* from svt_shared_alloc(); nobody else frees it */
};

static struct svt_mmap_entry *to_svt_mmap_entry(struct rdma_user_mmap_entry *entry)
{
	return container_of(entry, struct svt_mmap_entry, entry);
}

/* On success the entry owns @memory: rdma_user_mmap_entry_remove() frees it */
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

/* @info is what to tell the process. On success only svt_ring_unshare() frees the ring. */
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

/* Frees a ring, shared or not (@entry NULL); nobody in the kernel may use it any more */
void svt_ring_unshare(struct svt_ring *ring, struct rdma_user_mmap_entry *entry)
{
	if (!entry) {
		svt_ring_free(ring);
		return;
	}
	memset(ring, 0, sizeof(*ring));
	rdma_user_mmap_entry_remove(entry);
}

void svt_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct svt_mmap_entry *mapping = to_svt_mmap_entry(entry);

	vfree(mapping->memory);
	kfree(mapping);
}

/* ib_device_ops.mmap: @vma is one whole entry. -EPERM: executable. */
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
