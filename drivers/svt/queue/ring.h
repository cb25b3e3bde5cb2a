/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A ring that may be mapped into a process: see include/uapi/rdma/svt-abi.h for its layout and the
 * pairs of barriers. User space can write every byte of it at any time.
 */
#ifndef SVT_QUEUE_RING_H
#define SVT_QUEUE_RING_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <rdma/svt-abi.h>

/**
 * struct svt_ring - the kernel's view of a ring
 * @control: first bytes of the mapping
 * @elements: behind @control
 * @entries: power of two
 * @stride: bytes of an element
 * @index: the kernel's own, never read back: consumer of SQ, RQ and SRQ, producer of a CQ;
 *	protected by the lock of the queue's owner
 * @bytes: of the mapping, whole pages
 */
struct svt_ring {
	struct svt_ring_control *control;
	void *elements;
	u32 entries;
	u32 stride;
	u32 index;
	size_t bytes;
};

void *svt_shared_alloc(size_t bytes);
int svt_ring_alloc(struct svt_ring *ring, u32 entries, u32 stride);
void svt_ring_free(struct svt_ring *ring);
void svt_ring_copy(const struct svt_ring *from, struct svt_ring *to, u32 first, u32 end);
void svt_ring_info(const struct svt_ring *ring, u64 mmap_offset, struct svt_ring_info *info);

/* @index is free-running: the result is always within the ring */
static inline void *svt_ring_element(const struct svt_ring *ring, u32 index)
{
	return ring->elements + (size_t)(index & (ring->entries - 1)) * ring->stride;
}

/* Under its lock, of a QP in RESET. User space may use it still, and only harms itself. */
static inline void svt_ring_reset(struct svt_ring *ring)
{
	ring->index = 0;
	WRITE_ONCE(ring->control->producer, 0);
	WRITE_ONCE(ring->control->consumer, 0);
	WRITE_ONCE(ring->control->wakeup, 0);
}

int svt_ring_pending(const struct svt_ring *ring);
void svt_ring_publish_consumer(struct svt_ring *ring, u32 consumer);
bool svt_ring_sleep(struct svt_ring *ring);
void svt_ring_awake(struct svt_ring *ring);

/* For kernel clients, the producer of SQ, RQ and SRQ: the caller holds the queue's post lock */
void *svt_ring_produce(struct svt_ring *ring, u32 *producer);
void svt_ring_publish_producer(struct svt_ring *ring, u32 producer);
bool svt_ring_wants_doorbell(const struct svt_ring *ring);

#endif
