/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_LIMITS_H
#define TOOLS_LIMITS_H

#include "types.h"

/* What the kernel has in use, in bytes. */
struct memory {
	s64 kernel;	/* all that is neither free nor a cache nor a process's */
	s64 rings;	/* mapped by this process from a verbs device: part of it */
};

/* All return 0, or -1 with a line on stderr. */
int memory_read(struct memory *m);

/* So many RC QPs on two devices, each connected and each with a message to its peer */
int many_qps(const char *const devices[2], u32 count);
/* Objects of @kind are created until the kernel has had enough, and destroyed */
int fill_up(const char *device, const char *kind);
/* Queues of the depth that the device tells, full */
int deep_queues(const char *device);

#endif
