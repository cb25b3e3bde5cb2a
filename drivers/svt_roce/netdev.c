// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tells a device what happens to its netdev. All runs under RTNL, so that the core hears of changes
 * in their order. A netdev that moves to another namespace is unregistered in the old one first:
 * its device goes. A new name changes nothing.
 */
#include <linux/rtnetlink.h>

#include "device.h"
#include "link.h"
#include "multicast.h"
#include "namespace.h"
#include "netdev.h"
#include "roce.h"

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

/* Namespaces are followed already */
int roce_netdev_init(void)
{
	return register_netdevice_notifier(&roce_netdev_notifier);
}

/* Devices that are left begin to go */
void roce_netdev_exit(void)
{
	unregister_netdevice_notifier(&roce_netdev_notifier);
}
