/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_SOCKET_H
#define ROCE_SOCKET_H

struct net;

int roce_sockets_get(struct net *net);
void roce_sockets_put(struct net *net);

#endif
