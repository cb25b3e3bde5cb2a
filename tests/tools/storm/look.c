// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What anybody may look at, over and over: `rdma resource show` of each kind of object, and `rdma
 * statistic`, without the start of a program each time, so that objects are met at any moment of
 * their lives.
 */
#include <rdma/rdma_netlink.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "modes.h"
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

static void look_at_all(u32 index)
{
	static const int commands[] = {
		RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_CMD_RES_MR_GET,
		RDMA_NLDEV_CMD_RES_SRQ_GET,
	};
	int err;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		err = rdmanl_show(index, commands[i], count);
		if (err)
			fail("command %d: %s", commands[i], strerror(err));
	}
	err = rdmanl_show_counters(index, count);
	if (err)
		fail("counters: %s", strerror(err));
}

/* Until SIGTERM, or so many rounds */
void mode_look(struct test *o)
{
	int err = rdmanl_open();
	u32 index[2], i;
	u64 round;

	for (i = 0; i < 2 && !err; i++)
		err = rdmanl_device_index(o->devices[i], &index[i]);
	if (err) {
		fail("netlink: %s", strerror(err));
		return;
	}
	signal(SIGTERM, on_signal);
	for (round = 0; !atomic_load(&stop) && !failed(); round++) {
		if (o->amount && round == o->amount)
			break;
		for (i = 0; i < 2; i++)
			look_at_all(index[i]);
		tally(TALLY_OPERATIONS);
	}
}
