/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The GIDs of a namespace, to look them up */
#ifndef ROCE_GID_TABLE_H
#define ROCE_GID_TABLE_H

#include <rdma/svt.h>

struct roce_device;
struct roce_net;

/* Where a GID of a device lives. All but node and net stay as they are */
struct roce_gid {
	struct hlist_node node; /* in roce_net.gids of net */
	struct rcu_head rcu;
	union ib_gid gid;
	struct roce_device *device;
	u32 ifindex; /* of the netdev that has the address */
	u16 vlan_id; /* tells GIDs of one address apart; U16_MAX: of no VLAN */
	struct net *net; /* NULL: it is gone, or not served. No reference: its end sets NULL */
};

void roce_gid_insert(struct roce_net *rnet, struct roce_gid *entry);
const struct roce_gid *roce_gid_at(const struct roce_net *rnet, const union ib_gid *gid,
				   u32 ifindex);
bool roce_gid_works(const struct roce_device *device, const struct roce_net *rnet,
		    const union ib_gid *gid, u32 ifindex);
const struct roce_gid *roce_gid_in(const struct roce_net *rnet, const union ib_gid *gid,
				   u32 l3mdev);
const struct roce_gid *roce_gid_on(const struct roce_net *rnet, u32 ifindex);
bool roce_gid_next(const struct roce_device *device, const struct roce_net *rnet, u32 *ifindex);
struct roce_device *roce_find_owner(const struct roce_net *rnet, const union ib_gid *gid);

#endif
