// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The link of a device is that of its netdev */
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>

#include "link.h"
#include "roce.h"

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

/* With netdev_lock_ops() held, as the notifiers of these events are called */
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
