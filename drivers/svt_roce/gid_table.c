// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The GIDs of a namespace: of its devices, and of devices of others that have netdevs above theirs
 * here. Read under RCU; gid.c changes them.
 */
#include <linux/hashtable.h>
#include <net/l3mdev.h>

#include "gid_table.h"
#include "namespace.h"
#include "roce.h"

static u32 hash(const union ib_gid *gid)
{
	const u32 *words = (const u32 *)gid->raw;

	return words[0] ^ words[1] ^ words[2] ^ words[3];
}

static bool is_equal(const struct roce_gid *entry, const union ib_gid *gid)
{
	return !memcmp(&entry->gid, gid, sizeof(*gid));
}

/**
 * roce_gid_insert() - have a GID found
 * @rnet: of its namespace
 * @entry: new
 *
 * Context: any; the caller serialises changes.
 */
void roce_gid_insert(struct roce_net *rnet, struct roce_gid *entry)
{
	hash_add_rcu(rnet->gids, &entry->node, hash(&entry->gid));
}

/**
 * roce_gid_at() - the GID on a netdev
 * @rnet: of the namespace
 * @gid: GID
 * @ifindex: of the netdev
 *
 * A netdev that stands on that of a device may have a device of its own, which goes first.
 *
 * Context: RCU read section, to the end of which the result stays.
 * Return: the GID or NULL.
 */
const struct roce_gid *roce_gid_at(const struct roce_net *rnet, const union ib_gid *gid,
				   u32 ifindex)
{
	const struct roce_gid *entry, *found = NULL;

	hash_for_each_possible_rcu(rnet->gids, entry, node, hash(gid)) {
		if (entry->ifindex != ifindex || !is_equal(entry, gid))
			continue;
		if (entry->device->ifindex == ifindex && net_eq(entry->device->net, rnet->net))
			return entry;
		found = entry;
	}
	return found;
}

/**
 * roce_gid_works() - is a GID of a device one that it receives for?
 * @device: device
 * @rnet: of the namespace
 * @gid: GID
 * @ifindex: of the netdev
 *
 * Context: RCU read section.
 * Return: whether it is.
 */
bool roce_gid_works(const struct roce_device *device, const struct roce_net *rnet,
		    const union ib_gid *gid, u32 ifindex)
{
	const struct roce_gid *entry;

	hash_for_each_possible_rcu(rnet->gids, entry, node, hash(gid))
		if (entry->device == device && entry->ifindex == ifindex && is_equal(entry, gid))
			return true;
	return false;
}

/**
 * roce_gid_in() - the GID on any netdev of a namespace, or of a VRF
 * @rnet: of the namespace
 * @gid: GID
 * @l3mdev: index of the netdev of the VRF; 0: any
 *
 * Context: RCU read section, to the end of which the result stays.
 * Return: the GID or NULL.
 */
const struct roce_gid *roce_gid_in(const struct roce_net *rnet, const union ib_gid *gid,
				   u32 l3mdev)
{
	const struct roce_gid *entry;

	hash_for_each_possible_rcu(rnet->gids, entry, node, hash(gid))
		if (is_equal(entry, gid) &&
		    (!l3mdev ||
		     l3mdev_master_ifindex_by_index(rnet->net, entry->ifindex) == l3mdev))
			return entry;
	return NULL;
}

/**
 * roce_gid_on() - is there any GID on a netdev?
 * @rnet: of the namespace
 * @ifindex: of the netdev
 *
 * Context: RCU read section, to the end of which the result stays.
 * Return: one of them, or NULL.
 */
const struct roce_gid *roce_gid_on(const struct roce_net *rnet, u32 ifindex)
{
	const struct roce_gid *entry;
	int bucket;

	hash_for_each_rcu(rnet->gids, bucket, entry, node)
		if (entry->ifindex == ifindex)
			return entry;
	return NULL;
}

/**
 * roce_gid_next() - the netdevs of a namespace that GIDs of a device are on, one by one
 * @device: the device
 * @rnet: of the namespace
 * @ifindex: 0, or the last one; set to the one with the next higher index
 *
 * Context: any.
 * Return: whether there is one.
 */
bool roce_gid_next(const struct roce_device *device, const struct roce_net *rnet, u32 *ifindex)
{
	const struct roce_gid *entry;
	u32 next = U32_MAX;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(rnet->gids, bucket, entry, node)
		if (entry->device == device && entry->ifindex > *ifindex)
			next = min(next, entry->ifindex);
	rcu_read_unlock();
	*ifindex = next;
	return next != U32_MAX;
}

/**
 * roce_find_owner() - the device that takes what is sent over loopback
 * @rnet: of the namespace
 * @gid: where it is sent to
 *
 * Context: RCU read section, to the end of which the device stays.
 * Return: the device, or NULL.
 */
struct roce_device *roce_find_owner(const struct roce_net *rnet, const union ib_gid *gid)
{
	const struct roce_gid *entry = roce_gid_in(rnet, gid, 0);

	return entry && roce_is_ready(entry->device) ? entry->device : NULL;
}
