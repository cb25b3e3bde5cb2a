/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef POSTCOUNT_TRAFFIC_H
#define POSTCOUNT_TRAFFIC_H

#include "types.h"

struct traffic_opts {
	const char *dev;
	const char *host;	/* NULL: the server */
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

/* Calls of the library, not of the kernel. */
struct traffic_sums {
	u64 posts, polls, recvs;
};

/* Return: 0, or -1 with a line on stderr. */
int traffic_run(const struct traffic_opts *o, struct traffic_sums *sums);

#endif
