// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. The data is in the address vector (transport/qp/av.c), on which the handle
 * holds a reference. Kernel clients call these with interrupts off.
 */
#include <rdma/ib_cache.h>

#include "../transport/qp/av.h"
#include "verbs.h"

#define SVT_SL_MAX		15

/* Any context. @user: the caller is a process; -EPERM if the source GID is of another netns. */
int svt_ah_attr_check(struct ib_device *ibdev, const struct rdma_ah_attr *attr, bool user)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	if (attr->type != RDMA_AH_ATTR_TYPE_ROCE || rdma_ah_get_port_num(attr) != 1)
		return -EINVAL;
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !grh->sgid_attr)
		return -EINVAL;
	if (grh->sgid_attr->device != ibdev ||
	    grh->sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;
	if (rdma_is_zero_gid(&grh->dgid) || rdma_ah_get_sl(attr) > SVT_SL_MAX)
		return -EINVAL;
	return user ? svt_gid_check_caller(grh->sgid_attr) : 0;
}

static int svt_ah_check(struct ib_ah *ibah, const struct rdma_ah_attr *attr,
			struct ib_udata *udata)
{
	if (udata && udata->outlen < sizeof(struct svt_create_ah_resp))
		return -EINVAL;
	return ib_is_udata_in_empty(udata) ?: svt_ah_attr_check(ibah->device, attr, udata);
}

static gfp_t svt_ah_gfp(const struct rdma_ah_init_attr *init, bool user)
{
	if (user)
		return SVT_GFP_CHARGED;
	return init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC;
}

/* ib_device_ops.create_ah and create_user_ah; any context, as @init says */
int svt_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	struct svt_core *core = to_svt_device(ibah->device)->core;
	struct svt_ah *ah = to_svt_ah(ibah);
	struct svt_create_ah_resp resp = {};
	int ret;

	ret = svt_ah_check(ibah, init->ah_attr, udata);
	if (ret)
		return ret;
	ah->user = udata;
	if (ah->user && !svt_take(&core->ah_count, SVT_MAX_AH, true))
		return -ENOMEM;
	ah->av = svt_av_create(to_svt_device(ibah->device), ibah->pd, init->ah_attr,
			       svt_ah_gfp(init, udata));
	if (IS_ERR(ah->av)) {
		ret = PTR_ERR(ah->av);
		goto give_back;
	}
	if (!udata)
		return 0;
	resp.ah = ah->av->number;
	ret = ib_respond_udata(udata, resp);
	if (!ret)
		return 0;

	svt_av_forget(ah->av);
give_back:
	if (ah->user)
		atomic_dec(&core->ah_count);
	return ret;
}

/* ib_device_ops.modify_ah, any context; when it fails the handle stays as it was */
int svt_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct svt_ah *ah = to_svt_ah(ibah);
	struct svt_av *av;
	int ret;

	ret = svt_ah_attr_check(ibah->device, attr, false);
	if (ret)
		return ret;
	av = svt_av_create(to_svt_device(ibah->device), ibah->pd, attr, GFP_ATOMIC);
	if (IS_ERR(av))
		return PTR_ERR(av);
	swap(ah->av, av);
	svt_av_forget(av);
	return 0;
}

/* ib_device_ops.query_ah, any context; @attr gets no reference on the source GID */
int svt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_svt_ah(ibah)->av->path.ah_attr;
	attr->grh.sgid_attr = NULL;
	return 0;
}

/* ib_device_ops.destroy_ah, any context; requests that use the handle go on */
int svt_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct svt_ah *ah = to_svt_ah(ibah);

	svt_av_forget(ah->av);
	if (ah->user)
		atomic_dec(&to_svt_device(ibah->device)->core->ah_count);
	return 0;
}
