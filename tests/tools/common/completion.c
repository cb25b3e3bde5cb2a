// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completions that have to come, by polling.
 */
#include <errno.h>
#include <sched.h>

#include "clock.h"
#include "complaint.h"
#include "completion.h"

/* Of the clock, which is a system call where it is slow, and at who else wants the processor */
#define POLLS_A_LOOK	64

int completion_next(struct ibv_cq *cq, struct ibv_wc *wc, u32 ms)
{
	const u64 limit = clock_limit(ms);
	u32 polls = 0;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc))) {
		if (++polls % POLLS_A_LOOK)
			continue;
		if (clock_passed(limit))
			break;
		sched_yield();
	}
	return n > 0 ? 0 : n ? EIO : ETIMEDOUT;
}

int completion_reap(struct ibv_cq *cq, u32 count, u32 ms)
{
	struct ibv_wc wc;
	int err;

	while (count--) {
		err = completion_next(cq, &wc, ms);
		if (err)
			return complain("a completion", err);
		if (wc.status)
			return complain(ibv_wc_status_str(wc.status), EIO);
	}
	return 0;
}
