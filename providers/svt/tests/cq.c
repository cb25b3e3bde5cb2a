// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Polling both ways, arming, resizing, and completions of QPs that are gone.
 */
#include <errno.h>

#include "fake.h"

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

/* A test's state is a CQ of 4 entries that can be polled both ways */
static int cq_setup(void **state)
{
	struct ibv_cq_ex *cq;

	fake_setup(state);
	cq = make_cq(4, IBV_WC_STANDARD_FLAGS, 0, 0);
	assert_non_null(cq);
	*state = ibv_cq_ex_to_cq(cq);
	return 0;
}

static int cq_teardown(void **state)
{
	return svt_destroy_cq(*state);
}

static struct ibv_cq_ex *ex_of(struct ibv_cq *cq)
{
	return &to_svt_cq(cq)->verbs.cq_ex;
}

static void complete(uint64_t wr_id, uint32_t qp_num)
{
	const struct svt_cqe cqe = { .wr_id = wr_id, .qp_num = qp_num };

	fake_complete(&fake.cq, &cqe);
}

/* Exactly @count completions are there, whose wr_ids count from @wr_id */
static void expect_polled(struct ibv_cq *cq, int count, uint64_t wr_id)
{
	struct ibv_wc wc[16];
	int i;

	assert_int_equal(svt_poll_cq(cq, 16, wc), count);
	for (i = 0; i < count; i++)
		assert_int_equal(wc[i].wr_id, wr_id + i);
}

static void expect_next(struct ibv_cq_ex *cq, uint64_t wr_id)
{
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(cq->wr_id, wr_id);
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

static void every_field_arrives(void **state)
{
	static const struct ibv_wc expected = {
		.wr_id = 1, .qp_num = 4, .byte_len = 5, .invalidated_rkey = 6, .src_qp = 7,
		.vendor_err = 8, .pkey_index = 9, .sl = 10, .status = IBV_WC_REM_ACCESS_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM, .wc_flags = IBV_WC_GRH | IBV_WC_WITH_INV,
	};
	struct svt_cqe cqe = full_cqe;
	struct ibv_cq *cq = *state;
	struct ibv_wc wc;

	assert_int_equal(cq->cqe, 4);
	expect_polled(cq, 0, 0);
	fake_complete(&fake.cq, &cqe);
	assert_int_equal(svt_poll_cq(cq, 1, &wc), 1);
	assert_memory_equal(&wc, &expected, offsetof(struct ibv_wc, dlid_path_bits) + 1);
	cqe.flags = SVT_CQE_WITH_IMM;
	fake_complete(&fake.cq, &cqe);
	assert_int_equal(svt_poll_cq(cq, 1, &wc), 1);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_IMM);
	cqe.flags = SVT_CQE_IP_CSUM_OK;
	fake_complete(&fake.cq, &cqe);
	assert_int_equal(svt_poll_cq(cq, 1, &wc), 1);
	assert_int_equal(wc.wc_flags, IBV_WC_IP_CSUM_OK);
}

static void the_other_way_of_polling_shows_the_same(void **state)
{
	struct ibv_poll_cq_attr attr = { .comp_mask = 1 };
	struct ibv_cq_ex *cq = ex_of(*state);

	assert_int_equal(ibv_start_poll(cq, &attr), EINVAL);
	attr.comp_mask = 0;
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	fake_complete(&fake.cq, &full_cqe);
	complete(42, 0);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(cq->wr_id, 1);
	assert_int_equal(cq->status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_wc_read_opcode(cq), IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(ibv_wc_read_vendor_err(cq), 8);
	assert_int_equal(ibv_wc_read_byte_len(cq), 5);
	assert_int_equal(ibv_wc_read_invalidated_rkey(cq), 6);
	assert_int_equal(ibv_wc_read_qp_num(cq), 4);
	assert_int_equal(ibv_wc_read_src_qp(cq), 7);
	assert_int_equal(ibv_wc_read_sl(cq), 10);
	assert_int_equal(ibv_wc_read_wc_flags(cq), IBV_WC_GRH | IBV_WC_WITH_INV);
	assert_int_equal(ibv_wc_read_slid(cq), 0);
	assert_int_equal(ibv_wc_read_dlid_path_bits(cq), 0);
	assert_int_equal(ibv_wc_read_completion_ts(cq), 2);
	assert_int_equal(ibv_wc_read_completion_wallclock_ns(cq), 3);
	assert_int_equal(fake.cq.control->consumer, 0);
	expect_next(cq, 42);
	assert_int_equal(fake.cq.control->consumer, 1);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	complete(43, 0);
	expect_next(cq, 43);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	assert_int_equal(fake.cq.control->consumer, 3);
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
}

static void polling_takes_what_there_is(void **state)
{
	struct ibv_cq *cq = *state;
	struct ibv_wc wc[2];
	uint64_t i;

	fake.cq.index = UINT32_MAX - 9;
	fake.cq.control->consumer = fake.cq.index;
	to_svt_cq(cq)->ring.index = fake.cq.index;
	to_svt_cq(cq)->ring.seen = fake.cq.index;
	fake.cq.control->producer = fake.cq.index;
	for (i = 0; i < 30; i += 3) {
		complete(i, 0);
		complete(i + 1, 0);
		complete(i + 2, 0);
		assert_int_equal(svt_poll_cq(cq, 2, wc), 2);
		assert_int_equal(wc[0].wr_id, i);
		assert_int_equal(wc[1].wr_id, i + 1);
		assert_int_equal(fake.cq.control->consumer, fake.cq.index - 1);
		expect_polled(cq, 1, i + 2);
	}
}

static uint32_t armed(struct ibv_cq *cq, int solicited_only)
{
	assert_int_equal(svt_req_notify_cq(cq, solicited_only), 0);
	return fake.cq.control->arm;
}

static void the_stronger_request_stays(void **state)
{
	assert_int_equal(armed(*state, 1), SVT_CQ_ARM_SOLICITED);
	assert_int_equal(armed(*state, 0), SVT_CQ_ARM_NEXT);
	assert_int_equal(armed(*state, 1), SVT_CQ_ARM_NEXT);
	fake.cq.control->arm = SVT_CQ_ARM_NONE;
	assert_int_equal(armed(*state, 1), SVT_CQ_ARM_SOLICITED);
}

static void expect_resized(struct ibv_cq *cq, int cqe)
{
	assert_int_equal(svt_resize_cq(cq, cqe), 0);
	assert_int_equal(cq->cqe, cqe);
}

static void resizing_keeps_what_is_pending(void **state)
{
	struct ibv_cq *cq = *state;
	uint64_t i;

	complete(0, 0);
	expect_polled(cq, 1, 0);
	for (i = 1; i < 5; i++)
		complete(i, 0);
	svt_req_notify_cq(cq, 0);
	expect_resized(cq, 8);
	assert_int_equal(fake.cq.control->arm, SVT_CQ_ARM_NEXT);
	for (; i < 9; i++)
		complete(i, 0);
	assert_int_equal(svt_resize_cq(cq, 4), EINVAL);
	assert_int_equal(cq->cqe, 8);
	expect_polled(cq, 8, 1);
	expect_resized(cq, 2);
	complete(9, 0);
	expect_polled(cq, 1, 9);
	fake.break_info = true;
	assert_int_equal(svt_resize_cq(cq, 4), EPROTO);
	expect_polled(cq, 0, 0);
}

static void a_ring_without_memory_is_mapped_later(void **state)
{
	struct ibv_cq *cq = *state;
	struct ibv_wc wc;
	uint64_t i;

	for (i = 0; i < 3; i++)
		complete(i, 0);
	assert_int_equal(svt_poll_cq(cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 0);
	fake.no_mappings = 4;
	expect_resized(cq, 8);
	complete(i, 0);
	/* Nothing is taken from the ring before: it would be found a second time in the new one */
	expect_polled(cq, 0, 0);
	assert_int_equal(svt_req_notify_cq(cq, 0), ENOMEM);
	assert_int_equal(svt_cq_catch_up(cq), ENOMEM);
	assert_int_equal(armed(cq, 0), SVT_CQ_ARM_NEXT);
	expect_polled(cq, 3, 1);

	fake.no_mappings = 2;
	expect_resized(cq, 16);
	complete(4, 0);
	expect_resized(cq, 4);
	expect_polled(cq, 1, 4);
}

static void the_other_way_of_polling_maps_it_later_as_well(void **state)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cq = ex_of(*state);

	fake.no_mappings = 2;
	expect_resized(*state, 8);
	complete(5, 0);
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(cq->wr_id, 5);
	ibv_end_poll(cq);
}

static void a_qp_stays_until_it_can_be_forgotten(void **state)
{
	struct bench *bench = *state;

	complete(1, bench->qp->qp_num);
	fake.no_mappings = 2;
	expect_resized(bench->cq, 16);
	assert_int_equal(svt_destroy_qp(bench->qp), ENOMEM);
	assert_int_equal(svt_destroy_qp(bench->qp), 0);
	bench->qp = NULL;
	expect_polled(bench->cq, 0, 0);
}

static void completions_of_the_dead_are_dropped(void **state)
{
	/* 1: of the QP that goes */
	static const char *const patterns[] = { "", "0", "1", "11111111", "00000000", "10101010",
						"01010101", "00001111", "11110000", "01100110" };
	struct ibv_cq *cq = *state;
	size_t pattern;
	int i, left;

	expect_resized(cq, 8);
	for (pattern = 0; pattern < ARRAY_SIZE(patterns); pattern++) {
		/* Begin somewhere else each time */
		complete(0, 0);
		expect_polled(cq, 1, 0);
		for (i = 0, left = 0; patterns[pattern][i]; i++) {
			complete(left, patterns[pattern][i]);
			left += patterns[pattern][i] == '0';
		}
		svt_cq_forget(to_svt_cq(cq), '1');
		assert_int_equal(fake.cq.index - fake.cq.control->consumer, left);
		expect_polled(cq, left, 0);
	}
}

static void a_completion_being_read_outlives_its_qp(void **state)
{
	struct ibv_cq_ex *cq = make_cq(8, 0, IBV_CQ_INIT_ATTR_MASK_FLAGS,
				       IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	struct ibv_poll_cq_attr attr = {};

	assert_non_null(cq);
	complete(1, 5);
	complete(2, 5);
	complete(3, 6);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	svt_cq_forget(to_svt_cq(ibv_cq_ex_to_cq(cq)), 5);
	assert_int_equal(cq->wr_id, 1);
	assert_int_equal(ibv_wc_read_qp_num(cq), 5);
	expect_next(cq, 3);
	assert_int_equal(ibv_wc_read_qp_num(cq), 6);
	svt_cq_forget(to_svt_cq(ibv_cq_ex_to_cq(cq)), 6);
	ibv_end_poll(cq);
	assert_int_equal(fake.cq.control->consumer, fake.cq.index);
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
}

static void expect_locked(struct ibv_cq *cq)
{
	assert_int_equal(pthread_spin_trylock(&to_svt_cq(cq)->lock.spin), EBUSY);
}

/* A CQ for any number of threads, and the one that reads does more with it */
static void who_reads_may_arm_and_destroy(void **state)
{
	struct bench *bench = *state;
	struct ibv_cq_ex *cq = ex_of(bench->cq);
	struct ibv_poll_cq_attr attr = {};
	uint32_t qp_num = bench->qp->qp_num;

	svt_poll_api_init(cq);
	complete(1, qp_num);
	complete(2, qp_num);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(svt_req_notify_cq(bench->cq, 0), 0);
	assert_int_equal(fake.cq.control->arm, SVT_CQ_ARM_NEXT);
	assert_int_equal(svt_resize_cq(bench->cq, 64), EBUSY);
	expect_locked(bench->cq);
	assert_int_equal(svt_destroy_qp(bench->qp), 0);
	bench->qp = NULL;
	expect_locked(bench->cq);
	assert_int_equal(ibv_wc_read_qp_num(cq), qp_num);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	/* The lock is there for others again */
	assert_int_equal(svt_req_notify_cq(bench->cq, 0), 0);
	expect_polled(bench->cq, 0, 0);
}

static void destroying_a_qp_drops_its_completions(void **state)
{
	struct bench *bench = *state;

	complete(1, bench->qp->qp_num);
	complete(2, bench->qp->qp_num + 1);
	assert_int_equal(svt_destroy_qp(bench->qp), 0);
	bench->qp = NULL;
	expect_polled(bench->cq, 1, 2);
}

static void expect_refused(struct ibv_cq_ex *cq, int err)
{
	assert_null(cq);
	assert_int_equal(errno, err);
}

static void extensions_are_checked(void **state)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD };
	struct ibv_cq_ex *cq;

	expect_refused(make_cq(4, IBV_WC_EX_WITH_CVLAN, 0, 0), EOPNOTSUPP);
	expect_refused(make_cq(4, 0, 1 << 9, 0), EOPNOTSUPP);
	expect_refused(make_cq(4, 0, IBV_CQ_INIT_ATTR_MASK_FLAGS, 1 << 9), EOPNOTSUPP);
	attr.parent_domain = svt_alloc_pd(fake_context());
	assert_non_null(attr.parent_domain);
	expect_refused(svt_create_cq_ex(fake_context(), &attr), EINVAL);
	svt_dealloc_pd(attr.parent_domain);

	cq = make_cq(4, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, IBV_CQ_INIT_ATTR_MASK_FLAGS,
		     IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	assert_non_null(cq);
	assert_false(to_svt_cq(ibv_cq_ex_to_cq(cq))->lock.needed);
	assert_true(to_svt_cq(*state)->lock.needed);
	svt_destroy_cq(ibv_cq_ex_to_cq(cq));
}

const struct CMUnitTest tests[] = {
	{ "cq: every field arrives", every_field_arrives, cq_setup, cq_teardown, NULL },
	{ "cq: the other way of polling shows the same", the_other_way_of_polling_shows_the_same,
	  cq_setup, cq_teardown, NULL },
	{ "cq: polling takes what there is", polling_takes_what_there_is,
	  cq_setup, cq_teardown, NULL },
	{ "cq: the stronger request stays", the_stronger_request_stays,
	  cq_setup, cq_teardown, NULL },
	{ "cq: resizing keeps what is pending", resizing_keeps_what_is_pending,
	  cq_setup, cq_teardown, NULL },
	{ "cq: a ring without memory is mapped later", a_ring_without_memory_is_mapped_later,
	  cq_setup, cq_teardown, NULL },
	{ "cq: the other way of polling maps it later as well",
	  the_other_way_of_polling_maps_it_later_as_well, cq_setup, cq_teardown, NULL },
	RC_TEST("cq: a QP stays until it can be forgotten", a_qp_stays_until_it_can_be_forgotten),
	{ "cq: completions of the dead are dropped", completions_of_the_dead_are_dropped,
	  cq_setup, cq_teardown, NULL },
	{ "cq: a completion being read outlives its QP", a_completion_being_read_outlives_its_qp,
	  cq_setup, cq_teardown, NULL },
	RC_TEST("cq: who reads may arm it and destroy QPs", who_reads_may_arm_and_destroy),
	RC_TEST("cq: destroying a QP drops its completions", destroying_a_qp_drops_its_completions),
	{ "cq: extensions are checked", extensions_are_checked, cq_setup, cq_teardown, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
