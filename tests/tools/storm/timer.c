// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs that are destroyed while their timers fire: the peer is not ready and wants to be asked again
 * after 40 to 240 us, or is not there at all, or the engine watches the queue for the next request.
 * Many QPs that ask more often would leave the processors no time for anything else.
 */
#include <pthread.h>
#include <time.h>

#include "lot.h"
#include "modes.h"
#include "report.h"

#define LOT		8
#define DEPTH		8
#define THREADS_MOST	16

struct timers {
	const struct test *o;
	struct host *hosts[2];
	u32 number;
	struct random rng;
};

enum reason {
	REASON_NOT_READY,
	REASON_NO_PEER,
	REASON_WATCH,
	REASONS,
};

static bool join(struct timers *t, struct lot lots[2], u32 index, enum reason reason)
{
	u32 side, psn[2] = { random_below(&t->rng, 1 << 24), random_below(&t->rng, 1 << 24) };

	for (side = 0; side < 2; side++) {
		struct qp_path p;

		qpattr_defaults(&p);
		p.peer.gid = lots[!side].host->dev.gid;
		p.peer.qpn = lots[!side].qp[index]->qp_num;
		/* Mostly nobody's, and in no case of one who waits for this */
		if (reason == REASON_NO_PEER)
			p.peer.qpn ^= 1 + random_below(&t->rng, 1 << 20);
		p.peer.psn = psn[!side];
		p.sq_psn = psn[side];
		p.sgid_index = lots[side].host->dev.gid_index;
		p.min_rnr_timer = 4 + random_below(&t->rng, 6);
		p.timeout = 4 + random_below(&t->rng, 6);
		if (!lot_join(&lots[side], index, &p))
			return false;
	}
	return true;
}

static void pause_us(u32 us)
{
	struct timespec ts = { .tv_nsec = us * 1000L };

	nanosleep(&ts, NULL);
}

/* Several requests with pauses between them teach the engine to watch the queue */
static bool start(struct timers *t, struct lot lots[2], u32 index)
{
	enum reason reason = random_below(&t->rng, REASONS);
	u32 i, count = 1 + random_below(&t->rng, DEPTH);

	if (!lot_create(&lots[0], index, DEPTH) || !lot_create(&lots[1], index, DEPTH) ||
	    !join(t, lots, index, reason))
		return false;
	for (i = 0; reason == REASON_WATCH && i < count; i++)
		if (!lot_recv(&lots[1], index))
			return false;
	for (i = 0; i < count; i++) {
		if (!lot_send(&lots[0], index))
			return false;
		if (reason == REASON_WATCH)
			pause_us(50);
	}
	return true;
}

static bool one_lot(struct timers *t)
{
	struct lot lots[2];
	u32 i, first;
	bool ok = true;

	if (!lot_open(&lots[0], t->hosts[0], LOT, DEPTH) ||
	    !lot_open(&lots[1], t->hosts[1], LOT, DEPTH))
		return false;
	for (i = 0; i < LOT && ok; i++)
		ok = start(t, lots, i);
	pause_us(random_below(&t->rng, 3000));
	first = random_below(&t->rng, 2);
	for (i = 0; i < LOT; i++) {
		ok &= lot_destroy(&lots[first], i) & lot_destroy(&lots[!first], i);
		pause_us(random_below(&t->rng, 200));
	}
	return lot_close(&lots[0]) & lot_close(&lots[1]) & ok;
}

static void *run(void *arg)
{
	struct timers *t = arg;
	u64 i;

	random_start(&t->rng, report_seed(), t->number);
	for (i = 0; i < t->o->amount && !failed(); i += 2 * LOT) {
		report_where("timer", t->number, i, "lot");
		if (!one_lot(t))
			break;
	}
	return NULL;
}

void mode_timer(struct test *o)
{
	struct timers timers[THREADS_MOST];
	pthread_t threads[THREADS_MOST];
	struct host hosts[2];
	u32 i, started = 0;

	if (host_open(&hosts[0], o->devices[0], false, false))
		return;
	if (host_open(&hosts[1], o->devices[1], false, false))
		goto close;
	for (; started < o->threads && started < THREADS_MOST; started++) {
		timers[started] = (struct timers){ o, { &hosts[0], &hosts[1] }, started, { } };
		if (pthread_create(&threads[started], NULL, run, &timers[started])) {
			fail("no thread");
			break;
		}
	}
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	host_close(&hosts[1]);
close:
	host_close(&hosts[0]);
}
