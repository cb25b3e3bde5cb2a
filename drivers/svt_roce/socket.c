// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The UDP sockets and the hooks that receive for all devices and GIDs of a namespace.
 *
 * They come with the first device or GID of the namespace and go with the last. As kernel sockets
 * they hold no reference on it. Nothing is sent through them; packets go out by transmit.c. The
 * sockets own the port, and have GRO merge what comes to it; most packets are taken by the hooks,
 * in front of them, see receive.c.
 * roce_net.sockets_lock protects the count and the pointers. A socket's own lock, which to lockdep
 * is that of any UDP or TCP socket, is taken when it is opened and closed only, inside of that.
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

/*
 * GRO merges datagrams for a socket with UDP_GRO only: those of one flow that have a checksum.
 * receive.c takes such an skb apart again, as it does one that the sender made.
 */
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

/* Readers of the second kind of pointers are done when udp_tunnel_sock_release() returns */
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

/**
 * roce_sockets_get() - have the RoCE sockets of a namespace open
 * @net: the namespace
 *
 * Context: may sleep; RTNL may be held.
 * Return: 0 or a negative errno; -EADDRINUSE when somebody else has the port.
 */
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

/**
 * roce_sockets_put() - undo roce_sockets_get()
 * @net: the namespace
 *
 * Context: may sleep; RTNL may be held.
 */
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
