// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes allocations in the kernel fail, by its own fault injection (the kernel's
 * Documentation/fault-injection): fail-nth for what this thread does, and a chance for what
 * happens elsewhere.  The stack filter serves both.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject.h"

#define DEBUGFS		"/sys/kernel/debug"
#define FAIL_NTH	"/proc/thread-self/fail-nth"

static const char *const kinds[] = { "failslab", "fail_page_alloc" };

const struct reach reach_all = { .from = { 0, UINT64_MAX } };

static int fail_nth = -1;

static int attribute_open(const char *kind, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS "/%s/%s", kind, name);
	return open(path, flags | O_CLOEXEC);
}

static int attribute_write(const char *kind, const char *name, const char *value)
{
	size_t length = strlen(value);
	int fd = attribute_open(kind, name, O_WRONLY);
	bool good = fd >= 0 && write(fd, value, length) == (ssize_t)length;

	if (!good)
		fprintf(stderr, "cannot set %s of %s: %s\n", name, kind, strerror(errno));
	if (fd >= 0)
		close(fd);
	return good ? 0 : -1;
}

static int attribute_number(const char *kind, const char *name, u64 value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return attribute_write(kind, name, text);
}

static u64 attribute_read(const char *kind, const char *name)
{
	char text[32] = "";
	int fd = attribute_open(kind, name, O_RDONLY);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	return strtoull(text, NULL, 0);
}

static bool lacks(const char *kind, const char *name, const char *option)
{
	int fd = attribute_open(kind, name, O_RDONLY);

	if (fd >= 0) {
		close(fd);
		return false;
	}
	fprintf(stderr, "the kernel has no fault injection: %s, or debugfs is not mounted\n",
		option);
	return true;
}

/* Every allocation counts, also one that may sleep, or that nobody warns of */
static int prepare(const char *kind)
{
	return attribute_write(kind, "probability", "0") ||
	       attribute_write(kind, "interval", "1") ||
	       attribute_write(kind, "space", "0") ||
	       attribute_write(kind, "times", "-1") ||
	       attribute_write(kind, "verbose", "0") ||
	       attribute_write(kind, "task-filter", "N") ||
	       attribute_write(kind, "stacktrace-depth", "32") ||
	       attribute_write(kind, "ignore-gfp-wait", "N") ? -1 : 0;
}

int inject_open(void)
{
	size_t i;

	if (lacks("failslab", "probability", "CONFIG_FAILSLAB") ||
	    lacks("fail_page_alloc", "probability", "CONFIG_FAIL_PAGE_ALLOC") ||
	    lacks("failslab", "require-start", "CONFIG_FAULT_INJECTION_STACKTRACE_FILTER"))
		return -1;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (prepare(kinds[i]))
			return -1;
	if (attribute_write("fail_page_alloc", "ignore-gfp-highmem", "N") ||
	    attribute_write("fail_page_alloc", "min-order", "0") || inject_reach(&reach_all))
		return -1;
	fail_nth = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	if (fail_nth < 0) {
		perror("cannot open " FAIL_NTH);
		return -1;
	}
	return 0;
}

int inject_reach(const struct reach *reach)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (attribute_number(kinds[i], "require-start", reach->from.start) ||
		    attribute_number(kinds[i], "require-end", reach->from.end) ||
		    attribute_number(kinds[i], "reject-start", reach->but.start) ||
		    attribute_number(kinds[i], "reject-end", reach->but.end))
			return -1;
	}
	return 0;
}

static void write_nth(u32 nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	if (fail_nth >= 0 && pwrite(fail_nth, text, length, 0) != length)
		perror("cannot write " FAIL_NTH);
}

void inject_nth(u32 nth)
{
	write_nth(nth);
}

bool inject_end(void)
{
	char text[16] = "1";

	if (fail_nth < 0)
		return false;
	if (pread(fail_nth, text, sizeof(text) - 1, 0) <= 0)
		perror("cannot read " FAIL_NTH);
	write_nth(0);
	return !strtoul(text, NULL, 10);
}

int inject_random(u32 percent)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (attribute_number(kinds[i], "times", INT_MAX) ||
		    attribute_number(kinds[i], "probability", percent))
			return -1;
	}
	return 0;
}

u32 inject_stop(void)
{
	u32 failed = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		attribute_number(kinds[i], "probability", 0);
		failed += INT_MAX - attribute_read(kinds[i], "times");
		attribute_write(kinds[i], "times", "-1");
	}
	return failed;
}
