// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of a device, as they are now: by sysfs, after the kernel was told not to cache them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complaint.h"
#include "counters.h"

static const char *const names[COUNTERS] = {
	[COUNT_BACKEND] = "rx_dropped_backend",
	[COUNT_MALFORMED] = "rx_dropped_malformed",
	[COUNT_NO_QP] = "rx_dropped_no_qp",
	[COUNT_STATE] = "rx_dropped_state",
	[COUNT_OPCODE] = "rx_dropped_opcode",
	[COUNT_ADDRESS] = "rx_dropped_address",
	[COUNT_PKEY] = "rx_dropped_pkey",
	[COUNT_QKEY] = "rx_dropped_qkey",
	[COUNT_BACKLOG] = "rx_dropped_backlog",
	[COUNT_MEMORY] = "rx_dropped_memory",
	[COUNT_PSN] = "rx_dropped_psn",
	[COUNT_SEQUENCE] = "out_of_sequence",
	[COUNT_BUFFER] = "out_of_buffer",
	[COUNT_LENGTH] = "rx_dropped_length",
	[COUNT_DUPLICATE] = "duplicate_request",
	[COUNT_NAKS_SENT] = "naks_sent",
	[COUNT_RNR_NAKS_SENT] = "rnr_naks_sent",
};

const char *counter_name(enum counter c)
{
	return names[c];
}

static FILE *open_counter(const char *device, const char *name, const char *mode)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s", device,
		 name);
	file = fopen(path, mode);
	if (!file)
		complain(path, errno);
	return file;
}

static int stop_caching(const char *device)
{
	static bool done;
	FILE *file;

	if (done)
		return 0;
	file = open_counter(device, "lifespan", "w");
	if (!file)
		return -1;
	if (fputs("0", file) < 0 || fclose(file))
		return complain("lifespan", errno);
	done = true;
	return 0;
}

static int read_counter(const char *device, const char *name, u64 *value)
{
	FILE *file = open_counter(device, name, "r");
	unsigned long long number;
	int found;

	if (!file)
		return -1;
	found = fscanf(file, "%llu", &number);
	fclose(file);
	if (found != 1)
		return complain(name, EINVAL);
	*value = number;
	return 0;
}

int counters_read(const char *device, struct counters *c)
{
	u32 i;

	if (stop_caching(device))
		return -1;
	for (i = 0; i < COUNTERS; i++)
		if (read_counter(device, names[i], &c->value[i]))
			return -1;
	return 0;
}
