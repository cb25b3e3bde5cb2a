/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SVT_COMPAT_NET_UDP_TUNNEL_H
#define SVT_COMPAT_NET_UDP_TUNNEL_H

#include_next <net/udp_tunnel.h>
#include <net/sock.h>

#ifndef SVT_HAVE_SETUP_UDP_TUNNEL_SOCK
static inline void svt_compat_setup_udp_tunnel_sock(struct net *net, struct sock *sk,
						    struct udp_tunnel_sock_cfg *config)
{
	setup_udp_tunnel_sock(net, sk->sk_socket, config);
}

#define setup_udp_tunnel_sock	svt_compat_setup_udp_tunnel_sock
#endif

#ifndef SVT_HAVE_UDP_TUNNEL_SOCK_RELEASE
static inline void svt_compat_udp_tunnel_sock_release(struct sock *sk)
{
	udp_tunnel_sock_release(sk->sk_socket);
}

#define udp_tunnel_sock_release	svt_compat_udp_tunnel_sock_release
#endif

#endif
