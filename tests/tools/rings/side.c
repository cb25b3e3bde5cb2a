// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the attacker owns: for each of two devices, which may be the same, a protection domain,
 * memory and keys, and one QP of each kind, connected to its like on the other side.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "post.h"
#include "side.h"

/* IB_UVERBS_ACCESS_FLUSH_GLOBAL, which 6.1's headers do not name */
#define FLUSH_ACCESS	(1 << 8)
#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | \
			 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | \
			 IBV_ACCESS_MW_BIND)

static const u8 lane_types[LANES] = {
	[LANE_RC] = IBV_QPT_RC,
	[LANE_RC_SRQ] = IBV_QPT_RC,
	[LANE_UC] = IBV_QPT_UC,
	[LANE_UD] = IBV_QPT_UD,
};

struct ring *lane_recv_ring(struct lane *lane)
{
	return lane->srq.ring.control ? &lane->srq.ring : &lane->qp.rq;
}

u32 lane_recv_sge(const struct lane *lane)
{
	return lane->srq.ring.control ? lane->srq.max_sge : lane->qp.caps.recv_sge;
}

static int open_queues(struct side *side, struct lane *lane, enum lane_kind kind)
{
	struct qp_wish wish = {
		.caps = side->caps,
		.send_cq = &lane->send_cq,
		.recv_cq = &lane->recv_cq,
		.pd = side->pd,
		.element = kind,
		.type = lane_types[kind],
	};
	int ret;

	ret = cq_create(&side->dev, side->cq_entries, side->channel, kind,
			&lane->send_cq);
	if (!ret)
		ret = cq_create(&side->dev, side->cq_entries, side->channel, kind,
				&lane->recv_cq);
	if (!ret && kind == LANE_RC_SRQ) {
		ret = srq_create(&side->dev, side->pd, side->caps.recv_wr, side->caps.recv_sge,
				 kind, &lane->srq);
		wish.srq = &lane->srq;
	}
	return ret ? ret : qp_create(&side->dev, &wish, &lane->qp);
}

int lane_open(struct side *side, enum lane_kind kind)
{
	struct lane *lane = &side->lanes[kind];
	int ret;

	*lane = (struct lane){ .sent = lane->sent, .received = lane->received };
	ret = open_queues(side, lane, kind);
	lane->open = !ret;
	return ret;
}

/* What is gone already makes a destroy fail, which is all the same here */
void lane_close(struct side *side, enum lane_kind kind)
{
	struct lane *lane = &side->lanes[kind];

	qp_destroy(&side->dev, &lane->qp);
	if (lane->srq.handle)
		srq_destroy(&side->dev, &lane->srq);
	cq_destroy(&side->dev, &lane->recv_cq);
	cq_destroy(&side->dev, &lane->send_cq);
	lane->open = false;
}

static int connect_end(struct side *near, const struct side *far, enum lane_kind kind)
{
	struct peer peer = {
		.gid = far->dev.gid,
		.qpn = far->lanes[kind].qp.qpn,
		.qkey = near->qkey,
		.access = near->flush_access,
		.patient = near->patient,
	};
	struct lane *lane = &near->lanes[kind];
	int ret;

	ret = qp_connect(&near->dev, &lane->qp, &peer);
	if (!ret)
		post_receives(near, kind, lane_recv_ring(lane)->info.entries);
	return ret;
}

int lane_connect(struct side *sides, enum lane_kind kind)
{
	int i, ret = 0;

	for (i = 0; !ret && i < 2; i++) {
		struct lane *lane = &sides[i].lanes[kind];

		if (lane->open)
			ret = qp_reset(&sides[i].dev, &lane->qp);
		if (!lane->open || ret)
			ret = lane_open(&sides[i], kind);
	}
	for (i = 0; !ret && i < 2; i++)
		ret = connect_end(&sides[i], &sides[!i], kind);
	return ret;
}

/* Older kernels do not know the right to flush */
static int register_work(struct side *side)
{
	void *work = side->arena.work;
	int ret;

	side->flush_access = FLUSH_ACCESS;
	ret = mr_create(&side->dev, side->pd, work, WORK_LENGTH, ALL_ACCESS | side->flush_access,
			&side->work);
	if (!ret)
		return 0;
	side->flush_access = 0;
	return mr_create(&side->dev, side->pd, work, WORK_LENGTH, ALL_ACCESS, &side->work);
}

static int register_memory(struct side *side)
{
	struct arena *a = &side->arena;
	int ret;

	ret = register_work(side);
	if (!ret)
		ret = mr_create(&side->dev, side->pd, a->fixed, FIXED_LENGTH,
				IBV_ACCESS_REMOTE_READ, &side->fixed);
	if (!ret)
		ret = mr_create(&side->dev, side->other_pd, a->other, OTHER_LENGTH,
				ALL_ACCESS, &side->other);
	if (!ret)
		ret = mr_create(&side->dev, side->pd, a->freed, FREED_LENGTH, ALL_ACCESS,
				&side->freed);
	if (!ret)
		ret = mr_destroy(&side->dev, &side->freed);
	if (!ret)
		ret = mw_create(&side->dev, side->pd, IBV_MW_TYPE_1, &side->window[0]);
	return ret ? ret : mw_create(&side->dev, side->pd, IBV_MW_TYPE_2, &side->window[1]);
}

int side_open(struct side *side, const char *device, u32 number, const struct qp_caps *caps,
	      u32 cq_entries, u64 salt)
{
	u32 kind;
	int ret;

	memset(side, 0, sizeof(*side));
	side->caps = *caps;
	side->cq_entries = cq_entries;
	side->qkey = salt & 0x7fffffff;
	ret = device_open(&side->dev, device);
	if (!ret)
		ret = arena_map(&side->arena, number, salt);
	if (!ret)
		ret = pd_create(&side->dev, &side->pd);
	if (!ret)
		ret = pd_create(&side->dev, &side->other_pd);
	if (!ret)
		ret = register_memory(side);
	if (!ret)
		ret = channel_create(&side->dev, &side->channel);
	for (kind = 0; !ret && kind < LANES; kind++)
		ret = lane_open(side, kind);
	return ret;
}

/* Address handles of @far, which has to be open */
int side_meet(struct side *side, const struct side *far)
{
	int ret;

	ret = ah_create(&side->dev, side->pd, far->dev.gid, &side->ah);
	if (!ret)
		ret = ah_create(&side->dev, side->other_pd, far->dev.gid, &side->other_ah);
	if (!ret)
		ret = ah_create(&side->dev, side->pd, far->dev.gid, &side->freed_ah);
	return ret ? ret : ah_destroy(&side->dev, &side->freed_ah);
}

/* The kernel destroys what is left with the last reference of the file */
void side_close(struct side *side)
{
	u32 kind;

	for (kind = 0; kind < LANES; kind++)
		if (side->lanes[kind].open)
			lane_close(side, kind);
	close(side->channel);
	device_close(&side->dev);
	arena_unmap(&side->arena);
}
