// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: receives from a shared receive queue.
 */
#include "client.h"

#define KT_MESSAGES	6

static int kt_case_srq(struct kt_pair *pair)
{
	struct kt_operation *send, *receive[KT_MESSAGES];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < KT_MESSAGES; i++)
		receive[i] = kt_recv(&pair->end[1], i * 3000, 3000, 2);
	for (i = 0; i < KT_MESSAGES && !ret; i++) {
		kt_fill(&pair->end[0], 0, 2999, i);
		send = kt_send(&pair->end[0], &(struct kt_request){
			.opcode = IB_WR_SEND, .length = 2999,
		});
		ret = kt_done(send, IB_WC_SUCCESS) ?:
		      kt_received(receive[i], IB_WC_RECV, 2999) ?:
		      kt_check(&pair->end[1], i * 3000, 2999, i);
	}
	return ret;
}

static int kt_case_srq_limit(struct kt_pair *pair)
{
	struct ib_srq_attr attr = { .srq_limit = 3 };
	struct kt_end *to = &pair->end[1];
	struct kt_operation *receive;
	unsigned int i;
	int ret;

	for (i = 0; i < 4; i++)
		if (!kt_recv(to, 0, 64, 1))
			return -EPROTO;
	ret = ib_modify_srq(to->srq, &attr, IB_SRQ_LIMIT);
	if (ret)
		return kt_fail(pair, "modify of the SRQ: %d", ret);
	for (i = 0; i < 2 && !ret; i++) {
		if (test_bit(IB_EVENT_SRQ_LIMIT_REACHED, &to->events))
			return kt_fail(pair, "the limit event came early");
		ret = kt_done(kt_send(&pair->end[0], &(struct kt_request){
			.opcode = IB_WR_SEND, .length = 64,
		}), IB_WC_SUCCESS);
	}
	ret = ret ?: kt_event(to, IB_EVENT_SRQ_LIMIT_REACHED) ?:
	      (ib_query_srq(to->srq, &attr) ? kt_fail(pair, "query of the SRQ") : 0);
	if (ret)
		return ret;
	if (attr.srq_limit || attr.max_wr < KT_DEPTH || attr.max_sge < KT_SGES)
		return kt_fail(pair, "query of the SRQ: limit %u, %u requests of %u",
			       attr.srq_limit, attr.max_wr, attr.max_sge);
	receive = kt_recv(to, 0, 64, 1);
	return receive ? 0 : -EPROTO;
}

/* Nothing to receive into: the sender waits until there is (RNR) */
static int kt_case_srq_empty(struct kt_pair *pair)
{
	struct kt_operation *send, *receive;

	kt_fill(&pair->end[0], 0, 500, 1);
	send = kt_send(&pair->end[0], &(struct kt_request){
		.opcode = IB_WR_SEND, .length = 500,
	});
	if (kt_not_done(send))
		return -EPROTO;
	receive = kt_recv(&pair->end[1], 0, 500, 1);
	return kt_received(receive, IB_WC_RECV, 500) ?: kt_done(send, IB_WC_SUCCESS) ?:
	       kt_check(&pair->end[1], 0, 500, 1);
}

const struct kt_case kt_srq_cases[] = {
	{ "rc_srq", IB_QPT_RC, KT_SRQ | KT_EACH_POLL, kt_case_srq },
	{ "uc_srq", IB_QPT_UC, KT_SRQ, kt_case_srq },
	{ "srq_limit", IB_QPT_RC, KT_SRQ, kt_case_srq_limit },
	{ "srq_empty", IB_QPT_RC, KT_SRQ, kt_case_srq_empty },
	{ "rq_empty", IB_QPT_RC, 0, kt_case_srq_empty },
	{ }
};
