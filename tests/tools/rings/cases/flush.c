// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * FLUSH, for which libibverbs has no call: behind a WRITE, of a range and of a region, or refused
 * where the kernel knows no right to it.
 */
#include "case.h"

#define LENGTH		64
#define ROUNDS		16

static void write_and_flush(struct draft *d, u8 selectivity)
{
	u32 write, flush;

	draft_plain(d, IB_UVERBS_WR_RDMA_WRITE, LENGTH);
	write = draft_post(d);
	draft_plain(d, WR_FLUSH, LENGTH);
	d->wqe.flush.selectivity = selectivity;
	flush = draft_post(d);
	CHECK(!post_flush(d->near, d->lane, true), "the doorbell fails");
	check_cqe(&d->lane->send_cq, write, IBV_WC_SUCCESS, "WRITE");
	check_cqe(&d->lane->send_cq, flush, IBV_WC_SUCCESS, "FLUSH");
}

static void flush_alone(struct test *st, struct draft *d)
{
	u32 flush;

	draft_plain(d, WR_FLUSH, LENGTH);
	flush = draft_post(d);
	CHECK(!post_flush(d->near, d->lane, true), "the doorbell fails");
	check_cqe(&d->lane->send_cq, flush, IBV_WC_REM_INV_REQ_ERR, "FLUSH");
	check_state(st, 0, LANE_RC, IBV_QPS_ERR, "FLUSH");
	reconnect(st, LANE_RC);
}

void case_flush(struct test *st)
{
	struct draft d;
	u32 i;

	draft_begin(&d, &st->rng, st->sides, 0, LANE_RC, &st->foreign);
	if (d.far->flush_access)
		for (i = 0; i < ROUNDS; i++)
			write_and_flush(&d, i % 2);
	else
		flush_alone(st, &d);
	check_lane(st, LANE_RC);
}
