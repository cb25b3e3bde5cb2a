// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The UDP sockets and the hooks that receive for all devices and GIDs of a namespace, as long as it
 * has one. Kernel sockets hold no reference on it. Nothing is sent through them: they own the port,
 * and have GRO merge what comes. The hooks, in front of them, take most packets, see receive.c.
 * roce_net.sockets_lock protects the count and the pointers. A socket's own lock, to lockdep that
 * of any UDP or TCP socket, is taken inside of that, only when it is opened and closed.
 */
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_verbs.h>

#include "guard.h"
#include "namespace.h"
#include "receive.h"
#include "socket.h"

/* Behind the firewall, and behind the translation of addresses */
static const struct nf_hook_ops hooks[] = {
	{
		.hook = roce_hook, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = roce_hook, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_IN,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = roce_guard, .pf = NFPROTO_IPV4, .hooknum = NF_INET_POST_ROUTING,
		.priority = NF_IP_PRI_LAST,
	}, {
		.hook = roce_guard, .pf = NFPROTO_IPV6, .hooknum = NF_INET_POST_ROUTING,
		.priority = NF_IP6_PRI_LAST,
	},
};

static void close_socket(struct socket **socket)
{
	if (*socket)
		udp_tunnel_sock_release((*socket)->sk);
	*socket = NULL;
}

/* GRO merges datagrams of a flow for UDP_GRO sockets only, and if they have a checksum */
static int merge_datagrams(struct socket *socket)
{
	int on = 1;

	return socket->ops->setsockopt(socket, SOL_UDP, UDP_GRO, KERNEL_SOCKPTR(&on), sizeof(on));
}

static int open_socket(struct net *net, u8 family, struct socket **socket)
{
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(ROCE_V2_UDP_DPORT),
		.ipv6_v6only = family == AF_INET6,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.encap_type = 1,
		.encap_rcv = roce_receive,
	};
	int ret;

	ret = udp_sock_create(net, &port, socket);
	if (ret)
		return ret;
	setup_udp_tunnel_sock(net, (*socket)->sk, &tunnel);
	ret = merge_datagrams(*socket);
	if (ret)
		close_socket(socket);
	return ret;
}

static int open_sockets(struct net *net, struct socket **sockets)
{
	int ret;

	ret = open_socket(net, AF_INET, &sockets[0]);
	if (ret)
		return ret;
	ret = open_socket(net, AF_INET6, &sockets[1]);
	/* A host without IPv6 is served by IPv4 alone */
	if (ret == -EAFNOSUPPORT || ret == -EPFNOSUPPORT)
		return 0;
	if (ret)
		close_socket(&sockets[0]);
	return ret;
}

/* Readers of rnet->sk are done when udp_tunnel_sock_release() returns */
static void close_sockets(struct roce_net *rnet)
{
	lockdep_assert_held(&rnet->sockets_lock);
	RCU_INIT_POINTER(rnet->sk[0], NULL);
	RCU_INIT_POINTER(rnet->sk[1], NULL);
	close_socket(&rnet->sockets[0]);
	close_socket(&rnet->sockets[1]);
}

static int open_all(struct net *net, struct roce_net *rnet)
{
	unsigned int i;
	int ret;

	lockdep_assert_held(&rnet->sockets_lock);
	ret = open_sockets(net, rnet->sockets);
	if (ret)
		return ret;
	for (i = 0; i < ROCE_SOCKETS; i++)
		rcu_assign_pointer(rnet->sk[i], rnet->sockets[i] ? rnet->sockets[i]->sk : NULL);
	ret = nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
	if (ret)
		close_sockets(rnet);
	return ret;
}

/* RTNL may be held. Return: -EADDRINUSE: somebody else has the port */
int roce_sockets_get(struct net *net)
{
	struct roce_net *rnet = roce_net(net);
	int ret = 0;

	mutex_lock(&rnet->sockets_lock);
	if (!rnet->users)
		ret = open_all(net, rnet);
	if (!ret)
		rnet->users++;
	mutex_unlock(&rnet->sockets_lock);
	return ret;
}

/* RTNL may be held */
void roce_sockets_put(struct net *net)
{
	struct roce_net *rnet = roce_net(net);

	mutex_lock(&rnet->sockets_lock);
	if (!--rnet->users) {
		nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
		close_sockets(rnet);
	}
	mutex_unlock(&rnet->sockets_lock);
}
