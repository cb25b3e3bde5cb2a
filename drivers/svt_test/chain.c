// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: lists of work requests, requests that are not signalled, and what post refuses.
 */
#include "client.h"

#define KT_CHAIN	8
#define KT_PIECE	2000

static int kt_post_send_chain(struct kt_end *end, struct kt_operation **operations)
{
	struct ib_send_wr wr[KT_CHAIN] = { };
	struct ib_sge sge[KT_CHAIN];
	unsigned int i;
	int ret;

	for (i = 0; i < KT_CHAIN; i++) {
		operations[i] = kt_operation(end);
		if (!operations[i])
			return -EPROTO;
		wr[i].next = i < KT_CHAIN - 1 ? &wr[i + 1] : NULL;
		wr[i].wr_cqe = &operations[i]->cqe;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = kt_sges(end, &sge[i], i * KT_PIECE, KT_PIECE, 1);
		wr[i].opcode = IB_WR_SEND;
		wr[i].send_flags = IB_SEND_SIGNALED;
	}
	ret = ib_post_send(end->qp, wr, NULL);
	return ret ? kt_fail(end->pair, "post of a list: %d", ret) : 0;
}

static int kt_post_recv_chain(struct kt_end *end, struct kt_operation **operations)
{
	struct ib_recv_wr wr[KT_CHAIN] = { };
	struct ib_sge sge[KT_CHAIN];
	unsigned int i;
	int ret;

	for (i = 0; i < KT_CHAIN; i++) {
		operations[i] = kt_operation(end);
		if (!operations[i])
			return -EPROTO;
		wr[i].next = i < KT_CHAIN - 1 ? &wr[i + 1] : NULL;
		wr[i].wr_cqe = &operations[i]->cqe;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = kt_sges(end, &sge[i], i * KT_PIECE, KT_PIECE, 1);
	}
	ret = ib_post_recv(end->qp, wr, NULL);
	return ret ? kt_fail(end->pair, "post of a list of receives: %d", ret) : 0;
}

static int kt_in_order(struct kt_operation **operations, unsigned int count)
{
	unsigned int i;

	for (i = 1; i < count; i++)
		if (operations[i]->order < operations[i - 1]->order)
			return kt_fail(operations[0]->end->pair, "completion %u came too early", i);
	return 0;
}

static int kt_case_chain(struct kt_pair *pair)
{
	struct kt_operation *sends[KT_CHAIN], *receives[KT_CHAIN];
	unsigned int i;
	int ret;

	kt_fill(&pair->end[0], 0, KT_CHAIN * KT_PIECE, 1);
	ret = kt_post_recv_chain(&pair->end[1], receives) ?:
	      kt_post_send_chain(&pair->end[0], sends);
	for (i = 0; i < KT_CHAIN && !ret; i++)
		ret = kt_received(receives[i], IB_WC_RECV, KT_PIECE) ?:
		      kt_done(sends[i], IB_WC_SUCCESS);
	return ret ?: kt_in_order(sends, KT_CHAIN) ?: kt_in_order(receives, KT_CHAIN) ?:
	       kt_check(&pair->end[1], 0, KT_CHAIN * KT_PIECE, 1);
}

/* More requests than the queue has room for: what is not signalled gives its place back, too */
static int kt_case_unsignalled(struct kt_pair *pair)
{
	struct kt_operation *quiet = NULL, *receive[KT_CHAIN], *last;
	unsigned int round, i;
	int ret = 0;

	for (round = 0; round < KT_DEPTH / KT_CHAIN * 2 && !ret; round++) {
		for (i = 0; i < KT_CHAIN; i++)
			receive[i] = kt_recv(&pair->end[1], i * 64, 64, 1);
		for (i = 0; i < KT_CHAIN - 1; i++)
			quiet = kt_send(&pair->end[0], &(struct kt_request){
				.opcode = IB_WR_SEND, .flags = KT_UNSIGNALLED, .length = 64,
			});
		last = kt_send(&pair->end[0], &(struct kt_request){
			.opcode = IB_WR_SEND, .length = 64,
		});
		ret = kt_done(last, IB_WC_SUCCESS);
		for (i = 0; i < KT_CHAIN && !ret; i++)
			ret = kt_received(receive[i], IB_WC_RECV, 64);
	}
	return ret ?: kt_not_done(quiet);
}

static int kt_expect_refusal(struct kt_end *end, struct ib_send_wr *wr, int error)
{
	const struct ib_send_wr *bad = NULL;
	int ret = ib_post_send(end->qp, wr, &bad);

	if (ret != error)
		return kt_fail(end->pair, "post returned %d instead of %d", ret, error);
	return bad == wr ? 0 : kt_fail(end->pair, "bad_wr is wrong");
}

static int kt_case_refused(struct kt_pair *pair)
{
	struct ib_sge sge[KT_SGES + 1] = { };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND, .sg_list = sge };
	struct kt_end *end = &pair->end[0];
	int ret;

	wr.num_sge = KT_SGES + 1;
	ret = kt_expect_refusal(end, &wr, -EINVAL);
	wr.num_sge = 1;
	sge[0].length = KT_INLINE + 1;
	wr.send_flags = IB_SEND_INLINE;
	ret = ret ?: kt_expect_refusal(end, &wr, -EINVAL);
	wr.num_sge = 0;
	wr.send_flags = 0;
	wr.opcode = IB_WR_REG_MR_INTEGRITY;
	ret = ret ?: kt_expect_refusal(end, &wr, -EOPNOTSUPP);
	/* None of them left a trace in the queue */
	if (ret || !kt_recv(&pair->end[1], 0, 8, 1))
		return -EPROTO;
	return kt_done(kt_send(end, &(struct kt_request){ .opcode = IB_WR_SEND }), IB_WC_SUCCESS);
}

/* A queue that is full takes the rest of the list not, and says from where on */
static int kt_case_full(struct kt_pair *pair)
{
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr wr[2] = { };
	struct kt_end *end = &pair->end[1];
	struct kt_operation *operation;
	unsigned int i, posted = 0;
	int ret = 0;

	wr[0].next = &wr[1];
	for (i = 0; i < 2 * KT_DEPTH && !ret; i++) {
		operation = kt_operation(end);
		if (!operation)
			return -EPROTO;
		wr[0].wr_cqe = &operation->cqe;
		wr[1].wr_cqe = &operation->cqe;
		ret = ib_post_recv(end->qp, wr, &bad);
		posted += !ret ? 2 : bad == &wr[1];
	}
	if (ret != -ENOMEM)
		return kt_fail(pair, "a full queue returned %d", ret);
	return posted > KT_DEPTH ? 0 : kt_fail(pair, "only %u receives fit", posted);
}

const struct kt_case kt_chain_cases[] = {
	{ "rc_chain", IB_QPT_RC, KT_EACH_POLL, kt_case_chain },
	{ "uc_chain", IB_QPT_UC, 0, kt_case_chain },
	{ "rc_unsignalled", IB_QPT_RC, KT_EACH_POLL, kt_case_unsignalled },
	{ "post_refused", IB_QPT_RC, 0, kt_case_refused },
	{ "queue_full", IB_QPT_RC, 0, kt_case_full },
	{ }
};
