// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What `rdma link add`, `rdma link delete` and `rdma resource show` do, in this thread, whose
 * allocations are the ones that fail.  One request at a time, no memory of its own allocated.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rdmanl.h"
#include "suite.h"

struct message {
	struct nlmsghdr head;
	u8 attributes[512];
};

static int nl_socket = -1;
static u8 answer[1 << 16] __attribute__((aligned(8)));

static void message_start(struct message *m, int command, int flags)
{
	static u32 sequence;

	memset(m, 0, sizeof(*m));
	m->head.nlmsg_len = NLMSG_HDRLEN;
	m->head.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
	m->head.nlmsg_flags = NLM_F_REQUEST | flags;
	m->head.nlmsg_seq = ++sequence;
}

static void message_add(struct message *m, int type, const void *data, u32 length)
{
	struct nlattr *attribute = (void *)((u8 *)m + NLMSG_ALIGN(m->head.nlmsg_len));

	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + length;
	memcpy(attribute + 1, data, length);
	m->head.nlmsg_len = NLMSG_ALIGN(m->head.nlmsg_len) + NLA_ALIGN(attribute->nla_len);
}

static void message_add_text(struct message *m, int type, const char *text)
{
	message_add(m, type, text, strlen(text) + 1);
}

/* 0 and a message of @m's answer in @answer; its length is in its header */
static int receive(const struct message *m)
{
	const struct nlmsghdr *head = (void *)answer;
	ssize_t length;

	do {
		length = recv(nl_socket, answer, sizeof(answer), 0);
		if (length < 0)
			return errno;
		if (length < NLMSG_HDRLEN || head->nlmsg_len > length)
			return EPROTO;
	} while (head->nlmsg_seq != m->head.nlmsg_seq);
	return 0;
}

static int send_message(const struct message *m)
{
	return send(nl_socket, m, m->head.nlmsg_len, 0) < 0 ? errno : 0;
}

/* 0 and one message, or the errno in it */
static int ask(const struct message *m)
{
	const struct nlmsghdr *head = (void *)answer;
	int err = send_message(m) ?: receive(m);

	if (err || head->nlmsg_type != NLMSG_ERROR)
		return err;
	return -*(const int *)NLMSG_DATA(head);
}

int rdmanl_open(void)
{
	nl_socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	return nl_socket < 0 ? errno : 0;
}

int rdmanl_link_add(const char *device, const char *type, const char *netdev)
{
	struct message m;

	message_start(&m, RDMA_NLDEV_CMD_NEWLINK, NLM_F_ACK);
	message_add_text(&m, RDMA_NLDEV_ATTR_DEV_NAME, device);
	message_add_text(&m, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	message_add_text(&m, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return ask(&m);
}

int rdmanl_link_delete(u32 index)
{
	struct message m;

	message_start(&m, RDMA_NLDEV_CMD_DELLINK, NLM_F_ACK);
	message_add(&m, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	return ask(&m);
}

/* The attribute of @type among @length bytes, or NULL; @after: behind that one */
static const struct nlattr *find(const void *first, u32 length, int type,
				 const struct nlattr *after)
{
	const u8 *end = (const u8 *)first + length;
	const u8 *p = after ? (const u8 *)after + NLA_ALIGN(after->nla_len) : first;

	while (p + NLA_HDRLEN <= end) {
		const struct nlattr *attribute = (const void *)p;

		if (attribute->nla_len < NLA_HDRLEN || p + attribute->nla_len > end)
			break;
		if ((attribute->nla_type & NLA_TYPE_MASK) == type)
			return attribute;
		p += NLA_ALIGN(attribute->nla_len);
	}
	return NULL;
}

static const struct nlattr *find_in(const struct nlattr *parent, int type,
				    const struct nlattr *after)
{
	return find(parent + 1, parent->nla_len - NLA_HDRLEN, type, after);
}

static const struct nlattr *find_top(const struct nlmsghdr *head, int type)
{
	return find(NLMSG_DATA(head), head->nlmsg_len - NLMSG_HDRLEN, type, NULL);
}

static bool take_index(const struct nlmsghdr *head, const char *device, u32 *index)
{
	const struct nlattr *name = find_top(head, RDMA_NLDEV_ATTR_DEV_NAME);
	const struct nlattr *number = find_top(head, RDMA_NLDEV_ATTR_DEV_INDEX);

	if (!name || !number || strcmp((const char *)(name + 1), device))
		return false;
	memcpy(index, number + 1, sizeof(*index));
	return true;
}

/* Several messages may stand in one answer */
int rdmanl_device_index(const char *device, u32 *index)
{
	int err, found = ENODEV;
	struct message m;

	message_start(&m, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	err = send_message(&m);
	while (!err) {
		const struct nlmsghdr *head = (void *)answer;
		int left;

		err = recv(nl_socket, answer, sizeof(answer), 0);
		if (err <= 0)
			return errno;
		for (left = err, err = 0; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
			if (head->nlmsg_type == NLMSG_DONE)
				return found;
			if (head->nlmsg_type == NLMSG_ERROR)
				return -*(const int *)NLMSG_DATA(head);
			if (take_index(head, device, index))
				found = 0;
		}
	}
	return err;
}

static void take_count(struct rdmanl_counts *counts, const struct nlattr *entry)
{
	const struct nlattr *name, *number;

	name = find_in(entry, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, NULL);
	number = find_in(entry, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, NULL);
	if (!name || !number || counts->kinds == RDMANL_KINDS)
		return;
	snprintf(counts->of[counts->kinds].name, sizeof(counts->of[0].name), "%s",
		 (const char *)(name + 1));
	memcpy(&counts->of[counts->kinds++].number, number + 1, sizeof(counts->of[0].number));
}

int rdmanl_count(u32 index, struct rdmanl_counts *counts)
{
	const struct nlattr *summary, *entry = NULL;
	struct message m;
	int err;

	memset(counts, 0, sizeof(*counts));
	message_start(&m, RDMA_NLDEV_CMD_RES_GET, 0);
	message_add(&m, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	err = ask(&m);
	if (err)
		return err;
	summary = find_top((void *)answer, RDMA_NLDEV_ATTR_RES_SUMMARY);
	if (!summary)
		return EPROTO;
	while ((entry = find_in(summary, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, entry)))
		take_count(counts, entry);
	return counts->kinds ? 0 : EPROTO;
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
