/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What each type of QP can send, and what each operation carries.
 */
#ifndef SVT_OPERATION_H
#define SVT_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "rdma-core.h"

/**
 * struct svt_qp_kind - a type of QP
 * @opcodes: bit i: enum ibv_wr_opcode i may be posted (IBTA 11.4.1.1)
 * @send_ops: the same as enum ibv_qp_create_send_ops_flags
 * @flags: enum ibv_send_flags that a request may have
 * @datagram: each request names its destination
 * @xrc: each request names an SRQ of the peer; the QP has no receive queue
 */
struct svt_qp_kind {
	uint32_t opcodes;
	uint64_t send_ops;
	uint32_t flags;
	bool datagram;
	bool xrc;
};

enum svt_payload {
	SVT_PAYLOAD_NONE,	/* a list of scatter/gather entries is ignored */
	SVT_PAYLOAD_SGE,
	SVT_PAYLOAD_ANY,	/* may be inline */
};

const struct svt_qp_kind *svt_qp_kind(enum ibv_qp_type type);
enum svt_payload svt_payload(enum ibv_wr_opcode opcode);

static inline bool svt_can_send(const struct svt_qp_kind *kind, unsigned int opcode)
{
	return opcode < 32 && kind->opcodes & UINT32_C(1) << opcode;
}

#endif
