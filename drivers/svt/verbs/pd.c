// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains: only an identity that regions, windows, QPs and address handles share or
 * not. ib_core counts the users of one.
 */
#include "verbs.h"

int svt_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	int ret = ib_no_udata_io(udata);

	if (ret)
		return ret;
	return svt_take_deposit(&to_svt_device(pd->device)->core->pd_count, SVT_MAX_PD, udata,
				&to_svt_pd(pd)->deposit);
}

int svt_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	svt_give_back(&to_svt_device(pd->device)->core->pd_count, to_svt_pd(pd)->deposit);
	return 0;
}
