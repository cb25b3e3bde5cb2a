/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The GIDs of a namespace, to look them up: see gid_table.c.
 */
#ifndef ROCE_GID_TABLE_H
#define ROCE_GID_TABLE_H

#include <rdma/svt.h>

struct roce_device;
struct roce_net;

/**
 * struct roce_gid - a GID of a device, where it lives
 * @node: in roce_net.gids of @net
 * @rcu: for its end
 * @gid: the GID
 * @device: that has it
 * @ifindex: of the netdev that has the address
 * @vlan_id: as ib_core tells GIDs of one address apart; U16_MAX: of no VLAN
 * @net: of that netdev; NULL when that is gone, or the device does not serve it. No reference: the
 *	end of @net sets it
 *
 * All but @node and @net stay as they are.
 */
struct roce_gid {
	struct hlist_node node;
	struct rcu_head rcu;
	union ib_gid gid;
	struct roce_device *device;
	u32 ifindex;
	u16 vlan_id;
	struct net *net;
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
