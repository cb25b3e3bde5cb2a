// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What `rdma link add`, `rdma link delete` and `rdma resource show` do, in this thread, whose
 * allocations are the ones that fail.  One request at a time, no memory of its own allocated.
 */
#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"
#include "rdmanl.h"
#include "suite.h"

static int nl_socket = -1;

static void start(struct netlink_request *r, int command, int flags)
{
	netlink_start(r, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags, NULL, 0);
}

int rdmanl_open(void)
{
	nl_socket = netlink_open(NETLINK_RDMA);
	return nl_socket < 0 ? -nl_socket : 0;
}

int rdmanl_link_add(const char *device, const char *type, const char *netdev)
{
	struct netlink_request r;

	start(&r, RDMA_NLDEV_CMD_NEWLINK, NLM_F_ACK);
	netlink_add_text(&r, RDMA_NLDEV_ATTR_DEV_NAME, device);
	netlink_add_text(&r, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	netlink_add_text(&r, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return netlink_talk(nl_socket, &r, NULL, NULL);
}

int rdmanl_link_delete(u32 index)
{
	struct netlink_request r;

	start(&r, RDMA_NLDEV_CMD_DELLINK, NLM_F_ACK);
	netlink_add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	return netlink_talk(nl_socket, &r, NULL, NULL);
}

struct search {
	const char *device;
	bool is_it;		/* the device of this message */
	u32 number;
	u32 *index;
	bool found;
};

static void take_identity(const struct nlattr *attr, void *arg)
{
	struct search *s = arg;

	if (attribute_type(attr) == RDMA_NLDEV_ATTR_DEV_NAME)
		s->is_it = !strcmp(attribute_data(attr), s->device);
	if (attribute_type(attr) == RDMA_NLDEV_ATTR_DEV_INDEX)
		s->number = attribute_number(attr);
}

static void take_device(const struct nlmsghdr *header, void *arg)
{
	struct search *s = arg;

	s->is_it = false;
	message_attributes(header, 0, take_identity, s);
	if (!s->is_it)
		return;
	*s->index = s->number;
	s->found = true;
}

int rdmanl_device_index(const char *device, u32 *index)
{
	struct search s = { .device = device, .index = index };
	struct netlink_request r;
	int err;

	start(&r, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	err = netlink_talk(nl_socket, &r, take_device, &s);
	if (err)
		return err;
	return s.found ? 0 : ENODEV;
}

static void take_count(const struct nlattr *attr, void *arg)
{
	struct rdmanl_counts *counts = arg;

	if (attribute_type(attr) == RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME)
		snprintf(counts->of[counts->kinds].name, sizeof(counts->of[0].name), "%s",
			 (const char *)attribute_data(attr));
	if (attribute_type(attr) == RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR)
		counts->of[counts->kinds].number = attribute_number(attr);
}

static void take_kind(const struct nlattr *attr, void *arg)
{
	struct rdmanl_counts *counts = arg;

	if (attribute_type(attr) != RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY ||
	    counts->kinds == RDMANL_KINDS)
		return;
	nested_attributes(attr, take_count, counts);
	counts->kinds++;
}

static void take_summary(const struct nlattr *attr, void *arg)
{
	if (attribute_type(attr) == RDMA_NLDEV_ATTR_RES_SUMMARY)
		nested_attributes(attr, take_kind, arg);
}

static void take_counts(const struct nlmsghdr *header, void *arg)
{
	message_attributes(header, 0, take_summary, arg);
}

int rdmanl_count(u32 index, struct rdmanl_counts *counts)
{
	struct netlink_request r;
	int err;

	memset(counts, 0, sizeof(*counts));
	start(&r, RDMA_NLDEV_CMD_RES_GET, 0);
	netlink_add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	err = netlink_talk(nl_socket, &r, take_counts, counts);
	if (!err && !counts->kinds)
		err = EPROTO;
	return err;
}

int rdmanl_show(u32 index, int command, message_fn fn)
{
	struct netlink_request r;

	start(&r, command, NLM_F_DUMP);
	netlink_add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	return netlink_talk(nl_socket, &r, fn, NULL);
}

int rdmanl_show_counters(u32 index, message_fn fn)
{
	u32 port = 1, kind = RDMA_NLDEV_ATTR_RES_QP;
	struct netlink_request r;

	start(&r, RDMA_NLDEV_CMD_STAT_GET, NLM_F_DUMP);
	netlink_add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	netlink_add(&r, RDMA_NLDEV_ATTR_PORT_INDEX, &port, sizeof(port));
	netlink_add(&r, RDMA_NLDEV_ATTR_STAT_RES, &kind, sizeof(kind));
	return netlink_talk(nl_socket, &r, fn, NULL);
}

bool rdmanl_same(const struct rdmanl_counts *a, const struct rdmanl_counts *b)
{
	return !memcmp(a, b, sizeof(*a));
}

void rdmanl_note(const char *when, const struct rdmanl_counts *counts)
{
	char text[32 * RDMANL_KINDS];
	int length = 0;
	u32 i;

	for (i = 0; i < counts->kinds; i++)
		length += snprintf(text + length, sizeof(text) - length, " %s %u",
				   counts->of[i].name, (u32)counts->of[i].number);
	suite_note("%s:%.*s", when, length, text);
}
