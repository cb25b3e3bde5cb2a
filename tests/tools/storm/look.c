// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What anybody may look at, over and over: `rdma resource show` of each kind of object, and `rdma
 * statistic`, without the start of a program each time, so that objects are met at any moment of
 * their lives.
 */
#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "modes.h"
#include "netlink.h"
#include "rdmanl.h"
#include "report.h"

static atomic_bool stop;

static void on_signal(int number)
{
	(void)number;
	atomic_store(&stop, true);
}

static void count(const struct nlmsghdr *header, void *arg)
{
	(void)header;
	(void)arg;
	tally(TALLY_ANSWERS);
}

/* Return: 0 or an errno */
static int look(int fd, int command, u32 index, bool of_qps)
{
	struct netlink_request r;
	u32 port = 1, kind = RDMA_NLDEV_ATTR_RES_QP;

	netlink_start(&r, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), NLM_F_DUMP, NULL, 0);
	netlink_add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	if (of_qps) {
		netlink_add(&r, RDMA_NLDEV_ATTR_PORT_INDEX, &port, sizeof(port));
		netlink_add(&r, RDMA_NLDEV_ATTR_STAT_RES, &kind, sizeof(kind));
	}
	return netlink_talk(fd, &r, count, NULL);
}

static void look_at_all(int fd, u32 index)
{
	static const int commands[] = {
		RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_CMD_RES_MR_GET,
		RDMA_NLDEV_CMD_RES_SRQ_GET, RDMA_NLDEV_CMD_STAT_GET,
	};
	u32 i;
	int err;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		err = look(fd, commands[i], index, commands[i] == RDMA_NLDEV_CMD_STAT_GET);
		if (err)
			fail("command %d: %s", commands[i], strerror(err));
	}
}

/* Until SIGTERM, or so many rounds */
void mode_look(struct test *o)
{
	int fd, err = rdmanl_open();
	u32 index[2], i;
	u64 round;

	for (i = 0; i < 2 && !err; i++)
		err = rdmanl_device_index(o->devices[i], &index[i]);
	fd = err ? -err : netlink_open(NETLINK_RDMA);
	if (fd < 0) {
		fail("netlink: %s", strerror(-fd));
		return;
	}
	signal(SIGTERM, on_signal);
	for (round = 0; !atomic_load(&stop) && !failed(); round++) {
		if (o->amount && round == o->amount)
			break;
		for (i = 0; i < 2; i++)
			look_at_all(fd, index[i]);
		tally(TALLY_OPERATIONS);
	}
	close(fd);
}
