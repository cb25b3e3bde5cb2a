// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What happens to the netdev below the device.  The device is told in the same thread, and has to
 * follow whatever fails.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../step.h"

#define SMALL_MTU	1500

static int request(struct bench *b, unsigned long what, struct ifreq *ifr)
{
	struct ibv_gid_entry entry;
	int err;

	err = ibv_query_gid_ex(b->here.dev.ctx, DEV_PORT, b->here.dev.gid_index, &entry, 0);
	if (err)
		return err;
	if (!if_indextoname(entry.ndev_ifindex, ifr->ifr_name))
		return errno;
	return ioctl(b->fd, what, ifr) ? errno : 0;
}

static int open_socket(struct bench *b)
{
	struct ifreq ifr = { 0 };
	int err;

	b->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (b->fd < 0)
		return errno;
	err = request(b, SIOCGIFMTU, &ifr);
	b->number = ifr.ifr_mtu;
	return err;
}

static int set_mtu(struct bench *b)
{
	struct ifreq ifr = { .ifr_mtu = SMALL_MTU };

	return request(b, SIOCSIFMTU, &ifr);
}

static int set_mtu_back(struct bench *b)
{
	struct ifreq ifr = { .ifr_mtu = b->number };

	return request(b, SIOCSIFMTU, &ifr);
}

static int port_has(struct bench *b, u32 bytes)
{
	struct ibv_port_attr attr;

	return ibv_query_port(b->here.dev.ctx, DEV_PORT, &attr) ?:
	       (dev_mtu_bytes(attr.active_mtu) == bytes ? 0 : EPROTO);
}

static int has_small_mtu(struct bench *b)
{
	return port_has(b, 1024);
}

static int has_full_mtu(struct bench *b)
{
	return port_has(b, dev_mtu_bytes(b->here.dev.port.active_mtu));
}

static int close_socket(struct bench *b)
{
	int err = has_full_mtu(b);

	close(b->fd);
	b->fd = -1;
	return err;
}

const struct step netdev_steps[] = {
	{ .name = "netdev_mtu", .least = 1, .prepare = open_socket, .call = set_mtu,
	  .intact = has_full_mtu, .check = has_small_mtu, .undo = set_mtu_back,
	  .finish = close_socket },
	{ }
};
