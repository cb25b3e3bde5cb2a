// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The commands of uverbs, field by field.
 */
#include "command.h"

#define F(type, member, fill) \
	{ offsetof(struct ib_uverbs_##type, member), \
	  sizeof(((struct ib_uverbs_##type *)0)->member), FILL_##fill }
#define SIZE(type)	sizeof(struct ib_uverbs_##type)
#define AT(type, member) offsetof(struct ib_uverbs_##type, member)
#define CMD(name)	IB_USER_VERBS_CMD_##name
#define EX_CMD(name)	IB_USER_VERBS_EX_CMD_##name

/* An extended modify begins with a plain one */
#define M(member, fill)	F(ex_modify_qp, base.member, fill)
#define MODIFY \
	M(dest.dgid, GID), M(dest.sgid_index, GID_INDEX), M(dest.is_global, ONE), \
	M(dest.port_num, ONE), M(qp_handle, QP), M(attr_mask, QP_MASK), M(dest_qp_num, QPN), \
	M(qp_access_flags, ACCESS), M(qp_state, QP_STATE), M(cur_qp_state, QP_STATE), \
	M(path_mtu, MTU), M(port_num, ONE), M(max_rd_atomic, SMALL), \
	M(max_dest_rd_atomic, SMALL), M(timeout, SMALL), M(retry_cnt, SMALL), \
	M(min_rnr_timer, SMALL)
#define QP_FIELDS(type) \
	F(type, pd_handle, PD), F(type, send_cq_handle, CQ), F(type, recv_cq_handle, CQ), \
	F(type, srq_handle, SRQ), F(type, max_send_wr, COUNT), F(type, max_recv_wr, COUNT), \
	F(type, max_send_sge, SGES), F(type, max_recv_sge, SGES), \
	F(type, max_inline_data, SMALL), F(type, qp_type, QP_TYPE)
#define POST(type) \
	F(type, wr_count, SGES), F(type, sge_count, SGES), F(type, wqe_size, WR_SIZE)

const struct command commands[] = {
	{ CMD(GET_CONTEXT), .in = SIZE(get_context), .out = SIZE(get_context_resp),
	  .driver_out = sizeof(struct svt_alloc_ucontext_resp), .tail = 16 },
	{ CMD(QUERY_DEVICE), .in = SIZE(query_device), .out = SIZE(query_device_resp) },
	{ CMD(QUERY_PORT), .in = SIZE(query_port), .out = SIZE(query_port_resp),
	  .fields = { F(query_port, port_num, ONE) } },
	{ CMD(ALLOC_PD), .in = SIZE(alloc_pd), .out = SIZE(alloc_pd_resp),
	  .makes = OBJECT_PD, .handle_at = AT(alloc_pd_resp, pd_handle) },
	{ CMD(DEALLOC_PD), .in = SIZE(dealloc_pd), .fields = { F(dealloc_pd, pd_handle, PD) } },
	{ CMD(CREATE_AH), .in = SIZE(create_ah), .out = SIZE(create_ah_resp),
	  .driver_out = sizeof(struct svt_create_ah_resp), .makes = OBJECT_AH,
	  .handle_at = AT(create_ah_resp, ah_handle),
	  .fields = { F(create_ah, pd_handle, PD), F(create_ah, attr.grh.dgid, GID),
		      F(create_ah, attr.grh.sgid_index, GID_INDEX),
		      F(create_ah, attr.is_global, ONE), F(create_ah, attr.port_num, ONE) } },
	{ CMD(DESTROY_AH), .in = SIZE(destroy_ah), .fields = { F(destroy_ah, ah_handle, AH) } },
	{ CMD(REG_MR), .in = SIZE(reg_mr), .out = SIZE(reg_mr_resp), .makes = OBJECT_MR,
	  .handle_at = AT(reg_mr_resp, mr_handle),
	  .fields = { F(reg_mr, start, ADDRESS), F(reg_mr, length, LENGTH),
		      F(reg_mr, hca_va, ADDRESS), F(reg_mr, pd_handle, PD),
		      F(reg_mr, access_flags, ACCESS) } },
	{ CMD(REREG_MR), .in = SIZE(rereg_mr), .out = SIZE(rereg_mr_resp),
	  .fields = { F(rereg_mr, mr_handle, MR), F(rereg_mr, flags, PD_FLAGS),
		      F(rereg_mr, start, ADDRESS), F(rereg_mr, length, LENGTH),
		      F(rereg_mr, hca_va, ADDRESS), F(rereg_mr, pd_handle, PD),
		      F(rereg_mr, access_flags, ACCESS) } },
	{ CMD(DEREG_MR), .in = SIZE(dereg_mr), .fields = { F(dereg_mr, mr_handle, MR) } },
	{ CMD(ALLOC_MW), .in = SIZE(alloc_mw), .out = SIZE(alloc_mw_resp), .makes = OBJECT_MW,
	  .handle_at = AT(alloc_mw_resp, mw_handle),
	  .fields = { F(alloc_mw, pd_handle, PD), F(alloc_mw, mw_type, ONE) } },
	{ CMD(DEALLOC_MW), .in = SIZE(dealloc_mw), .fields = { F(dealloc_mw, mw_handle, MW) } },
	{ CMD(CREATE_COMP_CHANNEL), .in = SIZE(create_comp_channel),
	  .out = SIZE(create_comp_channel_resp) },
	{ CMD(CREATE_CQ), .in = SIZE(create_cq), .out = SIZE(create_cq_resp),
	  .driver_out = sizeof(struct svt_create_cq_resp), .makes = OBJECT_CQ,
	  .handle_at = AT(create_cq_resp, cq_handle),
	  .fields = { F(create_cq, user_handle, ANY), F(create_cq, cqe, COUNT),
		      F(create_cq, comp_channel, CHANNEL) } },
	{ EX_CMD(CREATE_CQ), .extended = true,
	  .in = SIZE(ex_create_cq), .out = SIZE(ex_create_cq_resp),
	  .driver_out = sizeof(struct svt_create_cq_resp), .makes = OBJECT_CQ,
	  .handle_at = AT(ex_create_cq_resp, base.cq_handle),
	  .fields = { F(ex_create_cq, cqe, COUNT), F(ex_create_cq, comp_channel, CHANNEL),
		      F(ex_create_cq, flags, ONE) } },
	{ CMD(RESIZE_CQ), .in = SIZE(resize_cq), .out = SIZE(resize_cq_resp),
	  .driver_out = sizeof(struct svt_resize_cq_resp),
	  .fields = { F(resize_cq, cq_handle, CQ), F(resize_cq, cqe, COUNT) } },
	{ CMD(DESTROY_CQ), .in = SIZE(destroy_cq), .out = SIZE(destroy_cq_resp),
	  .fields = { F(destroy_cq, cq_handle, CQ) } },
	{ CMD(POLL_CQ), .in = SIZE(poll_cq), .out = SIZE(poll_cq_resp) + 4 * SIZE(wc),
	  .fields = { F(poll_cq, cq_handle, CQ), F(poll_cq, ne, SGES) } },
	{ CMD(REQ_NOTIFY_CQ), .in = SIZE(req_notify_cq),
	  .fields = { F(req_notify_cq, cq_handle, CQ), F(req_notify_cq, solicited_only, ONE) } },
	{ EX_CMD(MODIFY_CQ), .extended = true, .in = SIZE(ex_modify_cq),
	  .fields = { F(ex_modify_cq, cq_handle, CQ), F(ex_modify_cq, attr_mask, ONE) } },
	{ CMD(CREATE_QP), .in = SIZE(create_qp), .out = SIZE(create_qp_resp),
	  .driver_out = sizeof(struct svt_create_qp_resp), .makes = OBJECT_QP,
	  .handle_at = AT(create_qp_resp, qp_handle),
	  .fields = { QP_FIELDS(create_qp), F(create_qp, user_handle, ANY) } },
	{ EX_CMD(CREATE_QP), .extended = true,
	  .in = SIZE(ex_create_qp), .out = SIZE(ex_create_qp_resp),
	  .driver_out = sizeof(struct svt_create_qp_resp), .makes = OBJECT_QP,
	  .handle_at = AT(ex_create_qp_resp, base.qp_handle),
	  .fields = { QP_FIELDS(ex_create_qp) } },
	{ CMD(OPEN_QP), .in = SIZE(open_qp), .out = SIZE(create_qp_resp),
	  .fields = { F(open_qp, pd_handle, PD), F(open_qp, qpn, QPN),
		      F(open_qp, qp_type, QP_TYPE) } },
	{ CMD(QUERY_QP), .in = SIZE(query_qp), .out = SIZE(query_qp_resp),
	  .fields = { F(query_qp, qp_handle, QP), F(query_qp, attr_mask, QP_MASK) } },
	{ CMD(MODIFY_QP), .in = SIZE(modify_qp), .fields = { MODIFY } },
	{ EX_CMD(MODIFY_QP), .extended = true,
	  .in = SIZE(ex_modify_qp), .out = SIZE(ex_modify_qp_resp),
	  .fields = { MODIFY } },
	{ CMD(DESTROY_QP), .in = SIZE(destroy_qp), .out = SIZE(destroy_qp_resp),
	  .fields = { F(destroy_qp, qp_handle, QP) } },
	{ CMD(POST_SEND), .in = SIZE(post_send), .out = SIZE(post_send_resp), .tail = 512,
	  .fields = { F(post_send, qp_handle, QP), POST(post_send) } },
	{ CMD(POST_RECV), .in = SIZE(post_recv), .out = SIZE(post_recv_resp), .tail = 256,
	  .fields = { F(post_recv, qp_handle, QP), POST(post_recv) } },
	{ CMD(POST_SRQ_RECV), .in = SIZE(post_srq_recv), .out = SIZE(post_srq_recv_resp),
	  .tail = 256,
	  .fields = { F(post_srq_recv, srq_handle, SRQ), POST(post_srq_recv) } },
	{ CMD(ATTACH_MCAST), .in = SIZE(attach_mcast),
	  .fields = { F(attach_mcast, gid, GROUP), F(attach_mcast, qp_handle, QP),
		      F(attach_mcast, mlid, SGES) } },
	{ CMD(DETACH_MCAST), .in = SIZE(detach_mcast),
	  .fields = { F(detach_mcast, gid, GROUP), F(detach_mcast, qp_handle, QP),
		      F(detach_mcast, mlid, SGES) } },
	{ CMD(CREATE_SRQ), .in = SIZE(create_srq), .out = SIZE(create_srq_resp),
	  .driver_out = sizeof(struct svt_create_srq_resp), .makes = OBJECT_SRQ,
	  .handle_at = AT(create_srq_resp, srq_handle),
	  .fields = { F(create_srq, pd_handle, PD), F(create_srq, max_wr, COUNT),
		      F(create_srq, max_sge, SGES), F(create_srq, srq_limit, SGES) } },
	{ CMD(CREATE_XSRQ), .in = SIZE(create_xsrq), .out = SIZE(create_srq_resp),
	  .driver_out = sizeof(struct svt_create_srq_resp), .makes = OBJECT_SRQ,
	  .handle_at = AT(create_srq_resp, srq_handle),
	  .fields = { F(create_xsrq, srq_type, SGES), F(create_xsrq, pd_handle, PD),
		      F(create_xsrq, max_wr, COUNT), F(create_xsrq, max_sge, SGES),
		      F(create_xsrq, cq_handle, CQ) } },
	{ CMD(MODIFY_SRQ), .in = SIZE(modify_srq),
	  .fields = { F(modify_srq, srq_handle, SRQ), F(modify_srq, attr_mask, SGES),
		      F(modify_srq, max_wr, COUNT), F(modify_srq, srq_limit, SMALL) } },
	{ CMD(QUERY_SRQ), .in = SIZE(query_srq), .out = SIZE(query_srq_resp),
	  .fields = { F(query_srq, srq_handle, SRQ) } },
	{ CMD(DESTROY_SRQ), .in = SIZE(destroy_srq), .out = SIZE(destroy_srq_resp),
	  .fields = { F(destroy_srq, srq_handle, SRQ) } },
	{ EX_CMD(QUERY_DEVICE), .extended = true,
	  .in = SIZE(ex_query_device), .out = SIZE(ex_query_device_resp) },
	/* What svt does not have has to be refused as politely as it is asked for */
	{ CMD(OPEN_XRCD), .in = SIZE(open_xrcd), .out = SIZE(open_xrcd_resp) },
	{ EX_CMD(CREATE_WQ), .extended = true,
	  .in = SIZE(ex_create_wq), .out = SIZE(ex_create_wq_resp),
	  .fields = { F(ex_create_wq, pd_handle, PD), F(ex_create_wq, cq_handle, CQ) } },
	{ EX_CMD(CREATE_RWQ_IND_TBL), .extended = true,
	  .in = SIZE(ex_create_rwq_ind_table), .out = SIZE(ex_create_rwq_ind_table_resp),
	  .tail = 64 },
	{ EX_CMD(CREATE_FLOW), .extended = true,
	  .in = SIZE(create_flow), .out = SIZE(create_flow_resp), .tail = 128,
	  .fields = { F(create_flow, qp_handle, QP) } },
	{ EX_CMD(DESTROY_FLOW), .extended = true, .in = SIZE(destroy_flow) },
};

const u32 command_count = ARRAY_SIZE(commands);
