/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_NAMESPACE_H
#define ROCE_NAMESPACE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>

struct sock;
struct socket;

/* Sockets of a namespace: one for each version of IP */
#define ROCE_SOCKETS	2

/* Of the number of buckets, a binary logarithm: some GIDs for each of some hundred addresses */
#define ROCE_GID_BITS	7

/**
 * struct roce_net - what the backend keeps for a network namespace
 * @net: the namespace
 * @number: no other has it, nor had it; not 0
 * @lock: serialises changes of @devices, and protects roce_device.gone
 * @devices: all roce_device of the namespace, by their node; readers use RCU
 * @gids: struct roce_gid of these and of devices of other namespaces; see gid_table.c
 * @had_guests: there were GIDs or paths of such; set at any time
 * @routes: struct roce_route in the namespace; see route.c
 * @sockets_lock: protects what follows; may be taken with RTNL held
 * @users: devices and GIDs that hold the sockets open
 * @sockets: IPv4, and IPv6 where the host has it
 * @sk: the same for readers under RCU, while the hooks are there
 */
struct roce_net {
	struct net *net;
	u32 number;
	spinlock_t lock; /* see above */
	struct list_head devices;
	struct hlist_head gids[1 << ROCE_GID_BITS];
	bool had_guests;
	struct list_head routes;
	struct mutex sockets_lock; /* see above */
	unsigned int users;
	struct socket *sockets[ROCE_SOCKETS];
	struct sock __rcu *sk[ROCE_SOCKETS];
};

extern unsigned int roce_net_id;

struct roce_net *roce_net(const struct net *net);
struct roce_net *roce_netns_find(u32 number);
struct net *roce_netns_get(u32 number);
int roce_netns_add(struct roce_net *rnet);
void roce_netns_remove(struct roce_net *rnet);

#endif
