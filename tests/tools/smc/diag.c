// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* smc_diag: what the sockets of SMC in this network namespace go over. */
#include <err.h>
#include <linux/smc_diag.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "genl.h"

/* "DEVICE GID PEER-GID" of a link group */
static void print_link(const struct nlattr *attr, void *arg)
{
	const struct smc_diag_lgrinfo *info = attribute_data(attr);
	const struct smc_diag_linkinfo *link = &info->lnk[0];

	if (attribute_type(attr) == SMC_DIAG_LGRINFO && attribute_len(attr) >= (int)sizeof(*info))
		fprintf(arg, " %.*s %.*s %.*s", (int)sizeof(link->ibname), link->ibname,
			(int)sizeof(link->gid), link->gid,
			(int)sizeof(link->peer_gid), link->peer_gid);
}

static void print_socket(const struct nlmsghdr *header, void *arg)
{
	const struct smc_diag_msg *message = NLMSG_DATA(header);

	if (header->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
		errx(1, "a message of %u bytes", header->nlmsg_len);
	switch (message->diag_mode) {
	case SMC_DIAG_MODE_SMCR:
		fputs("SMC-R", arg);
		break;
	case SMC_DIAG_MODE_FALLBACK_TCP:
		fputs("TCP", arg);
		break;
	default:
		fprintf(arg, "mode %u", message->diag_mode);
	}
	message_attributes(header, sizeof(*message), print_link, arg);
	fputs("\n", arg);
}

int print_sockets(void)
{
	const struct smc_diag_req diag = {
		.diag_family = AF_SMC,
		.diag_ext = 1 << (SMC_DIAG_LGRINFO - 1),
	};
	struct netlink_request request;
	int fd = netlink_open(NETLINK_SOCK_DIAG), ret;

	netlink_start(&request, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &diag, sizeof(diag));
	ret = fd < 0 ? -fd : netlink_talk(fd, &request, print_socket, stdout);
	if (ret)
		errx(1, "smc_diag: %s", strerror(ret));
	return 0;
}
