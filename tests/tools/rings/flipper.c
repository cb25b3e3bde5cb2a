// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The second thread. It takes no lock: that it meets rings which are just being unmapped or made
 * is part of it.
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "flipper.h"
#include "guard.h"
#include "post.h"

#define BURST		64
#define PAUSE_US	200

static pthread_t thread;
static bool stop;

/* An element in use, most of the time at its beginning, or a word of the handshake */
static void flip_ring(struct random *r, const struct ring *ring)
{
	struct svt_ring_control *control = ring->control;
	u32 index;

	if (!control)
		return;
	if (random_one_in(r, 64)) {
		random_flip(r, control, sizeof(*control));
		return;
	}
	index = __atomic_load_n(&control->producer, __ATOMIC_RELAXED) - random_below(r, 8);
	random_flip(r, ring_element(ring, index),
		    random_one_in(r, 4) ? ring->info.stride : min_u32(80, ring->info.stride));
}

void flip_some(struct world *w, struct random *r, u32 count)
{
	while (count--) {
		struct lane *lane = &w->sides[random_below(r, 2)].lanes[random_below(r, LANES)];
		const struct ring *rings[] = {
			&lane->qp.sq, &lane->qp.sq, &lane->qp.rq, &lane->srq.ring,
			&lane->send_cq.ring, &lane->recv_cq.ring,
		};

		if (random_one_in(r, 8))
			random_flip(r, w->sandbox.scratch, 256);
		else
			flip_ring(r, rings[random_below(r, ARRAY_SIZE(rings))]);
	}
}

struct burst {
	struct world *w;
	struct random r;
};

static void one_burst(void *arg)
{
	struct burst *b = arg;

	flip_some(b->w, &b->r, BURST);
}

static void *flip_all(void *arg)
{
	struct world *w = arg;
	struct burst b = { .w = w };

	random_start(&b.r, w->seed, -1);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		guard_run(one_burst, &b);
		b.w->tally->flips += BURST;
		usleep(PAUSE_US);
	}
	return NULL;
}

int flipper_start(struct world *w)
{
	stop = false;
	return -pthread_create(&thread, NULL, flip_all, w);
}

void flipper_stop(void)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}
