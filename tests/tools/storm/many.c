// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Thousands of RC QPs that exist at once: each sends a message to its peer and receives one.
 */
#include <string.h>

#include "clock.h"
#include "lot.h"
#include "modes.h"
#include "report.h"

#define POLL_MS		300000
#define BATCH		64

static bool create(struct lot lots[2])
{
	u32 i;

	for (i = 0; i < lots[0].count; i++)
		if (!lot_create(&lots[0], i, 1) || !lot_create(&lots[1], i, 1))
			return false;
	return true;
}

static bool connect_all(struct lot lots[2], struct random *r)
{
	u32 i, side;

	for (i = 0; i < lots[0].count; i++) {
		u32 psn[2] = { random_below(r, 1 << 24), random_below(r, 1 << 24) };

		for (side = 0; side < 2; side++) {
			struct lot *peer = &lots[!side];
			struct qp_path p;

			qpattr_defaults(&p);
			p.peer.qpn = peer->qp[i]->qp_num;
			p.peer.psn = psn[!side];
			p.peer.gid = peer->host->dev.gid;
			p.sgid_index = lots[side].host->dev.gid_index;
			p.sq_psn = psn[side];
			if (!lot_join(&lots[side], i, &p))
				return false;
		}
	}
	return true;
}

static bool post(struct lot lots[2], struct random *r)
{
	u32 i, side;

	for (side = 0; side < 2; side++)
		for (i = 0; i < lots[side].count; i++)
			if (!lot_recv(&lots[side], i))
				return false;
	for (i = 0; i < lots[0].count; i++) {
		for (side = 0; side < 2; side++) {
			*(u64 *)lot_bytes(&lots[side], i) = random_u64(r);
			if (!lot_send(&lots[side], i))
				return false;
		}
	}
	return true;
}

/* A send and a receive of each */
static bool collect(struct lot *lot)
{
	u64 limit = clock_limit(POLL_MS);
	u32 left = 2 * lot->count;
	struct ibv_wc wc[BATCH];
	int i, count;

	while (left) {
		count = ibv_poll_cq(lot->cq, BATCH, wc);
		for (i = 0; i < count; i++) {
			if (wc[i].status == IBV_WC_SUCCESS)
				continue;
			fail("QP %llu of %u: %s", (unsigned long long)wc[i].wr_id, lot->count,
			     ibv_wc_status_str(wc[i].status));
			return false;
		}
		if (count < 0 || clock_passed(limit)) {
			fail("%u of %u completions are missing", left, 2 * lot->count);
			return false;
		}
		left -= count;
		if (!count)
			clock_sleep_ms(1);
	}
	tally_add(TALLY_COMPLETIONS, 2 * lot->count);
	return true;
}

static void compare(struct lot *from, struct lot *to)
{
	u32 i;

	for (i = 0; i < to->count; i++) {
		if (memcmp(lot_bytes(from, i), lot_bytes(to, i) + LOT_BYTES, LOT_BYTES))
			fail("QP %u received something else than its peer sent", i);
		tally(TALLY_VERIFIED);
	}
}

static bool destroy(struct lot lots[2])
{
	u32 i;

	for (i = 0; i < lots[0].count; i++)
		if (!lot_destroy(&lots[0], i) || !lot_destroy(&lots[1], i))
			return false;
	return true;
}

void mode_many(struct test *o)
{
	struct lot lots[2] = { };
	struct host hosts[2];
	struct random r;

	random_start(&r, report_seed(), 0);
	if (host_open(&hosts[0], o->devices[0], false, false))
		return;
	if (host_open(&hosts[1], o->devices[1], false, false))
		goto close;
	if (lot_open(&lots[0], &hosts[0], o->amount / 2, 1) &&
	    lot_open(&lots[1], &hosts[1], o->amount / 2, 1) &&
	    create(lots) && connect_all(lots, &r) && post(lots, &r) &&
	    collect(&lots[0]) && collect(&lots[1])) {
		compare(&lots[0], &lots[1]);
		compare(&lots[1], &lots[0]);
		if (destroy(lots) && lot_close(&lots[0]))
			lot_close(&lots[1]);
	}
	host_close(&hosts[1]);
close:
	host_close(&hosts[0]);
}
