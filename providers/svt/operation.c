// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What each type of QP can send, and what each operation carries. Constant tables; no locks.
 */
#include <stddef.h>

#include "operation.h"

#define OPCODE(opcode)	(UINT32_C(1) << (opcode))

#define ANY_OPCODES \
	(OPCODE(IBV_WR_SEND) | OPCODE(IBV_WR_SEND_WITH_IMM))
#define ANY_SEND_OPS \
	(IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM)

#define CONNECTED_OPCODES \
	(ANY_OPCODES | OPCODE(IBV_WR_RDMA_WRITE) | OPCODE(IBV_WR_RDMA_WRITE_WITH_IMM) | \
	 OPCODE(IBV_WR_LOCAL_INV) | OPCODE(IBV_WR_BIND_MW))
#define CONNECTED_SEND_OPS \
	(ANY_SEND_OPS | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
	 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_BIND_MW)

static const struct svt_qp_kind reliable = {
	.opcodes = CONNECTED_OPCODES | OPCODE(IBV_WR_RDMA_READ) | OPCODE(IBV_WR_SEND_WITH_INV) |
		   OPCODE(IBV_WR_ATOMIC_CMP_AND_SWP) | OPCODE(IBV_WR_ATOMIC_FETCH_AND_ADD),
	.send_ops = CONNECTED_SEND_OPS | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND_WITH_INV |
		    IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
};

static const struct svt_qp_kind unreliable = {
	.opcodes = CONNECTED_OPCODES,
	.send_ops = CONNECTED_SEND_OPS,
};

static const struct svt_qp_kind datagram = {
	.opcodes = ANY_OPCODES,
	.send_ops = ANY_SEND_OPS,
	.datagram = true,
};

static const struct svt_qp_kind *const kinds[IBV_QPT_UD + 1] = {
	[IBV_QPT_RC] = &reliable,
	[IBV_QPT_UC] = &unreliable,
	[IBV_QPT_UD] = &datagram,
};

static const uint8_t payloads[] = {
	[IBV_WR_RDMA_WRITE] = SVT_PAYLOAD_ANY,
	[IBV_WR_RDMA_WRITE_WITH_IMM] = SVT_PAYLOAD_ANY,
	[IBV_WR_SEND] = SVT_PAYLOAD_ANY,
	[IBV_WR_SEND_WITH_IMM] = SVT_PAYLOAD_ANY,
	[IBV_WR_RDMA_READ] = SVT_PAYLOAD_SGE,
	[IBV_WR_ATOMIC_CMP_AND_SWP] = SVT_PAYLOAD_SGE,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = SVT_PAYLOAD_SGE,
	[IBV_WR_LOCAL_INV] = SVT_PAYLOAD_NONE,
	[IBV_WR_BIND_MW] = SVT_PAYLOAD_NONE,
	[IBV_WR_SEND_WITH_INV] = SVT_PAYLOAD_ANY,
};

/**
 * svt_qp_kind - what a type of QP can send
 * @type: as the application gave it
 *
 * Return: NULL for a type that svt does not have.
 */
const struct svt_qp_kind *svt_qp_kind(enum ibv_qp_type type)
{
	return (unsigned int)type <= IBV_QPT_UD ? kinds[type] : NULL;
}

/* @opcode: one that some kind can send */
enum svt_payload svt_payload(enum ibv_wr_opcode opcode)
{
	return payloads[opcode];
}
