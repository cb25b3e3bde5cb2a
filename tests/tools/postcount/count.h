/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef POSTCOUNT_COUNT_H
#define POSTCOUNT_COUNT_H

#include "types.h"

/* What the program is doing; a system call is charged to the phase that it is made in. */
enum phase {
	PHASE_FREE,	/* not counted */
	PHASE_POST,
	PHASE_POLL,
	PHASE_RECV,
	PHASES,
};

/* Return: 0, or -1 with a line on stderr.  For the calling thread, from now on. */
int count_start(void);
void count_enter(enum phase phase);
u64 count_calls(enum phase phase);

#endif
