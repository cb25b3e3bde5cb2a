// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * XRC domains: nothing but an identity that TGT QPs and XRC SRQs have in common or not. uverbs
 * shares one between the processes that open it by the same file, and counts who uses it. There are
 * none for clients in the kernel, and so no XRC.
 */
#include "verbs.h"

/**
 * svt_alloc_xrcd - ib_device_ops.alloc_xrcd
 * @xrcd: XRC domain
 * @udata: of the first process that opens it
 *
 * Return: 0; -ENOMEM there are too many; -EOPNOTSUPP.
 */
int svt_alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	int ret = udata ? ib_no_udata_io(udata) : -EOPNOTSUPP;

	if (ret)
		return ret;
	return svt_take_deposit(&to_svt_device(xrcd->device)->core->xrcd_count, SVT_MAX_XRCD, udata,
				&to_svt_xrcd(xrcd)->deposit);
}

/**
 * svt_dealloc_xrcd - ib_device_ops.dealloc_xrcd
 * @xrcd: XRC domain that nobody uses
 * @udata: not used
 *
 * Return: 0.
 */
int svt_dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	svt_give_back(&to_svt_device(xrcd->device)->core->xrcd_count,
		      to_svt_xrcd(xrcd)->deposit);
	return 0;
}
