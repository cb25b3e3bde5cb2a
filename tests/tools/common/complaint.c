// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a tool says, under its name, when it cannot go on. For those that report no verdicts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complaint.h"

int complain(const char *what, int err)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(err));
	return -1;
}
