// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.2 has it: for a netdev that is locked; __ethtool_get_link_ksettings() locks it itself there */
#include <linux/ethtool.h>

#ifdef OLD
#define netif_get_link_ksettings	__ethtool_get_link_ksettings
#endif

int probe(struct net_device *netdev, struct ethtool_link_ksettings *settings)
{
	return netif_get_link_ksettings(netdev, settings);
}
