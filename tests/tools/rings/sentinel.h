/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_SENTINEL_H
#define RINGS_SENTINEL_H

#include <sys/types.h>

#include "side.h"

/*
 * Another process on the same device, which lets the attacker know its keys, handles and QPNs. It
 * moves data between two QPs of its own all the while, and its memory must not change.
 */
struct sentinel {
	struct foreign foreign;
	u64 beats;		/* messages that arrived as they were sent */
	bool ready;
	bool stop;
	bool failed;		/* @why says it */
	char why[160];
	pid_t pid;
};

/* In memory shared with the sentinel, or NULL, and the case has failed */
struct sentinel *sentinel_start(const char *device, u64 seed);
/* Ends it.  The case has failed when it was harmed. */
void sentinel_stop(struct sentinel *s);

#endif
