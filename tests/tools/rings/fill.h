/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_FILL_H
#define RINGS_FILL_H

#include "world.h"

/* What a field of a command means, so that most are given a value that makes sense */
enum fill {
	FILL_ZERO,
	FILL_ANY,
	FILL_SMALL,
	FILL_ONE,
	FILL_PD,
	FILL_CQ,
	FILL_QP,
	FILL_SRQ,
	FILL_MR,
	FILL_MW,
	FILL_AH,
	FILL_DM,
	FILL_CHANNEL,		/* of the side, or -1 */
	FILL_ADDRESS,		/* in the sandbox */
	FILL_LENGTH,
	FILL_PD_FLAGS,
	FILL_ACCESS,
	FILL_DM_ACCESS,		/* zero based */
	FILL_COUNT,		/* of entries: neither many nor, but for the limits, very many */
	FILL_SGES,
	FILL_QP_TYPE,
	FILL_QP_STATE,
	FILL_QP_MASK,
	FILL_QPN,
	FILL_MTU,
	FILL_GID,		/* 16 bytes: of the other side */
	FILL_GROUP,		/* 16 bytes: of multicast */
	FILL_GID_INDEX,
	FILL_GID_SIZE,
	FILL_WR_SIZE,
	FILL_NUMBER,		/* of a write command */
};

void fill_field(struct world *w, struct random *r, u32 side, enum fill fill, void *at, u32 bytes);
/*
 * After a field was changed blindly: queues of many megabytes, and neighbours that answer no ARP
 * request for seconds, are not what is to be found out.
 */
void fill_bound(const struct world *w, u32 side, enum fill fill, void *at, u32 bytes);
/* Where the kernel is to read or write: most of the time @good, else where it can not */
u64 fill_pointer(const struct world *w, struct random *r, const void *good);

#endif
