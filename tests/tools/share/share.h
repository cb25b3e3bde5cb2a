/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHARE_SHARE_H
#define SHARE_SHARE_H

#include "types.h"

#define QPS_MAX	1000u

struct share_opts {
	const char *host;	/* NULL: the server */
	const char *dev;
	const char *port;
	int gid_index;
	u32 qps;
	u32 num;		/* requests for each QP, on average */
	u32 size;
	u32 depth;
};

/* @done: what each QP got done when opts->qps * opts->num were.  Return: 0, or -1 with a line. */
int share_run(const struct share_opts *opts, u32 *done);

#endif
