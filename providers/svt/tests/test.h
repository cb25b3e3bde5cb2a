/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Running tests: each is a function, and is left at the first EXPECT that does not hold.
 */
#ifndef SVT_TEST_H
#define SVT_TEST_H

#include <stdbool.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* In the thread that runs the tests only */
#define EXPECT(condition) \
	((condition) ? (void)0 : test_leave(__FILE__, __LINE__, #condition))

__attribute__((noreturn)) void test_leave(const char *file, int line, const char *what);

/* Lists of them end with one that has no name */
struct test {
	const char *name;
	void (*run)(void);
};

/* Runs all, prints a line for each */
void test_run(const struct test *tests);
/* Prints "N passed, N failed"; returns the status to exit with */
int test_summary(void);

extern const struct test send_tests[];
extern const struct test wr_api_tests[];
extern const struct test recv_tests[];
extern const struct test cq_tests[];
extern const struct test library_tests[];
extern const struct test stress_tests[];

#endif
