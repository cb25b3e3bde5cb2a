// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults: a sound request with one thing wrong, and the status that the specification has for it
 * (IBTA 10.6, 11.6.2). A fault that only the peer sees makes an RC request fail, and no other.
 */
#include "wqe.h"

#define BIT(n)		(1u << (n))
#define RC		BIT(IBV_QPT_RC)
#define UC		BIT(IBV_QPT_UC)
#define UD		BIT(IBV_QPT_UD)
#define ANY_TYPE	(RC | UC | UD)

#define SENDS		(BIT(IB_UVERBS_WR_SEND) | BIT(IB_UVERBS_WR_SEND_WITH_IMM) | \
			 BIT(IB_UVERBS_WR_SEND_WITH_INV))
#define WRITES		(BIT(IB_UVERBS_WR_RDMA_WRITE) | BIT(IB_UVERBS_WR_RDMA_WRITE_WITH_IMM))
#define READ		BIT(IB_UVERBS_WR_RDMA_READ)
#define ATOMICS		(BIT(IB_UVERBS_WR_ATOMIC_CMP_AND_SWP) | \
			 BIT(IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD))
#define ATOMIC_WRITE	BIT(WR_ATOMIC_WRITE)
#define FLUSH		BIT(WR_FLUSH)
#define BIND		BIT(IB_UVERBS_WR_BIND_MW)
#define INVALIDATE	BIT(IB_UVERBS_WR_LOCAL_INV)
#define DATA		(SENDS | WRITES | READ | ATOMICS | ATOMIC_WRITE)
#define ANY		(DATA | FLUSH | BIND | INVALIDATE)
#define REMOTE		(WRITES | READ | ATOMICS | ATOMIC_WRITE | FLUSH)

/* One more than is allowed, or much more */
static u64 beyond(struct random *r, u64 limit, u64 most)
{
	if (random_one_in(r, 2))
		return limit + 1;
	return random_one_in(r, 2) ? most : limit + 1 + random_u64(r) % (most - limit);
}

static void unknown_opcode(struct draft *d)
{
	do
		d->wqe.opcode = IB_UVERBS_WR_TSO + random_below(d->rng, 256 - IB_UVERBS_WR_TSO);
	while (d->wqe.opcode == WR_FLUSH || d->wqe.opcode == WR_ATOMIC_WRITE);
}

static void opcode_of_another_type(struct draft *d)
{
	u32 opcodes = ANY & ~wqe_opcodes(d);

	do
		d->wqe.opcode = random_below(d->rng, 16);
	while (!(opcodes & BIT(d->wqe.opcode)));
}

static void unknown_flag(struct draft *d)
{
	d->wqe.flags |= 1 << (4 + random_below(d->rng, 12));
}

static void reserved_word(struct draft *d)
{
	d->wqe.srq_num = BIT(random_below(d->rng, 32));
}

static void reserved_word_of_rdma(struct draft *d)
{
	d->wqe.rdma.reserved = BIT(random_below(d->rng, 32));
}

static void reserved_word_of_atomic(struct draft *d)
{
	d->wqe.atomic.reserved = BIT(random_below(d->rng, 32));
}

static void reserved_word_of_ud(struct draft *d)
{
	d->wqe.ud.reserved = BIT(random_below(d->rng, 32));
}

static void num_sge_beyond_the_ring(struct draft *d)
{
	d->wqe.num_sge = beyond(d->rng, d->lane->qp.caps.send_sge, 255);
}

static void num_sge_without_data(struct draft *d)
{
	d->wqe.num_sge = 1 + random_below(d->rng, d->lane->qp.caps.send_sge);
}

static void inline_length_beyond_the_ring(struct draft *d)
{
	d->wqe.flags |= SVT_SEND_INLINE;
	d->wqe.inline_length = beyond(d->rng, d->lane->qp.caps.inline_data, UINT32_MAX);
}

static void inline_without_data(struct draft *d)
{
	d->wqe.flags |= SVT_SEND_INLINE;
	d->wqe.inline_length = 0;
}

static void longer_than_a_message(struct draft *d)
{
	u32 limit = d->lane->qp.type == IBV_QPT_UD ? 128u << d->near->dev.mtu : 0x80000000;

	d->wqe.sge[0].length = beyond(d->rng, limit, UINT32_MAX);
}

static void wrong_length_of_atomic(struct draft *d)
{
	d->wqe.sge[0].length = random_below(d->rng, 8);
}

static void lkey_of_nobody(struct draft *d)
{
	d->wqe.sge[0].lkey ^= BIT(random_below(d->rng, 8));
}

static void lkey_freed(struct draft *d)
{
	d->wqe.sge[0].addr = (uintptr_t)d->near->freed.addr;
	d->wqe.sge[0].lkey = d->near->freed.lkey;
}

static void lkey_of_another_pd(struct draft *d)
{
	d->wqe.sge[0].addr = (uintptr_t)d->near->other.addr;
	d->wqe.sge[0].lkey = d->near->other.lkey;
}

static void lkey_of_another_process(struct draft *d)
{
	d->wqe.sge[0].addr = d->foreign->addr;
	d->wqe.sge[0].lkey = d->foreign->lkey;
}

static void lkey_of_a_window(struct draft *d)
{
	d->wqe.sge[0].lkey = d->near->window[random_below(d->rng, 2)].rkey;
}

static void lkey_for_reading(struct draft *d)
{
	d->wqe.sge[0].addr = (uintptr_t)d->near->fixed.addr;
	d->wqe.sge[0].lkey = d->near->fixed.lkey;
}

/* By one byte, by far, or around the end of the address space */
static u64 outside(struct draft *d, u64 start, u32 bytes, u32 length)
{
	switch (random_below(d->rng, 4)) {
	case 0:
		return start + bytes - length + 1;
	case 1:
		return start - 1;
	case 2:
		return -(u64)(length / 2 + 1);
	default:
		return start ^ BIT(20 + random_below(d->rng, 12));
	}
}

static void address_outside(struct draft *d)
{
	d->wqe.sge[0].addr = outside(d, (uintptr_t)d->near->arena.work, WORK_LENGTH,
				     d->wqe.sge[0].length);
}

static void set_remote(struct draft *d, u64 addr, u32 rkey)
{
	if (ATOMICS & BIT(d->wqe.opcode)) {
		d->wqe.atomic.remote_addr = addr & ~7ULL;
		d->wqe.atomic.rkey = rkey;
	} else if (d->wqe.opcode == WR_FLUSH) {
		d->wqe.flush.remote_addr = addr;
		d->wqe.flush.rkey = rkey;
	} else {
		d->wqe.rdma.remote_addr = d->wqe.opcode == WR_ATOMIC_WRITE ?
					  addr & ~7ULL : addr;
		d->wqe.rdma.rkey = rkey;
	}
}

static void rkey_of_nobody(struct draft *d)
{
	set_remote(d, (uintptr_t)d->far->arena.work,
		   d->far->work.rkey ^ BIT(random_below(d->rng, 8)));
}

static void rkey_freed(struct draft *d)
{
	set_remote(d, (uintptr_t)d->far->freed.addr, d->far->freed.rkey);
}

static void rkey_of_another_pd(struct draft *d)
{
	set_remote(d, (uintptr_t)d->far->other.addr, d->far->other.rkey);
}

static void rkey_of_another_process(struct draft *d)
{
	set_remote(d, d->foreign->addr, d->foreign->rkey);
}

static void rkey_of_an_unbound_window(struct draft *d)
{
	set_remote(d, (uintptr_t)d->far->arena.work, d->far->window[1].rkey);
}

static void rkey_for_reading(struct draft *d)
{
	set_remote(d, (uintptr_t)d->far->fixed.addr, d->far->fixed.rkey);
}

static void remote_address_outside(struct draft *d)
{
	set_remote(d, outside(d, (uintptr_t)d->far->arena.work, WORK_LENGTH,
			      d->wqe.sge[0].length), d->far->work.rkey);
}

static void atomic_address_outside(struct draft *d)
{
	u64 start = (uintptr_t)d->far->arena.work;

	set_remote(d, random_one_in(d->rng, 2) ? start - 8 : start + WORK_LENGTH,
		   d->far->work.rkey);
}

static void atomic_not_aligned(struct draft *d)
{
	d->wqe.atomic.remote_addr += 1 + random_below(d->rng, 7);
}

static void atomic_write_not_aligned(struct draft *d)
{
	d->wqe.rdma.remote_addr += 1 + random_below(d->rng, 7);
}

static void flush_outside(struct draft *d)
{
	d->wqe.flush.selectivity = SVT_FLUSH_RANGE;
	d->wqe.flush.remote_addr = outside(d, (uintptr_t)d->far->arena.work, WORK_LENGTH,
					   d->wqe.flush.length);
}

static void flush_to_nowhere(struct draft *d)
{
	static const u8 placements[] = { 0, 4, 7, 8, 255 };

	d->wqe.flush.placement = placements[random_below(d->rng, ARRAY_SIZE(placements))];
}

static void flush_of_what(struct draft *d)
{
	d->wqe.flush.selectivity = 2 + random_below(d->rng, 254);
}

static void reserved_byte_of_flush(struct draft *d)
{
	d->wqe.flush.reserved[random_below(d->rng, sizeof(d->wqe.flush.reserved))] = 1;
}

/* Neither a QP nor a region has the right to that */
static void flush_to_persistence(struct draft *d)
{
	d->wqe.flush.placement |= SVT_FLUSH_PERSISTENT;
}

static void invalidates_a_region(struct draft *d)
{
	d->wqe.invalidate_rkey = d->near->work.rkey;
}

static void invalidates_nothing(struct draft *d)
{
	d->wqe.invalidate_rkey ^= BIT(random_below(d->rng, 32));
}

static void invalidates_a_window_of_type_1(struct draft *d)
{
	d->wqe.invalidate_rkey = d->near->window[0].rkey;
}

static void peer_invalidates_a_region(struct draft *d)
{
	d->wqe.invalidate_rkey = d->far->work.rkey;
}

static void binds_what_is_not_there(struct draft *d)
{
	d->wqe.bind_mw.mr_lkey = d->near->freed.lkey;
}

static void binds_what_may_not_be_bound(struct draft *d)
{
	d->wqe.bind_mw.addr = (uintptr_t)d->near->fixed.addr;
	d->wqe.bind_mw.mr_lkey = d->near->fixed.lkey;
}

static void binds_beyond_the_region(struct draft *d)
{
	d->wqe.bind_mw.length = beyond(d->rng, WORK_LENGTH, UINT64_MAX - 1);
}

static void binds_no_window(struct draft *d)
{
	d->wqe.bind_mw.mw_rkey = d->near->work.rkey;
}

static void binds_with_an_unknown_flag(struct draft *d)
{
	d->wqe.bind_mw.access |= BIT(6 + random_below(d->rng, 14));
}

static void renames_to_another_window(struct draft *d)
{
	d->wqe.bind_mw.new_rkey = d->near->window[0].rkey ^ BIT(8 + random_below(d->rng, 24));
}

static void handle_of_nobody(struct draft *d)
{
	static const u32 numbers[] = { 0, 65537, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

	d->wqe.ud.ah = numbers[random_below(d->rng, ARRAY_SIZE(numbers))];
}

static void handle_freed(struct draft *d)
{
	d->wqe.ud.ah = d->near->freed_ah.number;
}

static void handle_of_another_pd(struct draft *d)
{
	d->wqe.ud.ah = d->near->other_ah.number;
}

static void handle_of_another_process(struct draft *d)
{
	d->wqe.ud.ah = d->foreign->ah;
}

#define SPOIL(types, opcodes, status, name) { #name, types, opcodes, IBV_WC_##status, name }

const struct spoil spoils[] = {
	SPOIL(ANY_TYPE, ANY, LOC_QP_OP_ERR, unknown_opcode),
	SPOIL(UC | UD, ANY, LOC_QP_OP_ERR, opcode_of_another_type),
	SPOIL(ANY_TYPE, ANY, LOC_QP_OP_ERR, unknown_flag),
	SPOIL(ANY_TYPE, ANY, LOC_QP_OP_ERR, reserved_word),
	SPOIL(RC | UC, WRITES | READ | ATOMIC_WRITE, LOC_QP_OP_ERR, reserved_word_of_rdma),
	SPOIL(RC, ATOMICS, LOC_QP_OP_ERR, reserved_word_of_atomic),
	SPOIL(UD, SENDS, LOC_QP_OP_ERR, reserved_word_of_ud),
	SPOIL(ANY_TYPE, DATA, LOC_QP_OP_ERR, num_sge_beyond_the_ring),
	SPOIL(ANY_TYPE, BIND | INVALIDATE | FLUSH, LOC_QP_OP_ERR, num_sge_without_data),
	SPOIL(ANY_TYPE, SENDS | WRITES | ATOMIC_WRITE, LOC_QP_OP_ERR,
	      inline_length_beyond_the_ring),
	SPOIL(ANY_TYPE, READ | ATOMICS | BIND | INVALIDATE | FLUSH, LOC_QP_OP_ERR,
	      inline_without_data),
	SPOIL(ANY_TYPE, SENDS | WRITES | READ, LOC_LEN_ERR, longer_than_a_message),
	SPOIL(RC, ATOMICS | ATOMIC_WRITE, LOC_LEN_ERR, wrong_length_of_atomic),
	SPOIL(ANY_TYPE, DATA, LOC_PROT_ERR, lkey_of_nobody),
	SPOIL(ANY_TYPE, DATA, LOC_PROT_ERR, lkey_freed),
	SPOIL(ANY_TYPE, DATA, LOC_PROT_ERR, lkey_of_another_pd),
	SPOIL(ANY_TYPE, DATA, LOC_PROT_ERR, lkey_of_another_process),
	SPOIL(ANY_TYPE, DATA, LOC_PROT_ERR, lkey_of_a_window),
	SPOIL(RC, READ | ATOMICS, LOC_PROT_ERR, lkey_for_reading),
	SPOIL(ANY_TYPE, DATA, LOC_PROT_ERR, address_outside),
	SPOIL(RC, REMOTE, REM_ACCESS_ERR, rkey_of_nobody),
	SPOIL(RC, REMOTE, REM_ACCESS_ERR, rkey_freed),
	SPOIL(RC, REMOTE, REM_ACCESS_ERR, rkey_of_another_pd),
	SPOIL(RC, REMOTE, REM_ACCESS_ERR, rkey_of_another_process),
	SPOIL(RC, REMOTE, REM_ACCESS_ERR, rkey_of_an_unbound_window),
	SPOIL(RC, WRITES | ATOMICS | ATOMIC_WRITE | FLUSH, REM_ACCESS_ERR, rkey_for_reading),
	SPOIL(RC, WRITES | READ, REM_ACCESS_ERR, remote_address_outside),
	SPOIL(RC, ATOMICS | ATOMIC_WRITE, REM_ACCESS_ERR, atomic_address_outside),
	SPOIL(RC, ATOMICS, REM_INV_REQ_ERR, atomic_not_aligned),
	SPOIL(RC, ATOMIC_WRITE, REM_INV_REQ_ERR, atomic_write_not_aligned),
	SPOIL(RC, FLUSH, REM_ACCESS_ERR, flush_outside),
	SPOIL(RC, FLUSH, LOC_QP_OP_ERR, flush_to_nowhere),
	SPOIL(RC, FLUSH, LOC_QP_OP_ERR, flush_of_what),
	SPOIL(RC, FLUSH, LOC_QP_OP_ERR, reserved_byte_of_flush),
	SPOIL(RC, FLUSH, REM_INV_REQ_ERR, flush_to_persistence),
	SPOIL(RC | UC, INVALIDATE, LOC_PROT_ERR, invalidates_a_region),
	SPOIL(RC | UC, INVALIDATE, LOC_PROT_ERR, invalidates_nothing),
	SPOIL(RC | UC, INVALIDATE, LOC_PROT_ERR, invalidates_a_window_of_type_1),
	SPOIL(RC, BIT(IB_UVERBS_WR_SEND_WITH_INV), REM_ACCESS_ERR, peer_invalidates_a_region),
	SPOIL(RC | UC, BIND, MW_BIND_ERR, binds_what_is_not_there),
	SPOIL(RC | UC, BIND, MW_BIND_ERR, binds_what_may_not_be_bound),
	SPOIL(RC | UC, BIND, MW_BIND_ERR, binds_beyond_the_region),
	SPOIL(RC | UC, BIND, MW_BIND_ERR, binds_no_window),
	SPOIL(RC | UC, BIND, MW_BIND_ERR, binds_with_an_unknown_flag),
	SPOIL(RC | UC, BIND, MW_BIND_ERR, renames_to_another_window),
	SPOIL(UD, SENDS, LOC_QP_OP_ERR, handle_of_nobody),
	SPOIL(UD, SENDS, LOC_QP_OP_ERR, handle_freed),
	SPOIL(UD, SENDS, LOC_QP_OP_ERR, handle_of_another_pd),
	SPOIL(UD, SENDS, LOC_QP_OP_ERR, handle_of_another_process),
};

const u32 spoil_count = ARRAY_SIZE(spoils);

bool spoil_fits(const struct spoil *s, const struct draft *d)
{
	return s->types & BIT(d->lane->qp.type) && s->opcodes & BIT(d->wqe.opcode);
}

const struct spoil *spoil_any(struct random *r, const struct draft *d)
{
	const struct spoil *s;

	do
		s = &spoils[random_below(r, spoil_count)];
	while (!spoil_fits(s, d));
	return s;
}
