/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_COUNTERS_H
#define TOOLS_COUNTERS_H

#include "types.h"

/* Counters of the device that say what became of packets that do not simply pass. */
enum counter {
	COUNT_BACKEND,
	COUNT_MALFORMED,
	COUNT_NO_QP,
	COUNT_STATE,
	COUNT_OPCODE,
	COUNT_ADDRESS,
	COUNT_PKEY,
	COUNT_QKEY,
	COUNT_BACKLOG,
	COUNT_MEMORY,
	COUNT_PSN,
	COUNT_SEQUENCE,
	COUNT_BUFFER,
	COUNT_LENGTH,
	COUNT_DUPLICATE,
	COUNT_NAKS_SENT,
	COUNT_RNR_NAKS_SENT,
	COUNTERS
};

struct counters {
	u64 value[COUNTERS];
};

/* By hw_counters in sysfs. Return: 0, or -1 with complain(). */
int counters_read(const char *device, struct counters *c);
const char *counter_name(enum counter c);

#endif
