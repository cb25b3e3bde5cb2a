// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The GIDs of devices, by the namespace that their netdevs are in.
 *
 * ib_core has a table of each device, and tells of what comes and goes. A netdev that stands on
 * that of a device may be in another namespace, a container's macvlan say, and its addresses are
 * GIDs of the device all the same. So the namespace has sockets and hooks as long as a GID lives
 * there, and a table in which they find whose packet it is. Readers use RCU.
 */
#include <linux/hashtable.h>
#include <net/l3mdev.h>
#include <rdma/ib_cache.h>

#include "device.h"
#include "gid.h"
#include "namespace.h"
#include "socket.h"

/*
 * Serialises changes of the tables of all namespaces, and protects roce_device.guests. RTNL may be
 * held by who takes it; roce_net.sockets_lock is taken inside.
 */
static DEFINE_MUTEX(gids_lock);

/*
 * Parts of a device's table: what all namespaces but its own may have together leaves a quarter to
 * that, and none of them leaves nothing to the next.
 */
#define ALL_GUESTS(gids)	((gids) / 4 * 3)
#define ONE_GUEST(gids)		((gids) / 8)

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
 * roce_serves() - has a device to do with a namespace?
 * @device: device
 * @net: namespace
 *
 * In exclusive mode it has nothing to do with other namespaces than its own.
 *
 * Context: any.
 * Return: whether it has.
 */
bool roce_serves(const struct roce_device *device, const struct net *net)
{
	return net_eq(net, device->net) || rdma_dev_access_netns(&device->svt.ibdev, net);
}

/* Return: the namespace, with a reference; or NULL, it ends and needs nothing any more */
static struct net *get_namespace(const struct ib_gid_attr *attr, u32 *ifindex)
{
	const struct net_device *netdev;
	struct net *net = NULL;

	rcu_read_lock();
	netdev = rcu_dereference(attr->ndev);
	if (netdev) {
		*ifindex = netdev->ifindex;
		net = maybe_get_net(dev_net(netdev));
	}
	rcu_read_unlock();
	return net;
}

static bool is_guest(const struct roce_gid *entry)
{
	return !net_eq(entry->net, entry->device->net);
}

static bool has_room(const struct roce_net *rnet, const struct roce_device *device)
{
	unsigned int gids = device->svt.ibdev.port_data[1].immutable.gid_tbl_len, count = 0;
	const struct roce_gid *entry;
	int bucket;

	lockdep_assert_held(&gids_lock);
	hash_for_each(rnet->gids, bucket, entry, node)
		if (entry->device == device)
			count++;
	return count < ONE_GUEST(gids) && device->guests < ALL_GUESTS(gids);
}

static int add(struct roce_gid *entry)
{
	struct roce_net *rnet = roce_net(entry->net);
	int ret;

	lockdep_assert_held(&gids_lock);
	if (is_guest(entry) && !has_room(rnet, entry->device))
		return -ENOSPC;
	ret = roce_sockets_get(entry->net);
	if (ret)
		return ret;
	hash_add_rcu(rnet->gids, &entry->node, hash(&entry->gid));
	if (is_guest(entry)) {
		entry->device->guests++;
		WRITE_ONCE(rnet->had_guests, true);
	}
	return 0;
}

/**
 * roce_add_gid() - svt_backend_ops.add_gid
 * @dev: the device
 * @attr: with its netdev
 * @context: set to what roce_del_gid() needs
 *
 * Context: may sleep; RTNL may be held.
 * Return: 0; -ENOMEM; -ENOSPC the namespace has its part of the table; what roce_sockets_get()
 *	says: nobody could talk to the GID.
 */
int roce_add_gid(struct svt_device *dev, const struct ib_gid_attr *attr, void **context)
{
	struct roce_device *device = to_roce_device(dev);
	struct roce_gid *entry;
	struct net *net;
	u32 ifindex;
	int ret = 0;

	*context = NULL;
	net = get_namespace(attr, &ifindex);
	if (!net)
		return 0;
	if (!roce_serves(device, net))
		goto put;
	ret = -ENOMEM;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		goto put;
	entry->gid = attr->gid;
	entry->device = device;
	entry->ifindex = ifindex;
	entry->vlan_id = U16_MAX;
	rdma_read_gid_l2_fields(attr, &entry->vlan_id, NULL);
	entry->net = net;
	mutex_lock(&gids_lock);
	ret = add(entry);
	mutex_unlock(&gids_lock);
	if (ret)
		kfree(entry);
	else
		*context = entry;
put:
	put_net(net);
	return ret;
}

static void leave(struct roce_gid *entry)
{
	lockdep_assert_held(&gids_lock);
	hash_del_rcu(&entry->node);
	if (is_guest(entry))
		entry->device->guests--;
	roce_sockets_put(entry->net);
	entry->net = NULL;
}

/**
 * roce_del_gid() - svt_backend_ops.del_gid
 * @dev: the device
 * @context: as roce_add_gid() set it
 *
 * Context: may sleep; RTNL may be held.
 */
void roce_del_gid(struct svt_device *dev, void **context)
{
	struct roce_gid *entry = *context;

	if (!entry)
		return;
	mutex_lock(&gids_lock);
	if (entry->net)
		leave(entry);
	mutex_unlock(&gids_lock);
	kfree_rcu(entry, rcu);
}

/**
 * roce_gids_leave() - a namespace ends: nothing is received there any more
 * @rnet: of the namespace
 *
 * Context: may sleep; RTNL not held.
 */
void roce_gids_leave(struct roce_net *rnet)
{
	struct hlist_node *next;
	struct roce_gid *entry;
	int bucket;

	mutex_lock(&gids_lock);
	hash_for_each_safe(rnet->gids, bucket, next, entry, node)
		leave(entry);
	mutex_unlock(&gids_lock);
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
