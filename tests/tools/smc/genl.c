// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Generic netlink, of which SMC has a family. */
#include <err.h>
#include <linux/genetlink.h>
#include <linux/smc.h>
#include <string.h>

#include "genl.h"

struct taker {
	attribute_fn fn;
	void *arg;
};

static void start(struct netlink_request *request, int family, int flags, int command)
{
	const struct genlmsghdr header = { .cmd = command, .version = SMC_GENL_FAMILY_VERSION };

	netlink_start(request, family, flags, &header, sizeof(header));
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
	struct netlink_request request;
	int ret;

	genl->fd = netlink_open(NETLINK_GENERIC);
	if (genl->fd < 0)
		errx(1, "netlink: %s", strerror(-genl->fd));
	genl->family = 0;
	start(&request, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY);
	netlink_add_text(&request, CTRL_ATTR_FAMILY_NAME, SMC_GENL_FAMILY_NAME);
	ret = netlink_talk(genl->fd, &request, take_message, &taker);
	if (ret || !genl->family)
		errx(1, "no %s: %s", SMC_GENL_FAMILY_NAME, strerror(ret));
}

int genl_do(struct genl *genl, int command, int type, const char *text)
{
	struct netlink_request request;

	start(&request, genl->family, NLM_F_ACK, command);
	netlink_add_text(&request, type, text);
	return netlink_talk(genl->fd, &request, NULL, NULL);
}

int genl_dump(struct genl *genl, int command, attribute_fn fn, void *arg)
{
	struct taker taker = { fn, arg };
	struct netlink_request request;

	start(&request, genl->family, NLM_F_DUMP, command);
	return netlink_talk(genl->fd, &request, take_message, &taker);
}
