// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings: memory, indices, and the handshake by which a producer knows whether it has to ring the
 * doorbell. The lock of the queue protects the struct: callers that use @index hold it. The pairs
 * named here and in include/uapi/rdma/svt-abi.h order the shared words. Nothing read from a ring
 * is used before it is checked.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <rdma/svt.h>

#include "ring.h"

/* As vmalloc_user(), but charged to the caller's memory cgroup. Whole pages. */
void *svt_shared_alloc(size_t bytes)
{
	unsigned int i, count = bytes >> PAGE_SHIFT;
	struct page **pages = kvcalloc(count, sizeof(*pages), SVT_GFP_CHARGED);
	void *address;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++) {
		pages[i] = alloc_page(SVT_GFP_CHARGED | __GFP_ZERO);
		if (!pages[i])
			goto free;
	}
	/* From here on vfree() frees them, and the array */
	address = vmap(pages, count, VM_MAP | VM_USERMAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (address)
		return address;
free:
	while (i--)
		__free_page(pages[i]);
	kvfree(pages);
	return NULL;
}

/**
 * svt_ring_alloc() - allocate an empty, zeroed ring that can be mapped into a process
 * @ring: written
 * @entries: at least 1, rounded up to a power of two
 * @stride: bytes of an element, a multiple of 8
 *
 * Posts do not ring the doorbell until svt_ring_sleep() asks for it: for receive queues, never.
 * Return: 0, -EINVAL or -ENOMEM
 */
int svt_ring_alloc(struct svt_ring *ring, u32 entries, u32 stride)
{
	size_t bytes;

	if (!entries || entries > 1U << 31 || !stride || stride % 8)
		return -EINVAL;
	entries = roundup_pow_of_two(entries);
	if (check_mul_overflow((size_t)entries, (size_t)stride, &bytes) ||
	    check_add_overflow(bytes, sizeof(*ring->control) + PAGE_SIZE - 1, &bytes))
		return -EINVAL;
	bytes &= PAGE_MASK;

	ring->control = svt_shared_alloc(bytes);
	if (!ring->control)
		return -ENOMEM;
	ring->elements = ring->control + 1;
	ring->entries = entries;
	ring->stride = stride;
	ring->index = 0;
	ring->bytes = bytes;
	return 0;
}

/* No process has it mapped. One that was never allocated is all zero. */
void svt_ring_free(struct svt_ring *ring)
{
	vfree(ring->control);
	memset(ring, 0, sizeof(*ring));
}

/* From @first to before @end, into a ring of the same stride */
void svt_ring_copy(const struct svt_ring *from, struct svt_ring *to, u32 first, u32 end)
{
	u32 i;

	for (i = first; i != end; i++)
		memcpy(svt_ring_element(to, i), svt_ring_element(from, i), from->stride);
}

void svt_ring_info(const struct svt_ring *ring, u64 mmap_offset, struct svt_ring_info *info)
{
	info->mmap_offset = mmap_offset;
	info->mmap_length = ring->bytes;
	info->entries = ring->entries;
	info->stride = ring->stride;
}

/* Entries behind the kernel's index, or -EPROTO when the producer index can not be right */
int svt_ring_pending(const struct svt_ring *ring)
{
	/* Pairs with the release in user space and svt_ring_publish_producer() */
	u32 pending = smp_load_acquire(&ring->control->producer) - ring->index;

	return pending <= ring->entries ? pending : -EPROTO;
}

/* Gives elements before @consumer back to the producer */
void svt_ring_publish_consumer(struct svt_ring *ring, u32 consumer)
{
	/* Pairs with the acquire in user space and svt_ring_produce(): elements were read before */
	smp_store_release(&ring->control->consumer, consumer);
}

/**
 * svt_ring_sleep() - stop watching the producer, unless there is work
 * @ring: the kernel is the consumer
 *
 * We set @wakeup, then look at the producer index. The producer sets its index, then looks at
 * @wakeup. Both have a full fence in between, so one sees the other and no entry is forgotten.
 * Return: true: empty, the next post rings the doorbell; false: still awake, see svt_ring_pending()
 */
bool svt_ring_sleep(struct svt_ring *ring)
{
	WRITE_ONCE(ring->control->wakeup, 1);
	smp_mb(); /* pairs with that in user space and svt_ring_wants_doorbell() */
	if (!svt_ring_pending(ring))
		return true;
	WRITE_ONCE(ring->control->wakeup, 0);
	return false;
}

/* No fence: a producer that still sees 1 rings once too often, and svt_ring_sleep() looks again */
void svt_ring_awake(struct svt_ring *ring)
{
	WRITE_ONCE(ring->control->wakeup, 0);
}

/* Under the post lock, which covers svt_ring_publish_producer(*@producer). NULL: ring is full. */
void *svt_ring_produce(struct svt_ring *ring, u32 *producer)
{
	/* Written under the post lock only */
	u32 next = ring->control->producer;

	/* Pairs with svt_ring_publish_consumer(): the engine has read what is overwritten */
	if (next - smp_load_acquire(&ring->control->consumer) >= ring->entries)
		return NULL;
	*producer = next + 1;
	return svt_ring_element(ring, next);
}

/* Under the post lock. svt_ring_wants_doorbell() has to follow, once for any number of entries. */
void svt_ring_publish_producer(struct svt_ring *ring, u32 producer)
{
	/* Pairs with the acquire in svt_ring_pending() */
	smp_store_release(&ring->control->producer, producer);
}

bool svt_ring_wants_doorbell(const struct svt_ring *ring)
{
	smp_mb(); /* pairs with the fence in svt_ring_sleep() */
	return READ_ONCE(ring->control->wakeup);
}
