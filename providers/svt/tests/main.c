// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs all tests of the provider's own code, against the kernel that fake.c pretends to be. Prints a
 * line for each and "N passed, N failed" last; fails when one of them did.
 */
#include <stdio.h>
#include <unistd.h>

#include "test.h"

#define TIME_LIMIT_S	120

static const struct test *const suites[] = {
	send_tests,
	wr_api_tests,
	recv_tests,
	cq_tests,
	library_tests,
	stress_tests,
};

static bool failed;

void test_fail(const char *file, int line, const char *what)
{
	printf("# %s:%d: not so: %s\n", file, line, what);
	failed = true;
}

int main(void)
{
	unsigned int passed_count = 0, failed_count = 0;
	const struct test *test;
	size_t i;

	/* A wake-up that is lost would otherwise be waited for until the end of time */
	alarm(TIME_LIMIT_S);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		for (test = suites[i]; test->name; test++) {
			failed = false;
			test->run();
			printf("%s %s\n", failed ? "not ok" : "ok", test->name);
			if (failed)
				failed_count++;
			else
				passed_count++;
		}
	}
	printf("%u passed, %u failed\n", passed_count, failed_count);
	return failed_count ? 1 : 0;
}
