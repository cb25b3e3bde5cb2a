// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Network namespaces. Paths and flows know one by number, so that they need not keep it */
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

/* NULL: it has ended; else it stays until the RCU read section ends */
struct roce_net *roce_netns_find(u32 number)
{
	return xa_load(&namespaces, number);
}

/* For put_net(). NULL: it ends */
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

/* A number comes again after 2^32 namespaces */
int roce_netns_add(struct roce_net *rnet)
{
	int ret = xa_alloc_cyclic(&namespaces, &rnet->number, rnet, xa_limit_32b, &last_number,
				  GFP_KERNEL);

	return min(ret, 0);
}

void roce_netns_remove(struct roce_net *rnet)
{
	xa_erase(&namespaces, rnet->number);
}
