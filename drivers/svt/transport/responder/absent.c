// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bytes of a region that could not be reached. Under recv.half.lock.
 */
#include "../qp/fault.h"
#include "absent.h"

/* In the RCU read section of the look-up. @refused: there is no such memory */
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
