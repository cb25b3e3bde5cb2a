// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Indices and words of the handshake, while the kernel uses them.
 */
#include "../post.h"
#include "../world.h"

#define BURST	8

static struct ring *any_ring(struct lane *lane, struct random *r)
{
	struct ring *rings[] = {
		&lane->qp.sq, lane_recv_ring(lane), &lane->send_cq.ring, &lane->recv_cq.ring,
	};

	return rings[random_below(r, ARRAY_SIZE(rings))];
}

static void scribble(struct ring *ring, struct random *r)
{
	struct svt_ring_control *control = ring->control;
	u32 *words[] = {
		&control->producer, &control->consumer, &control->wakeup, &control->arm,
	};
	u32 *word = words[random_below(r, ARRAY_SIZE(words))];
	u32 value;

	switch (random_below(r, 4)) {
	case 0:
		value = random_odd(r);
		break;
	case 1:
		value = *word + random_below(r, 5) - 2;
		break;
	case 2:
		value = *word + ring->info.entries + random_below(r, 3) - 1;
		break;
	default:
		value = random_below(r, 3);
	}
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

u32 attack_index(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2), kind = random_below(r, LANES);
	struct side *s = &w->sides[side];
	struct lane *lane = &s->lanes[kind];

	if (!random_one_in(r, 4))
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
