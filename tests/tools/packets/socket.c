// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packet sockets: a netdev as a place to send and hear frames.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet.h"
#include "socket.h"

int socket_netdev(const char *netdev, u8 *mac)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { };
	int ret = 0;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", netdev);
	if (ioctl(fd, SIOCGIFHWADDR, &request))
		ret = -errno;
	memcpy(mac, request.ifr_hwaddr.sa_data, MAC_BYTES);
	close(fd);
	return ret ?: (int)if_nametoindex(netdev);
}

int socket_open(int index, u16 protocol)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = index,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -errno;
	}
	return fd;
}

int socket_option(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) ? -errno : 0;
}
