/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_MODES_H
#define STORM_MODES_H

#include "types.h"

/*
 * What a mode is told.
 *
 * @devices: the second may be the same as the first
 * @amount: of what the mode counts: operations of each worker, rounds, QPs; 0: without end
 * @threads: workers
 * @calm: threads of traffic that nobody may disturb, beside the workers
 * @may_go: a device will be taken away; that is the end then, and not a failure
 * @unsteady: its netdev will go down and up
 * @address: of the peer that listens
 * @ready: descriptor to which a byte is written when the mix has begun; 0: none
 */
struct test {
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

/* Each is a case of a suite that returns when it is done; what went wrong is in report.h */
void mode_mix(struct test *o);
void mode_calm(struct test *o);
void mode_many(struct test *o);
void mode_timer(struct test *o);
void mode_kill(struct test *o);
void mode_churn(struct test *o);
void mode_look(struct test *o);
void mode_listen(struct test *o);
void mode_connect(struct test *o);

/* mix.c: workers and calm threads on devices that this opens, until all are done */
void mix_run(const struct test *o);

#endif
