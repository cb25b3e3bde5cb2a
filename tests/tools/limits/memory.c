// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What memory the kernel has for itself. What was freed after a grace period is free only some time
 * later, so a measurement waits until it stays the same.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "limits.h"

/*
 * Free pages that processors keep in lists of their own (tens of MB, from Linux 5.14 on) are not in
 * MemFree.
 */
static s64 listed_bytes(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	char line[256];
	long long pages;
	s64 sum = 0;

	if (!file)
		return complain("/proc/zoneinfo", errno);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %lld", &pages) == 1)
			sum += pages;
	fclose(file);
	return sum * getpagesize();
}

/* Pages that a driver allocates one by one are under no name: what is left of all the others */
static s64 kernel_bytes(void)
{
	static const char *const others[] = {
		"MemFree:", "Buffers:", "Cached:", "AnonPages:", "SReclaimable:",
	};
	FILE *file = fopen("/proc/meminfo", "r");
	char line[256], name[64];
	long long kb;
	s64 sum = 0;
	u32 i;

	if (!file)
		return complain("/proc/meminfo", errno);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %lld", name, &kb) != 2)
			continue;
		if (!strcmp(name, "MemTotal:"))
			sum += kb * 1024;
		for (i = 0; i < ARRAY_SIZE(others); i++)
			if (!strcmp(name, others[i]))
				sum -= kb * 1024;
	}
	fclose(file);
	return sum - listed_bytes();
}

static s64 ring_bytes(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[512];
	s64 sum = 0;

	if (!file)
		return complain("/proc/self/maps", errno);
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "/dev/infiniband/uverbs") &&
		    sscanf(line, "%lx-%lx", &from, &to) == 2)
			sum += to - from;
	fclose(file);
	return sum;
}

int memory_read(struct memory *m)
{
	s64 before, now = kernel_bytes();
	u32 tries;

	for (tries = 0; now >= 0 && tries < 20; tries++) {
		before = now;
		usleep(200000);
		now = kernel_bytes();
		if (now >= before - 65536 && now <= before + 65536)
			break;
	}
	m->kernel = now;
	m->rings = ring_bytes();
	return m->kernel < 0 || m->rings < 0 ? -1 : 0;
}
