// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.1: for a struct sock instead of its struct socket */
#include <net/udp_tunnel.h>

#ifdef OLD
void probe(struct net *net, struct socket *sock, struct udp_tunnel_sock_cfg *config)
#else
void probe(struct net *net, struct sock *sock, struct udp_tunnel_sock_cfg *config)
#endif
{
	setup_udp_tunnel_sock(net, sock, config);
}
