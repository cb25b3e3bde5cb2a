// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the cases share: checks, and traffic over a lane that nobody attacks.
 */
#include <errno.h>
#include <string.h>

#include "case.h"

#define WAIT_MS		20000
#define MESSAGE		64

int stage_open(struct test *st)
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

void stage_close(struct test *st)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		CHECK(!arena_damage(&st->sides[i].arena), "memory changed at %p",
		      arena_damage(&st->sides[i].arena));
		side_close(&st->sides[i]);
	}
}

void check_cqe(struct cq *cq, u32 name, u8 status, const char *what)
{
	struct svt_cqe cqe;

	if (!poll_wait(cq, &cqe, WAIT_MS)) {
		FAIL("%s: no completion, %s was expected", what, ibv_wc_status_str(status));
		return;
	}
	CHECK(cqe.wr_id == wr_name(name), "%s: completion of %llx, not of %llx", what,
	      cqe.wr_id, wr_name(name));
	CHECK(cqe.status == status, "%s: %s, not %s", what, ibv_wc_status_str(cqe.status),
	      ibv_wc_status_str(status));
}

void check_state(struct test *st, u32 side, enum lane_kind kind, enum ibv_qp_state state,
		 const char *what)
{
	struct side *s = &st->sides[side];
	int is = qp_state(&s->dev, &s->lanes[kind].qp);

	CHECK(is == (int)state, "%s: state of the QP is %d, not %d", what, is, state);
}

void check_event(struct test *st, u32 side, int event, u64 element, const char *what)
{
	u64 of;
	int is;

	do
		is = device_event(&st->sides[side].dev, &of, WAIT_MS);
	while (is == IBV_EVENT_COMM_EST || is == IBV_EVENT_QP_LAST_WQE_REACHED);
	CHECK(is == event && of == element, "%s: event %d of %llu, not %d of %llu", what, is,
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

void reconnect(struct test *st, enum lane_kind kind)
{
	u64 element;
	int i, ret;

	ret = lane_connect(st->sides, kind);
	CHECK(!ret, "lane %u cannot be connected: %s", kind, strerror(-ret));
	for (i = 0; i < 2; i++) {
		drain(&st->sides[i].lanes[kind]);
		while (device_event(&st->sides[i].dev, &element, 0) >= 0)
			;
	}
}

static void check_direction(struct test *st, enum lane_kind kind, u32 from)
{
	struct draft d;
	u32 name, received;

	draft_begin(&d, &st->rng, st->sides, from, kind, NULL);
	draft_plain(&d, IB_UVERBS_WR_SEND, MESSAGE);
	received = d.far_lane->received - lane_recv_ring(d.far_lane)->info.entries;
	name = draft_post(&d);
	CHECK(!post_flush(d.near, d.lane, true), "doorbell: %s", strerror(errno));
	check_cqe(&d.lane->send_cq, name, IBV_WC_SUCCESS, "sound send");
	check_cqe(&d.far_lane->recv_cq, received, IBV_WC_SUCCESS, "sound receive");
	post_receives(d.far, kind, 1);
}

void check_lane(struct test *st, enum lane_kind kind)
{
	u32 i;

	for (i = 0; i < 4; i++)
		check_direction(st, kind, i % 2);
}

const struct suite_case ring_cases[] = {
	{ "spoiled_requests", case_spoiled_requests,
	  "each opcode with each fault, the status of each" },
	{ "flush", case_flush, "FLUSH of a range and of a region" },
	{ "num_sge", case_num_sge, "num_sge out of range in SQ, RQ and SRQ" },
	{ "receives", case_receives, "receives with faults" },
	{ "send_index", case_send_index, "indices of an SQ out of range" },
	{ "receive_index", case_receive_index, "indices of RQ and SRQ out of range" },
	{ "cq_index", case_cq_index, "indices of a CQ out of range" },
	{ "read_twice", case_read_twice, "requests that change while they are read" },
	{ "mappings", case_mappings, "what of a ring may be mapped, and how" },
	{ "doorbells", case_doorbells, "doorbells of QPs that are not ours, or not ready" },
	{ "fork", case_fork, "rings in a child, and in an orphan" },
	{ "lengths", case_lengths, "each command with each length of each of its parts" },
	{ "answers", case_answers, "requests and answers of newer and older programs" },
	{ "unwritten", case_unwritten, "answers that cannot be written leave nothing behind" },
	{},
};
