// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Indices that can not be right: the queue fails, with the event that says so, and nothing else
 * does. Words of the kernel's that are overwritten mean nothing to it.
 */
#include "case.h"

#define LENGTH	64

static void reopen(struct test *st, enum lane_kind kind)
{
	u32 i;

	for (i = 0; i < 2; i++)
		lane_close(&st->sides[i], kind);
	reconnect(st, kind);
	check_lane(st, kind);
}

/* Index that is too far ahead, or behind, of what the kernel knows */
static u32 bad_index(const struct ring *ring, u32 at, u32 i)
{
	const u32 distances[] = {
		ring->info.entries + 1, 2 * ring->info.entries, 1u << 31, UINT32_MAX
	};

	return at + distances[i];
}

#define BAD_INDICES	4

static void send_producer(struct test *st, enum lane_kind kind, u32 i)
{
	struct lane *lane = &st->sides[0].lanes[kind];

	ring_publish(&lane->qp.sq, bad_index(&lane->qp.sq, lane->qp.sq.index, i));
	CHECK(!qp_doorbell(st->sides[0].dev.fd, lane->qp.handle), "doorbell");
	check_event(st, 0, IBV_EVENT_QP_FATAL, kind, "SQ producer");
	check_state(st, 0, kind, IBV_QPS_ERR, "SQ producer");
	check_lane(st, kind == LANE_RC_SRQ ? LANE_RC : LANE_RC_SRQ);
	reconnect(st, kind);
}

void case_send_index(struct test *st)
{
	u32 i, j, kind;

	for (kind = 0; kind < LANES; kind++) {
		struct svt_ring_control *control = st->sides[0].lanes[kind].qp.sq.control;

		for (i = 0; i < BAD_INDICES; i++)
			send_producer(st, kind, i);
		check_lane(st, kind);
		for (j = 0; j < 8; j++) {
			control->consumer = random_odd(&st->rng);
			control->wakeup = random_odd(&st->rng);
			control->arm = random_odd(&st->rng);
			check_lane(st, kind);
		}
	}
}

/* The message that comes finds nonsense */
static void receive_producer(struct test *st, enum lane_kind kind, u32 i)
{
	struct draft d;
	struct ring *ring;
	u32 name;

	draft_begin(&d, &st->rng, st->sides, 0, kind, NULL);
	ring = lane_recv_ring(d.far_lane);
	ring_publish(ring, bad_index(ring, ring->control->consumer, i));
	draft_plain(&d, IB_UVERBS_WR_SEND, LENGTH);
	name = draft_post(&d);
	post_flush(d.near, d.lane, true);
	check_cqe(&d.lane->send_cq, name,
		  d.lane->qp.type == IBV_QPT_RC ? IBV_WC_REM_OP_ERR : IBV_WC_SUCCESS,
		  "producer of receives");
	if (kind == LANE_RC_SRQ)
		check_event(st, 1, IBV_EVENT_SRQ_ERR, kind, "SRQ producer");
	check_event(st, 1, IBV_EVENT_QP_FATAL, kind, "producer of receives");
	check_state(st, 1, kind, IBV_QPS_ERR, "producer of receives");
	check_lane(st, kind == LANE_RC ? LANE_UC : LANE_RC);
	reopen(st, kind);
}

void case_receive_index(struct test *st)
{
	u32 i, kind;

	for (kind = 0; kind < LANES; kind++) {
		struct svt_ring_control *control;

		for (i = 0; i < BAD_INDICES; i++)
			receive_producer(st, kind, i);
		control = lane_recv_ring(&st->sides[1].lanes[kind])->control;
		control->wakeup = random_odd(&st->rng);
		control->arm = random_odd(&st->rng);
		check_lane(st, kind);
	}
}

/* A CQ whose consumer index can not be right has overrun: the QP has nowhere to complete to */
static void cq_consumer(struct test *st, enum lane_kind kind, bool sending, u32 index)
{
	struct lane *lane = &st->sides[!sending].lanes[kind];
	struct cq *cq = sending ? &lane->send_cq : &lane->recv_cq;
	struct draft d;

	__atomic_store_n(&cq->ring.control->consumer, cq->ring.index + index, __ATOMIC_RELEASE);
	draft_begin(&d, &st->rng, st->sides, 0, kind, NULL);
	draft_plain(&d, IB_UVERBS_WR_SEND, LENGTH);
	draft_post(&d);
	post_flush(d.near, d.lane, true);
	check_event(st, !sending, IBV_EVENT_CQ_ERR, kind, "CQ consumer");
	check_event(st, !sending, IBV_EVENT_QP_FATAL, kind, "CQ consumer");
	check_state(st, !sending, kind, IBV_QPS_ERR, "CQ consumer");
	check_lane(st, kind == LANE_RC ? LANE_UC : LANE_RC);
	reopen(st, kind);
}

void case_cq_index(struct test *st)
{
	u32 kind, j;

	for (kind = 0; kind < LANES; kind++) {
		struct svt_ring_control *control;
		u32 entries = st->sides[0].lanes[kind].send_cq.ring.info.entries;

		cq_consumer(st, kind, true, 1);
		cq_consumer(st, kind, true, -entries);
		cq_consumer(st, kind, false, 1);
		cq_consumer(st, kind, false, 1u << 31);
		control = st->sides[0].lanes[kind].send_cq.ring.control;
		for (j = 0; j < 8; j++) {
			control->producer = st->sides[0].lanes[kind].send_cq.ring.index;
			control->wakeup = random_odd(&st->rng);
			control->arm = random_odd(&st->rng);
			check_lane(st, kind);
		}
	}
}
