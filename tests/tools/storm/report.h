/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_REPORT_H
#define STORM_REPORT_H

#include "types.h"

/* What is counted, for the line at the end; names in report.c */
enum tally {
	TALLY_OPERATIONS,
	TALLY_QPS,
	TALLY_CQS,
	TALLY_SRQS,
	TALLY_MRS,
	TALLY_MWS,
	TALLY_AHS,
	TALLY_RESIZES,
	TALLY_POSTS,
	TALLY_COMPLETIONS,
	TALLY_ERRORS,
	TALLY_CQ_EVENTS,
	TALLY_ASYNC_EVENTS,
	TALLY_VERIFIED,
	TALLY_PROCESSES,
	TALLY_KILLED,
	TALLY_CONNECTIONS,
	TALLY_REJECTED,
	TALLY_NAMESPACES,
	TALLY_ANSWERS,
	TALLY_FATAL,
	TALLIES,
};

/*
 * Counts and failures of the process. Any thread. The case fails by the first, which is shown with
 * the seed that repeats it; the others only count.
 */
void report_start(const char *mode, u64 seed);
u64 report_seed(void);
void tally(enum tally what);
void tally_add(enum tally what, u64 count);
void fail(const char *format, ...) __printf(1, 2);
bool failed(void);

/* kill -9 of this process when @what has been counted so often; 0: never */
void report_die_after(enum tally what, u64 count);

/* Where this thread is, for its failures: a name, a number, and the operation under way */
void report_where(const char *who, u32 number, u64 operation, const char *name);

/* Notes the counts at the end. Return: the status for a process to exit with. */
int report_end(void);

#endif
