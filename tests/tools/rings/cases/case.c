// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the cases share: checks, and traffic over a lane that nobody attacks.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "case.h"

#define WAIT_MS		20000
#define MESSAGE		64

int stage_open(struct stage *st)
{
	static const struct qp_caps caps = { 64, 4, 64, 64, 4 };
	u64 salt = random_u64(&st->rng);
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < 2; i++) {
		ret = side_open(&st->sides[i], st->devices[i], i, &caps, 256, salt);
		st->sides[i].patient = true;
	}
	for (i = 0; !ret && i < 2; i++)
		ret = side_meet(&st->sides[i], &st->sides[!i]);
	for (i = 0; !ret && i < LANES; i++)
		ret = lane_connect(st->sides, i);
	return ret;
}

void stage_close(struct stage *st)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		check(st, !arena_damage(&st->sides[i].arena), "memory changed at %p",
		      arena_damage(&st->sides[i].arena));
		side_close(&st->sides[i]);
	}
}

void check(struct stage *st, bool ok, const char *format, ...)
{
	va_list args;

	if (ok)
		return;
	st->failures++;
	printf("    ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

void check_cqe(struct stage *st, struct cq *cq, u32 name, u8 status, const char *what)
{
	struct svt_cqe cqe;

	if (!poll_wait(cq, &cqe, WAIT_MS)) {
		check(st, false, "%s: no completion, %s was expected", what,
		      ibv_wc_status_str(status));
		return;
	}
	check(st, cqe.wr_id == wr_name(name), "%s: completion of %llx, not of %llx", what,
	      cqe.wr_id, wr_name(name));
	check(st, cqe.status == status, "%s: %s, not %s", what, ibv_wc_status_str(cqe.status),
	      ibv_wc_status_str(status));
}

void check_state(struct stage *st, u32 side, enum lane_kind kind, enum ibv_qp_state state,
		 const char *what)
{
	struct side *s = &st->sides[side];
	int is = qp_state(&s->dev, &s->lanes[kind].qp);

	check(st, is == (int)state, "%s: state of the QP is %d, not %d", what, is, state);
}

void check_event(struct stage *st, u32 side, int event, u64 element, const char *what)
{
	u64 of;
	int is;

	do
		is = device_event(&st->sides[side].dev, &of, WAIT_MS);
	while (is == IBV_EVENT_COMM_EST || is == IBV_EVENT_QP_LAST_WQE_REACHED);
	check(st, is == event && of == element, "%s: event %d of %llu, not %d of %llu", what, is,
	      is < 0 ? 0 : of, event, element);
}

void drain(struct lane *lane)
{
	struct svt_cqe cqe;

	while (poll_one(&lane->send_cq, &cqe))
		;
	while (poll_one(&lane->recv_cq, &cqe))
		;
}

void reconnect(struct stage *st, enum lane_kind kind)
{
	u64 element;
	int i, ret;

	ret = lane_connect(st->sides, kind);
	check(st, !ret, "lane %u cannot be connected: %s", kind, strerror(-ret));
	for (i = 0; i < 2; i++) {
		drain(&st->sides[i].lanes[kind]);
		while (device_event(&st->sides[i].dev, &element, 0) >= 0)
			;
	}
}

static void check_direction(struct stage *st, enum lane_kind kind, u32 from)
{
	struct draft d;
	u32 name, received;

	draft_begin(&d, &st->rng, st->sides, from, kind, NULL);
	draft_plain(&d, IB_UVERBS_WR_SEND, MESSAGE);
	received = d.far_lane->received - lane_recv_ring(d.far_lane)->info.entries;
	name = draft_post(&d);
	check(st, !post_flush(d.near, d.lane, true), "doorbell: %s", strerror(errno));
	check_cqe(st, &d.lane->send_cq, name, IBV_WC_SUCCESS, "sound send");
	check_cqe(st, &d.far_lane->recv_cq, received, IBV_WC_SUCCESS, "sound receive");
	post_receives(d.far, kind, 1);
}

void check_lane(struct stage *st, enum lane_kind kind)
{
	u32 i;

	for (i = 0; i < 4; i++)
		check_direction(st, kind, i % 2);
}

const struct test_case ring_cases[] = {
	{ "spoiled_requests", "each opcode with each fault, the status of each",
	  case_spoiled_requests },
	{ "flush", "FLUSH of a range and of a region", case_flush },
	{ "num_sge", "num_sge out of range in SQ, RQ and SRQ", case_num_sge },
	{ "receives", "receives with faults", case_receives },
	{ "send_index", "indices of an SQ out of range", case_send_index },
	{ "receive_index", "indices of RQ and SRQ out of range", case_receive_index },
	{ "cq_index", "indices of a CQ out of range", case_cq_index },
	{ "read_twice", "requests that change while they are read", case_read_twice },
	{ "mappings", "what of a ring may be mapped, and how", case_mappings },
	{ "doorbells", "doorbells of QPs that are not ours, or not ready", case_doorbells },
	{ "fork", "rings in a child, and in an orphan", case_fork },
	{ "lengths", "each command with each length of each of its parts", case_lengths },
	{},
};
