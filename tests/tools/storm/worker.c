// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The life of a worker.
 */
#include <string.h>

#include "report.h"
#include "worker.h"

bool verb_ok(struct worker *w, struct host *host, const char *verb, int err)
{
	if (!err)
		return true;
	if (hosts_excuse(host, host, err))
		w->over = true;
	else
		fail("%s: %s: %s", host->name, verb, strerror(err));
	return false;
}

static void close_links(struct worker *w)
{
	u32 i, order = random_below(&w->rng, 2 * WORKER_LINKS);

	for (i = 0; i < 2 * WORKER_LINKS; i++) {
		u32 pick = (i + order) % (2 * WORKER_LINKS);

		half_close(w, &w->link[pick / 2], pick % 2);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	u64 i;

	for (i = 0; !w->over && !failed() && (!w->operations || i < w->operations); i++)
		operation_do(w, i);
	report_where("worker", w->number, i, "the end");
	if (w->tidy && !w->over && !failed())
		close_links(w);
	atomic_store(&w->stop, true);
	pthread_join(w->companion, NULL);
	if (w->tidy && !w->over && !failed()) {
		end_close(w, &w->end[0]);
		end_close(w, &w->end[1]);
	}
	return NULL;
}

static void prepare(struct worker *w)
{
	u32 i, side;

	random_start(&w->rng, report_seed(), w->number);
	for (i = 0; i < WORKER_LINKS; i++) {
		for (side = 0; side < 2; side++) {
			w->link[i].half[side].link = &w->link[i];
			w->link[i].half[side].end = &w->end[side];
		}
	}
}

int worker_start(struct worker *w, struct host *hosts[2])
{
	prepare(w);
	if (!end_open(w, &w->end[0], hosts[0]) || !end_open(w, &w->end[1], hosts[1]))
		return -1;
	if (pthread_create(&w->companion, NULL, companion, w)) {
		fail("no thread");
		return -1;
	}
	if (!pthread_create(&w->thread, NULL, work, w))
		return 0;
	fail("no thread");
	atomic_store(&w->stop, true);
	pthread_join(w->companion, NULL);
	return -1;
}

void worker_join(struct worker *w)
{
	pthread_join(w->thread, NULL);
}
