// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: requests that fail, and the flush of what stands behind them.
 */
#include "client.h"

#define KT_FLUSHED	5

static int kt_check_state(struct kt_end *end, enum ib_qp_state state)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	int ret = ib_query_qp(end->qp, &attr, IB_QP_STATE, &init);

	if (ret)
		return kt_fail(end->pair, "query of a QP: %d", ret);
	if (attr.qp_state != state)
		return kt_fail(end->pair, "state %d instead of %d", attr.qp_state, state);
	return 0;
}

/* @bad fails with @status; what is behind is flushed in order; the QP ends in ERR */
static int kt_fails(struct kt_pair *pair, const struct kt_request *bad, enum ib_wc_status status)
{
	struct kt_end *end = &pair->end[0];
	struct kt_operation *failed, *flushed[KT_FLUSHED];
	unsigned int i;
	int ret;

	failed = kt_send(end, bad);
	for (i = 0; i < KT_FLUSHED; i++)
		flushed[i] = kt_send(end, &(struct kt_request){
			.opcode = IB_WR_RDMA_WRITE, .length = 8, .flags = KT_UNSIGNALLED,
		});
	ret = kt_done(failed, status);
	for (i = 0; i < KT_FLUSHED && !ret; i++) {
		ret = kt_done(flushed[i], IB_WC_WR_FLUSH_ERR);
		if (!ret && flushed[i]->order < failed->order)
			ret = kt_fail(pair, "flushed before the failure");
	}
	return ret ?: kt_check_state(end, IB_QPS_ERR);
}

static int kt_case_bad_rkey(struct kt_pair *pair)
{
	struct kt_request request = {
		.opcode = IB_WR_RDMA_WRITE, .length = 8,
		.rkey = ~pair->end[1].pd->unsafe_global_rkey,
	};

	return kt_fails(pair, &request, IB_WC_REM_ACCESS_ERR) ?:
	       kt_event(&pair->end[1], IB_EVENT_QP_ACCESS_ERR) ?:
	       kt_check_state(&pair->end[1], IB_QPS_ERR);
}

static int kt_case_bad_read(struct kt_pair *pair)
{
	struct kt_request request = {
		.opcode = IB_WR_RDMA_READ, .length = 8,
		.rkey = ~pair->end[1].pd->unsafe_global_rkey,
	};

	return kt_fails(pair, &request, IB_WC_REM_ACCESS_ERR);
}

/*
 * The key that every PD has is for requests of its own. It names all memory, so a peer that could
 * use it would have all of it.
 */
static int kt_try_local_key(struct kt_pair *pair, enum ib_wr_opcode opcode)
{
	struct kt_end *end = &pair->end[1];
	struct kt_request request = {
		.opcode = opcode, .length = 64, .rkey = end->atomic_mr->rkey,
	};
	int ret;

	if (end->pd->unsafe_global_rkey)
		return kt_fail(pair, "a PD has a global rkey that nobody asked for");
	/* A region of the same memory that does allow it */
	ret = kt_done(kt_send(&pair->end[0], &request), IB_WC_SUCCESS);
	if (ret)
		return ret;
	kt_fill(&pair->end[0], 0, 64, 1);
	kt_fill(end, 0, 64, 2);
	request.rkey = end->pd->local_dma_lkey;
	return kt_fails(pair, &request, IB_WC_REM_ACCESS_ERR) ?:
	       kt_check_state(end, IB_QPS_ERR) ?: kt_check(&pair->end[0], 0, 64, 1) ?:
	       kt_check(end, 0, 64, 2);
}

static int kt_case_local_key_write(struct kt_pair *pair)
{
	return kt_try_local_key(pair, IB_WR_RDMA_WRITE);
}

static int kt_case_local_key_read(struct kt_pair *pair)
{
	return kt_try_local_key(pair, IB_WR_RDMA_READ);
}

/* The global rkey of one PD is none of another's */
static int kt_case_other_global_key(struct kt_pair *pair)
{
	struct ib_device *device = pair->end[1].device;
	struct ib_pd *pd = ib_alloc_pd(device, IB_PD_UNSAFE_GLOBAL_RKEY);
	struct kt_request request = { .opcode = IB_WR_RDMA_WRITE, .length = 8 };
	int ret;

	if (IS_ERR(pd))
		return kt_fail(pair, "PD: %ld", PTR_ERR(pd));
	request.rkey = pd->unsafe_global_rkey;
	ret = kt_fails(pair, &request, IB_WC_REM_ACCESS_ERR);
	ib_dealloc_pd(pd);
	return ret;
}

/* The receive is too short for the message */
static int kt_case_too_long(struct kt_pair *pair)
{
	struct kt_request request = { .opcode = IB_WR_SEND, .length = 3000 };
	struct kt_operation *receive = kt_recv(&pair->end[1], 0, 2000, 1);

	return kt_fails(pair, &request, IB_WC_REM_INV_REQ_ERR) ?:
	       kt_done(receive, IB_WC_LOC_LEN_ERR);
}

static int kt_case_bad_lkey(struct kt_pair *pair)
{
	struct kt_end *end = &pair->end[0];
	struct kt_operation *operation = kt_operation(end);
	struct ib_sge sge = {
		.addr = end->address, .length = 8, .lkey = ~end->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};
	int ret;

	if (!operation)
		return -EPROTO;
	wr.wr_cqe = &operation->cqe;
	ret = ib_post_send(end->qp, &wr, NULL);
	if (ret)
		return kt_fail(pair, "post: %d", ret);
	return kt_done(operation, IB_WC_LOC_PROT_ERR) ?: kt_check_state(end, IB_QPS_ERR);
}

/* Nobody answers: the QP at the other end is gone */
static int kt_case_no_peer(struct kt_pair *pair)
{
	struct kt_end *end = &pair->end[0];
	struct kt_operation *send;

	kt_modify(&pair->end[1], IB_QPS_RESET);
	send = kt_send(end, &(struct kt_request){ .opcode = IB_WR_SEND, .length = 8 });
	return kt_done(send, IB_WC_RETRY_EXC_ERR) ?: kt_check_state(end, IB_QPS_ERR);
}

static int kt_case_no_receive(struct kt_pair *pair)
{
	struct kt_request request = { .opcode = IB_WR_SEND, .length = 8 };

	return kt_fails(pair, &request, IB_WC_RNR_RETRY_EXC_ERR);
}

/* Receives are flushed in order, and what is posted in ERR as well */
static int kt_case_flush(struct kt_pair *pair)
{
	struct kt_end *end = &pair->end[1];
	struct kt_operation *receive[KT_FLUSHED], *late_send, *late_receive;
	unsigned int i;
	int ret;

	for (i = 0; i < KT_FLUSHED; i++)
		receive[i] = kt_recv(end, 0, 64, 1);
	ret = kt_modify(end, IB_QPS_ERR);
	late_receive = kt_recv(end, 0, 64, 1);
	late_send = kt_send(end, &(struct kt_request){ .opcode = IB_WR_SEND, .length = 8 });
	for (i = 0; i < KT_FLUSHED && !ret; i++) {
		ret = kt_done(receive[i], IB_WC_WR_FLUSH_ERR);
		if (!ret && i && receive[i]->order < receive[i - 1]->order)
			ret = kt_fail(pair, "receive %u was flushed too early", i);
	}
	return ret ?: kt_done(late_receive, IB_WC_WR_FLUSH_ERR) ?:
	       kt_done(late_send, IB_WC_WR_FLUSH_ERR);
}

static int kt_post_in(struct kt_end *end, enum ib_qp_state state, int send_error, int recv_error)
{
	struct kt_operation *operation = kt_operation(end);
	struct ib_send_wr send = { .opcode = IB_WR_SEND };
	struct ib_recv_wr receive = { };
	int ret;

	if (!operation)
		return -EPROTO;
	send.wr_cqe = &operation->cqe;
	receive.wr_cqe = &operation->cqe;
	ret = ib_post_send(end->qp, &send, NULL);
	if (ret != send_error)
		return kt_fail(end->pair, "post of a send in state %d: %d", state, ret);
	ret = ib_post_recv(end->qp, &receive, NULL);
	if (ret != recv_error)
		return kt_fail(end->pair, "post of a receive in state %d: %d", state, ret);
	return 0;
}

/* Before RTS nothing can be sent; receives can be posted from INIT on (IBTA 10.3.1) */
static int kt_case_states(struct kt_pair *pair)
{
	struct kt_end *end = &pair->end[0];

	return kt_post_in(end, IB_QPS_RESET, -EINVAL, -EINVAL) ?:
	       kt_modify(end, IB_QPS_INIT) ?: kt_post_in(end, IB_QPS_INIT, -EINVAL, 0) ?:
	       kt_modify(end, IB_QPS_RTR) ?: kt_post_in(end, IB_QPS_RTR, -EINVAL, 0) ?:
	       kt_modify(end, IB_QPS_RTS) ?: kt_modify(end, IB_QPS_RESET);
}

const struct kt_case kt_error_cases[] = {
	{ "bad_rkey", IB_QPT_RC, KT_EACH_POLL, kt_case_bad_rkey },
	{ "bad_rkey_of_read", IB_QPT_RC, 0, kt_case_bad_read },
	{ "bad_lkey", IB_QPT_RC, 0, kt_case_bad_lkey },
	{ "local_key_write", IB_QPT_RC, KT_LOCAL_KEY, kt_case_local_key_write },
	{ "local_key_read", IB_QPT_RC, KT_LOCAL_KEY, kt_case_local_key_read },
	{ "other_global_key", IB_QPT_RC, 0, kt_case_other_global_key },
	{ "message_too_long", IB_QPT_RC, 0, kt_case_too_long },
	{ "no_peer", IB_QPT_RC, KT_IMPATIENT, kt_case_no_peer },
	{ "no_receive", IB_QPT_RC, KT_IMPATIENT, kt_case_no_receive },
	{ "flush", IB_QPT_RC, KT_EACH_POLL, kt_case_flush },
	{ "uc_flush", IB_QPT_UC, 0, kt_case_flush },
	{ "ud_flush", IB_QPT_UD, 0, kt_case_flush },
	{ "post_by_state", IB_QPT_RC, KT_RESET, kt_case_states },
	{ }
};
