/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_HOST_H
#define STORM_HOST_H

#include <pthread.h>
#include <stdatomic.h>

#include "dev.h"

/*
 * An opened device and the thread that takes its asynchronous events, each acknowledged at once.
 * Shared by all threads of the process.
 *
 * @may_go: somebody will take the device away: what fails then is excused
 * @unsteady: its netdev goes down and up: what needs a route is excused
 * @gone: IBV_EVENT_DEVICE_FATAL came
 */
struct host {
	const char *name;
	struct dev dev;
	bool may_go;
	bool unsteady;
	atomic_bool gone;
	atomic_bool closing;
	pthread_t thread;
};

/* Return: 0, or -1 after fail() */
int host_open(struct host *host, const char *name, bool may_go, bool unsteady);
void host_close(struct host *host);

/*
 * Whether @err may come from one of two devices, which may be the same, that is going away: its
 * netdev may have gone before, and its addresses. Waits for the event that has to follow; fail()
 * when it does not come.
 */
bool hosts_excuse(struct host *a, struct host *b, int err);

#endif
