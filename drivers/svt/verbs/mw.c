// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows: allocated here, bound by work requests (mem/window.c) */
#include "verbs.h"

int svt_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct svt_core *core = to_svt_device(ibmw->device)->core;
	struct svt_mw *mw = to_svt_mw(ibmw);
	int ret;

	ret = ib_no_udata_io(udata);
	if (ret)
		return ret;
	ret = svt_take_deposit(&core->mw_count, SVT_MAX_MW, udata, &mw->deposit);
	if (ret)
		return ret;
	spin_lock_init(&mw->lock);
	mw->key.type = SVT_KEY_WINDOW;
	mw->key.pd = ibmw->pd;
	ret = svt_key_insert(&core->keys, &mw->key);
	if (ret) {
		svt_give_back(&core->mw_count, mw->deposit);
		return ret;
	}
	ibmw->rkey = mw->key.key;
	return 0;
}

/* ib_device_ops.dealloc_mw; unbinds the window, and waits for accesses */
int svt_dealloc_mw(struct ib_mw *ibmw)
{
	struct svt_core *core = to_svt_device(ibmw->device)->core;
	struct svt_mw *mw = to_svt_mw(ibmw);

	svt_mw_retire(mw);
	svt_key_remove(&core->keys, &mw->key);
	svt_give_back(&core->mw_count, mw->deposit);
	return 0;
}
