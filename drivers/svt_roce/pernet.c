// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Network namespaces come and go, with the devices and GIDs in each. A device dies no later than
 * the namespace in which it was made: in pre_exit, before ib_core moves RDMA devices away, before
 * the netdevs are unregistered and long before UDP is gone. GIDs of other namespaces' devices go as
 * well, with all that used them.
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

/* Return: its memory stays until put_device(); or NULL */
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

/* Return: of all namespaces' devices the one with the lowest index from @index on, or NULL */
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

/* Outside of the RCU read section: it may have many QPs. A device that goes takes its QPs along */
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
 * list when it is freed. No device can be added: netlink needs a socket of the living namespace,
 * and the link type is gone before the module. ib_unregister_device() returns when the device is
 * unregistered, whoever does it: roce_release() has taken it off the list then.
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
	/* Pairs with the barrier in find_source(): a path not seen here finds no namespace */
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

int roce_namespace_init(void)
{
	return register_pernet_device(&roce_net_ops);
}

/* The link type and the netdev notifier are unregistered already */
void roce_namespace_exit(void)
{
	unregister_pernet_device(&roce_net_ops);
}
