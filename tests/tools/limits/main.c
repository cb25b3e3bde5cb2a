// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_limits: whether a device has as much as it says, and what it costs. Prints what it measured;
 * fails when something cannot be had, or fails otherwise than the manual pages say.
 */
#include <stdio.h>
#include <string.h>

#include "limits.h"
#include "number.h"

static int usage(void)
{
	fprintf(stderr, "usage: svt_limits qps DEVICE DEVICE NUMBER\n"
			"       svt_limits fill DEVICE pd|ah|cq|srq|qp|mr\n"
			"       svt_limits depth DEVICE\n");
	return 2;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 5 && !strcmp(argv[1], "qps"))
		ret = many_qps((const char *const *)argv + 2, number_of(argv[4], 1 << 16));
	else if (argc == 4 && !strcmp(argv[1], "fill"))
		ret = fill_up(argv[2], argv[3]);
	else if (argc == 3 && !strcmp(argv[1], "depth"))
		ret = deep_queues(argv[2]);
	else
		return usage();
	return ret ? 1 : 0;
}
