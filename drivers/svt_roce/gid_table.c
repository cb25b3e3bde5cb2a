// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The GIDs of a namespace: of its devices, and of other namespaces' devices that have netdevs above
 * theirs here. gid.c changes the table under gids_lock. Look up a GID in an RCU read section, to
 * the end of which it stays.
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

void roce_gid_insert(struct roce_net *rnet, struct roce_gid *entry)
{
	hash_add_rcu(rnet->gids, &entry->node, hash(&entry->gid));
}

/* A netdev that stands on that of a device may have a device of its own, which goes first */
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

/* Does @device receive for the GID? */
bool roce_gid_works(const struct roce_device *device, const struct roce_net *rnet,
		    const union ib_gid *gid, u32 ifindex)
{
	const struct roce_gid *entry;

	hash_for_each_possible_rcu(rnet->gids, entry, node, hash(gid))
		if (entry->device == device && entry->ifindex == ifindex && is_equal(entry, gid))
			return true;
	return false;
}

/* @l3mdev: netdev of a VRF; 0: any netdev */
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

const struct roce_gid *roce_gid_on(const struct roce_net *rnet, u32 ifindex)
{
	const struct roce_gid *entry;
	int bucket;

	hash_for_each_rcu(rnet->gids, bucket, entry, node)
		if (entry->ifindex == ifindex)
			return entry;
	return NULL;
}

/* @ifindex: 0, or the last; set to the next higher one with a GID of @device. Any context */
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

/* The device that takes what is sent over loopback; stays until the RCU read section ends */
struct roce_device *roce_find_owner(const struct roce_net *rnet, const union ib_gid *gid)
{
	const struct roce_gid *entry = roce_gid_in(rnet, gid, 0);

	return entry && roce_is_ready(entry->device) ? entry->device : NULL;
}
