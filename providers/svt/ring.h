/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A ring shared with the kernel, see rdma/svt-abi.h. The barriers and their pairs in the kernel:
 *
 * SQ, RQ, SRQ: svt_ring_publish() releases `producer`; the kernel's acquire of it makes the
 * elements visible. svt_ring_asleep() puts a full fence between that store and its load of
 * `wakeup`; the kernel has one between its store of `wakeup` and its next look at `producer`. So at
 * least one of the two sees what the other wrote. svt_ring_room() acquires `consumer`, which the
 * kernel releases when it has copied, or retired, an element: only then may the element be written
 * again.
 *
 * CQ: svt_ring_ready() acquires `producer`, released by the kernel behind the CQE.
 * svt_ring_release() releases `consumer` behind the last read of a CQE; the kernel acquires it
 * before it writes there again. svt_ring_arm() puts a full fence between its store of `arm` and the
 * caller's next look at `producer`; the kernel has one between its store of `producer` and its load
 * of `arm`.
 */
#ifndef SVT_RING_H
#define SVT_RING_H

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/svt-abi.h>

/**
 * struct svt_ring - our end of a ring; protected by the lock of the queue that it belongs to
 * @control: start of the mapping; NULL: there is no ring, and nothing fits into it
 * @elements: behind @control
 * @mask: entries - 1
 * @stride: bytes of an element
 * @limit: entries that may be in use; not more than there are
 * @index: ours, not yet published while elements are being filled or read: producer of SQ, RQ and
 *	SRQ, consumer of a CQ
 * @seen: the kernel's index as it was when we looked last
 * @length: bytes of the mapping
 */
struct svt_ring {
	struct svt_ring_control *control;
	uint8_t *elements;
	uint32_t mask;
	uint32_t stride;
	uint32_t limit;
	uint32_t index;
	uint32_t seen;
	size_t length;
};

#define SVT_RING_ALL	UINT32_MAX

int svt_ring_map(struct svt_ring *ring, int cmd_fd, const struct svt_ring_info *info,
		 size_t element_size, uint32_t limit);
void svt_ring_unmap(struct svt_ring *ring);

/* Whether what svt_ring_map() returned may be over later: no memory, none that may be locked */
static inline bool svt_ring_may_map_later(int err)
{
	return err == ENOMEM || err == EAGAIN;
}

static_assert(sizeof(_Atomic uint32_t) == sizeof(__u32), "an atomic word is just the word");

static inline _Atomic uint32_t *svt_ring_word(__u32 *word)
{
	return (_Atomic uint32_t *)word;
}

/* Producer of a ring whose indices the kernel has set: a new one after a resize, or after RESET */
static inline void svt_ring_adopt(struct svt_ring *ring)
{
	ring->index = atomic_load_explicit(svt_ring_word(&ring->control->producer),
					   memory_order_relaxed);
	ring->seen = atomic_load_explicit(svt_ring_word(&ring->control->consumer),
					  memory_order_acquire);
}

static inline void *svt_ring_element(const struct svt_ring *ring, uint32_t index)
{
	return ring->elements + (size_t)(index & ring->mask) * ring->stride;
}

/* Producer: may element @index be filled, when those from ring->index on are not published yet? */
static inline bool svt_ring_room(struct svt_ring *ring, uint32_t index)
{
	if (index - ring->seen < ring->limit)
		return true;
	if (!ring->control)
		return false;
	ring->seen = atomic_load_explicit(svt_ring_word(&ring->control->consumer),
					  memory_order_acquire);
	return index - ring->seen < ring->limit;
}

static inline void svt_ring_publish(struct svt_ring *ring, uint32_t producer)
{
	ring->index = producer;
	atomic_store_explicit(svt_ring_word(&ring->control->producer), producer,
			      memory_order_release);
}

/* Producer, after svt_ring_publish(), with or without the lock: is the doorbell to be rung? */
static inline bool svt_ring_asleep(const struct svt_ring *ring)
{
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(svt_ring_word(&ring->control->wakeup), memory_order_relaxed);
}

/* Producer: has the kernel more to do? Without the lock others may post meanwhile. */
static inline bool svt_ring_busy(const struct svt_ring *ring)
{
	return atomic_load_explicit(svt_ring_word(&ring->control->consumer),
				    memory_order_acquire) !=
	       atomic_load_explicit(svt_ring_word(&ring->control->producer),
				    memory_order_relaxed);
}

/* Consumer: is there an element at @index? */
static inline bool svt_ring_ready(struct svt_ring *ring, uint32_t index)
{
	if (index != ring->seen)
		return true;
	ring->seen = atomic_load_explicit(svt_ring_word(&ring->control->producer),
					  memory_order_acquire);
	return index != ring->seen;
}

static inline void svt_ring_release(struct svt_ring *ring, uint32_t consumer)
{
	ring->index = consumer;
	atomic_store_explicit(svt_ring_word(&ring->control->consumer), consumer,
			      memory_order_release);
}

/*
 * Consumer: ask for an event. The stronger request stays. Only the kernel takes a request back, by
 * raising the event: when that happens between our load and our store, the event comes after the
 * caller asked, which is all that it was promised.
 */
static inline void svt_ring_arm(struct svt_ring *ring, enum svt_cq_arm arm)
{
	_Atomic uint32_t *word = svt_ring_word(&ring->control->arm);

	if (arm == SVT_CQ_ARM_NEXT ||
	    atomic_load_explicit(word, memory_order_relaxed) != SVT_CQ_ARM_NEXT)
		atomic_store_explicit(word, arm, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

#endif
