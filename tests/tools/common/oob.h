/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_OOB_H
#define TOOLS_OOB_H

#include "types.h"

#define OOB_DATA_MAX	4096

/*
 * One message of the out-of-band exchange.  Both ends are the same program on machines of the
 * same byte order; the magic number catches anything else.
 */
struct oob_head {
	u32 magic;
	u32 kind;	/* the meaning is the caller's */
	u32 round;
	u32 step;
	u32 len;
};

struct oob_frame {
	struct oob_head head;
	u8 data[OOB_DATA_MAX];
};

/* All return a descriptor or 0, or a negative errno; limits are points in time of clock.h. */
int oob_accept(const char *port, u64 limit);
int oob_connect(const char *host, const char *port, u64 limit);
int oob_send(int fd, u32 kind, u32 round, u32 step, const void *data, u32 len);
int oob_recv(int fd, struct oob_frame *f, u64 limit);
bool oob_pending(int fd);

#endif
