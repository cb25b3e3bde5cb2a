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

#define ANY_FLAGS \
	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

#define XRC_OPCODES \
	(CONNECTED_OPCODES | OPCODE(IBV_WR_RDMA_READ) | OPCODE(IBV_WR_SEND_WITH_INV) | \
	 OPCODE(IBV_WR_ATOMIC_CMP_AND_SWP) | OPCODE(IBV_WR_ATOMIC_FETCH_AND_ADD))
#define XRC_SEND_OPS \
	(CONNECTED_SEND_OPS | IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND_WITH_INV | \
	 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

#define RELIABLE_OPCODES \
	(XRC_OPCODES | OPCODE(IBV_WR_ATOMIC_WRITE) | OPCODE(IBV_WR_FLUSH))
#define RELIABLE_SEND_OPS \
	(XRC_SEND_OPS | IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH)

static const struct svt_qp_kind reliable = {
	.flags = ANY_FLAGS,
	.opcodes = RELIABLE_OPCODES,
	.send_ops = RELIABLE_SEND_OPS,
};

static const struct svt_qp_kind initiator = {
	.flags = ANY_FLAGS,
	.opcodes = XRC_OPCODES,
	.send_ops = XRC_SEND_OPS,
	.xrc = true,
};

/* An XRC TGT QP has no queues at all */
static const struct svt_qp_kind target = {
	.xrc = true,
};

static const struct svt_qp_kind unreliable = {
	.flags = ANY_FLAGS,
	.opcodes = CONNECTED_OPCODES,
	.send_ops = CONNECTED_SEND_OPS,
};

static const struct svt_qp_kind datagram = {
	.flags = ANY_FLAGS,
	.opcodes = ANY_OPCODES,
	.send_ops = ANY_SEND_OPS,
	.datagram = true,
};

/* Sends Ethernet frames */
static const struct svt_qp_kind raw_packet = {
	.flags = ANY_FLAGS | IBV_SEND_IP_CSUM,
	.opcodes = OPCODE(IBV_WR_SEND),
	.send_ops = IBV_QP_EX_WITH_SEND,
};

static const struct svt_qp_kind *const kinds[IBV_QPT_XRC_RECV + 1] = {
	[IBV_QPT_RC] = &reliable,
	[IBV_QPT_UC] = &unreliable,
	[IBV_QPT_UD] = &datagram,
	[IBV_QPT_RAW_PACKET] = &raw_packet,
	[IBV_QPT_XRC_SEND] = &initiator,
	[IBV_QPT_XRC_RECV] = &target,
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
	[IBV_WR_FLUSH] = SVT_PAYLOAD_NONE,
	[IBV_WR_ATOMIC_WRITE] = SVT_PAYLOAD_ANY,
};

/**
 * svt_qp_kind - what a type of QP can send
 * @type: as the application gave it
 *
 * Return: NULL for a type that svt does not have.
 */
const struct svt_qp_kind *svt_qp_kind(enum ibv_qp_type type)
{
	return (unsigned int)type <= IBV_QPT_XRC_RECV ? kinds[type] : NULL;
}

/* @opcode: one that some kind can send */
enum svt_payload svt_payload(enum ibv_wr_opcode opcode)
{
	return payloads[opcode];
}
