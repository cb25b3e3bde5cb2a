/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Running tests: each is a function, and ends at the first EXPECT that does not hold.
 */
#ifndef SVT_TEST_H
#define SVT_TEST_H

#include <stdbool.h>

void test_fail(const char *file, int line, const char *what);

#define EXPECT(condition) \
	do { \
		if (!(condition)) { \
			test_fail(__FILE__, __LINE__, #condition); \
			return; \
		} \
	} while (0)

struct test {
	const char *name;
	void (*run)(void);
};

extern const struct test send_tests[];
extern const struct test wr_api_tests[];
extern const struct test recv_tests[];
extern const struct test cq_tests[];
extern const struct test library_tests[];
extern const struct test stress_tests[];

#endif
