// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The victim's memory, in which every byte that no packet may change is known.
 *
 * One mapping, cut into zones. In the middle of each is a region of odd bounds, so that the bytes
 * in front of it and behind it are on the same pages: these are the guards.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"
#include "random.h"
#include "suite.h"

#define ARENA_BYTES	(ZONES * ZONE_STRIDE)
#define REGION_AT	4137
#define REGION_BYTES	21017
#define PATTERN_SEED	0x5375

struct zone_kind {
	const char *name;
	int access;
};

#define ALL_REMOTE	(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_ATOMIC)

static const struct zone_kind kinds[ZONES] = {
	[ZONE_REMOTE] = { "remote access", IBV_ACCESS_LOCAL_WRITE | ALL_REMOTE },
	[ZONE_READ_ONLY] = { "remote read", IBV_ACCESS_REMOTE_READ },
	[ZONE_LOCAL] = { "local access", IBV_ACCESS_LOCAL_WRITE },
	[ZONE_OTHER_PD] = { "another PD's", IBV_ACCESS_LOCAL_WRITE | ALL_REMOTE },
	[ZONE_STALE] = { "deregistered", IBV_ACCESS_LOCAL_WRITE | ALL_REMOTE },
	[ZONE_WINDOW] = { "window", IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND },
	[ZONE_RECEIVE] = { "receive", IBV_ACCESS_LOCAL_WRITE },
	[ZONE_SINK] = { "sink", IBV_ACCESS_LOCAL_WRITE },
};

const char *zone_name(enum zone_id id)
{
	return kinds[id].name;
}

static bool in_slot(u32 at)
{
	u32 in = at % SLOT_STRIDE;

	if (at >= SLOTS * SLOT_STRIDE)
		return false;
	return in < PIECE_FIRST ||
	       (in >= PIECE_FIRST + PIECE_GAP && in < PIECE_GAP + SLOT_BYTES);
}

/* Whether a byte of a region, at @at from its start, may be changed by packets */
static bool may_change(enum zone_id id, u32 at)
{
	switch (id) {
	case ZONE_REMOTE:
		return true;
	case ZONE_WINDOW:
		return at >= WINDOW_AT && at < WINDOW_AT + WINDOW_BYTES;
	case ZONE_RECEIVE:
	case ZONE_SINK:
		return in_slot(at);
	default:
		return false;
	}
}

static int make_zone(struct memory *m, enum zone_id id, struct ibv_pd *pd)
{
	struct zone *zone = &m->zones[id];

	zone->start = m->arena + id * ZONE_STRIDE + REGION_AT;
	zone->length = REGION_BYTES;
	zone->mr = ibv_reg_mr(pd, zone->start, zone->length, kinds[id].access);
	if (!zone->mr) {
		fprintf(stderr, "cannot register memory (%s): %s\n", kinds[id].name,
			strerror(errno));
		return -1;
	}
	zone->rkey = zone->mr->rkey;
	zone->lkey = zone->mr->lkey;
	return 0;
}

int memory_open(struct memory *m, struct ibv_pd *pd, struct ibv_pd *other_pd)
{
	struct random r;
	u32 id;

	memset(m, 0, sizeof(*m));
	m->arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	m->pattern = malloc(ARENA_BYTES);
	if (m->arena == MAP_FAILED || !m->pattern) {
		fprintf(stderr, "no memory\n");
		return -1;
	}
	random_start(&r, PATTERN_SEED, 0);
	random_fill(&r, m->pattern, ARENA_BYTES);
	memcpy(m->arena, m->pattern, ARENA_BYTES);
	for (id = 0; id < ZONES; id++)
		if (make_zone(m, id, id == ZONE_OTHER_PD ? other_pd : pd))
			return -1;
	ibv_dereg_mr(m->zones[ZONE_STALE].mr);
	m->zones[ZONE_STALE].mr = NULL;
	return 0;
}

void memory_close(struct memory *m)
{
	u32 id;

	for (id = 0; id < ZONES; id++)
		if (m->zones[id].mr)
			ibv_dereg_mr(m->zones[id].mr);
	free(m->pattern);
	munmap(m->arena, ARENA_BYTES);
}

static bool is_allowed(enum zone_id id, u32 offset)
{
	if (offset < REGION_AT || offset >= REGION_AT + REGION_BYTES)
		return false;
	return may_change(id, offset - REGION_AT);
}

static bool check_zone(const struct memory *m, enum zone_id id)
{
	const u8 *now = m->arena + id * ZONE_STRIDE;
	const u8 *then = m->pattern + id * ZONE_STRIDE;
	u32 i;

	for (i = 0; i < ZONE_STRIDE; i++) {
		if (now[i] == then[i] || is_allowed(id, i))
			continue;
		suite_fail("memory (%s): byte %d of the region changed from %#x to %#x",
			   kinds[id].name, (int)i - REGION_AT, then[i], now[i]);
		return false;
	}
	return true;
}

bool memory_check(const struct memory *m)
{
	bool good = true;
	u32 id;

	for (id = 0; id < ZONES; id++)
		if (memcmp(m->arena + id * ZONE_STRIDE, m->pattern + id * ZONE_STRIDE,
			   ZONE_STRIDE))
			good &= check_zone(m, id);
	return good;
}

int memory_slot(const struct memory *m, enum zone_id id, u32 slot, u32 length,
		struct ibv_sge *sge)
{
	const struct zone *zone = &m->zones[id];
	u64 start = (uintptr_t)zone->start + slot % SLOTS * SLOT_STRIDE;

	sge[0] = (struct ibv_sge) { start, min_u32(length, PIECE_FIRST), zone->lkey };
	if (length <= PIECE_FIRST)
		return 1;
	sge[1] = (struct ibv_sge) {
		start + PIECE_FIRST + PIECE_GAP, min_u32(length, SLOT_BYTES) - PIECE_FIRST,
		zone->lkey,
	};
	return 2;
}
