// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains: nothing but an identity, which regions, windows, QPs and address handles
 * have in common or not. ib_core counts who uses one.
 */
#include "verbs.h"

/**
 * svt_alloc_pd - ib_device_ops.alloc_pd
 * @pd: protection domain
 * @udata: NULL for a kernel client
 *
 * Return: 0; -ENOMEM there are too many; -EOPNOTSUPP.
 */
int svt_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	int ret = ib_no_udata_io(udata);

	if (ret)
		return ret;
	return svt_take_deposit(&to_svt_device(pd->device)->core->pd_count, SVT_MAX_PD, udata,
				&to_svt_pd(pd)->deposit);
}

/**
 * svt_dealloc_pd - ib_device_ops.dealloc_pd
 * @pd: protection domain that nobody uses
 * @udata: not used
 *
 * Return: 0.
 */
int svt_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	svt_give_back(&to_svt_device(pd->device)->core->pd_count, to_svt_pd(pd)->deposit);
	return 0;
}
