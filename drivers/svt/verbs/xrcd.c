// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC domains: only an identity that TGT QPs and XRC SRQs share or not. uverbs shares one between
 * the processes that open it by the same file, and counts its users. Kernel clients have no XRC.
 */
#include "verbs.h"

int svt_alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	int ret = udata ? ib_no_udata_io(udata) : -EOPNOTSUPP;

	if (ret)
		return ret;
	return svt_take_deposit(&to_svt_device(xrcd->device)->core->xrcd_count, SVT_MAX_XRCD, udata,
				&to_svt_xrcd(xrcd)->deposit);
}

int svt_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	svt_give_back(&to_svt_device(xrcd->device)->core->xrcd_count,
		      to_svt_xrcd(xrcd)->deposit);
	return 0;
}
