// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "suite.h"

int complain(const char *what, int err)
{
	if (suite_runs_case())
		suite_fail("%s: %s", what, strerror(err));
	else
		fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
			strerror(err));
	return -1;
}
