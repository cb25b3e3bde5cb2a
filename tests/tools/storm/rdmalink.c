// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an administrator does to a netdev, and sees of a device.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdmalink.h"

#define GIDS	16

int netdev_set_up(const char *netdev, bool up)
{
	struct ifreq request = { };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return errno;
	snprintf(request.ifr_name, IFNAMSIZ, "%s", netdev);
	if (ioctl(fd, SIOCGIFFLAGS, &request))
		err = errno;
	request.ifr_flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
	if (!err && ioctl(fd, SIOCSIFFLAGS, &request))
		err = errno;
	close(fd);
	return err;
}

bool rdmalink_exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", name);
	return !access(path, F_OK);
}

bool rdmalink_has_gid(const char *name)
{
	char path[128], gid[64];
	bool found = false;
	FILE *file;
	u32 i;

	for (i = 0; i < GIDS && !found; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%u", name, i);
		file = fopen(path, "r");
		if (!file)
			continue;
		found = fgets(gid, sizeof(gid), file) && strstr(gid, ":ffff:");
		fclose(file);
	}
	return found;
}
