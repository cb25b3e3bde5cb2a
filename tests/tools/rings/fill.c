// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Values for the fields of commands.
 */
#include <string.h>

#include "fill.h"

#define MANY		4096
#define TOO_MANY	(1u << 20)

static const u8 handles[] = {
	[FILL_PD] = OBJECT_PD,
	[FILL_CQ] = OBJECT_CQ,
	[FILL_QP] = OBJECT_QP,
	[FILL_SRQ] = OBJECT_SRQ,
	[FILL_MR] = OBJECT_MR,
	[FILL_MW] = OBJECT_MW,
	[FILL_AH] = OBJECT_AH,
	[FILL_DM] = OBJECT_DM,
};

static u64 memory(const struct world *w, struct random *r)
{
	return (uintptr_t)w->sandbox.memory + PAGE * random_below(r, SANDBOX_LENGTH / PAGE / 2) +
	       (random_one_in(r, 4) ? random_below(r, PAGE) : 0);
}

static u64 simple_value(struct world *w, struct random *r, const struct side *s, enum fill fill)
{
	static const u8 types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, 0xff, 9, 8 };

	switch (fill) {
	case FILL_ZERO:
		return 0;
	case FILL_ONE:
		return 1;
	case FILL_SMALL:
		return random_below(r, 32);
	case FILL_CHANNEL:
		return random_one_in(r, 2) ? s->channel : -1;
	case FILL_ADDRESS:
		return memory(w, r);
	case FILL_LENGTH:
		return 1 + random_below(r, 8 * PAGE);
	case FILL_ACCESS:
		return random_below(r, 32);
	case FILL_DM_ACCESS:
		return random_below(r, 32) | IBV_ACCESS_ZERO_BASED;
	case FILL_PD_FLAGS:
		return random_below(r, 8);
	case FILL_COUNT:
		return 1 + random_below(r, 64);
	case FILL_SGES:
		return random_below(r, 5);
	case FILL_QP_TYPE:
		return types[random_below(r, random_one_in(r, 8) ? ARRAY_SIZE(types) : 3)];
	case FILL_QP_STATE:
		return random_below(r, 7);
	case FILL_QP_MASK:
		return random_one_in(r, 2) ? random_u64(r) & 0x3ffffff : IBV_QP_STATE;
	case FILL_QPN:
		return s->lanes[random_below(r, LANES)].qp.qpn;
	case FILL_MTU:
		return 1 + random_below(r, 5);
	case FILL_GID_INDEX:
		return s->dev.gid_index;
	case FILL_GID_SIZE:
		return sizeof(struct ib_uverbs_gid_entry);
	case FILL_WR_SIZE:
		return random_one_in(r, 2) ? sizeof(struct ib_uverbs_send_wr) :
					     sizeof(struct ib_uverbs_recv_wr);
	case FILL_NUMBER:
		return random_below(r, IB_USER_VERBS_CMD_OPEN_QP + 2);
	default:
		return random_odd(r);
	}
}

/* Few, so that QPs meet in them, and one is in a group by several LIDs */
static void fill_group(struct random *r, u8 *gid)
{
	memset(gid, 0, 16);
	gid[10] = 0xff;
	gid[11] = 0xff;
	gid[12] = 224;
	gid[15] = 1 + random_below(r, 2);
}

void fill_field(struct world *w, struct random *r, u32 side, enum fill fill, void *at, u32 bytes)
{
	u64 value;

	if (fill == FILL_GID) {
		memcpy(at, w->sides[!side].dev.gid, bytes);
		return;
	}
	if (fill == FILL_GROUP) {
		fill_group(r, at);
		return;
	}
	if (fill < ARRAY_SIZE(handles) && handles[fill])
		value = world_handle(w, r, side, handles[fill]);
	else
		value = simple_value(w, r, &w->sides[side], fill);
	memcpy(at, &value, bytes);
}

void fill_bound(const struct world *w, u32 side, enum fill fill, void *at, u32 bytes)
{
	const u8 *gid = w->sides[!side].dev.gid;
	u32 value;

	if (fill == FILL_GID && !memcmp(at, gid, bytes - 1))
		memcpy(at, gid, bytes);
	if (fill != FILL_COUNT || bytes != sizeof(value))
		return;
	memcpy(&value, at, sizeof(value));
	if (value > MANY && value < TOO_MANY)
		value += TOO_MANY;
	memcpy(at, &value, sizeof(value));
}

u64 fill_pointer(const struct world *w, struct random *r, const void *good)
{
	switch (random_below(r, 24)) {
	case 0:
		return 0;
	case 1:
		return (uintptr_t)w->sandbox.hole;
	case 2:
		return (uintptr_t)w->sandbox.read_only;
	case 3:
		return 0xffffffff81000000ULL + random_below(r, 1 << 20);
	case 4:
		return 0xffff888000000000ULL + random_below(r, 1 << 20);
	case 5:
		return (uintptr_t)w->sandbox.scratch + SCRATCH_LENGTH - random_below(r, 64);
	case 6:
		return 1ULL << 63 | random_u64(r);
	default:
		return (uintptr_t)good;
	}
}
