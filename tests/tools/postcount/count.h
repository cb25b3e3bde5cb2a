/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef POSTCOUNT_COUNT_H
#define POSTCOUNT_COUNT_H

#include "types.h"

/* What the traced process is doing; a system call is charged to the phase that it is made in. */
enum phase {
	PHASE_SETUP,
	PHASE_LOOP,	/* in the measured loop, outside the three below */
	PHASE_POST,
	PHASE_POLL,
	PHASE_RECV,
	PHASES,
};

/*
 * Shared by both processes.  The traced one writes the phase and the totals; the tracer reads
 * the phase while the other is stopped in a system call, so that no order has to be kept.
 */
struct count {
	u32 phase;
	u64 calls[PHASES];	/* system calls, written by the tracer */
	u64 posts, polls, recvs;
};

struct traffic_opts {
	const char *dev;
	const char *host;
	const char *port;
	int gid_index;
	u32 mtu;
	u32 num;
	u32 size;
	u32 depth;
	u32 signal_every;
	bool write;
	bool extended;
};

/* In the traced process.  Return: 0, or -1 with a line on stderr. */
int traffic_run(const struct traffic_opts *o, struct count *c);

/*
 * Runs @child in a process of its own and counts its system calls by phase until it ends, at
 * most @seconds.  Return: the exit code of the process, or -1 with a line on stderr.
 */
int trace_run(struct count *c, int (*child)(void *arg), void *arg, u32 seconds);

#endif
