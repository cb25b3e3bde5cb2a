/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_FLUSH_H
#define TOOLS_FLUSH_H

#include <infiniband/verbs.h>

#include "types.h"

/* Names that rdma-core does not have yet: of the device, of access rights, of a completion */
#define DEVICE_FLUSH_GLOBAL	(1ULL << 38)
#define DEVICE_FLUSH_PERSISTENT	(1ULL << 39)
#define DEVICE_ATOMIC_WRITE	(1ULL << 40)
#define ACCESS_FLUSH_GLOBAL	(1 << 8)
#define ACCESS_FLUSH_PERSISTENT	(1 << 9)
#define WC_FLUSH		8

#define FLUSH_GLOBAL		1
#define FLUSH_PERSISTENT	2
#define FLUSH_RANGE		0
#define FLUSH_REGION		1

struct flush {
	u64 wr_id;
	u64 addr;
	u32 rkey;
	u32 length;
	u8 placement;
	u8 selectivity;
};

/*
 * Posts a FLUSH to a QP that has IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM.
 * Return: 0 or an errno, EOPNOTSUPP where nothing is known of the device's queues.
 */
int flush_post(struct ibv_qp_ex *q, const struct flush *f);

#endif
