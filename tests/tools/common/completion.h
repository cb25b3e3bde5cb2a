/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_COMPLETION_H
#define TOOLS_COMPLETION_H

#include <infiniband/verbs.h>

#include "types.h"

/* The next completion, polled for in at most @ms (clock.h).  Return: 0 or an errno. */
int completion_next(struct ibv_cq *cq, struct ibv_wc *wc, u32 ms);
/* @count of them, each a success, and each in @ms.  Return: 0, or -1 as of complain(). */
int completion_reap(struct ibv_cq *cq, u32 count, u32 ms);

#endif
