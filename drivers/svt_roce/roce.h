/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A device, as all files of the backend know it */
#ifndef ROCE_ROCE_H
#define ROCE_ROCE_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <rdma/svt.h>

struct roce_gid;

/* A place in the GID table of ib_core; see gid.c */
struct roce_slot {
	u32 netns; /* of the GID that is or last was there; 0: the device's own */
	bool live; /* the GID is there */
	struct roce_gid *gid;
};

struct roce_device {
	struct svt_device svt; /* must be first */
	struct net_device *netdev; /* held from creation to release */
	netdevice_tracker tracker;
	u32 ifindex; /* of netdev, for readers of the list, to whom it may be gone */
	struct net *net; /* no reference: outlives the device */
	struct list_head node; /* in roce_net.devices */
	bool listed; /* node is in there, and netdev and sockets are held */
	bool gone; /* netdev is being unregistered; under roce_net.lock */
	bool ready; /* the core takes packets; see roce_is_ready() */
	struct roce_slot slots[SVT_GID_TABLE_LENGTH];
	struct nf_hook_ops frames; /* under RTNL; while there are flow rules */
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
