// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.15: some netdevs have a lock of their own beside RTNL */
#ifndef OLD
#include <net/netdev_lock.h>

void probe(struct net_device *netdev)
{
	netdev_lock_ops(netdev);
	netdev_unlock_ops(netdev);
}
#endif
