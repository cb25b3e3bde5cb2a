/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_SOCKET_H
#define PACKETS_SOCKET_H

#include "types.h"

/*
 * Packet sockets of a netdev of the namespace that we are in. A protocol of 0 hears nothing.
 * Each returns a descriptor, an index or 0; or a negative errno.
 */
int socket_open(int index, u16 protocol);
int socket_option(int fd, int level, int option, int value);
/* The index of the netdev, and its MAC */
int socket_netdev(const char *netdev, u8 *mac);

#endif
