// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles. All that matters is in the address vector (transport/qp/av.c); the handle holds
 * a reference on it. Kernel clients call these with interrupts off.
 */
#include <rdma/ib_cache.h>

#include "../transport/qp/av.h"
#include "verbs.h"

#define SVT_SL_MAX		15

/**
 * svt_ah_attr_check - whether an address can be reached at all
 * @ibdev: device
 * @attr: address, whose source GID ib_core has looked up
 * @user: the calling process asks
 *
 * Context: any; process with @user.
 * Return: 0, -EINVAL, or -EPERM: the source GID is of another network namespace.
 */
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

/**
 * svt_create_ah - ib_device_ops.create_ah and create_user_ah
 * @ibah: zeroed but for ib_core's part
 * @init: address, and whether the caller can sleep
 * @udata: NULL for a kernel client; struct svt_create_ah_resp out
 *
 * Context: any, as @init says.
 * Return: 0; -EINVAL address; -EPERM a source GID of another network namespace; -ENOMEM; -EFAULT;
 * what path_init of the backend returns.
 */
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

/**
 * svt_modify_ah - ib_device_ops.modify_ah
 * @ibah: of a kernel client, none of whose work requests uses it
 * @attr: new address
 *
 * Context: any.
 * Return: as svt_create_ah(); the handle is as it was when it fails.
 */
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

/**
 * svt_query_ah - ib_device_ops.query_ah
 * @ibah: handle
 * @attr: written; holds no reference on the source GID
 *
 * Context: any.
 * Return: 0.
 */
int svt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_svt_ah(ibah)->av->path.ah_attr;
	attr->grh.sgid_attr = NULL;
	return 0;
}

/**
 * svt_destroy_ah - ib_device_ops.destroy_ah
 * @ibah: handle; requests that use it go on
 * @flags: whether the caller can sleep
 *
 * Context: any.
 * Return: 0.
 */
int svt_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct svt_ah *ah = to_svt_ah(ibah);

	svt_av_forget(ah->av);
	if (ah->user)
		atomic_dec(&to_svt_device(ibah->device)->core->ah_count);
	return 0;
}
