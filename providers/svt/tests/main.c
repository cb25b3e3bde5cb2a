// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs the tests of a program, or those whose name matches its argument, a pattern with * and ?.
 * Results are TAP. With -l it lists them instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "test.h"

static FILE *words;
static int saved;

void capture_stderr(void)
{
	words = tmpfile();
	assert_non_null(words);
	saved = dup(STDERR_FILENO);
	dup2(fileno(words), STDERR_FILENO);
}

const char *captured_stderr(void)
{
	static char said[1000];

	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(words);
	said[fread(said, 1, sizeof(said) - 1, words)] = '\0';
	fclose(words);
	return said;
}

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
