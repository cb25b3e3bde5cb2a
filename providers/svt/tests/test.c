// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Running tests, see test.h. One thread.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include "test.h"

static jmp_buf leave;
static unsigned int passed;
static unsigned int failed;

void test_leave(const char *file, int line, const char *what)
{
	printf("# %s:%d: not so: %s (errno %d)\n", file, line, what, errno);
	longjmp(leave, 1);
}

static bool holds(const struct test *test)
{
	if (setjmp(leave))
		return false;
	test->run();
	return true;
}

void test_run(const struct test *tests)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; tests->name; tests++) {
		if (holds(tests)) {
			printf("ok %s\n", tests->name);
			passed++;
		} else {
			printf("not ok %s\n", tests->name);
			failed++;
		}
	}
}

int test_summary(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
