// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Receive WQEs: copied out of an RQ or SRQ once, then validated. Callers hold the lock that
 * protects the ring's index.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "wqe.h"

u32 svt_recv_wqe_stride(u32 max_sge)
{
	return ALIGN(sizeof(struct svt_recv_wqe) + max_sge * sizeof(struct svt_sge), 32);
}

/**
 * svt_recv_wqe_copy() - copy a receive WQE into kernel memory and validate the copy
 * @ring: it may change while it is copied, so each byte is read once
 * @index: within svt_ring_pending()
 * @limits: of the queue
 * @copy: svt_recv_wqe_stride() bytes; @wr_id is always set
 * @length: sum of the scatter entries, at most U32_MAX
 * Return: IB_WC_SUCCESS, or IB_WC_LOC_QP_OP_ERR for a WQE that is not well formed
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
