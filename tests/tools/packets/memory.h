/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_MEMORY_H
#define PACKETS_MEMORY_H

#include <infiniband/verbs.h>

#include "types.h"

/* What the victim has registered, each with memory around it that belongs to no region. */
enum zone_id {
	ZONE_REMOTE,		/* everything may be done to it */
	ZONE_READ_ONLY,		/* remote reads */
	ZONE_LOCAL,		/* local access; a source of sends */
	ZONE_OTHER_PD,		/* all access, by QPs that the attacker does not reach */
	ZONE_STALE,		/* was deregistered */
	ZONE_WINDOW,		/* local access, with a window on a part */
	ZONE_RECEIVE,		/* receives point into it */
	ZONE_SINK,		/* reads and atomics of the victim's own end in it */
	ZONES
};

#define ZONE_STRIDE	32768
/* Of ZONE_RECEIVE and ZONE_SINK: in each slot two pieces are used, and a gap between them not */
#define SLOT_STRIDE	4096
#define SLOTS		5
#define PIECE_FIRST	701
#define PIECE_GAP	59
#define PIECE_SECOND	3001
#define SLOT_BYTES	(PIECE_FIRST + PIECE_SECOND)
/* Of ZONE_WINDOW */
#define WINDOW_AT	3001
#define WINDOW_BYTES	5003

struct zone {
	struct ibv_mr *mr;
	u8 *start;
	u32 length;
	u32 rkey;
	u32 lkey;
};

struct memory {
	u8 *arena;
	u8 *pattern;		/* what nobody may change reads like this */
	struct zone zones[ZONES];
};

/* @pd is the attacked QPs', @other_pd the others'. Return 0, or -1 with a line on stderr. */
int memory_open(struct memory *m, struct ibv_pd *pd, struct ibv_pd *other_pd);
void memory_close(struct memory *m);
/* Whether everything is as it was but for what may change; says on stdout what is not. */
bool memory_check(const struct memory *m);
/* The two pieces of a slot, cut to @length bytes; returns how many pieces that takes. */
int memory_slot(const struct memory *m, enum zone_id id, u32 slot, u32 length,
		struct ibv_sge *sge);
const char *zone_name(enum zone_id id);

#endif
