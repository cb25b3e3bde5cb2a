/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A device, as all files of the backend know it.
 */
#ifndef ROCE_ROCE_H
#define ROCE_ROCE_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <rdma/svt.h>

struct roce_gid;

/**
 * struct roce_slot - a place in the GID table of ib_core
 * @netns: number of the namespace of the GID that is there, or was there last; 0: the device's own
 * @live: it is there
 * @gid: it
 */
struct roce_slot {
	u32 netns;
	bool live;
	struct roce_gid *gid;
};

/**
 * struct roce_device - a device on a netdev
 * @svt: what the core sees; must be first
 * @netdev: the link; with a reference from creation to release
 * @tracker: of that reference
 * @ifindex: of @netdev, for readers of the list, to whom it may be gone
 * @net: the namespace of @netdev; no reference, the namespace outlives the device
 * @node: in roce_net.devices
 * @listed: @node is in there, and all is held that the device holds
 * @gone: @netdev is being unregistered; protected by roce_net.lock
 * @ready: the core takes packets; set with release by roce_start(), read with acquire by
 *	roce_is_ready()
 * @slots: of the GID table of ib_core; see gid.c
 * @frames: the hook by which frames are taken while there are flow rules; under RTNL
 */
struct roce_device {
	struct svt_device svt;
	struct net_device *netdev;
	netdevice_tracker tracker;
	u32 ifindex;
	struct net *net;
	struct list_head node;
	bool listed;
	bool gone;
	bool ready;
	struct roce_slot slots[SVT_GID_TABLE_LENGTH];
	struct nf_hook_ops frames;
};

static inline bool roce_is_ready(const struct roce_device *device)
{
	/* Pairs with the release in roce_start(): what the core set up is seen */
	return smp_load_acquire(&device->ready);
}

static inline struct roce_device *to_roce_device(struct svt_device *dev)
{
	return container_of(dev, struct roce_device, svt);
}

#endif
