// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send requests with a fault: the status that the specification has for it, everything behind it
 * flushed, the QP in the error state of its type, and other QPs as they were.
 */
#include <stdio.h>

#include "case.h"

#define LENGTH		64

static const enum lane_kind kinds[] = { LANE_RC, LANE_UC, LANE_UD };

static enum ibv_qp_state error_state(u8 type)
{
	return type == IBV_QPT_RC ? IBV_QPS_ERR : IBV_QPS_SQE;
}

/* Posts @d, which is spoiled, and a sound request behind it */
static void expect(struct test *st, struct draft *d, enum lane_kind kind, u8 opcode, u8 status,
		   const char *what)
{
	u32 first = draft_post(d), second;
	char text[128];

	snprintf(text, sizeof(text), "%s, QP type %u, opcode %u", what, d->lane->qp.type, opcode);
	draft_plain(d, opcode, LENGTH);
	second = draft_post(d);
	CHECK(!post_flush(d->near, d->lane, true), "%s: the doorbell fails", text);
	check_cqe(&d->lane->send_cq, first, status, text);
	check_cqe(&d->lane->send_cq, second, IBV_WC_WR_FLUSH_ERR, text);
	check_state(st, 0, kind, error_state(d->lane->qp.type), text);
	reconnect(st, kind);
}

static void spoil_opcode(struct test *st, struct draft *d, enum lane_kind kind, u8 opcode)
{
	u32 i;

	for (i = 0; i < spoil_count && suite_failures() < 10; i++) {
		draft_plain(d, opcode, LENGTH);
		if (!spoil_fits(&spoils[i], d))
			continue;
		spoils[i].apply(d);
		expect(st, d, kind, opcode, spoils[i].status, spoils[i].name);
	}
}

void case_spoiled_requests(struct test *st)
{
	struct draft d;
	u32 i, opcode;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		draft_begin(&d, &st->rng, st->sides, 0, kinds[i], &st->foreign);
		for (opcode = 0; opcode < 32; opcode++)
			if (wqe_opcodes(&d) & 1u << opcode)
				spoil_opcode(st, &d, kinds[i], opcode);
		check_lane(st, kinds[i]);
		check_lane(st, LANE_RC_SRQ);
	}
}

static void send_num_sge(struct test *st, enum lane_kind kind)
{
	struct draft d;
	u32 i, most;

	draft_begin(&d, &st->rng, st->sides, 0, kind, NULL);
	most = d.lane->qp.caps.send_sge;
	for (i = most + 1; i < 256; i += i < most + 3 ? 1 : 83) {
		draft_plain(&d, IB_UVERBS_WR_SEND, LENGTH);
		d.wqe.num_sge = i;
		expect(st, &d, kind, IB_UVERBS_WR_SEND, IBV_WC_LOC_QP_OP_ERR, "num_sge");
	}
	check_lane(st, kind);
}

/*
 * The element that the kernel takes next is overwritten, and one message sent there. A sender that
 * is acknowledged learns of it.
 */
static void receive_fault(struct test *st, enum lane_kind kind,
			  const struct svt_recv_wqe *bad, const struct svt_sge *sge, u8 status,
			  const char *what)
{
	struct draft d;
	struct ring *ring;
	u32 received, name;
	u8 *element;

	draft_begin(&d, &st->rng, st->sides, 0, kind, NULL);
	ring = lane_recv_ring(d.far_lane);
	received = d.far_lane->received - ring->info.entries;
	element = ring_element(ring, ring->control->consumer);
	*(struct svt_recv_wqe *)element = *bad;
	((struct svt_recv_wqe *)element)->wr_id = wr_name(received);
	if (sge)
		*(struct svt_sge *)(element + sizeof(*bad)) = *sge;
	draft_plain(&d, IB_UVERBS_WR_SEND, LENGTH);
	name = draft_post(&d);
	post_flush(d.near, d.lane, true);
	check_cqe(&d.lane->send_cq, name,
		  d.lane->qp.type == IBV_QPT_RC ? IBV_WC_REM_OP_ERR : IBV_WC_SUCCESS, what);
	check_cqe(&d.far_lane->recv_cq, received, status, what);
	check_state(st, 1, kind, IBV_QPS_ERR, what);
	reconnect(st, kind);
	check_lane(st, kind);
}

static void receive_num_sge(struct test *st, enum lane_kind kind)
{
	u32 most = lane_recv_sge(&st->sides[1].lanes[kind]);
	const u32 numbers[] = { most + 1, 33, 255, 1 << 16, 1u << 28, UINT32_MAX };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct svt_recv_wqe bad = { .num_sge = numbers[i] };

		receive_fault(st, kind, &bad, NULL, IBV_WC_LOC_QP_OP_ERR, "num_sge");
	}
}

void case_num_sge(struct test *st)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		send_num_sge(st, kinds[i]);
	for (i = 0; i < LANES; i++)
		receive_num_sge(st, i);
}

void case_receives(struct test *st)
{
	const struct side *far = &st->sides[1];
	const struct svt_recv_wqe one = { .num_sge = 1 }, reserved = { .reserved = 1 << 31 };
	const struct svt_sge freed = {
		(uintptr_t)far->freed.addr, RECV_LENGTH, far->freed.lkey };
	const struct svt_sge other = {
		(uintptr_t)far->other.addr, OTHER_LENGTH, far->other.lkey };
	const struct svt_sge fixed = {
		(uintptr_t)far->fixed.addr, FIXED_LENGTH, far->fixed.lkey };
	const struct svt_sge foreign = {
		st->foreign.addr, RECV_LENGTH, st->foreign.lkey };
	const struct svt_sge outside = {
		(uintptr_t)far->arena.work - 1, RECV_LENGTH, far->work.lkey };
	u32 i;

	for (i = 0; i < LANES; i++) {
		receive_fault(st, i, &reserved, NULL, IBV_WC_LOC_QP_OP_ERR, "reserved word");
		receive_fault(st, i, &one, &freed, IBV_WC_LOC_PROT_ERR, "freed lkey");
		receive_fault(st, i, &one, &other, IBV_WC_LOC_PROT_ERR, "lkey of another PD");
		receive_fault(st, i, &one, &fixed, IBV_WC_LOC_PROT_ERR, "read-only memory");
		receive_fault(st, i, &one, &foreign, IBV_WC_LOC_PROT_ERR, "foreign lkey");
		receive_fault(st, i, &one, &outside, IBV_WC_LOC_PROT_ERR, "address outside");
	}
}
