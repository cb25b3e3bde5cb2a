/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SWEEP_INJECT_H
#define SWEEP_INJECT_H

#include "types.h"

/* Code of the kernel, by addresses: from @start to just before @end. */
struct text {
	u64 start;
	u64 end;
};

/* Whose allocations fail: those with an address of @from on their stack, and none of @but. */
struct reach {
	struct text from;
	struct text but;
};

extern const struct reach reach_all;

/*
 * Return: 0, or -1 with a line on stderr.  Without CONFIG_FAULT_INJECTION, CONFIG_FAILSLAB,
 * CONFIG_FAIL_PAGE_ALLOC or CONFIG_FAULT_INJECTION_STACKTRACE_FILTER the line says so.
 */
int inject_open(void);
int inject_reach(const struct reach *reach);

/*
 * The @nth allocation that this thread makes from now on fails, of slab objects or of pages,
 * counted from 1.  Allocations of interrupts, softirqs and other threads are not counted.
 * inject_end() returns whether it came to that.
 */
void inject_nth(u32 nth);
bool inject_end(void);

/*
 * Each allocation within reach, in whatever context, fails with a chance of @percent.
 * inject_stop() returns how many did.
 */
int inject_random(u32 percent);
u32 inject_stop(void);

#endif
