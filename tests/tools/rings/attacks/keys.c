// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keys, windows and address handles that go while requests which name them are under way; memory
 * that goes while it is registered; rings that are registered themselves.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../post.h"
#include "../world.h"
#include "../wqe.h"

#define ALL_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | \
			 IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC | \
			 IBV_ACCESS_MW_BIND)
#define BATCH		4

/* Requests from, to and into @mr of side @side; how they end is a matter of time */
static u32 use(struct world *w, struct random *r, u32 side, const struct mr *mr)
{
	static const u8 opcodes[] = {
		IB_UVERBS_WR_SEND, IB_UVERBS_WR_RDMA_WRITE, IB_UVERBS_WR_RDMA_READ,
	};
	u32 i, kind = LANE_RC + random_below(r, 2), from = random_below(r, 2), count;
	struct draft d;

	draft_begin(&d, r, w->sides, from, kind, &w->foreign);
	if (!d.lane->open)
		return 1;
	count = min_u32(BATCH, post_room(&d.lane->qp.sq));
	for (i = 0; i < count; i++) {
		u32 length = min_u32(SEND_LENGTH, mr->length / 2);

		draft_plain(&d, opcodes[random_below(r, ARRAY_SIZE(opcodes))], length);
		if (from == side) {
			d.wqe.sge[0].addr = (uintptr_t)mr->addr + random_below(r, length);
			d.wqe.sge[0].lkey = mr->lkey;
		} else if (d.wqe.opcode != IB_UVERBS_WR_SEND) {
			d.wqe.rdma.remote_addr = (uintptr_t)mr->addr + random_below(r, length);
			d.wqe.rdma.rkey = mr->rkey;
		}
		ledger_note(&w->sent[from][kind], draft_post(&d), DUE_ANY);
	}
	post_flush(d.near, d.lane, true);
	return count;
}

/* Another place, other rights, another domain, in any mix */
static void reregister(const struct world *w, struct random *r, const struct side *side,
		       const struct mr *mr)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_rereg_mr core;
	} request = {
		.core.mr_handle = mr->handle,
		.core.flags = random_below(r, 8),
		.core.start = (uintptr_t)w->sandbox.memory + PAGE * random_below(r, 16),
		.core.length = PAGE * random_below(r, 16),
		.core.pd_handle = random_one_in(r, 2) ? side->pd : side->other_pd,
		.core.access_flags = random_below(r, 32),
	};
	struct ib_uverbs_rereg_mr_resp response;

	request.core.hca_va = request.core.start;
	device_command(side->dev.fd, IB_USER_VERBS_CMD_REREG_MR, &request, sizeof(request),
		       &response, sizeof(response));
}

static u32 short_lived_region(struct world *w, struct random *r, u32 side)
{
	struct side *s = &w->sides[side];
	struct mr mr;
	u32 count;

	if (mr_create(&s->dev, s->pd, w->sandbox.memory, SANDBOX_LENGTH / 2, ALL_ACCESS, &mr))
		return 1;
	count = use(w, r, side, &mr);
	if (random_one_in(r, 2))
		reregister(w, r, s, &mr);
	count += use(w, r, side, &mr);
	mr_destroy(&s->dev, &mr);
	return count;
}

/* A file that becomes shorter than what is registered of it */
static u32 region_of_a_file(struct world *w, struct random *r, u32 side)
{
	struct side *s = &w->sides[side];
	u32 bytes = 8 * PAGE, count = 1;
	int fd = memfd_create("rings", MFD_CLOEXEC);
	struct mr mr;
	void *at;

	if (fd < 0 || ftruncate(fd, bytes))
		return 1;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED && !mr_create(&s->dev, s->pd, at, bytes, ALL_ACCESS, &mr)) {
		count = use(w, r, side, &mr);
		if (random_one_in(r, 2))
			count += !ftruncate(fd, PAGE);
		else
			count += !munmap(at, bytes / 2);
		count += use(w, r, side, &mr);
		mr_destroy(&s->dev, &mr);
	}
	if (at != MAP_FAILED)
		munmap(at, bytes);
	close(fd);
	return count;
}

/* A queue that is the target of its own requests, and of the peer's */
static u32 region_of_a_ring(struct world *w, struct random *r, u32 side)
{
	struct side *s = &w->sides[side];
	struct lane *lane = &s->lanes[random_below(r, LANES)];
	struct ring *rings[] = { &lane->qp.sq, &lane->send_cq.ring, lane_recv_ring(lane) };
	struct ring *ring = rings[random_below(r, ARRAY_SIZE(rings))];
	struct mr mr;
	u32 count;

	if (!lane->open || mr_create(&s->dev, s->pd, ring->control, ring->info.mmap_length,
				     ALL_ACCESS, &mr))
		return 1;
	count = use(w, r, side, &mr);
	world_made(w, side, OBJECT_MR, mr.handle);
	return count;
}

static u32 short_lived_window(struct world *w, struct random *r, u32 side)
{
	struct side *s = &w->sides[side];
	u32 kind = LANE_RC + random_below(r, 2);
	struct mw mw;
	struct mr mr = s->work;
	struct draft d;
	u32 count = 1;

	if (mw_create(&s->dev, s->pd, IBV_MW_TYPE_2, &mw))
		return 1;
	draft_begin(&d, r, w->sides, side, kind, &w->foreign);
	if (d.lane->open && post_room(&d.lane->qp.sq)) {
		draft_plain(&d, IB_UVERBS_WR_BIND_MW, WORK_LENGTH / 2);
		d.wqe.bind_mw.mw_rkey = mw.rkey;
		d.wqe.bind_mw.new_rkey = mw.rkey ^ random_below(r, 256);
		d.wqe.bind_mw.access = ALL_ACCESS & ~IBV_ACCESS_MW_BIND;
		mr.rkey = d.wqe.bind_mw.new_rkey;
		mr.length = WORK_LENGTH / 2;
		ledger_note(&w->sent[side][kind], draft_post(&d), DUE_ANY);
		post_flush(d.near, d.lane, true);
		count += use(w, r, side, &mr);
	}
	world_made(w, side, OBJECT_MW, mw.handle);
	return count;
}

static u32 short_lived_handle(struct world *w, struct random *r, u32 side)
{
	struct side *s = &w->sides[side];
	struct draft d;
	struct ah ah;
	u32 i, count = 0;

	if (ah_create(&s->dev, s->pd, w->sides[!side].dev.gid, &ah))
		return 1;
	draft_begin(&d, r, w->sides, side, LANE_UD, &w->foreign);
	if (d.lane->open)
		count = min_u32(BATCH, post_room(&d.lane->qp.sq));
	for (i = 0; i < count; i++) {
		draft_plain(&d, IB_UVERBS_WR_SEND, 64);
		d.wqe.ud.ah = ah.number;
		ledger_note(&w->sent[side][LANE_UD], draft_post(&d), DUE_ANY);
	}
	if (count)
		post_flush(d.near, d.lane, true);
	ah_destroy(&s->dev, &ah);
	return count + 1;
}

u32 attack_keys(struct world *w, struct random *r)
{
	u32 side = random_below(r, 2), count;

	world_repair(w, r, LANE_RC);
	world_repair(w, r, LANE_RC_SRQ);
	switch (random_below(r, w->wild ? 5 : 4)) {
	case 0:
		count = short_lived_region(w, r, side);
		break;
	case 1:
		count = region_of_a_file(w, r, side);
		break;
	case 2:
		count = short_lived_window(w, r, side);
		break;
	case 3:
		count = short_lived_handle(w, r, side);
		break;
	default:
		count = region_of_a_ring(w, r, side);
	}
	world_poll(w);
	w->tally->requests += count;
	return count;
}
