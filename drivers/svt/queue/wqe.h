/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests, copied once out of a ring into kernel memory and validated there.
 */
#ifndef SVT_QUEUE_WQE_H
#define SVT_QUEUE_WQE_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/svt-abi.h>

#include "ring.h"

#define SVT_MAX_SGE		32
#define SVT_MAX_INLINE		1024
#define SVT_MAX_QP_WR		32768U
#define SVT_MAX_MESSAGE		0x80000000U

/* IB_WR_REG_MR of a kernel client. Not of the ABI: svt_wqe_limits.opcodes of processes lack it. */
#define SVT_WR_REG_MR		31

/**
 * struct svt_reg_wqe - SVT_WR_REG_MR, in svt_send_wqe.op_pad; as struct svt_fast_reg
 * @start: address
 * @length: bytes
 * @key: new key
 * @access: enum ib_access_flags
 */
struct svt_reg_wqe {
	u64 start;
	u64 length;
	u32 key;
	u32 access;
};

static inline struct svt_reg_wqe *svt_reg_wqe(const struct svt_send_wqe *wqe)
{
	BUILD_BUG_ON(sizeof(struct svt_reg_wqe) > sizeof(wqe->op_pad));
	return (struct svt_reg_wqe *)wqe->op_pad;
}

/**
 * struct svt_wqe_limits - what a queue was created with
 * @max_sge: entries
 * @max_inline: bytes (send queue)
 * @opcodes: bit i: enum ib_uverbs_wr_opcode i is legal for the QP's type
 * @xrc: requests name an SRQ of the peer
 * @max_message: bytes: 2^31, for UD the path MTU
 * @checksum: SVT_SEND_IP_CSUM is legal for the QP's type
 */
struct svt_wqe_limits {
	u32 max_sge;
	u32 max_inline;
	u32 opcodes;
	bool xrc;
	u32 max_message;
	bool checksum;
};

u32 svt_send_wqe_bytes(u32 max_sge, u32 max_inline);
u32 svt_send_wqe_stride(u32 max_sge, u32 max_inline);
u32 svt_recv_wqe_stride(u32 max_sge);
enum ib_wc_status svt_send_wqe_copy(const struct svt_ring *ring, u32 index,
				    const struct svt_wqe_limits *limits,
				    struct svt_send_wqe *copy, u32 *length);
enum ib_wc_status svt_recv_wqe_copy(const struct svt_ring *ring, u32 index,
				    const struct svt_wqe_limits *limits,
				    struct svt_recv_wqe *copy, u32 *length);

#endif
