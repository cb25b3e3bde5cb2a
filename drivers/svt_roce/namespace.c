// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Network namespaces: the list of devices in each, and the end of both.
 *
 * A device lives in the namespace that its netdev had when it was made, and dies no later than that
 * namespace. It goes in pre_exit, before ib_core moves RDMA devices away, before the netdevs are
 * unregistered and long before UDP is gone.
 */
#include <linux/rculist.h>
#include <net/netns/generic.h>

#include "device.h"
#include "namespace.h"

static unsigned int roce_net_id;

struct roce_net *roce_net(const struct net *net)
{
	return net_generic(net, roce_net_id);
}

static int roce_net_init(struct net *net)
{
	struct roce_net *rnet = roce_net(net);

	spin_lock_init(&rnet->lock);
	INIT_LIST_HEAD(&rnet->devices);
	mutex_init(&rnet->sockets_lock);
	return 0;
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
