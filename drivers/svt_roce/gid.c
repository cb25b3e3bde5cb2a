// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The GIDs of devices, by the namespace of their netdevs. ib_core has a table of each device, and
 * tells of changes. A netdev above that of a device, say a container's macvlan, may be in another
 * namespace, and its addresses are GIDs of the device all the same. So a namespace has sockets and
 * hooks as long as a GID lives there, and a table to find whose packet it is. Readers use RCU.
 */
#include <linux/hashtable.h>
#include <rdma/ib_cache.h>

#include "gid.h"
#include "gid_table.h"
#include "namespace.h"
#include "roce.h"
#include "socket.h"

/* Protects changes of GID tables, and roce_device.slots; inside of RTNL, outside of sockets_lock */
static DEFINE_MUTEX(gids_lock);

/* Other namespaces leave a quarter of the table to the device's own; none takes all of the rest */
#define GIDS_OF_ALL_GUESTS	(SVT_GID_TABLE_LENGTH / 4 * 3)
#define GIDS_OF_A_GUEST		(SVT_GID_TABLE_LENGTH / 8)

/* In exclusive mode a device has to do with its own namespace and its netdev's only */
static bool serves(const struct roce_device *device, const struct net *net)
{
	return net_eq(net, device->net) || rdma_dev_access_netns(&device->svt.ibdev, net);
}

/* Return: with a reference; NULL: the namespace ends and needs nothing any more */
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

/*
 * A GID that went keeps its slot as long as handles, QPs or connections refer to it. ib_core tells
 * nobody, but takes the first free slot: all before @index are held.
 */
static bool has_room(const struct roce_device *device, u32 netns, u32 index)
{
	unsigned int i, one = 0, all = 0;

	lockdep_assert_held(&gids_lock);
	for (i = 0; i < SVT_GID_TABLE_LENGTH; i++) {
		const struct roce_slot *slot = &device->slots[i];

		if (!slot->netns || (!slot->live && i >= index))
			continue;
		all++;
		one += slot->netns == netns;
	}
	return one < GIDS_OF_A_GUEST && all < GIDS_OF_ALL_GUESTS;
}

static int take_slot(struct roce_device *device, const struct net *net, u32 index)
{
	u32 netns = net_eq(net, device->net) ? 0 : roce_net(net)->number;

	if (netns && !has_room(device, netns, index))
		return -ENOSPC;
	device->slots[index] = (struct roce_slot) { .netns = netns, .live = true };
	return 0;
}

static int enlist(struct roce_gid *entry, struct net *net)
{
	struct roce_net *rnet = roce_net(net);
	int ret;

	lockdep_assert_held(&gids_lock);
	ret = roce_sockets_get(net);
	if (ret)
		return ret;
	entry->net = net;
	roce_gid_insert(rnet, entry);
	if (!net_eq(net, entry->device->net))
		WRITE_ONCE(rnet->had_guests, true);
	return 0;
}

static int add(struct roce_device *device, struct net *net, u32 index, struct roce_gid *entry)
{
	struct roce_slot *slot = &device->slots[index];
	int ret;

	mutex_lock(&gids_lock);
	ret = take_slot(device, net, index);
	if (!ret && serves(device, net))
		ret = enlist(entry, net);
	slot->live = !ret;
	if (!ret)
		slot->gid = entry;
	mutex_unlock(&gids_lock);
	return ret;
}

static struct roce_gid *alloc_gid(struct roce_device *device, const struct ib_gid_attr *attr,
				  u32 ifindex)
{
	struct roce_gid *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->gid = attr->gid;
	entry->device = device;
	entry->ifindex = ifindex;
	entry->vlan_id = U16_MAX;
	rdma_read_gid_l2_fields(attr, &entry->vlan_id, NULL);
	return entry;
}

/*
 * svt_backend_ops.add_gid. RTNL may be held. Return: -ENOSPC: the namespace has its part of the
 * table; what roce_sockets_get() says: nobody could talk to the GID.
 */
int roce_add_gid(struct svt_device *dev, const struct ib_gid_attr *attr, void **context)
{
	struct roce_device *device = to_roce_device(dev);
	struct roce_gid *entry;
	int ret = -ENOMEM;
	struct net *net;
	u32 ifindex;

	*context = NULL;
	net = get_namespace(attr, &ifindex);
	if (!net)
		return 0;
	entry = alloc_gid(device, attr, ifindex);
	if (!entry)
		goto put;
	ret = add(device, net, attr->index, entry);
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
	roce_sockets_put(entry->net);
	entry->net = NULL;
}

/* svt_backend_ops.del_gid. RTNL may be held */
void roce_del_gid(struct svt_device *dev, const struct ib_gid_attr *attr, void **context)
{
	struct roce_slot *slot = &to_roce_device(dev)->slots[attr->index];
	struct roce_gid *entry = *context;

	mutex_lock(&gids_lock);
	slot->live = false;
	slot->gid = NULL;
	if (entry && entry->net)
		leave(entry);
	mutex_unlock(&gids_lock);
	if (entry)
		kfree_rcu(entry, rcu);
}

static void serve_or_leave(struct roce_device *device, struct roce_gid *entry, struct net *net)
{
	int ret = 0;

	if (!serves(device, net)) {
		if (entry->net)
			leave(entry);
	} else if (!entry->net) {
		ret = enlist(entry, net);
	}
	if (ret)
		ibdev_warn_ratelimited(&device->svt.ibdev,
				       "GID %pI6c does not work there: UDP port %u: %pe\n",
				       entry->gid.raw, ROCE_V2_UDP_DPORT, ERR_PTR(ret));
}

/*
 * ib_device_ops.enable_driver; there is no QP. In exclusive mode a device may come from another
 * namespace: its GIDs work in the new one, not in the old one, and always in its netdev's.
 */
int roce_enable(struct ib_device *ibdev)
{
	struct roce_device *device = to_roce_device(to_svt_device(ibdev));
	struct net *net;
	unsigned int i;

	mutex_lock(&gids_lock);
	for (i = 0; i < SVT_GID_TABLE_LENGTH; i++) {
		const struct roce_slot *slot = &device->slots[i];

		net = slot->gid && slot->netns ? roce_netns_get(slot->netns) : NULL;
		if (net) {
			serve_or_leave(device, slot->gid, net);
			put_net(net);
		}
	}
	mutex_unlock(&gids_lock);
	return 0;
}

/* The namespace ends: nothing is received there any more. RTNL is not held */
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
