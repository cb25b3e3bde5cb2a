// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What happens to a netdev is passed on to its device: link state, MTU, speed, and the end.
 *
 * All of this runs under RTNL, so that the core hears of changes in their order. A netdev that
 * moves to another namespace is unregistered in the old one first: its device goes. A new name
 * changes nothing.
 */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>

#include "device.h"
#include "multicast.h"
#include "namespace.h"
#include "netdev.h"

/* A link whose speed is not known, as of many virtual netdevs, counts as one of 10 Gb/s */
#define ROCE_DEFAULT_SPEED	SPEED_10000

/* The slowest link that is at least as fast (InfiniBand has no name for each Ethernet) */
static const struct {
	u32 mbps;
	u16 speed;
	u8 width;
} link_speeds[] = {
	{ SPEED_2500, IB_SPEED_SDR, IB_WIDTH_1X },
	{ SPEED_5000, IB_SPEED_DDR, IB_WIDTH_1X },
	{ SPEED_10000, IB_SPEED_FDR10, IB_WIDTH_1X },
	{ SPEED_25000, IB_SPEED_EDR, IB_WIDTH_1X },
	{ SPEED_40000, IB_SPEED_FDR10, IB_WIDTH_4X },
	{ SPEED_50000, IB_SPEED_HDR, IB_WIDTH_1X },
	{ SPEED_100000, IB_SPEED_EDR, IB_WIDTH_4X },
	{ SPEED_200000, IB_SPEED_HDR, IB_WIDTH_4X },
	{ UINT_MAX, IB_SPEED_NDR, IB_WIDTH_4X },
};

static void read_speed(struct net_device *netdev, struct svt_link *link)
{
	struct ethtool_link_ksettings settings;
	u32 mbps = ROCE_DEFAULT_SPEED;
	unsigned int i = 0;

	if (!netif_get_link_ksettings(netdev, &settings) && settings.base.speed &&
	    settings.base.speed != (u32)SPEED_UNKNOWN)
		mbps = settings.base.speed;
	while (link_speeds[i].mbps < mbps)
		i++;
	link->speed = link_speeds[i].speed;
	link->width = link_speeds[i].width;
}

/**
 * roce_update_link() - tell the core the state of a device's netdev
 * @device: registered
 *
 * Context: RTNL held, and netdev_lock_ops(), as the notifiers of these events are called.
 */
void roce_update_link(struct roce_device *device)
{
	struct net_device *netdev = device->netdev;
	struct svt_link link = {
		.up = netif_running(netdev) && netif_carrier_ok(netdev),
		.mtu = iboe_get_mtu(netdev->mtu),
		.frame = ETH_HLEN + min_t(u32, netdev->mtu, ETH_MAX_MTU),
	};

	ASSERT_RTNL();
	/* There is nothing smaller; what does not fit is lost */
	if (!link.mtu)
		link.mtu = IB_MTU_256;
	read_speed(netdev, &link);
	svt_set_link(&device->svt, &link);
}

static int roce_netdev_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	struct roce_device *device;

	/* A namespace that is undone, because not all of it could be set up */
	if (!roce_net(dev_net(netdev)))
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
		device = roce_device_get(netdev);
		if (!device)
			break;
		roce_update_link(device);
		ib_device_put(&device->svt.ibdev);
		break;
	case NETDEV_UNREGISTER:
		roce_multicast_leave(netdev);
		roce_device_gone(netdev);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block roce_netdev_notifier = {
	.notifier_call = roce_netdev_event,
};

/**
 * roce_netdev_init() - follow the netdevs of all namespaces
 *
 * Context: module init; namespaces are followed already.
 * Return: 0 or a negative errno.
 */
int roce_netdev_init(void)
{
	return register_netdevice_notifier(&roce_netdev_notifier);
}

/**
 * roce_netdev_exit() - no longer follow them; devices that are left begin to go
 *
 * Context: module exit.
 */
void roce_netdev_exit(void)
{
	unregister_netdevice_notifier(&roce_netdev_notifier);
}
