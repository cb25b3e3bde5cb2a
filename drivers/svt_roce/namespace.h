/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_NAMESPACE_H
#define ROCE_NAMESPACE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <net/net_namespace.h>

struct socket;

/* Sockets of a namespace: one for each version of IP */
#define ROCE_SOCKETS	2

/**
 * struct roce_net - what the backend keeps for a network namespace
 * @lock: serialises changes of @devices, and protects roce_device.gone
 * @devices: all roce_device of the namespace, by their node; readers use RCU
 * @sockets_lock: protects what follows; RTNL may be taken inside, never outside of it
 * @users: devices that hold the sockets open
 * @sockets: IPv4, and IPv6 where the host has it
 */
struct roce_net {
	spinlock_t lock; /* see above */
	struct list_head devices;
	struct mutex sockets_lock; /* see above */
	unsigned int users;
	struct socket *sockets[ROCE_SOCKETS];
};

struct roce_net *roce_net(const struct net *net);
int roce_namespace_init(void);
void roce_namespace_exit(void);

#endif
