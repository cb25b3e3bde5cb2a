// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting and polling, straight in the rings. The barriers are those of the provider.
 */
#include <sched.h>
#include <string.h>

#include "clock.h"
#include "post.h"

u32 post_room(const struct ring *ring)
{
	u32 used = ring->index - __atomic_load_n(&ring->control->consumer, __ATOMIC_ACQUIRE);

	return used > ring->info.entries ? 0 : ring->info.entries - used;
}

void post_element(struct ring *ring, const void *element, u32 bytes)
{
	memcpy(ring_element(ring, ring->index), element, min_u32(bytes, ring->info.stride));
	ring->index++;
}

int post_flush(const struct side *side, struct lane *lane, bool always)
{
	struct svt_ring_control *control = lane->qp.sq.control;

	ring_publish(&lane->qp.sq, lane->qp.sq.index);
	/* Pairs with the kernel's, between its store of wakeup and its look at producer */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!always && !__atomic_load_n(&control->wakeup, __ATOMIC_RELAXED))
		return 0;
	return qp_doorbell(side->dev.fd, lane->qp.handle);
}

void post_receives(struct side *side, enum lane_kind kind, u32 count)
{
	struct lane *lane = &side->lanes[kind];
	struct ring *ring = lane_recv_ring(lane);
	u32 slots = WORK_LENGTH / RECV_LENGTH;

	for (count = min_u32(count, post_room(ring)); count; count--) {
		struct {
			struct svt_recv_wqe wqe;
			struct svt_sge sge;
		} element = {
			.wqe.wr_id = wr_name(lane->received),
			.wqe.num_sge = 1,
			.sge = {
				.addr = (uintptr_t)side->arena.work +
					lane->received % slots * RECV_LENGTH,
				.length = RECV_LENGTH,
				.lkey = side->work.lkey,
			},
		};

		lane->received++;
		post_element(ring, &element, sizeof(element));
	}
	ring_publish(ring, ring->index);
}

bool poll_one(struct cq *cq, struct svt_cqe *cqe)
{
	struct svt_ring_control *control = cq->ring.control;

	if (__atomic_load_n(&control->producer, __ATOMIC_ACQUIRE) == cq->ring.index)
		return false;
	*cqe = *(struct svt_cqe *)ring_element(&cq->ring, cq->ring.index);
	__atomic_store_n(&control->consumer, ++cq->ring.index, __ATOMIC_RELEASE);
	return true;
}

bool poll_wait(struct cq *cq, struct svt_cqe *cqe, u32 ms)
{
	u64 limit = clock_limit(ms);

	while (!poll_one(cq, cqe)) {
		if (clock_passed(limit))
			return false;
		sched_yield();
	}
	return true;
}
