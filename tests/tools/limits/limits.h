/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_LIMITS_H
#define TOOLS_LIMITS_H

#include "suite.h"
#include "types.h"

/* What the kernel has in use, in bytes. */
struct memory {
	s64 kernel;	/* all that is neither free nor a cache nor a process's */
	s64 rings;	/* mapped by this process from a verbs device: part of it */
};

/* Return: 0, or -1 as of complain(). */
int memory_read(struct memory *m);

struct test {
	const struct suite_case *c;
	const char *devices[2];	/* the second may be NULL */
	u32 count;		/* of QPs */
};

extern const struct suite_case many_cases[];
extern const struct suite_case fill_cases[];

#endif
