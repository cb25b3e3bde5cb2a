/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A program of tests, which main.c runs: cmocka, and the table of them.
 */
#ifndef SVT_TEST_H
#define SVT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* From the first to the second call stderr is a file; the second returns the words in it */
void capture_stderr(void);
const char *captured_stderr(void);

extern const struct CMUnitTest tests[];
extern const size_t test_count;

#endif
