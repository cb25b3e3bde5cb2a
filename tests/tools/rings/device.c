// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Opening a device, and the two ways to give it commands: write() and ioctl().
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "device.h"

#define CLASS_VERBS	"/sys/class/infiniband_verbs"
#define CLASS_DEVICE	"/sys/class/infiniband"

static int read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return -errno;
	ok = fgets(line, size, f);
	fclose(f);
	if (!ok)
		return -EIO;
	line[strcspn(line, "\n")] = 0;
	return 0;
}

/* The character device of @name */
int device_node(const char *name, char *path, size_t size)
{
	struct dirent *entry;
	int ret = -ENODEV;
	DIR *dir = opendir(CLASS_VERBS);

	if (!dir)
		return -errno;
	while (ret && (entry = readdir(dir))) {
		char file[512], line[128];

		snprintf(file, sizeof(file), CLASS_VERBS "/%s/ibdev", entry->d_name);
		if (read_line(file, line, sizeof(line)) || strcmp(line, name))
			continue;
		snprintf(path, size, "/dev/infiniband/%s", entry->d_name);
		ret = 0;
	}
	closedir(dir);
	return ret;
}

static bool parse_gid(const char *text, u8 *gid)
{
	u32 i, word;

	for (i = 0; i < 8; i++, text += 5) {
		if (sscanf(text, "%4x", &word) != 1)
			return false;
		gid[2 * i] = word >> 8;
		gid[2 * i + 1] = word;
	}
	return true;
}

/* The first GID that stands for an IPv4 address */
static int find_gid(struct device *dev)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };
	char path[256], line[128];
	u32 i;

	for (i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), CLASS_DEVICE "/%s/ports/1/gids/%u", dev->name, i);
		if (read_line(path, line, sizeof(line)) || !parse_gid(line, dev->gid) ||
		    memcmp(dev->gid, mapped, sizeof(mapped)))
			continue;
		dev->gid_index = i;
		return 0;
	}
	return -EADDRNOTAVAIL;
}

static int query_port(struct device *dev)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_query_port core;
	} request = { .core.port_num = 1 };
	struct ib_uverbs_query_port_resp response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_QUERY_PORT, &request, sizeof(request),
			     &response, sizeof(response));
	dev->mtu = response.active_mtu;
	return ret;
}

static int get_context(struct device *dev)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context core;
		struct svt_alloc_ucontext_req svt;
	} request = {};
	struct {
		struct ib_uverbs_get_context_resp core;
		struct svt_alloc_ucontext_resp svt;
	} response;
	int ret;

	ret = device_command(dev->fd, IB_USER_VERBS_CMD_GET_CONTEXT, &request, sizeof(request),
			     &response, sizeof(response));
	if (ret)
		return ret;
	dev->async_fd = response.core.async_fd;
	return fcntl(dev->async_fd, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

int device_open(struct device *dev, const char *name)
{
	char path[256];
	int ret;

	*dev = (struct device){ .name = name, .fd = -1, .async_fd = -1 };
	ret = device_node(name, path, sizeof(path));
	if (ret)
		return ret;
	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return -errno;
	ret = get_context(dev);
	if (!ret)
		ret = query_port(dev);
	if (!ret)
		ret = find_gid(dev);
	if (ret)
		device_close(dev);
	return ret;
}

void device_close(struct device *dev)
{
	if (dev->async_fd >= 0)
		close(dev->async_fd);
	if (dev->fd >= 0)
		close(dev->fd);
	dev->async_fd = -1;
	dev->fd = -1;
}

int device_command(int fd, u32 command, void *request, size_t size, void *response,
		   size_t response_size)
{
	struct ib_uverbs_cmd_hdr *hdr = request;
	u64 address = (uintptr_t)response;

	hdr->command = command;
	hdr->in_words = size / 4;
	hdr->out_words = response_size / 4;
	if (response)
		memcpy(hdr + 1, &address, sizeof(address));
	return write(fd, request, size) < 0 ? -errno : 0;
}

void ioctl_begin(struct ioctl_command *c, u16 object, u16 method)
{
	c->hdr = (struct ib_uverbs_ioctl_hdr){
		.length = sizeof(c->hdr),
		.object_id = object,
		.method_id = method,
		.driver_id = SVT_DRIVER_ID,
	};
}

struct ib_uverbs_attr *ioctl_add(struct ioctl_command *c, u16 id, u16 len, u64 data)
{
	struct ib_uverbs_attr *attr = &c->attrs[c->hdr.num_attrs++];

	*attr = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = len,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
	c->hdr.length += sizeof(*attr);
	return attr;
}

int device_ioctl(int fd, struct ioctl_command *c)
{
	return ioctl(fd, RDMA_VERBS_IOCTL, &c->hdr) ? -errno : 0;
}

int device_event(const struct device *dev, u64 *element, u32 ms)
{
	struct pollfd pollfd = { .fd = dev->async_fd, .events = POLLIN };
	struct ib_uverbs_async_event_desc event;

	if (ms)
		poll(&pollfd, 1, clock_scaled_ms(ms));
	if (read(dev->async_fd, &event, sizeof(event)) != sizeof(event))
		return -EAGAIN;
	*element = event.element;
	return event.event_type;
}
