/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_ENDPOINT_H
#define TOOLS_ENDPOINT_H

#include "dev.h"
#include "options.h"

/* One side: what it has for the traffic, but for QPs, and the connection to the other. */
struct endpoint {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	u8 *buf;		/* of one message */
	int oob;
	u32 step;		/* how often the two met */
};

/* Nothing is closed: the process ends with the run.  All return 0, or -1 with a line on stderr. */
int endpoint_open(struct endpoint *e, const struct common_options *o, u32 cq_entries);
/* Both sides give @len bytes and get those of the other. */
int endpoint_meet(struct endpoint *e, const void *mine, void *theirs, u32 len);

#endif
