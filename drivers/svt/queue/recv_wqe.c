// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive WQEs: copied out of an RQ or SRQ once, then validated. Called by whoever owns the ring's
 * index, under the lock that protects it.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "wqe.h"

/**
 * svt_recv_wqe_stride() - bytes of an element of a receive queue, and of the kernel's copy
 * @max_sge: scatter/gather entries, at most SVT_MAX_SGE
 *
 * Context: Any.
 * Return: Bytes, a multiple of 32.
 */
u32 svt_recv_wqe_stride(u32 max_sge)
{
	return ALIGN(sizeof(struct svt_recv_wqe) + max_sge * sizeof(struct svt_sge), 32);
}

/**
 * svt_recv_wqe_copy() - copy a receive WQE into kernel memory and validate the copy
 * @ring: the ring
 * @index: of the entry; svt_ring_pending() said that it is there
 * @limits: of the queue
 * @copy: svt_recv_wqe_stride(@limits->max_sge) bytes. @wr_id is set whatever is returned; the rest
 *	is good only with IB_WC_SUCCESS.
 * @length: set to the sum of the lengths of the scatter entries, at most U32_MAX
 *
 * The ring can change at any moment, also while it is copied: each byte is read once, and only
 * what was read is looked at.
 *
 * Context: Any.
 * Return: IB_WC_SUCCESS, or IB_WC_LOC_QP_OP_ERR for a WQE that is not well formed.
 */
enum ib_wc_status svt_recv_wqe_copy(const struct svt_ring *ring, u32 index,
				    const struct svt_wqe_limits *limits,
				    struct svt_recv_wqe *copy, u32 *length)
{
	const struct svt_recv_wqe *wqe = svt_ring_element(ring, index);
	u64 total = 0;
	u32 i;

	memcpy(copy, wqe, sizeof(*copy));
	barrier(); /* so that the compiler can not read @wqe again instead of @copy */
	*length = 0;
	if (copy->num_sge > limits->max_sge || copy->reserved)
		return IB_WC_LOC_QP_OP_ERR;

	memcpy(copy->sge, wqe->sge, copy->num_sge * sizeof(copy->sge[0]));
	barrier(); /* as above */
	for (i = 0; i < copy->num_sge; i++)
		total += copy->sge[i].length;
	*length = min_t(u64, total, U32_MAX);
	return IB_WC_SUCCESS;
}
