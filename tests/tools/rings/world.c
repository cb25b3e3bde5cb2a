// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The state of one round: made, looked after, and checked.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "post.h"
#include "suite.h"
#include "world.h"

/* What is polled of a CQ at once: its indices may be anything */
#define POLL_MOST	512

void world_fail(struct world *w, const char *format, ...)
{
	char text[256];
	va_list args;

	w->tally->failures++;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	suite_fail("round %u: %s", w->round, text);
}

/* Most rounds have queues of some size; some have the smallest, or the largest elements */
static struct qp_caps draw_caps(struct random *r)
{
	return (struct qp_caps){
		.send_wr = 1 + random_below(r, random_one_in(r, 8) ? 4 : 128),
		.send_sge = 1 + random_below(r, random_one_in(r, 4) ? 32 : 4),
		.inline_data = random_below(r, random_one_in(r, 4) ? 1025 : 128),
		.recv_wr = 1 + random_below(r, random_one_in(r, 8) ? 4 : 64),
		.recv_sge = 1 + random_below(r, random_one_in(r, 4) ? 32 : 4),
	};
}

int world_open(struct world *w, const char *const *devices)
{
	struct qp_caps caps;
	struct random r;
	u32 i, entries;
	bool alone;
	u64 salt;
	int ret;

	random_start(&r, w->seed, 0);
	caps = draw_caps(&r);
	entries = w->wild && random_one_in(&r, 4) ? 1 + random_below(&r, 64) : 1024;
	salt = random_u64(&r);
	alone = random_one_in(&r, 2);
	ret = sandbox_map(&w->sandbox);
	for (i = 0; !ret && i < 2; i++)
		ret = side_open(&w->sides[i], devices[alone ? 0 : i], i, &caps, entries, salt);
	for (i = 0; !ret && i < 2; i++)
		ret = side_meet(&w->sides[i], &w->sides[!i]);
	for (i = 0; !ret && i < LANES; i++)
		ret = lane_connect(w->sides, i);
	return ret;
}

/* Whether any 8 bytes in a row are of the sentinel's memory, which it filled with its own words */
static bool holds_secret(const struct world *w, const u8 *at, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i += sizeof(u64))
		if (*(const u64 *)(at + i) == w->foreign.secret)
			return true;
	return false;
}

void world_check(struct world *w)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		const u8 *at = arena_damage(&w->sides[i].arena);

		if (at)
			world_fail(w, "memory changed at offset %td of side %u",
				   at - w->sides[i].arena.base, i);
		if (holds_secret(w, w->sides[i].arena.work, WORK_LENGTH))
			world_fail(w, "memory of another process in side %u", i);
	}
	if (holds_secret(w, w->sandbox.memory, SANDBOX_LENGTH))
		world_fail(w, "memory of another process in the sandbox");
}

void world_close(struct world *w)
{
	u32 i;

	for (i = 0; i < 2; i++)
		side_close(&w->sides[i]);
	sandbox_unmap(&w->sandbox);
}

void ledger_note(struct ledger *l, u32 name, u8 due)
{
	l->notes[name % LEDGER_SIZE].name = name;
	l->notes[name % LEDGER_SIZE].due = due;
	l->notes[name % LEDGER_SIZE].noted = true;
}

static u8 ledger_due(const struct ledger *l, u32 name)
{
	const u32 i = name % LEDGER_SIZE;

	return l->notes[i].noted && l->notes[i].name == name ? l->notes[i].due : IBV_WC_SUCCESS;
}

/* What the kernel does not set is zero; the flags of timestamps and VLANs are not for us */
static bool sane(const struct svt_cqe *cqe)
{
	static const u8 zero[sizeof(cqe->reserved)];

	return !cqe->timestamp && !cqe->wall_clock && !cqe->vendor_err && !cqe->pkey_index &&
	       !cqe->vlan_id && cqe->status <= IBV_WC_TM_RNDV_INCOMPLETE &&
	       !(cqe->flags & ~(SVT_CQE_GRH | SVT_CQE_WITH_IMM | SVT_CQE_WITH_INV)) &&
	       !memcmp(cqe->reserved, zero, sizeof(zero));
}

static void check_completion(struct world *w, const struct lane *lane, struct ledger *l,
			     u32 posted, const struct svt_cqe *cqe, bool in_order)
{
	u32 name = cqe->wr_id;
	u8 due = ledger_due(l, name);

	if (cqe->wr_id >> 32 != WR_MAGIC || posted - name - 1 >= LEDGER_SIZE)
		world_fail(w, "completion of %llx, which was never posted", cqe->wr_id);
	else if (in_order && (s64)name - l->next < 0)
		world_fail(w, "completion of %u behind that of %u", name, l->next - 1);
	else if (!cqe->status && due && due != DUE_ANY)
		world_fail(w, "success of request %u, which should have ended with %s", name,
			   ibv_wc_status_str(due));
	if (!sane(cqe))
		world_fail(w, "completion of %u with status %u has fields that make no sense",
			   name, cqe->status);
	if (cqe->qp_num != lane->qp.qpn)
		world_fail(w, "completion of QP %x in the CQ of %x", cqe->qp_num, lane->qp.qpn);
	if (in_order)
		l->next = name + 1;
}

static void count_completion(struct world *w, const struct svt_cqe *cqe)
{
	if (cqe->status)
		w->tally->errors++;
	else
		w->tally->completions++;
}

static void poll_lane(struct world *w, u32 side, enum lane_kind kind)
{
	struct lane *lane = &w->sides[side].lanes[kind];
	struct svt_cqe cqe;
	u32 i;

	for (i = 0; i < POLL_MOST && poll_one(&lane->send_cq, &cqe); i++) {
		count_completion(w, &cqe);
		if (!w->wild)
			check_completion(w, lane, &w->sent[side][kind], lane->sent, &cqe, true);
	}
	for (i = 0; i < POLL_MOST && poll_one(&lane->recv_cq, &cqe); i++) {
		count_completion(w, &cqe);
		if (!w->wild)
			check_completion(w, lane, &w->received[side][kind], lane->received,
					 &cqe, false);
	}
}

void world_poll(struct world *w)
{
	u32 side, kind;

	for (side = 0; side < 2; side++)
		for (kind = 0; kind < LANES; kind++)
			if (w->sides[side].lanes[kind].open)
				poll_lane(w, side, kind);
}

static bool is_ready(const struct side *side, enum lane_kind kind)
{
	return side->lanes[kind].open &&
	       qp_state(&side->dev, &side->lanes[kind].qp) == IBV_QPS_RTS;
}

/* A CQ or SRQ that failed stays so: new ones now and then */
void world_repair(struct world *w, struct random *r, enum lane_kind kind)
{
	u32 i;

	if (is_ready(&w->sides[0], kind) && is_ready(&w->sides[1], kind))
		return;
	world_poll(w);
	for (i = 0; i < 2; i++)
		if (w->sides[i].lanes[kind].open && random_one_in(r, 4))
			lane_close(&w->sides[i], kind);
	if (lane_connect(w->sides, kind) && !w->wild)
		world_fail(w, "lane %u cannot be connected again", kind);
}

void world_made(struct world *w, u32 side, enum object_kind kind, u32 handle)
{
	struct pool *pool = &w->pools[side][kind];

	pool->handles[pool->count++ % POOL_SIZE] = handle;
}

static u32 own_handle(const struct side *side, struct random *r, enum object_kind kind)
{
	const struct lane *lane = &side->lanes[random_below(r, LANES)];

	switch (kind) {
	case OBJECT_PD:
		return random_one_in(r, 4) ? side->other_pd : side->pd;
	case OBJECT_CQ:
		return random_one_in(r, 2) ? lane->send_cq.handle : lane->recv_cq.handle;
	case OBJECT_QP:
		return lane->qp.handle;
	case OBJECT_SRQ:
		return side->lanes[LANE_RC_SRQ].srq.handle;
	case OBJECT_MW:
		return side->window[random_below(r, 2)].handle;
	case OBJECT_AH:
		return side->ah.handle;
	default:
		return side->freed.handle;
	}
}

/* Of what the fuzzers made, or of what the round began with, or of another kind, or of nothing */
u32 world_handle(struct world *w, struct random *r, u32 side, enum object_kind kind)
{
	const struct pool *pool = &w->pools[side][kind];

	switch (random_below(r, 16)) {
	case 0:
		return random_below(r, 64);
	case 1:
		return random_odd(r);
	case 2:
		return own_handle(&w->sides[side], r, random_below(r, OBJECT_KINDS));
	case 3 ... 6:
		return own_handle(&w->sides[side], r, kind);
	default:
		if (!pool->count)
			return own_handle(&w->sides[side], r, kind);
		return pool->handles[random_below(r, min_u32(pool->count, POOL_SIZE))];
	}
}
