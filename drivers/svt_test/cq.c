// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: requests for completion events (IBTA 11.4.2.2). The CQs are raw: their handler counts.
 */
#include <linux/delay.h>

#include "client.h"

/* A message from end 0 to end 1; the completions stay in the CQs */
static int kt_message(struct kt_pair *pair, int flags)
{
	struct kt_operation *receive = kt_recv(&pair->end[1], 0, 64, 1);

	if (!receive)
		return -EPROTO;
	return kt_send(&pair->end[0], &(struct kt_request){
		.opcode = IB_WR_SEND, .length = 64, .flags = flags,
	}) ? 0 : -EPROTO;
}

/* Until the handlers of receives at end 1 were called @count times, and not once more */
static int kt_events(struct kt_pair *pair, int count)
{
	atomic_t *events = &pair->end[1].cq_events[1];
	unsigned int i;

	for (i = 0; i < 2000 && atomic_read(events) < count; i++)
		usleep_range(1000, 2000);
	msleep(20);
	if (atomic_read(events) == count)
		return 0;
	return kt_fail(pair, "%d events instead of %d", atomic_read(events), count);
}

static int kt_arm(struct kt_pair *pair, enum ib_cq_notify_flags flags, int expected)
{
	int ret = ib_req_notify_cq(pair->end[1].cq[1], flags | IB_CQ_REPORT_MISSED_EVENTS);

	if (ret < 0 || !!ret != expected)
		return kt_fail(pair, "ib_req_notify_cq returned %d, expected %d", ret, expected);
	return 0;
}

/* The CQ holds one completion of a receive, no more */
static int kt_take(struct kt_pair *pair, int expected)
{
	int count = 0;
	struct ib_wc wc;

	while (ib_poll_cq(pair->end[1].cq[1], 1, &wc) == 1)
		count++;
	if (count != expected)
		return kt_fail(pair, "%d completions instead of %d", count, expected);
	return 0;
}

/* One request, one event */
static int kt_case_notify(struct kt_pair *pair)
{
	return kt_message(pair, 0) ?: kt_events(pair, 0) ?: kt_take(pair, 1) ?:
	       kt_arm(pair, IB_CQ_NEXT_COMP, 0) ?: kt_events(pair, 0) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?: kt_take(pair, 2);
}

/* What came before the request gives no event, but is reported */
static int kt_case_notify_missed(struct kt_pair *pair)
{
	return kt_message(pair, 0) ?: kt_events(pair, 0) ?: kt_arm(pair, IB_CQ_NEXT_COMP, 1) ?:
	       kt_events(pair, 0) ?: kt_take(pair, 1) ?: kt_arm(pair, IB_CQ_NEXT_COMP, 0) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?: kt_take(pair, 1);
}

static int kt_case_notify_solicited(struct kt_pair *pair)
{
	return kt_arm(pair, IB_CQ_SOLICITED, 0) ?: kt_message(pair, 0) ?: kt_events(pair, 0) ?:
	       kt_message(pair, IB_SEND_SOLICITED) ?: kt_events(pair, 1) ?: kt_take(pair, 2);
}

/* A request for any completion is not weakened by one for solicited ones */
static int kt_case_notify_both(struct kt_pair *pair)
{
	return kt_arm(pair, IB_CQ_NEXT_COMP, 0) ?: kt_arm(pair, IB_CQ_SOLICITED, 0) ?:
	       kt_message(pair, 0) ?: kt_events(pair, 1) ?: kt_take(pair, 1);
}

/* A completion with an error counts as solicited */
static int kt_case_notify_error(struct kt_pair *pair)
{
	if (!kt_recv(&pair->end[1], 0, 64, 1))
		return -EPROTO;
	return kt_arm(pair, IB_CQ_SOLICITED, 0) ?: kt_modify(&pair->end[1], IB_QPS_ERR) ?:
	       kt_events(pair, 1) ?: kt_take(pair, 1);
}

const struct kt_case kt_cq_cases[] = {
	{ "notify", IB_QPT_RC, KT_RAW, kt_case_notify },
	{ "notify_missed", IB_QPT_RC, KT_RAW, kt_case_notify_missed },
	{ "notify_solicited", IB_QPT_RC, KT_RAW, kt_case_notify_solicited },
	{ "notify_next_and_solicited", IB_QPT_RC, KT_RAW, kt_case_notify_both },
	{ "notify_error", IB_QPT_RC, KT_RAW, kt_case_notify_error },
	{ }
};
