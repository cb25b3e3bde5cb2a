// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.16: ib_core calls this for each struct rdma_counter, and does not look whether it is there */
#include <rdma/ib_verbs.h>

#ifndef OLD
static void counter_init(struct rdma_counter *counter)
{
}

const struct ib_device_ops ops = {
	.counter_init = counter_init,
};
#endif
