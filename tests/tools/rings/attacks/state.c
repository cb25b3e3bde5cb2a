// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs through all states, legal or not, with attributes of all kinds, while their queues are full;
 * and doorbells of what is ready for them or not, or somebody else's, or gone.
 */
#include <string.h>

#include "../post.h"
#include "../world.h"

struct modify {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_modify_qp core;
};

/* Right for some transition; which it is for is drawn apart from this */
static void draw_attributes(struct modify *m, struct random *r, const struct side *near,
			    const struct side *far, enum lane_kind kind)
{
	m->core = (struct ib_uverbs_modify_qp){
		.dest = {
			.sgid_index = near->dev.gid_index,
			.hop_limit = 64,
			.is_global = 1,
			.port_num = 1,
		},
		.dest_qp_num = far->lanes[kind].qp.qpn,
		.port_num = 1,
		.qkey = near->qkey,
		.path_mtu = 1 + random_below(r, near->dev.mtu),
		.max_rd_atomic = random_below(r, 17),
		.max_dest_rd_atomic = random_below(r, 17),
		.timeout = random_below(r, 15),
		.retry_cnt = random_below(r, 8),
		.rnr_retry = random_below(r, 8),
		.min_rnr_timer = random_below(r, 8),
		.qp_access_flags = random_below(r, 16),
		.qp_handle = near->lanes[kind].qp.handle,
		.qp_state = random_below(r, 8),
		.cur_qp_state = random_below(r, 8),
		.en_sqd_async_notify = random_below(r, 2),
	};
	memcpy(m->core.dest.dgid, far->dev.gid, sizeof(m->core.dest.dgid));
	m->core.attr_mask = random_one_in(r, 4) ? random_u64(r) & 0x1ffffff : IBV_QP_STATE;
}

static void modify_any(struct world *w, struct random *r, u32 side, enum lane_kind kind)
{
	struct modify m;

	draw_attributes(&m, r, &w->sides[side], &w->sides[!side], kind);
	if (random_one_in(r, 8))
		random_flip(r, &m.core.qkey, sizeof(m.core) -
			    offsetof(struct ib_uverbs_modify_qp, qkey));
	device_command(w->sides[side].dev.fd, IB_USER_VERBS_CMD_MODIFY_QP, &m, sizeof(m), NULL, 0);
}

/* To where a QP in RTS may go */
static void leave_rts(struct world *w, struct random *r, u32 side, enum lane_kind kind)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_SQD, IBV_QPS_ERR, IBV_QPS_RESET };
	const struct side *s = &w->sides[side];
	const struct qp *qp = &s->lanes[kind].qp;

	qp_to(&s->dev, qp, states[random_below(r, ARRAY_SIZE(states))]);
	if (random_one_in(r, 2))
		qp_doorbell(s->dev.fd, qp->handle);
	qp_to(&s->dev, qp, IBV_QPS_RTS);
}

u32 attack_state(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2), kind = random_below(r, LANES);
	u32 count = 1 + random_below(r, 4);

	attack_send(w, r);
	if (!w->sides[side].lanes[kind].open)
		return 1;
	for (i = 0; i < count; i++) {
		if (random_one_in(r, 2))
			leave_rts(w, r, side, kind);
		else
			modify_any(w, r, side, kind);
		if (random_one_in(r, 2))
			qp_doorbell(w->sides[side].dev.fd, w->sides[side].lanes[kind].qp.handle);
	}
	/* Its indices may be 0 now, or not: what we know of them is worth nothing */
	qp_reset(&w->sides[side].dev, &w->sides[side].lanes[kind].qp);
	world_poll(w);
	w->tally->changes += count;
	return count;
}

u32 attack_doorbell(struct world *w, struct random *r)
{
	u32 i, side = random_below(r, 2);
	int fd = w->sides[side].dev.fd;

	for (i = 0; i < 4; i++) {
		switch (random_below(r, 4)) {
		case 0:
			qp_doorbell(fd, w->foreign.qp_handle);
			break;
		case 1:
			qp_doorbell(fd, w->sides[!side].lanes[random_below(r, LANES)].qp.handle);
			break;
		case 2:
			qp_doorbell(fd, random_odd(r));
			break;
		default:
			qp_doorbell(fd, world_handle(w, r, side, OBJECT_QP));
		}
	}
	w->tally->ioctls += 4;
	return 4;
}
