// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters of a port, asked for by a MAD, of a device that is not registered.
 */
#include <kunit/test.h>
#include <rdma/ib_pma.h>

#include "verbs/verbs.h"

struct mad_context {
	struct svt_device dev;
	struct svt_core core;
	struct ib_mad in;
	struct ib_pma_mad out;
};

static int mad_init(struct kunit *test)
{
	struct mad_context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return -ENOMEM;
	ctx->core.counters = alloc_percpu(struct svt_counters);
	if (!ctx->core.counters)
		return -ENOMEM;
	ctx->dev.core = &ctx->core;
	ctx->in.mad_hdr.mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	ctx->in.mad_hdr.method = IB_MGMT_METHOD_GET;
	test->priv = ctx;
	return 0;
}

static void mad_exit(struct kunit *test)
{
	struct mad_context *ctx = test->priv;

	if (ctx)
		free_percpu(ctx->core.counters);
}

static int ask(struct mad_context *ctx, __be16 attribute, const struct ib_wc *wc)
{
	ctx->in.mad_hdr.attr_id = attribute;
	return svt_process_mad(&ctx->dev.ibdev, 0, 1, wc, NULL, &ctx->in,
			       (struct ib_mad *)&ctx->out, NULL, NULL);
}

#define ANSWERED	(IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY)

static void traffic_is_counted_in_64_bits(struct kunit *test)
{
	struct mad_context *ctx = test->priv;
	struct ib_pma_portcounters_ext *pma = (void *)ctx->out.data;

	svt_count_add(ctx->core.counters, SVT_COUNT_TX_BYTES, 1ULL << 40);
	svt_count_add(ctx->core.counters, SVT_COUNT_RX_BYTES, 4 << 20);
	svt_count_add(ctx->core.counters, SVT_COUNT_TX_PACKETS, 1ULL << 33);
	svt_count_add(ctx->core.counters, SVT_COUNT_RX_PACKETS, 7);
	KUNIT_ASSERT_EQ(test, ask(ctx, IB_PMA_PORT_COUNTERS_EXT, NULL), ANSWERED);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(pma->port_xmit_data), 1ULL << 38);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(pma->port_rcv_data), 1ULL << 20);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(pma->port_xmit_packets), 1ULL << 33);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(pma->port_rcv_packets), 7ULL);
}

static void errors_stop_at_16_bits(struct kunit *test)
{
	struct mad_context *ctx = test->priv;
	struct ib_pma_portcounters *pma = (void *)ctx->out.data;

	svt_count_add(ctx->core.counters, SVT_COUNT_RX_DROPPED_BACKEND, 2);
	svt_count_add(ctx->core.counters, SVT_COUNT_RX_DROPPED_MALFORMED, 3);
	svt_count_add(ctx->core.counters, SVT_COUNT_TX_DROPPED, 0x10000);
	KUNIT_ASSERT_EQ(test, ask(ctx, IB_PMA_PORT_COUNTERS, NULL), ANSWERED);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(pma->port_rcv_errors), 5);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(pma->port_xmit_discards), 0xffff);
}

static void peers_get_no_answer(struct kunit *test)
{
	static const struct ib_wc wc = { .src_qp = 1 };
	struct mad_context *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, ask(ctx, IB_PMA_CLASS_PORT_INFO, NULL), ANSWERED);
	KUNIT_EXPECT_EQ(test, ask(ctx, IB_PMA_CLASS_PORT_INFO, &wc), IB_MAD_RESULT_SUCCESS);
	KUNIT_EXPECT_EQ(test, ask(ctx, IB_PMA_PORT_COUNTERS_EXT, &wc), IB_MAD_RESULT_SUCCESS);
}

static void other_questions_are_left_to_others(struct kunit *test)
{
	struct mad_context *ctx = test->priv;

	KUNIT_EXPECT_EQ(test, ask(ctx, IB_PMA_PORT_SAMPLES_CONTROL, NULL), IB_MAD_RESULT_SUCCESS);
	ctx->in.mad_hdr.method = IB_MGMT_METHOD_SET;
	KUNIT_EXPECT_EQ(test, ask(ctx, IB_PMA_PORT_COUNTERS, NULL), IB_MAD_RESULT_SUCCESS);
	ctx->in.mad_hdr.method = IB_MGMT_METHOD_GET;
	ctx->in.mad_hdr.mgmt_class = IB_MGMT_CLASS_CM;
	KUNIT_EXPECT_EQ(test, ask(ctx, IB_PMA_PORT_COUNTERS, NULL), IB_MAD_RESULT_SUCCESS);
}

static struct kunit_case mad_cases[] = {
	KUNIT_CASE(traffic_is_counted_in_64_bits),
	KUNIT_CASE(errors_stop_at_16_bits),
	KUNIT_CASE(peers_get_no_answer),
	KUNIT_CASE(other_questions_are_left_to_others),
	{}
};

static struct kunit_suite mad_suite = {
	.name = "svt-mad",
	.init = mad_init,
	.exit = mad_exit,
	.test_cases = mad_cases,
};

kunit_test_suite(mad_suite);
