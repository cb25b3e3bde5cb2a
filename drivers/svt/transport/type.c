// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the types of QP do differently, in one table.
 */
#include "qp.h"

#define SVT_OPCODES_SEND	(BIT(IB_UVERBS_WR_SEND) | BIT(IB_UVERBS_WR_SEND_WITH_IMM))
#define SVT_OPCODES_WRITE	(BIT(IB_UVERBS_WR_RDMA_WRITE) | \
				 BIT(IB_UVERBS_WR_RDMA_WRITE_WITH_IMM))
#define SVT_OPCODES_LOCAL	(BIT(IB_UVERBS_WR_LOCAL_INV) | BIT(IB_UVERBS_WR_BIND_MW) | \
				 BIT(SVT_WR_REG_MR))
#define SVT_OPCODES_RC		(SVT_OPCODES_SEND | SVT_OPCODES_WRITE | SVT_OPCODES_LOCAL | \
				 BIT(IB_UVERBS_WR_SEND_WITH_INV) | \
				 BIT(IB_UVERBS_WR_RDMA_READ) | \
				 BIT(IB_UVERBS_WR_ATOMIC_CMP_AND_SWP) | \
				 BIT(IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD))

static const struct svt_qp_type svt_qp_rc = {
	.send_opcodes = SVT_OPCODES_RC,
	.service = SVT_SERVICE_RC,
	.connected = true,
	.reliable = true,
	.request = svt_responder_rc_request,
	.response = svt_completer_response,
	.send_error_state = IB_QPS_ERR,
};

static const struct svt_qp_type svt_qp_uc = {
	.send_opcodes = SVT_OPCODES_SEND | SVT_OPCODES_WRITE | SVT_OPCODES_LOCAL,
	.service = SVT_SERVICE_UC,
	.connected = true,
	.request = svt_responder_uc_request,
	.send_error_state = IB_QPS_SQE,
};

/* GSI is UD with a well known number */
static const struct svt_qp_type svt_qp_ud = {
	.send_opcodes = SVT_OPCODES_SEND,
	.service = SVT_SERVICE_UD,
	.request = svt_responder_ud_request,
	.send_error_state = IB_QPS_SQE,
};

/**
 * svt_qp_type - the operations of a QP type
 * @type: type
 *
 * Return: the table's row, or NULL: not a type that svt has.
 */
const struct svt_qp_type *svt_qp_type(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return &svt_qp_rc;
	case IB_QPT_UC:
		return &svt_qp_uc;
	case IB_QPT_UD:
	case IB_QPT_GSI:
		return &svt_qp_ud;
	default:
		return NULL;
	}
}
