// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling both ways, arming, resizing, and completions of QPs that are gone.
 */
#include <errno.h>

#include "fake.h"
#include "test.h"

static struct ibv_cq_ex *make_cq(uint32_t cqe, uint64_t wc_flags, uint32_t comp_mask,
				 uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.wc_flags = wc_flags,
		.comp_mask = comp_mask,
		.flags = flags,
	};

	return svt_create_cq_ex(fake_context(), &attr);
}

static void complete(uint64_t wr_id, uint32_t qp_num)
{
	const struct svt_cqe cqe = { .wr_id = wr_id, .qp_num = qp_num };

	fake_complete(&fake.cq, &cqe);
}

static const struct svt_cqe full_cqe = {
	.wr_id = 1,
	.timestamp = 2,
	.wall_clock = 3,
	.qp_num = 4,
	.byte_len = 5,
	.invalidated_rkey = 6,
	.src_qp = 7,
	.vendor_err = 8,
	.pkey_index = 9,
	.status = IBV_WC_REM_ACCESS_ERR,
	.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
	.flags = SVT_CQE_GRH | SVT_CQE_WITH_INV,
	.sl = 10,
};

static void every_field_arrives(void)
{
	struct ibv_cq *cq = svt_create_cq(fake_context(), 4, NULL, 0);
	struct svt_cqe cqe = full_cqe;
	struct ibv_wc wc;

	EXPECT(cq && cq->cqe == 4);
	EXPECT(!svt_poll_cq(cq, 1, &wc));
	fake_complete(&fake.cq, &cqe);
	EXPECT(svt_poll_cq(cq, 1, &wc) == 1);
	EXPECT(wc.wr_id == 1 && wc.qp_num == 4 && wc.byte_len == 5 && wc.invalidated_rkey == 6);
	EXPECT(wc.src_qp == 7 && wc.vendor_err == 8 && wc.pkey_index == 9 && wc.sl == 10);
	EXPECT(wc.status == IBV_WC_REM_ACCESS_ERR && wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT(wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_INV));
	cqe.flags = SVT_CQE_WITH_IMM;
	fake_complete(&fake.cq, &cqe);
	EXPECT(svt_poll_cq(cq, 1, &wc) == 1 && wc.wc_flags == IBV_WC_WITH_IMM);
	cqe.flags = SVT_CQE_IP_CSUM_OK;
	fake_complete(&fake.cq, &cqe);
	EXPECT(svt_poll_cq(cq, 1, &wc) == 1 && wc.wc_flags == IBV_WC_IP_CSUM_OK);
	svt_destroy_cq(cq);
}

static void the_other_way_of_polling_shows_the_same(void)
{
	struct ibv_cq_ex *cq = make_cq(4, IBV_WC_STANDARD_FLAGS, 0, 0);
	struct ibv_poll_cq_attr attr = {};

	EXPECT(cq);
	EXPECT(ibv_start_poll(cq, &attr) == ENOENT);
	attr.comp_mask = 1;
	EXPECT(ibv_start_poll(cq, &attr) == EINVAL);
	attr.comp_mask = 0;
	fake_complete(&fake.cq, &full_cqe);
	complete(42, 0);
	EXPECT(!ibv_start_poll(cq, &attr));
	EXPECT(cq->wr_id == 1 && cq->status == IBV_WC_REM_ACCESS_ERR);
	EXPECT(ibv_wc_read_opcode(cq) == IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT(ibv_wc_read_vendor_err(cq) == 8 && ibv_wc_read_byte_len(cq) == 5);
	EXPECT(ibv_wc_read_invalidated_rkey(cq) == 6 && ibv_wc_read_qp_num(cq) == 4);
	EXPECT(ibv_wc_read_src_qp(cq) == 7 && ibv_wc_read_sl(cq) == 10);
	EXPECT(ibv_wc_read_wc_flags(cq) == (IBV_WC_GRH | IBV_WC_WITH_INV));
	EXPECT(!ibv_wc_read_slid(cq) && !ibv_wc_read_dlid_path_bits(cq));
	EXPECT(ibv_wc_read_completion_ts(cq) == 2);
	EXPECT(ibv_wc_read_completion_wallclock_ns(cq) == 3);
	EXPECT(fake.cq.control->consumer == 0);
	EXPECT(!ibv_next_poll(cq) && cq->wr_id == 42);
	EXPECT(fake.cq.control->consumer == 1);
	EXPECT(ibv_next_poll(cq) == ENOENT);
	complete(43, 0);
	EXPECT(!ibv_next_poll(cq) && cq->wr_id == 43);
	EXPECT(ibv_next_poll(cq) == ENOENT);
	ibv_end_poll(cq);
	EXPECT(fake.cq.control->consumer == 3);
	EXPECT(ibv_start_poll(cq, &attr) == ENOENT);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
}

static void polling_takes_what_there_is(void)
{
	struct ibv_cq *cq = svt_create_cq(fake_context(), 4, NULL, 0);
	struct ibv_wc wc[8];
	uint64_t i, polled = 0;
	int count;

	EXPECT(cq);
	fake.cq.index = UINT32_MAX - 9;
	fake.cq.control->consumer = fake.cq.index;
	to_svt_cq(cq)->ring.index = fake.cq.index;
	to_svt_cq(cq)->ring.seen = fake.cq.index;
	fake.cq.control->producer = fake.cq.index;
	for (i = 0; i < 30; i++) {
		complete(i, 0);
		if (i % 3 < 2)
			continue;
		EXPECT(svt_poll_cq(cq, 2, wc) == 2);
		EXPECT(wc[0].wr_id == polled && wc[1].wr_id == polled + 1);
		polled += 2;
		EXPECT(fake.cq.control->consumer == fake.cq.index - 1);
		count = svt_poll_cq(cq, 8, wc);
		EXPECT(count == 1 && wc[0].wr_id == polled++);
	}
	EXPECT(polled == 30);
	svt_destroy_cq(cq);
}

static void the_stronger_request_stays(void)
{
	struct ibv_cq *cq = svt_create_cq(fake_context(), 4, NULL, 0);

	EXPECT(cq);
	EXPECT(!svt_req_notify_cq(cq, 1) && fake.cq.control->arm == SVT_CQ_ARM_SOLICITED);
	EXPECT(!svt_req_notify_cq(cq, 0) && fake.cq.control->arm == SVT_CQ_ARM_NEXT);
	EXPECT(!svt_req_notify_cq(cq, 1) && fake.cq.control->arm == SVT_CQ_ARM_NEXT);
	fake.cq.control->arm = SVT_CQ_ARM_NONE;
	EXPECT(!svt_req_notify_cq(cq, 1) && fake.cq.control->arm == SVT_CQ_ARM_SOLICITED);
	svt_destroy_cq(cq);
}

static void resizing_keeps_what_is_pending(void)
{
	struct ibv_cq *cq = svt_create_cq(fake_context(), 4, NULL, 0);
	struct ibv_wc wc[8];
	uint64_t i;

	EXPECT(cq);
	complete(0, 0);
	EXPECT(svt_poll_cq(cq, 8, wc) == 1);
	for (i = 1; i < 5; i++)
		complete(i, 0);
	svt_req_notify_cq(cq, 0);
	EXPECT(!svt_resize_cq(cq, 8) && cq->cqe == 8);
	EXPECT(fake.cq.control->arm == SVT_CQ_ARM_NEXT);
	for (; i < 9; i++)
		complete(i, 0);
	EXPECT(svt_resize_cq(cq, 4) == EINVAL && cq->cqe == 8);
	EXPECT(svt_poll_cq(cq, 8, wc) == 8);
	for (i = 0; i < 8; i++)
		EXPECT(wc[i].wr_id == i + 1);
	EXPECT(!svt_resize_cq(cq, 2) && cq->cqe == 2);
	complete(9, 0);
	EXPECT(svt_poll_cq(cq, 8, wc) == 1 && wc[0].wr_id == 9);
	fake.break_info = true;
	EXPECT(svt_resize_cq(cq, 4) == EPROTO);
	EXPECT(!svt_poll_cq(cq, 8, wc));
	svt_destroy_cq(cq);
}

static void a_ring_without_memory_is_mapped_later(void)
{
	struct ibv_cq *cq = svt_create_cq(fake_context(), 4, NULL, 0);
	struct ibv_wc wc[8];
	uint64_t i;

	EXPECT(cq);
	for (i = 0; i < 3; i++)
		complete(i, 0);
	EXPECT(svt_poll_cq(cq, 1, wc) == 1 && !wc[0].wr_id);
	fake.no_mappings = 4;
	EXPECT(!svt_resize_cq(cq, 8) && cq->cqe == 8);
	complete(i++, 0);
	/* Nothing is taken from the ring before: it would be found a second time in the new one */
	EXPECT(!svt_poll_cq(cq, 8, wc));
	EXPECT(svt_req_notify_cq(cq, 0) == ENOMEM && svt_cq_catch_up(cq) == ENOMEM);
	EXPECT(!svt_req_notify_cq(cq, 0) && fake.cq.control->arm == SVT_CQ_ARM_NEXT);
	EXPECT(svt_poll_cq(cq, 8, wc) == 3);
	for (i = 0; i < 3; i++)
		EXPECT(wc[i].wr_id == i + 1);

	fake.no_mappings = 2;
	EXPECT(!svt_resize_cq(cq, 16));
	complete(4, 0);
	EXPECT(!svt_resize_cq(cq, 4) && svt_poll_cq(cq, 8, wc) == 1 && wc[0].wr_id == 4);
	svt_destroy_cq(cq);
}

static void the_other_way_of_polling_maps_it_later_as_well(void)
{
	struct ibv_cq_ex *cq = make_cq(4, 0, 0, 0);
	struct ibv_poll_cq_attr attr = {};

	EXPECT(cq);
	fake.no_mappings = 2;
	EXPECT(!svt_resize_cq(ibv_cq_ex_to_cq(cq), 8));
	complete(5, 0);
	EXPECT(ibv_start_poll(cq, &attr) == ENOENT);
	EXPECT(!ibv_start_poll(cq, &attr) && cq->wr_id == 5);
	ibv_end_poll(cq);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
}

static void a_qp_stays_until_it_can_be_forgotten(void)
{
	struct bench bench;
	struct ibv_wc wc[2];

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	complete(1, bench.qp->qp_num);
	fake.no_mappings = 2;
	EXPECT(!svt_resize_cq(bench.cq, 16));
	EXPECT(svt_destroy_qp(bench.qp) == ENOMEM);
	EXPECT(!svt_destroy_qp(bench.qp));
	EXPECT(!svt_poll_cq(bench.cq, 2, wc));
	bench.qp = NULL;
	bench_close(&bench);
}

static void completions_of_the_dead_are_dropped(void)
{
	/* 1: of the QP that goes */
	static const char *const patterns[] = { "", "0", "1", "11111111", "00000000", "10101010",
						"01010101", "00001111", "11110000", "01100110" };
	struct ibv_cq *cq = svt_create_cq(fake_context(), 8, NULL, 0);
	struct ibv_wc wc[8];
	size_t pattern;
	int i, left;

	EXPECT(cq);
	for (pattern = 0; pattern < ARRAY_SIZE(patterns); pattern++) {
		/* Begin somewhere else each time */
		complete(0, 0);
		EXPECT(svt_poll_cq(cq, 8, wc) == 1);
		for (i = 0; patterns[pattern][i]; i++)
			complete(i, patterns[pattern][i]);
		svt_cq_forget(to_svt_cq(cq), '1');
		for (i = 0, left = 0; patterns[pattern][i]; i++)
			left += patterns[pattern][i] == '0';
		EXPECT(fake.cq.index - fake.cq.control->consumer == (uint32_t)left);
		EXPECT(svt_poll_cq(cq, 8, wc) == left);
		for (i = 0, left = 0; patterns[pattern][i]; i++)
			if (patterns[pattern][i] == '0')
				EXPECT(wc[left++].wr_id == (uint64_t)i);
	}
	svt_destroy_cq(cq);
}

static void a_completion_being_read_outlives_its_qp(void)
{
	struct ibv_cq_ex *cq = make_cq(8, 0, IBV_CQ_INIT_ATTR_MASK_FLAGS,
				       IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	struct ibv_poll_cq_attr attr = {};

	EXPECT(cq);
	complete(1, 5);
	complete(2, 5);
	complete(3, 6);
	EXPECT(!ibv_start_poll(cq, &attr));
	svt_cq_forget(to_svt_cq(ibv_cq_ex_to_cq(cq)), 5);
	EXPECT(cq->wr_id == 1 && ibv_wc_read_qp_num(cq) == 5);
	EXPECT(!ibv_next_poll(cq) && cq->wr_id == 3 && ibv_wc_read_qp_num(cq) == 6);
	svt_cq_forget(to_svt_cq(ibv_cq_ex_to_cq(cq)), 6);
	ibv_end_poll(cq);
	EXPECT(fake.cq.control->consumer == fake.cq.index);
	EXPECT(ibv_start_poll(cq, &attr) == ENOENT);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
}

static void destroying_a_qp_drops_its_completions(void)
{
	struct ibv_wc wc[2];
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	complete(1, bench.qp->qp_num);
	complete(2, bench.qp->qp_num + 1);
	EXPECT(!svt_destroy_qp(bench.qp));
	bench.qp = NULL;
	EXPECT(svt_poll_cq(bench.cq, 2, wc) == 1 && wc[0].wr_id == 2);
	bench_close(&bench);
}

static void extensions_are_checked(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
	struct ibv_cq_ex *cq;

	EXPECT(!make_cq(4, IBV_WC_EX_WITH_CVLAN, 0, 0) && errno == EOPNOTSUPP);
	EXPECT(!make_cq(4, 0, 1 << 9, 0) && errno == EOPNOTSUPP);
	EXPECT(!make_cq(4, 0, IBV_CQ_INIT_ATTR_MASK_FLAGS, 1 << 9) && errno == EOPNOTSUPP);
	attr.parent_domain = svt_alloc_pd(fake_context());
	EXPECT(attr.parent_domain);
	EXPECT(!svt_create_cq_ex(fake_context(), &attr) && errno == EINVAL);
	svt_dealloc_pd(attr.parent_domain);

	cq = make_cq(4, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, 0, 0);
	EXPECT(cq && to_svt_cq(ibv_cq_ex_to_cq(cq))->lock.needed);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
	cq = make_cq(4, 0, IBV_CQ_INIT_ATTR_MASK_FLAGS, IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	EXPECT(cq && !to_svt_cq(ibv_cq_ex_to_cq(cq))->lock.needed);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
}

const struct test cq_tests[] = {
	{ "cq: every field arrives", every_field_arrives },
	{ "cq: the other way of polling shows the same", the_other_way_of_polling_shows_the_same },
	{ "cq: polling takes what there is", polling_takes_what_there_is },
	{ "cq: the stronger request stays", the_stronger_request_stays },
	{ "cq: resizing keeps what is pending", resizing_keeps_what_is_pending },
	{ "cq: a ring without memory is mapped later", a_ring_without_memory_is_mapped_later },
	{ "cq: the other way of polling maps it later as well",
	  the_other_way_of_polling_maps_it_later_as_well },
	{ "cq: a QP stays until it can be forgotten", a_qp_stays_until_it_can_be_forgotten },
	{ "cq: completions of the dead are dropped", completions_of_the_dead_are_dropped },
	{ "cq: a completion being read outlives its QP", a_completion_being_read_outlives_its_qp },
	{ "cq: destroying a QP drops its completions", destroying_a_qp_drops_its_completions },
	{ "cq: extensions are checked", extensions_are_checked },
	{}
};
