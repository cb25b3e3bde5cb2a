// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Garbage in receive queues, and messages that meet it.
 */
#include <string.h>

#include "../post.h"
#include "../world.h"
#include "../wqe.h"

#define BATCH	8

static void spoil_entry(struct svt_sge *sge, struct random *r, const struct side *side,
			const struct foreign *foreign)
{
	switch (random_below(r, 6)) {
	case 0:
		sge->lkey = side->freed.lkey;
		break;
	case 1:
		sge->lkey = side->other.lkey;
		break;
	case 2:
		sge->addr = (uintptr_t)side->fixed.addr;
		sge->lkey = side->fixed.lkey;
		break;
	case 3:
		sge->addr = foreign->addr;
		sge->lkey = foreign->lkey;
		break;
	case 4:
		sge->addr = random_odd(r);
		break;
	default:
		sge->length = random_odd(r);
	}
}

/* Over an element that is posted already, while the kernel may be reading it */
static void spoil_receive(struct ring *ring, u32 index, struct random *r, const struct side *side,
			  const struct foreign *foreign)
{
	struct svt_recv_wqe *wqe = ring_element(ring, index);
	u64 name = wqe->wr_id;

	switch (random_below(r, 5)) {
	case 0:
		wqe->num_sge = random_odd(r);
		break;
	case 1:
		wqe->reserved = random_odd(r);
		break;
	case 2:
		random_fill(r, wqe, ring->info.stride);
		break;
	case 3:
		random_flip(r, wqe, ring->info.stride);
		break;
	default:
		if (ring->info.stride > sizeof(*wqe))
			spoil_entry(wqe->sge, r, side, foreign);
	}
	wqe->wr_id = name;
}

static void send_some(struct world *w, struct random *r, u32 side, enum lane_kind kind)
{
	struct draft d;
	u32 i, count;

	draft_begin(&d, r, w->sides, side, kind, &w->foreign);
	if (!d.lane->open)
		return;
	count = min_u32(1 + random_below(r, BATCH), post_room(&d.lane->qp.sq));
	for (i = 0; i < count; i++) {
		draft_sound(&d, IB_UVERBS_WR_SEND);
		ledger_note(&w->sent[side][kind], draft_post(&d), DUE_ANY);
	}
	post_flush(d.near, d.lane, true);
}

u32 attack_receive(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2), kind = random_below(r, LANES), count, used;
	struct side *s = &w->sides[side];
	struct lane *lane = &s->lanes[kind];
	struct ring *ring;

	world_repair(w, r, kind);
	if (!lane->open)
		return 1;
	ring = lane_recv_ring(lane);
	used = ring->info.entries - post_room(ring);
	count = min_u32(1 + random_below(r, BATCH), used);
	for (i = 0; i < count; i++) {
		u32 back = 1 + random_below(r, used);

		ledger_note(&w->received[side][kind], lane->received - back, DUE_ANY);
		spoil_receive(ring, ring->index - back, r, s, &w->foreign);
	}
	send_some(w, r, !side, kind);
	world_poll(w);
	w->tally->receives += count;
	return count ? count : 1;
}
