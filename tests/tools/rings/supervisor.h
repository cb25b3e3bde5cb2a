/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_SUPERVISOR_H
#define RINGS_SUPERVISOR_H

#include "world.h"

struct campaign {
	const char *devices[2];
	u64 seed;
	u64 operations;		/* at least */
	u32 round;		/* the first */
	bool one_round;		/* and the last */
};

/* As a case of a suite */
void campaign_run(const struct campaign *c, const struct foreign *foreign);

#endif
