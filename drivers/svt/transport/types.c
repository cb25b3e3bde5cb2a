// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The differences between the QP types, in one table.
 */
#include "requester/completer.h"
#include "responder/raw.h"
#include "responder/rc.h"
#include "responder/uc.h"
#include "responder/ud.h"
#include "types.h"

#define SVT_OPCODES_SEND	(BIT(IB_UVERBS_WR_SEND) | BIT(IB_UVERBS_WR_SEND_WITH_IMM))
#define SVT_OPCODES_WRITE	(BIT(IB_UVERBS_WR_RDMA_WRITE) | \
				 BIT(IB_UVERBS_WR_RDMA_WRITE_WITH_IMM))
#define SVT_OPCODES_LOCAL	(BIT(IB_UVERBS_WR_LOCAL_INV) | BIT(IB_UVERBS_WR_BIND_MW) | \
				 BIT(SVT_WR_REG_MR))
#define SVT_OPCODES_XRC		(SVT_OPCODES_SEND | SVT_OPCODES_WRITE | SVT_OPCODES_LOCAL | \
				 BIT(IB_UVERBS_WR_SEND_WITH_INV) | \
				 BIT(IB_UVERBS_WR_RDMA_READ) | \
				 BIT(IB_UVERBS_WR_ATOMIC_CMP_AND_SWP) | \
				 BIT(IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD))
/* XRC has no opcodes for them */
#define SVT_OPCODES_RC		(SVT_OPCODES_XRC | BIT(IB_UVERBS_WR_FLUSH) | \
				 BIT(IB_UVERBS_WR_ATOMIC_WRITE))

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

/* XRC is RC in two halves: what INI sends goes to the SRQ of the peer that it names */
static const struct svt_qp_type svt_qp_xrc_ini = {
	.send_opcodes = SVT_OPCODES_XRC,
	.service = SVT_SERVICE_XRC,
	.connected = true,
	.reliable = true,
	.response = svt_completer_response,
	.send_error_state = IB_QPS_ERR,
};

static const struct svt_qp_type svt_qp_xrc_tgt = {
	.service = SVT_SERVICE_XRC,
	.connected = true,
	.reliable = true,
	.target = true,
	.request = svt_responder_rc_request,
	.send_error_state = IB_QPS_ERR,
};

/* GSI is UD with a well known number */
static const struct svt_qp_type svt_qp_ud = {
	.send_opcodes = SVT_OPCODES_SEND,
	.service = SVT_SERVICE_UD,
	.request = svt_responder_ud_request,
	.send_error_state = IB_QPS_SQE,
};

/* Its frames have no headers of the transport, so no opcodes either */
static const struct svt_qp_type svt_qp_raw = {
	.send_opcodes = BIT(IB_UVERBS_WR_SEND),
	.frame = svt_responder_frame,
	.send_error_state = IB_QPS_ERR,
};

/* NULL: svt does not have this type */
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
	case IB_QPT_XRC_INI:
		return &svt_qp_xrc_ini;
	case IB_QPT_XRC_TGT:
		return &svt_qp_xrc_tgt;
	case IB_QPT_RAW_PACKET:
		return &svt_qp_raw;
	default:
		return NULL;
	}
}
