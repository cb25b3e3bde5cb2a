// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send requests that are sound: what the faults start from.
 */
#include <string.h>

#include "wqe.h"

#define BIT(n)		(1u << (n))
#define SENDS		(BIT(IB_UVERBS_WR_SEND) | BIT(IB_UVERBS_WR_SEND_WITH_IMM))
#define UNRELIABLE	(SENDS | BIT(IB_UVERBS_WR_RDMA_WRITE) | \
			 BIT(IB_UVERBS_WR_RDMA_WRITE_WITH_IMM) | \
			 BIT(IB_UVERBS_WR_LOCAL_INV) | BIT(IB_UVERBS_WR_BIND_MW))
#define RELIABLE	(UNRELIABLE | BIT(IB_UVERBS_WR_SEND_WITH_INV) | \
			 BIT(IB_UVERBS_WR_RDMA_READ) | \
			 BIT(IB_UVERBS_WR_ATOMIC_CMP_AND_SWP) | \
			 BIT(IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD) | \
			 BIT(WR_ATOMIC_WRITE))
#define EIGHT_BYTES	(BIT(IB_UVERBS_WR_ATOMIC_CMP_AND_SWP) | \
			 BIT(IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD) | \
			 BIT(WR_ATOMIC_WRITE))
#define NO_DATA		(BIT(IB_UVERBS_WR_LOCAL_INV) | BIT(IB_UVERBS_WR_BIND_MW) | \
			 BIT(WR_FLUSH))
#define INLINE_ONES	(SENDS | BIT(IB_UVERBS_WR_SEND_WITH_INV) | \
			 BIT(IB_UVERBS_WR_RDMA_WRITE) | BIT(IB_UVERBS_WR_RDMA_WRITE_WITH_IMM))
#define LONGEST_DATAGRAM 256

u32 wqe_opcodes(const struct draft *d)
{
	switch (d->lane->qp.type) {
	case IBV_QPT_RC:
		return RELIABLE | (d->far->flush_access ? BIT(WR_FLUSH) : 0);
	case IBV_QPT_UC:
		return UNRELIABLE;
	default:
		return SENDS;
	}
}

u8 wqe_any_opcode(const struct draft *d)
{
	u32 opcodes = wqe_opcodes(d);
	u8 opcode;

	do
		opcode = random_below(d->rng, 32);
	while (!(opcodes & BIT(opcode)));
	return opcode;
}

void draft_begin(struct draft *d, struct random *r, struct side *sides, u32 number,
		 enum lane_kind kind, const struct foreign *foreign)
{
	d->rng = r;
	d->near = &sides[number];
	d->far = &sides[!number];
	d->lane = &d->near->lanes[kind];
	d->far_lane = &d->far->lanes[kind];
	d->foreign = foreign;
}

/* Where the message goes, or comes from, at the other side */
static void set_target(struct draft *d, u8 opcode, u32 length)
{
	struct svt_send_wqe *wqe = &d->wqe;
	u32 offset = random_below(d->rng, WORK_LENGTH - SEND_LENGTH);
	u64 addr = (uintptr_t)d->far->arena.work + offset;

	switch (opcode) {
	case IB_UVERBS_WR_ATOMIC_CMP_AND_SWP:
	case IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD:
		wqe->atomic.remote_addr = addr & ~7ULL;
		wqe->atomic.rkey = d->far->work.rkey;
		wqe->atomic.compare_add = random_u64(d->rng);
		wqe->atomic.swap = random_u64(d->rng);
		break;
	case IB_UVERBS_WR_BIND_MW:
		wqe->bind_mw.mr_lkey = d->near->work.lkey;
		wqe->bind_mw.mw_rkey = d->near->window[0].rkey;
		wqe->bind_mw.addr = (uintptr_t)d->near->arena.work;
		wqe->bind_mw.length = length;
		wqe->bind_mw.access = IBV_ACCESS_REMOTE_READ;
		break;
	case IB_UVERBS_WR_LOCAL_INV:
		wqe->invalidate_rkey = d->near->window[1].rkey;
		break;
	case IB_UVERBS_WR_SEND_WITH_INV:
		wqe->invalidate_rkey = d->far->window[1].rkey;
		break;
	case WR_FLUSH:
		wqe->flush.remote_addr = addr;
		wqe->flush.length = length;
		wqe->flush.rkey = d->far->work.rkey;
		wqe->flush.placement = SVT_FLUSH_GLOBAL;
		wqe->flush.selectivity = random_below(d->rng, 2);
		break;
	case WR_ATOMIC_WRITE:
		wqe->rdma.remote_addr = addr & ~7ULL;
		wqe->rdma.rkey = d->far->work.rkey;
		break;
	case IB_UVERBS_WR_RDMA_READ:
	case IB_UVERBS_WR_RDMA_WRITE:
	case IB_UVERBS_WR_RDMA_WRITE_WITH_IMM:
		wqe->rdma.remote_addr = addr;
		wqe->rdma.rkey = d->far->work.rkey;
		break;
	}
	if (d->lane->qp.type == IBV_QPT_UD) {
		wqe->ud.ah = d->near->ah.number;
		wqe->ud.remote_qpn = d->far_lane->qp.qpn;
		wqe->ud.remote_qkey = d->far->qkey;
	}
}

static bool moves_data(u8 opcode)
{
	return !(NO_DATA & BIT(opcode));
}

static bool has_eight_bytes(u8 opcode)
{
	return EIGHT_BYTES & BIT(opcode);
}

/* @count entries that make @length bytes */
static void set_entries(struct draft *d, u32 count, u32 length)
{
	u32 i;

	d->wqe.num_sge = count;
	for (i = 0; i < count; i++) {
		u32 part = i == count - 1 ? length : random_below(d->rng, length + 1);
		u32 offset = random_below(d->rng, WORK_LENGTH - SEND_LENGTH);

		d->wqe.sge[i] = (struct svt_sge){
			.addr = (uintptr_t)d->near->arena.work + offset,
			.length = part,
			.lkey = d->near->work.lkey,
		};
		length -= part;
	}
}

void draft_plain(struct draft *d, u8 opcode, u32 length)
{
	if (has_eight_bytes(opcode))
		length = 8;
	memset(&d->wqe, 0, sizeof(d->wqe));
	d->wqe.opcode = opcode;
	d->wqe.flags = SVT_SEND_SIGNALED;
	set_target(d, opcode, length);
	if (moves_data(opcode))
		set_entries(d, 1, length);
}

void draft_sound(struct draft *d, u8 opcode)
{
	const struct qp_caps *caps = &d->lane->qp.caps;
	u32 longest = d->lane->qp.type == IBV_QPT_UD ? LONGEST_DATAGRAM : SEND_LENGTH;
	u32 length = random_below(d->rng, random_one_in(d->rng, 4) ? longest + 1 : 128);

	draft_plain(d, opcode, length);
	if (random_one_in(d->rng, 8))
		d->wqe.flags |= SVT_SEND_FENCE;
	if (random_one_in(d->rng, 8))
		d->wqe.flags |= SVT_SEND_SOLICITED;
	d->wqe.imm_data |= opcode == IB_UVERBS_WR_SEND_WITH_IMM ? random_u64(d->rng) : 0;
	if (INLINE_ONES & BIT(opcode) && random_one_in(d->rng, 4)) {
		d->wqe.flags |= SVT_SEND_INLINE;
		d->wqe.inline_length = random_below(d->rng, caps->inline_data + 1);
		d->wqe.num_sge = 0;
		random_fill(d->rng, d->wqe.sge, d->wqe.inline_length);
	} else if (moves_data(opcode) && !has_eight_bytes(opcode)) {
		set_entries(d, 1 + random_below(d->rng, caps->send_sge), length);
	}
}

u32 draft_post(struct draft *d)
{
	u32 name = d->lane->sent++;

	d->wqe.wr_id = wr_name(name);
	post_element(&d->lane->qp.sq, d->bytes, sizeof(d->bytes));
	return name;
}
