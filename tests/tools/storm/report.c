// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What came of it: counts and failures.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "report.h"
#include "suite.h"

static const char * const names[TALLIES] = {
	[TALLY_OPERATIONS] = "operations",
	[TALLY_QPS] = "QPs",
	[TALLY_CQS] = "CQs",
	[TALLY_SRQS] = "SRQs",
	[TALLY_MRS] = "MRs",
	[TALLY_MWS] = "MWs",
	[TALLY_AHS] = "AHs",
	[TALLY_RESIZES] = "resizes",
	[TALLY_POSTS] = "requests",
	[TALLY_COMPLETIONS] = "completions",
	[TALLY_ERRORS] = "of them errors",
	[TALLY_CQ_EVENTS] = "CQ events",
	[TALLY_ASYNC_EVENTS] = "async events",
	[TALLY_VERIFIED] = "messages verified",
	[TALLY_PROCESSES] = "processes",
	[TALLY_KILLED] = "of them killed",
	[TALLY_CONNECTIONS] = "connections",
	[TALLY_REJECTED] = "rejected",
	[TALLY_NAMESPACES] = "namespaces",
	[TALLY_ANSWERS] = "answers",
	[TALLY_FATAL] = "devices gone",
};

static atomic_ullong tallies[TALLIES];
static atomic_uint failures;
static const char *mode_name;
static u64 the_seed;
static enum tally fatal_tally;
static u64 fatal_count;
static __thread char where[96] = "main";

void report_start(const char *mode, u64 seed)
{
	u32 i;

	/* A child has counts of its own */
	for (i = 0; i < TALLIES; i++)
		atomic_store(&tallies[i], 0);
	atomic_store(&failures, 0);
	mode_name = mode;
	the_seed = seed;
	suite_note("%s: SVT_SEED=%llu", mode, (unsigned long long)seed);
}

u64 report_seed(void)
{
	return the_seed;
}

void tally(enum tally what)
{
	tally_add(what, 1);
}

void tally_add(enum tally what, u64 count)
{
	u64 before = atomic_fetch_add_explicit(&tallies[what], count, memory_order_relaxed);

	if (fatal_count && what == fatal_tally && before + count >= fatal_count)
		kill(getpid(), SIGKILL);
}

void report_die_after(enum tally what, u64 count)
{
	fatal_tally = what;
	fatal_count = count;
}

void report_where(const char *who, u32 number, u64 operation, const char *name)
{
	snprintf(where, sizeof(where), "%s %u, operation %llu (%s)", who, number,
		 (unsigned long long)operation, name);
}

void fail(const char *format, ...)
{
	char why[256];
	va_list args;

	if (atomic_fetch_add(&failures, 1))
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	suite_fail("%s SVT_SEED=%llu, %s: %s", mode_name, (unsigned long long)the_seed, where,
		   why);
}

bool failed(void)
{
	return atomic_load(&failures);
}

int report_end(void)
{
	char counts[TALLIES * 40] = "";
	int length = 0;
	u32 i;

	for (i = 0; i < TALLIES; i++)
		if (tallies[i])
			length += snprintf(counts + length, sizeof(counts) - length, " %llu %s,",
					   tallies[i], names[i]);
	suite_note("%s SVT_SEED=%llu:%s %u failures", mode_name, (unsigned long long)the_seed,
		   counts, failures);
	return failed() ? 1 : 0;
}
