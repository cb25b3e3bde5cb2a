// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A QP in multicast groups, in one of them by several LIDs, left by some of them or by none. What
 * was not left uverbs undoes when the QP goes with its process; before, the QP cannot be destroyed.
 */
#include <assert.h>
#include <stddef.h>

#include "../fill.h"

#define LIDS	4

struct request {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_attach_mcast core;
};

static_assert(sizeof(struct ib_uverbs_attach_mcast) == sizeof(struct ib_uverbs_detach_mcast) &&
	      offsetof(struct ib_uverbs_attach_mcast, mlid) ==
	      offsetof(struct ib_uverbs_detach_mcast, mlid), "one request for both");

static u32 draw_qp(struct world *w, struct random *r, u32 side)
{
	const struct lane *lane = &w->sides[side].lanes[LANE_UD];

	return lane->open && random_one_in(r, 2) ? lane->qp.handle :
						   world_handle(w, r, side, OBJECT_QP);
}

u32 attack_groups(struct world *w, struct random *r)
{
	u32 side = random_below(r, 2), count = 1 + random_below(r, 8), i;
	int fd = w->sides[side].dev.fd;
	struct request request = { .core.qp_handle = draw_qp(w, r, side) };

	for (i = 0; i < count; i++) {
		request.core.mlid = random_below(r, LIDS);
		fill_field(w, r, side, FILL_GROUP, request.core.gid, sizeof(request.core.gid));
		device_command(fd, random_one_in(r, 2) ? IB_USER_VERBS_CMD_ATTACH_MCAST :
							 IB_USER_VERBS_CMD_DETACH_MCAST,
			       &request, sizeof(request), NULL, 0);
	}
	w->tally->commands += count;
	return count;
}
