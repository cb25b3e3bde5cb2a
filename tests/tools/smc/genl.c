// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Generic netlink, of which SMC has a family. */
#include <err.h>
#include <linux/genetlink.h>
#include <linux/smc.h>
#include <string.h>

#include "netlink.h"

struct request {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	char rest[256];
};

struct taker {
	attribute_fn fn;
	void *arg;
};

static void start(struct request *request, int family, int flags, int command)
{
	memset(request, 0, sizeof(*request));
	request->header.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	request->header.nlmsg_type = family;
	request->header.nlmsg_flags = NLM_F_REQUEST | flags;
	request->genl.cmd = command;
	request->genl.version = SMC_GENL_FAMILY_VERSION;
}

/* With its terminating zero */
static void add_text(struct request *request, int type, const char *text)
{
	struct nlattr *attr = (void *)request->rest;
	size_t len = strlen(text) + 1;

	if (len > sizeof(request->rest) - NLA_HDRLEN)
		errx(2, "%s: too long", text);
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy(request->rest + NLA_HDRLEN, text, len);
	request->header.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

static void take_message(const struct nlmsghdr *header, void *arg)
{
	struct taker *taker = arg;

	message_attributes(header, GENL_HDRLEN, taker->fn, taker->arg);
}

static void take_family(const struct nlattr *attr, void *arg)
{
	struct genl *genl = arg;

	if (attribute_type(attr) == CTRL_ATTR_FAMILY_ID)
		genl->family = attribute_number(attr);
}

void genl_open(struct genl *genl)
{
	struct taker taker = { take_family, genl };
	struct request request;
	int ret;

	genl->fd = netlink_open(NETLINK_GENERIC);
	genl->family = 0;
	start(&request, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY);
	add_text(&request, CTRL_ATTR_FAMILY_NAME, SMC_GENL_FAMILY_NAME);
	ret = netlink_talk(genl->fd, &request.header, take_message, &taker);
	if (ret || !genl->family)
		errx(1, "no %s: %s", SMC_GENL_FAMILY_NAME, strerror(ret));
}

int genl_do(struct genl *genl, int command, int type, const char *text)
{
	struct request request;

	start(&request, genl->family, NLM_F_ACK, command);
	add_text(&request, type, text);
	return netlink_talk(genl->fd, &request.header, NULL, NULL);
}

int genl_dump(struct genl *genl, int command, attribute_fn fn, void *arg)
{
	struct taker taker = { fn, arg };
	struct request request;

	start(&request, genl->family, NLM_F_DUMP, command);
	return netlink_talk(genl->fd, &request.header, take_message, &taker);
}
