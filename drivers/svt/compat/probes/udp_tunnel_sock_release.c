// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 7.1: for a struct sock instead of its struct socket */
#include <net/udp_tunnel.h>

#ifdef OLD
void probe(struct socket *sock)
#else
void probe(struct sock *sock)
#endif
{
	udp_tunnel_sock_release(sock);
}
