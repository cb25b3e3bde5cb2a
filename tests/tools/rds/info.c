// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What rds_rdma says of itself */
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "rds.h"

/* Fills @list.  Return: the size of it in bytes; each element has @each. */
static u32 info(int what, void *list, u32 most, size_t each)
{
	int fd = socket(AF_RDS, SOCK_SEQPACKET, 0), ret;
	socklen_t len = most;

	if (fd < 0)
		err(1, "socket");
	ret = getsockopt(fd, SOL_RDS, what, list, &len);
	if (ret < 0)
		err(1, "getsockopt");
	if (ret != (int)each)
		errx(1, "elements have %d bytes, not %zu", ret, each);
	return len;
}

int print_connections(void)
{
	static struct rds_info_rdma_connection list[256], *c;
	u32 len = info(RDS_INFO_IB_CONNECTIONS, list, sizeof(list), sizeof(*list));
	static const u8 none[RDS_IB_GID_LEN];
	char text[4][INET6_ADDRSTRLEN];

	for (c = list; (char *)c < (char *)list + len; c++) {
		inet_ntop(AF_INET, &c->src_addr, text[0], sizeof(text[0]));
		inet_ntop(AF_INET, &c->dst_addr, text[1], sizeof(text[1]));
		if (!memcmp(c->src_gid, none, sizeof(none))) {
			printf("%s %s down\n", text[0], text[1]);
			continue;
		}
		inet_ntop(AF_INET6, c->src_gid, text[2], sizeof(text[2]));
		inet_ntop(AF_INET6, c->dst_gid, text[3], sizeof(text[3]));
		printf("%s %s %s %s\n", text[0], text[1], text[2], text[3]);
	}
	return 0;
}

int print_counters(void)
{
	static struct rds_info_counter list[256];
	u32 i, len = info(RDS_INFO_COUNTERS, list, sizeof(list), sizeof(*list));

	for (i = 0; i < len / sizeof(*list); i++)
		printf("%.32s %llu\n", (const char *)list[i].name,
		       (unsigned long long)list[i].value);
	return 0;
}
