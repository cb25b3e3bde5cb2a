// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the backend keeps for a network namespace. Paths and flows know one by its number, so that
 * they need not keep it.
 */
#include <linux/xarray.h>
#include <net/netns/generic.h>

#include "namespace.h"

unsigned int roce_net_id;

/* struct roce_net by number; looked up under RCU */
static DEFINE_XARRAY_ALLOC1(namespaces);
static u32 last_number;

struct roce_net *roce_net(const struct net *net)
{
	return net_generic(net, roce_net_id);
}

/**
 * roce_netns_find() - the namespace of a path
 * @number: svt_path.netns, which is roce_net.number
 *
 * Context: RCU read section, to the end of which the namespace stays.
 * Return: what is kept for it, or NULL: it has ended.
 */
struct roce_net *roce_netns_find(u32 number)
{
	return xa_load(&namespaces, number);
}

/**
 * roce_netns_get() - roce_netns_find() for who may sleep
 * @number: as there
 *
 * Context: any.
 * Return: the namespace, for put_net(), or NULL: it ends.
 */
struct net *roce_netns_get(u32 number)
{
	struct roce_net *rnet;
	struct net *net;

	rcu_read_lock();
	rnet = roce_netns_find(number);
	net = rnet ? maybe_get_net(rnet->net) : NULL;
	rcu_read_unlock();
	return net;
}

/**
 * roce_netns_add() - give a namespace its number
 * @rnet: of the namespace
 *
 * A number comes again after 2^32 namespaces.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int roce_netns_add(struct roce_net *rnet)
{
	int ret = xa_alloc_cyclic(&namespaces, &rnet->number, rnet, xa_limit_32b, &last_number,
				  GFP_KERNEL);

	return min(ret, 0);
}

/**
 * roce_netns_remove() - a namespace ends: roce_netns_find() finds it no more
 * @rnet: of the namespace
 *
 * Context: may sleep.
 */
void roce_netns_remove(struct roce_net *rnet)
{
	xa_erase(&namespaces, rnet->number);
}
