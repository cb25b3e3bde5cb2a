// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address vectors: address handles in the form that the backend wants. A UD request in a ring names
 * one by its number in svt_core.ahs; the requester looks it up under RCU, checks the PD and takes a
 * reference. The handle holds the first, so requests may outlive the handle.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "av.h"

static void svt_av_path_release(struct svt_av *av)
{
	const struct svt_backend_ops *ops = av->dev->ops;

	if (ops->path_release)
		ops->path_release(av->dev, &av->path);
	rdma_destroy_ah_attr(&av->path.ah_attr);
}

/*
 * Takes a reference on the source GID of @attr. Only 20 bits of the flow label count, as with NICs:
 * UCX gives 32 for "any". Any context.
 */
void svt_path_address(struct svt_path *path, const struct rdma_ah_attr *attr)
{
	rdma_copy_ah_attr(&path->ah_attr, attr);
	path->ah_attr.grh.flow_label &= IB_GRH_FLOWLABEL_MASK;
	path->sgid = attr->grh.sgid_attr->gid;
	path->dgid = attr->grh.dgid;
}

static int svt_av_path_init(struct svt_av *av, const struct rdma_ah_attr *attr)
{
	const struct svt_backend_ops *ops = av->dev->ops;
	struct svt_path *path = &av->path;
	int ret;

	svt_path_address(path, attr);
	path->entropy = path->ah_attr.grh.flow_label ?: get_random_u32();
	ret = ops->path_init ? ops->path_init(av->dev, path) : 0;
	if (ret)
		rdma_destroy_ah_attr(&path->ah_attr);
	return ret;
}

/*
 * Numbers go round, so that a late request does not meet the next handle. There are more numbers
 * than SVT_MAX_AH, the limit of processes, so a kernel client gets one.
 */
static int svt_av_number(struct svt_core *core, struct svt_av *av, gfp_t gfp)
{
	struct xa_limit limit = XA_LIMIT(1, U32_MAX);
	unsigned long flags;
	int ret;

	if (gfpflags_allow_blocking(gfp)) {
		ret = xa_alloc_cyclic_irq(&core->ahs, &av->number, av, limit, &core->ah_next, gfp);
	} else {
		xa_lock_irqsave(&core->ahs, flags);
		ret = __xa_alloc_cyclic(&core->ahs, &av->number, av, limit, &core->ah_next, gfp);
		xa_unlock_irqrestore(&core->ahs, flags);
	}
	return ret < 0 ? -ENOMEM : 0;
}

/**
 * svt_av_create - make an address vector and give it a number
 * @dev: device
 * @pd: only its QPs may use the vector
 * @attr: has a GRH with its source GID resolved
 * @gfp: SVT_GFP_CHARGED for a process
 *
 * Context: as @gfp says; ib_cm calls with interrupts off.
 * Return: the vector with a reference for the caller; -ENOMEM, or an error of path_init.
 */
struct svt_av *svt_av_create(struct svt_device *dev, struct ib_pd *pd,
			     const struct rdma_ah_attr *attr, gfp_t gfp)
{
	struct svt_av *av = kzalloc(sizeof(*av), gfp);
	int ret;

	if (!av)
		return ERR_PTR(-ENOMEM);
	kref_init(&av->ref);
	av->dev = dev;
	av->pd = pd;
	ret = svt_av_path_init(av, attr);
	if (ret)
		goto free;
	ret = svt_av_number(dev->core, av, gfp);
	if (ret)
		goto release;
	return av;

release:
	svt_av_path_release(av);
free:
	kfree(av);
	return ERR_PTR(ret);
}

/* A look-up that found @av before its number went reads @ref and @pd until its RCU section ends */
static void svt_av_free(struct kref *ref)
{
	struct svt_av *av = container_of(ref, struct svt_av, ref);

	svt_av_path_release(av);
	kfree_rcu(av, rcu);
}

/* Any context */
void svt_av_put(struct svt_av *av)
{
	kref_put(&av->ref, svt_av_free);
}

/* Ends look-ups by number; puts the reference of svt_av_create(). Any context. */
void svt_av_forget(struct svt_av *av)
{
	struct xarray *ahs = &av->dev->core->ahs;
	unsigned long flags;

	xa_lock_irqsave(ahs, flags);
	__xa_erase(ahs, av->number);
	xa_unlock_irqrestore(ahs, flags);
	svt_av_put(av);
}
