// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send WQEs: copied out of an SQ once, then validated by a table of what each opcode may have.
 * Called by the requester, which owns the ring's index, under the send lock of the QP.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "wqe.h"

enum {
	KNOWN		= 1 << 0,
	DATA_OUT	= 1 << 1,	/* may be inline */
	DATA_IN		= 1 << 2,	/* a response writes the scatter entries */
	ATOMIC		= 1 << 3,	/* has the member of that name, as RDMA and FLUSH */
	RDMA		= 1 << 4,
	EIGHT		= 1 << 5,	/* exactly 8 bytes */
	FLUSH		= 1 << 6,
};

static const u8 rules[] = {
	[IB_UVERBS_WR_RDMA_WRITE] = KNOWN | DATA_OUT | RDMA,
	[IB_UVERBS_WR_RDMA_WRITE_WITH_IMM] = KNOWN | DATA_OUT | RDMA,
	[IB_UVERBS_WR_SEND] = KNOWN | DATA_OUT,
	[IB_UVERBS_WR_SEND_WITH_IMM] = KNOWN | DATA_OUT,
	[IB_UVERBS_WR_RDMA_READ] = KNOWN | DATA_IN | RDMA,
	[IB_UVERBS_WR_ATOMIC_CMP_AND_SWP] = KNOWN | DATA_IN | ATOMIC | EIGHT,
	[IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD] = KNOWN | DATA_IN | ATOMIC | EIGHT,
	[IB_UVERBS_WR_LOCAL_INV] = KNOWN,
	[IB_UVERBS_WR_BIND_MW] = KNOWN,
	[IB_UVERBS_WR_SEND_WITH_INV] = KNOWN | DATA_OUT,
	[IB_UVERBS_WR_FLUSH] = KNOWN | FLUSH,
	[IB_UVERBS_WR_ATOMIC_WRITE] = KNOWN | DATA_OUT | RDMA | EIGHT,
	[SVT_WR_REG_MR] = KNOWN,
};

#define PLACEMENTS	(SVT_FLUSH_GLOBAL | SVT_FLUSH_PERSISTENT)

/* Of 24 bits */
#define SRQ_NUMBERS	0xffffffU

#define KNOWN_FLAGS	(SVT_SEND_FENCE | SVT_SEND_SIGNALED | SVT_SEND_SOLICITED | SVT_SEND_INLINE)

/* Of the kernel's copy */
u32 svt_send_wqe_bytes(u32 max_sge, u32 max_inline)
{
	return sizeof(struct svt_send_wqe) +
	       max_t(u32, max_sge * sizeof(struct svt_sge), max_inline);
}

u32 svt_send_wqe_stride(u32 max_sge, u32 max_inline)
{
	return ALIGN(svt_send_wqe_bytes(max_sge, max_inline), 64);
}

static bool flush_ok(const struct svt_send_wqe *copy)
{
	return copy->flush.placement && !(copy->flush.placement & ~PLACEMENTS) &&
	       copy->flush.selectivity <= SVT_FLUSH_REGION &&
	       !memchr_inv(copy->flush.reserved, 0, sizeof(copy->flush.reserved));
}

static bool header_ok(const struct svt_send_wqe *copy, const struct svt_wqe_limits *limits)
{
	u16 known = KNOWN_FLAGS | (limits->checksum ? SVT_SEND_IP_CSUM : 0);
	u8 rule;

	if (copy->opcode >= ARRAY_SIZE(rules) || !(limits->opcodes & BIT(copy->opcode)))
		return false;
	rule = rules[copy->opcode];
	if (!(rule & KNOWN) || copy->flags & ~known ||
	    copy->srq_num & ~(limits->xrc ? SRQ_NUMBERS : 0))
		return false;
	if ((rule & RDMA && copy->rdma.reserved) || (rule & ATOMIC && copy->atomic.reserved))
		return false;
	if (rule & FLUSH && !flush_ok(copy))
		return false;
	if (copy->flags & SVT_SEND_INLINE)
		return rule & DATA_OUT && copy->inline_length <= limits->max_inline;
	if (copy->num_sge && !(rule & (DATA_OUT | DATA_IN)))
		return false;
	return copy->num_sge <= limits->max_sge;
}

static u64 copy_tail(const struct svt_send_wqe *wqe, struct svt_send_wqe *copy)
{
	u64 total = 0;
	u32 i, num_sge = copy->num_sge;

	if (copy->flags & SVT_SEND_INLINE) {
		total = copy->inline_length;
		num_sge = 0;
		memcpy(copy->sge, wqe->sge, total);
	} else {
		memcpy(copy->sge, wqe->sge, num_sge * sizeof(copy->sge[0]));
	}
	barrier(); /* so that the compiler can not read @wqe again instead of @copy */
	for (i = 0; i < num_sge; i++)
		total += copy->sge[i].length;
	return total;
}

/**
 * svt_send_wqe_copy() - copy a send WQE into kernel memory and validate the copy
 * @ring: it may change while it is copied, so each byte is read once
 * @index: within svt_ring_pending()
 * @limits: of the queue
 * @copy: svt_send_wqe_bytes(); @wr_id is always set; inline bytes are in place of the entries
 * @length: of the message; 0 unless IB_WC_SUCCESS
 *
 * The caller has to check keys, addresses and the address handle.
 * Return: IB_WC_SUCCESS; IB_WC_LOC_QP_OP_ERR not well formed, or not for this type of QP;
 * IB_WC_LOC_LEN_ERR message too long, or atomic operation or ATOMIC WRITE not of 8 bytes (IBTA
 * 11.6.2)
 */
enum ib_wc_status svt_send_wqe_copy(const struct svt_ring *ring, u32 index,
				    const struct svt_wqe_limits *limits,
				    struct svt_send_wqe *copy, u32 *length)
{
	const struct svt_send_wqe *wqe = svt_ring_element(ring, index);
	u64 total;

	BUILD_BUG_ON(sizeof(*wqe) != 64);
	memcpy(copy, wqe, sizeof(*copy));
	barrier(); /* as in copy_tail() */
	*length = 0;
	if (!header_ok(copy, limits))
		return IB_WC_LOC_QP_OP_ERR;

	total = copy_tail(wqe, copy);
	if (total > limits->max_message)
		return IB_WC_LOC_LEN_ERR;
	if (rules[copy->opcode] & EIGHT && total != 8)
		return IB_WC_LOC_LEN_ERR;
	*length = total;
	return IB_WC_SUCCESS;
}
