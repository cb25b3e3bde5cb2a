// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages of netlink and their attributes, whatever the family. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

void netlink_start(struct netlink_request *r, int type, int flags, const void *family, u32 length)
{
	static u32 sequence;

	memset(r, 0, sizeof(*r));
	r->header.nlmsg_len = NLMSG_LENGTH(length);
	r->header.nlmsg_type = type;
	r->header.nlmsg_flags = NLM_F_REQUEST | flags;
	r->header.nlmsg_seq = ++sequence;
	if (length)
		memcpy(NLMSG_DATA(&r->header), family, length);
}

void netlink_add(struct netlink_request *r, int type, const void *data, u32 length)
{
	u32 at = NLMSG_ALIGN(r->header.nlmsg_len);
	struct nlattr *attr = (void *)((u8 *)r + at);

	if (at + NLA_HDRLEN + length > sizeof(*r))
		abort();
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	memcpy(attr + 1, data, length);
	r->header.nlmsg_len = at + NLA_ALIGN(attr->nla_len);
}

void netlink_add_text(struct netlink_request *r, int type, const char *text)
{
	netlink_add(r, type, text, strlen(text) + 1);
}

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

u64 attribute_number(const struct nlattr *attr)
{
	u64 number = 0;
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
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	return fd < 0 ? -errno : fd;
}

/* Whether more messages come behind one that is no error and no end */
static bool goes_on(const struct netlink_request *r)
{
	return (r->header.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP ||
	       r->header.nlmsg_flags & NLM_F_ACK;
}

/* Negative as long as the answer goes on. What came too late for the request before is not ours */
static int take_message(const struct netlink_request *r, const struct nlmsghdr *header,
			message_fn fn, void *arg)
{
	const struct nlmsgerr *error = NLMSG_DATA(header);

	if (header->nlmsg_seq != r->header.nlmsg_seq)
		return -1;
	if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE)
		return -error->error;
	if (fn)
		fn(header, arg);
	return goes_on(r) ? -1 : 0;
}

int netlink_talk(int fd, struct netlink_request *r, message_fn fn, void *arg)
{
	static char buf[65536] __attribute__((aligned(8)));
	int ret = -1;

	if (send(fd, r, r->header.nlmsg_len, 0) < 0)
		return errno;
	while (ret < 0) {
		const struct nlmsghdr *header = (void *)buf;
		ssize_t len = recv(fd, buf, sizeof(buf), 0);

		if (len < 0)
			return errno;
		for (; ret < 0 && NLMSG_OK(header, len); header = NLMSG_NEXT(header, len))
			ret = take_message(r, header, fn, arg);
	}
	return ret;
}
