// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The one port of a device. Its state is what the backend said last (svt_set_link()), under
 * svt_core.link_lock; the rest is constant.
 */
#include <linux/netdevice.h>
#include <rdma/ib_mad.h>

#include "verbs.h"

static struct svt_link svt_link_get(struct svt_core *core)
{
	struct svt_link link;
	unsigned long flags;

	spin_lock_irqsave(&core->link_lock, flags);
	link = core->link;
	spin_unlock_irqrestore(&core->link_lock, flags);
	return link;
}

/* The largest path MTU that the port carries now; any context */
enum ib_mtu svt_active_mtu(struct svt_core *core)
{
	return svt_link_get(core).mtu;
}

/**
 * svt_set_link - a backend tells of the state of its link
 * @dev: registered device
 * @link: its state from now on
 *
 * Clients get an event when the port becomes active or ceases to be. The caller keeps calls for one
 * device in order.
 *
 * Context: any but hard interrupts.
 */
void svt_set_link(struct svt_device *dev, const struct svt_link *link)
{
	struct svt_core *core = dev->core;
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = 1,
		.event = link->up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};
	unsigned long flags;
	bool changed;

	spin_lock_irqsave(&core->link_lock, flags);
	changed = core->link.up != link->up;
	core->link = *link;
	if (!dev->ops->frames)
		core->link.frame = 0;
	spin_unlock_irqrestore(&core->link_lock, flags);
	if (changed)
		ib_dispatch_event(&event);
}
EXPORT_SYMBOL_GPL(svt_set_link);

int svt_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct svt_core *core = to_svt_device(ibdev)->core;
	struct svt_link link = svt_link_get(core);

	attr->state = link.up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = link.up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = link.mtu;
	attr->active_speed = link.speed;
	attr->active_width = link.width;
	attr->gid_tbl_len = SVT_GID_TABLE_LENGTH;
	attr->pkey_tbl_len = SVT_PKEY_TABLE_LENGTH;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = SVT_MAX_MESSAGE;
	attr->max_vl_num = 1;
	attr->bad_pkey_cntr = READ_ONCE(core->bad_pkey_count);
	attr->qkey_viol_cntr = READ_ONCE(core->qkey_violation_count);
	return 0;
}

int svt_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index >= SVT_PKEY_TABLE_LENGTH)
		return -EINVAL;
	*pkey = SVT_DEFAULT_PKEY;
	return 0;
}

int svt_get_port_immutable(struct ib_device *ibdev, u32 port,
			   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = SVT_GID_TABLE_LENGTH;
	immutable->pkey_tbl_len = SVT_PKEY_TABLE_LENGTH;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer svt_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/* ib_device_ops.report_port_event, empty: else ib_core would repeat the event of svt_set_link() */
void svt_report_port_event(struct ib_device *ibdev, struct net_device *netdev, unsigned long event)
{
}

/* ib_device_ops.get_netdev, not in interrupts. ib_core does not need it, SMC on 6.1 does. */
struct net_device *svt_get_netdev(struct ib_device *ibdev, u32 port)
{
	struct ib_port_data *data = &ibdev->port_data[port];
	struct net_device *netdev;

	spin_lock(&data->netdev_lock);
	netdev = rcu_dereference_protected(data->netdev, lockdep_is_held(&data->netdev_lock));
	dev_hold(netdev);
	spin_unlock(&data->netdev_lock);
	return netdev;
}
