// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Network namespaces come and go, with the devices and GIDs in each.
 *
 * A device lives in the namespace that its netdev had when it was made, and dies no later than that
 * namespace. It goes in pre_exit, before ib_core moves RDMA devices away, before the netdevs are
 * unregistered and long before UDP is gone. GIDs of devices of other namespaces go as well, with
 * all that used them.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>

#include "gid.h"
#include "namespace.h"
#include "pernet.h"
#include "roce.h"
#include "route.h"

static int roce_net_init(struct net *net)
{
	struct roce_net *rnet = roce_net(net);

	rnet->net = net;
	spin_lock_init(&rnet->lock);
	INIT_LIST_HEAD(&rnet->devices);
	hash_init(rnet->gids);
	INIT_LIST_HEAD(&rnet->routes);
	mutex_init(&rnet->sockets_lock);
	return roce_netns_add(rnet);
}

/* Return: a device of @rnet whose memory stays until put_device(), or NULL */
static struct roce_device *first_device(struct roce_net *rnet)
{
	struct roce_device *device;

	spin_lock_bh(&rnet->lock);
	device = list_first_entry_or_null(&rnet->devices, struct roce_device, node);
	if (device)
		get_device(&device->svt.ibdev.dev);
	spin_unlock_bh(&rnet->lock);
	return device;
}

/* Return: of the devices of all namespaces the one with the lowest index from @index on, or NULL */
static struct roce_device *lowest_from(u32 index)
{
	struct roce_device *device, *lowest = NULL;
	struct net *net;

	for_each_net_rcu(net)
		list_for_each_entry_rcu(device, &roce_net(net)->devices, node)
			if (roce_is_ready(device) && device->svt.ibdev.index >= index &&
			    (!lowest || device->svt.ibdev.index < lowest->svt.ibdev.index))
				lowest = device;
	return lowest;
}

/*
 * Tell the devices of all other namespaces, each outside of the RCU read section: it may have many
 * QPs. One that is being unregistered takes its QPs along itself.
 */
static void tell_devices(u32 number)
{
	struct roce_device *device;
	u32 index = 0;
	bool stays;

	do {
		rcu_read_lock();
		device = lowest_from(index);
		stays = device && ib_device_try_get(&device->svt.ibdev);
		if (device)
			index = device->svt.ibdev.index + 1;
		rcu_read_unlock();
		if (stays) {
			svt_netns_gone(&device->svt, number);
			ib_device_put(&device->svt.ibdev);
		}
	} while (device);
}

/*
 * Before anything of the namespace goes. A grace period follows, so that no receiver looks at the
 * list any more when it is freed.
 *
 * No device can be added meanwhile: netlink needs a socket of the living namespace, and when the
 * module goes the link type is unregistered already. Each device found is registered, or another
 * task is unregistering it; ib_unregister_device() returns when that is done, and done means that
 * roce_release() took it off the list.
 */
static void roce_net_pre_exit(struct net *net)
{
	struct roce_net *rnet = roce_net(net);
	struct roce_device *device;

	while ((device = first_device(rnet))) {
		ib_unregister_device(&device->svt.ibdev);
		put_device(&device->svt.ibdev.dev);
	}
	roce_netns_remove(rnet);
	/* Pairs with the barrier in find_source(): who is not seen here finds no namespace */
	smp_mb();
	if (!READ_ONCE(rnet->had_guests))
		return;
	roce_gids_leave(rnet);
	roce_routes_leave(rnet);
	tell_devices(rnet->number);
}

static void roce_net_exit(struct net *net)
{
	struct roce_net *rnet = roce_net(net);

	WARN_ON_ONCE(rnet->users);
	mutex_destroy(&rnet->sockets_lock);
}

static struct pernet_operations roce_net_ops = {
	.init = roce_net_init,
	.pre_exit = roce_net_pre_exit,
	.exit = roce_net_exit,
	.id = &roce_net_id,
	.size = sizeof(struct roce_net),
};

/**
 * roce_namespace_init() - follow the coming and going of namespaces
 *
 * Context: module init.
 * Return: 0 or -ENOMEM.
 */
int roce_namespace_init(void)
{
	return register_pernet_device(&roce_net_ops);
}

/**
 * roce_namespace_exit() - unregister the devices of all namespaces
 *
 * Context: module exit; the link type is unregistered, the netdev notifier too.
 */
void roce_namespace_exit(void)
{
	unregister_pernet_device(&roce_net_ops);
}
