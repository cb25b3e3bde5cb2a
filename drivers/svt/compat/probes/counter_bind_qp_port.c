// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.17: counter_bind_qp() is given the port */
#include <rdma/ib_verbs.h>

#ifdef OLD
static int counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp)
#else
static int counter_bind_qp(struct rdma_counter *counter, struct ib_qp *qp, u32 port)
#endif
{
	return 0;
}

const struct ib_device_ops ops = {
	.counter_bind_qp = counter_bind_qp,
};
