/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef POSTCOUNT_TRAFFIC_H
#define POSTCOUNT_TRAFFIC_H

#include "options.h"

struct traffic_kind {
	u32 mtu;		/* 0: the port's */
	u32 signal_every;
	bool write;
	bool extended;
};

/* Calls of the library, not of the kernel. */
struct traffic_sums {
	u64 posts, polls, recvs;
};

/* Return: 0, or -1 with a line on stderr. */
int traffic_run(const struct common_options *o, const struct traffic_kind *kind,
		struct traffic_sums *sums);

#endif
