// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices as an administrator makes them, by netlink.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdmalink.h"

#define GIDS	16

struct request {
	struct nlmsghdr head;
	u8 attributes[256];
};

static void put_string(struct request *r, u16 type, const char *text)
{
	u32 at = NLMSG_ALIGN(r->head.nlmsg_len);
	struct nlattr *attr = (struct nlattr *)((u8 *)r + at);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + strlen(text) + 1;
	memcpy((u8 *)attr + NLA_HDRLEN, text, strlen(text) + 1);
	r->head.nlmsg_len = at + attr->nla_len;
}

/* The kernel answers with an error number, 0 for success */
static int ask(const struct request *r)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		u8 rest[512];
	} answer;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (sendto(fd, r, r->head.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < 0)
		err = -errno;
	else if (answer.head.nlmsg_type == NLMSG_ERROR)
		err = answer.error.error;
	close(fd);
	return err;
}

int rdmalink_add(const char *name, const char *netdev)
{
	struct request r = {
		.head = {
			.nlmsg_len = NLMSG_HDRLEN,
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
	};

	put_string(&r, RDMA_NLDEV_ATTR_DEV_NAME, name);
	put_string(&r, RDMA_NLDEV_ATTR_LINK_TYPE, "svt");
	put_string(&r, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return ask(&r);
}

int netdev_set_up(const char *netdev, bool up)
{
	struct ifreq request = { };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	snprintf(request.ifr_name, IFNAMSIZ, "%s", netdev);
	if (ioctl(fd, SIOCGIFFLAGS, &request))
		err = -errno;
	request.ifr_flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
	if (!err && ioctl(fd, SIOCSIFFLAGS, &request))
		err = -errno;
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
