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

/* log2 of the buckets: some GIDs for each of some hundred addresses */
#define ROCE_GID_BITS	7

struct roce_net {
	struct net *net;
	u32 number; /* not 0; no other has it, nor had it */
	spinlock_t lock; /* changes of devices, roce_device.gone */
	struct list_head devices; /* by roce_device.node; readers use RCU */
	struct hlist_head gids[1 << ROCE_GID_BITS]; /* of these and others' devices: gid_table.c */
	bool had_guests; /* GIDs or paths of others' devices; set at any time */
	struct list_head routes;
	struct mutex sockets_lock; /* all below; may be taken with RTNL held */
	unsigned int users; /* devices and GIDs that hold the sockets open */
	struct socket *sockets[ROCE_SOCKETS];
	struct sock __rcu *sk[ROCE_SOCKETS]; /* for readers, while the hooks are there */
};

extern unsigned int roce_net_id;

struct roce_net *roce_net(const struct net *net);
struct roce_net *roce_netns_find(u32 number);
struct net *roce_netns_get(u32 number);
int roce_netns_add(struct roce_net *rnet);
void roce_netns_remove(struct roce_net *rnet);

#endif
