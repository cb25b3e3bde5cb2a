// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages of netlink and their attributes, whatever the family. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

int attribute_type(const struct nlattr *attr)
{
	return attr->nla_type & NLA_TYPE_MASK;
}

const void *attribute_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

int attribute_len(const struct nlattr *attr)
{
	return attr->nla_len - NLA_HDRLEN;
}

uint64_t attribute_number(const struct nlattr *attr)
{
	uint64_t number = 0;
	size_t len = attribute_len(attr);

	memcpy(&number, attribute_data(attr), len < sizeof(number) ? len : sizeof(number));
	return number;
}

static void each_attribute(const void *data, int len, attribute_fn fn, void *arg)
{
	const struct nlattr *attr = data;

	while (len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= len) {
		int step = NLA_ALIGN(attr->nla_len);

		fn(attr, arg);
		len -= step;
		attr = (const void *)((const char *)attr + step);
	}
}

void message_attributes(const struct nlmsghdr *header, int skip, attribute_fn fn, void *arg)
{
	skip = NLMSG_ALIGN(skip);
	each_attribute((const char *)NLMSG_DATA(header) + skip,
		       (int)header->nlmsg_len - NLMSG_LENGTH(skip), fn, arg);
}

void nested_attributes(const struct nlattr *attr, attribute_fn fn, void *arg)
{
	each_attribute(attribute_data(attr), attribute_len(attr), fn, arg);
}

int netlink_open(int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, protocol);

	if (fd < 0)
		err(1, "netlink");
	return fd;
}

/* Negative as long as the answer goes on */
static int take_message(const struct nlmsghdr *header, message_fn fn, void *arg)
{
	const struct nlmsgerr *error = NLMSG_DATA(header);

	if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE)
		return -error->error;
	if (fn)
		fn(header, arg);
	return -1;
}

int netlink_talk(int fd, const struct nlmsghdr *request, message_fn fn, void *arg)
{
	static char buf[65536] __attribute__((aligned(8)));
	int ret = -1;

	if (send(fd, request, request->nlmsg_len, 0) < 0)
		err(1, "send");
	while (ret < 0) {
		const struct nlmsghdr *header = (void *)buf;
		ssize_t len = recv(fd, buf, sizeof(buf), 0);

		if (len < 0)
			err(1, "recv");
		for (; ret < 0 && NLMSG_OK(header, len); header = NLMSG_NEXT(header, len))
			ret = take_message(header, fn, arg);
	}
	return ret;
}
