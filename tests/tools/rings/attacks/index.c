// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Indices and words of the handshake, while the kernel uses them.
 */
#include "../post.h"
#include "../world.h"

#define BURST	8

static struct ring *any_ring(struct lane *lane, struct rng *r)
{
	struct ring *rings[] = {
		&lane->qp.sq, lane_recv_ring(lane), &lane->send_cq.ring, &lane->recv_cq.ring,
	};

	return rings[rng_below(r, ARRAY_SIZE(rings))];
}

static void scribble(struct ring *ring, struct rng *r)
{
	struct svt_ring_control *control = ring->control;
	u32 *words[] = {
		&control->producer, &control->consumer, &control->wakeup, &control->arm,
	};
	u32 *word = words[rng_below(r, ARRAY_SIZE(words))];
	u32 value;

	switch (rng_below(r, 4)) {
	case 0:
		value = rng_odd(r);
		break;
	case 1:
		value = *word + rng_below(r, 5) - 2;
		break;
	case 2:
		value = *word + ring->info.entries + rng_below(r, 3) - 1;
		break;
	default:
		value = rng_below(r, 3);
	}
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

u32 attack_index(struct world *w, struct rng *r)
{
	u32 i, side = rng_below(r, 2), kind = rng_below(r, LANES);
	struct side *s = &w->sides[side];
	struct lane *lane = &s->lanes[kind];

	if (!rng_one_in(r, 4))
		world_repair(w, r, kind);
	if (!lane->open)
		return 1;
	for (i = 0; i < BURST; i++)
		scribble(any_ring(lane, r), r);
	qp_doorbell(s->dev.fd, lane->qp.handle);
	attack_send(w, r);
	w->tally->indices += BURST;
	return BURST;
}
