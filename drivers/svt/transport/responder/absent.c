// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bytes of a region that could not be reached.
 */
#include "../qp/fault.h"
#include "absent.h"

/**
 * svt_responder_absent - what to do when bytes of a region could not be reached
 * @qp: QP
 * @region: from a look-up that allowed it
 * @offset: of the bytes in @region
 * @length: how many
 * @refused: what it means that there is no such memory
 *
 * Context: recv.half.lock held, the RCU read section of the look-up.
 * Return: SVT_VERDICT_ABSENT; @refused; SVT_VERDICT_BROKEN: the region is not paged on demand.
 */
enum svt_verdict svt_responder_absent(struct svt_qp *qp, const struct svt_region *region,
				      u64 offset, u64 length, enum svt_verdict refused)
{
	if (!svt_region_is_paged(region))
		return SVT_VERDICT_BROKEN;
	if (!svt_region_absent(region, offset, length)) {
		/* They have come meanwhile */
		atomic_or(SVT_WORK_PAGES, &qp->recv.half.work);
		return SVT_VERDICT_ABSENT;
	}
	return svt_fault_begin(qp, &qp->recv.half, region, offset, length) ?
	       SVT_VERDICT_ABSENT : refused;
}
