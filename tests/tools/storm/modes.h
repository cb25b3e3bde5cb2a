/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_MODES_H
#define STORM_MODES_H

#include "types.h"

/*
 * @devices: the second may be the same as the first
 * @amount: of what the mode counts: operations of each worker, rounds, QPs; 0: without end
 * @threads: workers
 * @calm: threads of traffic that nobody may disturb, beside the workers
 * @may_go: a device will be taken away; that is the end then, and not a failure
 * @unsteady: its netdev will go down and up
 * @address: of the peer that listens
 * @ready: descriptor to which a byte is written when the mix has begun; 0: none
 */
struct options {
	const char *devices[2];
	u64 seed;
	u64 amount;
	u32 threads;
	u32 calm;
	bool may_go;
	bool unsteady;
	const char *address;
	int ready;
};

/* Each returns when it is done; what went wrong is in report.h */
void mode_mix(const struct options *o);
void mode_calm(const struct options *o);
void mode_many(const struct options *o);
void mode_timer(const struct options *o);
void mode_kill(const struct options *o);
void mode_churn(const struct options *o);
void mode_listen(const struct options *o);
void mode_connect(const struct options *o);

/* mix.c: workers and calm threads on devices that this opens, until all are done */
void mix_run(const struct options *o);

#endif
