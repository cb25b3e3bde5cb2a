// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Rings: memory, indices, and the handshake by which a producer knows whether it has to ring the
 * doorbell. The struct is protected by the lock of the queue that it belongs to; the shared words
 * are ordered by the pairs named here and in include/uapi/rdma/svt-abi.h. Nothing read from a ring
 * is used before it is checked.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <rdma/svt.h>

#include "ring.h"

/**
 * svt_shared_alloc() - allocate zeroed memory that can be mapped into a process
 * @bytes: whole pages, at least one
 *
 * As vmalloc_user(), but charged to the memory cgroup of who asks, which refuses him at his limit.
 * The pages are single ones.
 *
 * Context: May sleep.
 * Return: The memory, to be freed by vfree(), or NULL.
 */
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
 * @wakeup is 0: posts do not ring the doorbell until svt_ring_sleep() asks for it. That is how it
 * stays for receive queues.
 *
 * Context: May sleep.
 * Return: 0, -EINVAL or -ENOMEM.
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

/**
 * svt_ring_free() - free a ring's memory
 * @ring: nobody uses it, no process has it mapped; one that was never allocated is all zero
 *
 * Context: May sleep.
 */
void svt_ring_free(struct svt_ring *ring)
{
	vfree(ring->control);
	memset(ring, 0, sizeof(*ring));
}

/**
 * svt_ring_copy() - copy elements to the same indices of another ring
 * @from: the one
 * @to: the other, of the same stride
 * @first: index of the first entry
 * @end: index behind the last; of entries that share an element the last one stays
 *
 * Context: Any.
 */
void svt_ring_copy(const struct svt_ring *from, struct svt_ring *to, u32 first, u32 end)
{
	u32 i;

	for (i = first; i != end; i++)
		memcpy(svt_ring_element(to, i), svt_ring_element(from, i), from->stride);
}

/**
 * svt_ring_info() - what user space is told about a ring
 * @ring: the ring
 * @mmap_offset: bytes, from rdma_user_mmap_get_offset()
 * @info: written, whole
 *
 * Context: Any.
 */
void svt_ring_info(const struct svt_ring *ring, u64 mmap_offset, struct svt_ring_info *info)
{
	info->mmap_offset = mmap_offset;
	info->mmap_length = ring->bytes;
	info->entries = ring->entries;
	info->stride = ring->stride;
}

/**
 * svt_ring_pending() - how many entries the producer has put behind the kernel's index
 * @ring: of which the kernel is the consumer; its lock is held
 *
 * Pairs with the release of @producer in user space or svt_ring_publish_producer(): the elements
 * of all entries counted are complete.
 *
 * Context: Any.
 * Return: 0 to @ring->entries, or -EPROTO when the producer index can not be right.
 */
int svt_ring_pending(const struct svt_ring *ring)
{
	/* Pairs as above: the elements are read after the index */
	u32 pending = smp_load_acquire(&ring->control->producer) - ring->index;

	return pending <= ring->entries ? pending : -EPROTO;
}

/**
 * svt_ring_publish_consumer() - give elements back to the producer
 * @ring: of which the kernel is the consumer; its lock is held
 * @consumer: the index of the first entry that is still in use
 *
 * Release: the kernel's reads of the elements come before. Pairs with the acquire of @consumer in
 * user space or svt_ring_produce(), which overwrites them after.
 *
 * Context: Any.
 */
void svt_ring_publish_consumer(struct svt_ring *ring, u32 consumer)
{
	/* Pairs as above: the elements were read before */
	smp_store_release(&ring->control->consumer, consumer);
}

/**
 * svt_ring_sleep() - stop watching the producer, unless there is work
 * @ring: of which the kernel is the consumer; its lock is held
 *
 * Sets @wakeup, then looks at the producer; the producer releases its index, then looks at
 * @wakeup. With a full fence between the two on both sides (here; in user space and in
 * svt_ring_wants_doorbell()) at least one sees the other: no entry is left without somebody who
 * knows of it.
 *
 * Context: Any.
 * Return: true when the ring is empty: the next post rings the doorbell. false when there is
 * something in it (or nonsense, which svt_ring_pending() reports): the caller is awake still.
 */
bool svt_ring_sleep(struct svt_ring *ring)
{
	WRITE_ONCE(ring->control->wakeup, 1);
	smp_mb(); /* pairs with the producer's fence between its index and @wakeup */
	if (!svt_ring_pending(ring))
		return true;
	WRITE_ONCE(ring->control->wakeup, 0);
	return false;
}

/**
 * svt_ring_awake() - start watching the producer: posts need not ring the doorbell
 * @ring: of which the kernel is the consumer; its lock is held
 *
 * Needs no fence: a producer that still sees 1 rings once too often, and whoever is awake looks
 * again in svt_ring_sleep() before it stops.
 *
 * Context: Any.
 */
void svt_ring_awake(struct svt_ring *ring)
{
	WRITE_ONCE(ring->control->wakeup, 0);
}

/**
 * svt_ring_produce() - the next free element, for a kernel client that posts
 * @ring: which no process has mapped
 * @producer: set to what svt_ring_publish_producer() is to be given once the element is filled
 *
 * The acquire of @consumer pairs with svt_ring_publish_consumer(): the engine is done reading the
 * element that is about to be overwritten.
 *
 * Context: Any, under the queue's post lock until the entry is published.
 * Return: The element, or NULL when the ring is full.
 */
void *svt_ring_produce(struct svt_ring *ring, u32 *producer)
{
	/* Only written under the post lock */
	u32 next = ring->control->producer;

	/* Pairs as above: the element is written after */
	if (next - smp_load_acquire(&ring->control->consumer) >= ring->entries)
		return NULL;
	*producer = next + 1;
	return svt_ring_element(ring, next);
}

/**
 * svt_ring_publish_producer() - hand filled elements to the engine
 * @ring: which no process has mapped
 * @producer: from svt_ring_produce()
 *
 * Release: pairs with the acquire in svt_ring_pending(). svt_ring_wants_doorbell() is to follow.
 *
 * Context: Any, under the queue's post lock.
 */
void svt_ring_publish_producer(struct svt_ring *ring, u32 producer)
{
	/* Pairs as above: the elements were written before */
	smp_store_release(&ring->control->producer, producer);
}

/**
 * svt_ring_wants_doorbell() - whether a kernel client has to wake the engine
 * @ring: which no process has mapped
 *
 * To be asked after svt_ring_publish_producer(), once for any number of entries.
 *
 * Context: Any.
 * Return: true when nobody watches the producer.
 */
bool svt_ring_wants_doorbell(const struct svt_ring *ring)
{
	smp_mb(); /* pairs with the fence in svt_ring_sleep() */
	return READ_ONCE(ring->control->wakeup);
}
