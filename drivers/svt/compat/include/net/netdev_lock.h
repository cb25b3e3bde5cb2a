/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_NET_NETDEV_LOCK_H
#define SVT_COMPAT_NET_NETDEV_LOCK_H

#ifdef SVT_HAVE_NETDEV_LOCK_OPS
#include_next <net/netdev_lock.h>
#else
struct net_device;

static inline void netdev_lock_ops(struct net_device *netdev)
{
}

static inline void netdev_unlock_ops(struct net_device *netdev)
{
}
#endif

#endif
