/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_RDMALINK_H
#define STORM_RDMALINK_H

#include "types.h"

/* `ip link set NETDEV up`, or down, in the caller's namespace.  Return: 0 or an errno. */
int netdev_set_up(const char *netdev, bool up);

/* Whether the device is there; whether it has an IPv4 GID, which comes a little later */
bool rdmalink_exists(const char *name);
bool rdmalink_has_gid(const char *name);

#endif
