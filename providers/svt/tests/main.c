// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs the tests of a program, or those whose name matches its argument, a pattern with * and ?.
 * Results are TAP. With -l it lists them instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

#include "test.h"

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1 && !strcmp(argv[1], "-l")) {
		for (i = 0; i < test_count; i++)
			puts(tests[i].name);
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	cmocka_set_test_filter(argv[1]);
	return _cmocka_run_group_tests(program_invocation_short_name, tests, test_count, NULL,
				       NULL);
}
