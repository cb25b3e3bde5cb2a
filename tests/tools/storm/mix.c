// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The mix: workers that make and destroy objects under traffic, beside calm traffic that goes on.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calm.h"
#include "modes.h"
#include "report.h"
#include "worker.h"

#define CALM_MOST	16

static atomic_bool stop;

static int open_hosts(const struct test *o, struct host host[2], struct host *hosts[2])
{
	bool same = !strcmp(o->devices[0], o->devices[1]);

	hosts[0] = &host[0];
	hosts[1] = same ? &host[0] : &host[1];
	if (host_open(&host[0], o->devices[0], o->may_go, o->unsteady))
		return -1;
	if (same || !host_open(&host[1], o->devices[1], o->may_go, o->unsteady))
		return 0;
	host_close(&host[0]);
	return -1;
}

static void close_hosts(struct host *hosts[2])
{
	host_close(hosts[0]);
	if (hosts[1] != hosts[0])
		host_close(hosts[1]);
}

static void *run_calm(void *arg)
{
	calm_run(arg);
	return NULL;
}

static u32 start_calm(const struct test *o, struct host *hosts[2], struct calm *calm,
		      pthread_t *threads)
{
	u32 i;

	for (i = 0; i < o->calm && i < CALM_MOST; i++) {
		calm[i] = (struct calm){ { hosts[0], hosts[1] }, i, 0, &stop };
		if (pthread_create(&threads[i], NULL, run_calm, &calm[i])) {
			fail("no thread");
			break;
		}
	}
	return i;
}

static void run_workers(const struct test *o, struct host *hosts[2])
{
	struct worker *workers = calloc(o->threads + 1, sizeof(*workers));
	u32 i, started;

	for (started = 0; workers && started < o->threads; started++) {
		struct worker *w = &workers[started];

		w->number = started;
		w->operations = o->amount;
		/* Every other one leaves all that it has to the end of the process */
		w->tidy = started % 2 == 0;
		if (worker_start(w, hosts))
			break;
	}
	if (o->ready && write(o->ready, "", 1) != 1)
		fail("nobody waits for the mix");
	for (i = 0; i < started; i++)
		worker_join(&workers[i]);
	free(workers);
}

void mix_run(const struct test *o)
{
	struct calm calm[CALM_MOST];
	pthread_t threads[CALM_MOST];
	struct host *hosts[2];
	struct host host[2];
	u32 i, calms;

	atomic_store(&stop, false);
	if (open_hosts(o, host, hosts))
		return;
	calms = start_calm(o, hosts, calm, threads);
	run_workers(o, hosts);
	atomic_store(&stop, true);
	for (i = 0; i < calms; i++)
		pthread_join(threads[i], NULL);
	close_hosts(hosts);
}

void mode_mix(struct test *o)
{
	mix_run(o);
}

static void on_signal(int number)
{
	(void)number;
	atomic_store(&stop, true);
}

/* Until SIGTERM, or so many rounds */
void mode_calm(struct test *o)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct host *hosts[2];
	struct host host[2];
	struct calm calm;

	atomic_store(&stop, false);
	sigaction(SIGTERM, &action, NULL);
	if (open_hosts(o, host, hosts))
		return;
	calm = (struct calm){ { hosts[0], hosts[1] }, 0, o->amount, &stop };
	calm_run(&calm);
	close_hosts(hosts);
}
