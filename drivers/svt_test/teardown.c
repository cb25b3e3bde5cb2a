// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: the end of a QP with work outstanding, by ib_drain_qp() or without.
 */
#include <linux/delay.h>

#include "client.h"

#define KT_OUTSTANDING	16

/* Receives at end 0, and sends that its peer has no receive for: both stay */
static int kt_leave_work(struct kt_pair *pair, struct kt_operation **work)
{
	struct kt_end *end = &pair->end[0];
	unsigned int i;

	for (i = 0; i < KT_OUTSTANDING; i++) {
		work[2 * i] = kt_recv(end, 0, 64, 1);
		work[2 * i + 1] = kt_send(end, &(struct kt_request){
			.opcode = IB_WR_SEND, .length = 5000,
		});
		if (!work[2 * i] || !work[2 * i + 1])
			return -EPROTO;
	}
	return 0;
}

/* Once drained, nothing is missing and nothing comes any more */
static int kt_case_drain(struct kt_pair *pair)
{
	struct kt_operation *work[2 * KT_OUTSTANDING];
	unsigned int i;
	int ret = kt_leave_work(pair, work);

	if (ret)
		return ret;
	ib_drain_qp(pair->end[0].qp);
	for (i = 0; i < ARRAY_SIZE(work); i++) {
		if (!try_wait_for_completion(&work[i]->done))
			return kt_fail(pair, "drained without operation %u", i);
		/* A UC send is done when it has gone */
		if (work[i]->wc.status != IB_WC_WR_FLUSH_ERR &&
		    (pair->test->type == IB_QPT_RC || i % 2 == 0))
			return kt_fail(pair, "drained with status %d", work[i]->wc.status);
	}
	return 0;
}

static int kt_case_drain_idle(struct kt_pair *pair)
{
	ib_drain_qp(pair->end[0].qp);
	ib_drain_qp(pair->end[1].qp);
	return 0;
}

/* The handlers run beside us until their CQ is freed, not longer */
static int kt_case_destroy(struct kt_pair *pair)
{
	struct kt_operation *work[2 * KT_OUTSTANDING];
	int ret = kt_leave_work(pair, work), completions;

	if (ret)
		return ret;
	kt_pair_stop(pair);
	completions = atomic_read(&pair->completions);
	msleep(20);
	if (atomic_read(&pair->completions) != completions)
		return kt_fail(pair, "a completion came after the CQ was freed");
	return pair->why[0] ? -EPROTO : 0;
}

/* While packets fly: large WRITEs and READs both ways, which the peer answers when its QP goes */
static int kt_case_destroy_busy(struct kt_pair *pair)
{
	struct kt_operation *operation;
	unsigned int i;

	for (i = 0; i < 2 * KT_OUTSTANDING; i++) {
		operation = kt_send(&pair->end[i % 2], &(struct kt_request){
			.opcode = i % 4 < 2 ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ,
			.length = 30000, .remote = 30000,
		});
		if (!operation)
			return -EPROTO;
	}
	kt_destroy_qp(&pair->end[1]);
	kt_pair_stop(pair);
	return pair->why[0] ? -EPROTO : 0;
}

/* A completion that nobody has polled */
static int kt_leave_completion(struct kt_pair *pair)
{
	struct kt_request request = { .opcode = IB_WR_SEND, .length = 64 };

	if (!kt_recv(&pair->end[1], 0, 64, 1) || !kt_send(&pair->end[0], &request))
		return -EPROTO;
	msleep(100);
	return 0;
}

/* A QP that goes takes its completions with it: poll does not name one that is gone */
static int kt_case_forget(struct kt_pair *pair)
{
	struct kt_end *to = &pair->end[1];
	int ret = kt_leave_completion(pair);
	struct ib_wc wc;

	if (ret)
		return ret;
	kt_destroy_qp(to);
	if (ib_poll_cq(to->cq[1], 1, &wc))
		return kt_fail(pair, "a completion of a QP that is gone");
	return 0;
}

/* So does one that is reset: its requests were forgotten */
static int kt_case_reset(struct kt_pair *pair)
{
	struct kt_end *to = &pair->end[1];
	int ret = kt_leave_completion(pair) ?: kt_modify(to, IB_QPS_RESET);
	struct ib_wc wc;

	if (ret)
		return ret;
	if (ib_poll_cq(to->cq[1], 1, &wc))
		return kt_fail(pair, "a completion of a QP that was reset");
	return 0;
}

const struct kt_case kt_teardown_cases[] = {
	{ "drain", IB_QPT_RC, KT_EACH_POLL, kt_case_drain },
	{ "uc_drain", IB_QPT_UC, KT_EACH_POLL, kt_case_drain },
	{ "drain_idle", IB_QPT_RC, KT_EACH_POLL, kt_case_drain_idle },
	{ "destroy_outstanding", IB_QPT_RC, KT_EACH_POLL, kt_case_destroy },
	{ "uc_destroy_outstanding", IB_QPT_UC, 0, kt_case_destroy },
	{ "destroy_busy", IB_QPT_RC, KT_EACH_POLL, kt_case_destroy_busy },
	{ "destroy_forgets_completions", IB_QPT_RC, KT_RAW, kt_case_forget },
	{ "reset_forgets_completions", IB_QPT_RC, KT_RAW, kt_case_reset },
	{ }
};
