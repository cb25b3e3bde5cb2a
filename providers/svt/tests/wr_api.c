// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_*(): what stands in the ring, and that a batch is posted whole or not at all.
 */
#include <errno.h>

#include "../ah.h"
#include "../mw.h"
#include "fake.h"

static struct ibv_qp_ex *ex_of(struct bench *bench)
{
	return &to_svt_qp(bench->qp)->verbs.qp_ex;
}

/* The batch ends with @err, and nothing of it is posted */
static void expect_refused(struct ibv_qp_ex *qp, int err)
{
	assert_int_equal(ibv_wr_complete(qp), err);
	assert_int_equal(fake_pending(&fake.sq), 0);
}

static void operations_arrive(void **state)
{
	const struct svt_send_wqe expected[] = {
		{ .wr_id = 1, .opcode = IBV_WR_RDMA_READ, .flags = SVT_SEND_SIGNALED, .num_sge = 1,
		  .rdma = { .rkey = 2, .remote_addr = 3 } },
		{ .wr_id = 2, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD, .flags = SVT_SEND_SIGNALED,
		  .num_sge = 1, .atomic = { .rkey = 7, .remote_addr = 8, .compare_add = 9 } },
		{ .wr_id = 3, .opcode = IBV_WR_SEND_WITH_IMM, .flags = SVT_SEND_SIGNALED,
		  .imm_data = 12 },
		{ .wr_id = 4, .opcode = IBV_WR_LOCAL_INV, .flags = SVT_SEND_SIGNALED,
		  .invalidate_rkey = 13 },
	};
	const struct svt_sge sges[] = { { .lkey = 4, .addr = 5, .length = 6 },
					{ .lkey = 10, .addr = 11, .length = 8 } };
	struct ibv_qp_ex *qp = ex_of(*state);
	const struct svt_send_wqe *wqe;
	size_t i;

	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
	ibv_wr_rdma_read(qp, 2, 3);
	ibv_wr_set_sge(qp, 4, 5, 6);
	qp->wr_id = 2;
	ibv_wr_atomic_fetch_add(qp, 7, 8, 9);
	ibv_wr_set_sge(qp, 10, 11, 8);
	qp->wr_id = 3;
	ibv_wr_send_imm(qp, 12);
	qp->wr_id = 4;
	ibv_wr_local_inv(qp, 13);
	assert_int_equal(fake_pending(&fake.sq), 0);
	assert_int_equal(ibv_wr_complete(qp), 0);

	assert_int_equal(fake_pending(&fake.sq), 4);
	for (i = 0; i < 4; i++) {
		wqe = fake_take_send();
		assert_memory_equal(wqe, &expected[i], sizeof(*wqe));
		if (wqe->num_sge)
			assert_memory_equal(wqe->sge, &sges[i], sizeof(sges[i]));
	}
}

static void an_atomic_write_has_its_value_inline(void **state)
{
	const struct svt_send_wqe expected = {
		.wr_id = 1, .opcode = IBV_WR_ATOMIC_WRITE, .flags = SVT_SEND_INLINE,
		.inline_length = 8, .rdma = { .rkey = 2, .remote_addr = 3 },
	};
	const uint64_t value = 0x1122334455667788;
	struct ibv_qp_ex *qp = ex_of(*state);
	const struct svt_send_wqe *wqe;

	ibv_wr_start(qp);
	qp->wr_id = 1;
	ibv_wr_atomic_write(qp, 2, 3, &value);
	assert_int_equal(ibv_wr_complete(qp), 0);
	wqe = fake_take_send();
	assert_memory_equal(wqe, &expected, sizeof(expected));
	assert_memory_equal(wqe->sge, &value, sizeof(value));
}

static void uc_has_no_atomic_write(void **state)
{
	struct ibv_qp_ex *qp = ex_of(*state);
	const uint64_t value = 0;

	ibv_wr_start(qp);
	ibv_wr_atomic_write(qp, 2, 3, &value);
	expect_refused(qp, EINVAL);
}

#ifdef SVT_HAVE_WR_FLUSH
static void a_flush_names_what_it_flushes(void **state)
{
	const struct svt_send_wqe expected = {
		.wr_id = 1, .opcode = IBV_WR_FLUSH,
		.flush = { .rkey = 2, .remote_addr = 3, .length = UINT32_MAX,
			   .placement = SVT_FLUSH_PERSISTENT, .selectivity = SVT_FLUSH_REGION },
	};
	struct ibv_qp_ex *qp = ex_of(*state);

	ibv_wr_start(qp);
	qp->wr_id = 1;
	ibv_wr_flush(qp, 2, 3, UINT32_MAX, IBV_FLUSH_PERSISTENT, IBV_FLUSH_MR);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_memory_equal(fake_take_send(), &expected, sizeof(expected));
}

static void a_flush_too_long_is_refused(void **state)
{
	struct ibv_qp_ex *qp = ex_of(*state);

	ibv_wr_start(qp);
	ibv_wr_flush(qp, 2, 3, (size_t)UINT32_MAX + 1, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);
	expect_refused(qp, EINVAL);
}
#endif

static void inline_lists_are_joined(void **state)
{
	const struct ibv_data_buf list[] = { { "abc", 3 }, { "", 0 }, { "defg", 4 } };
	struct ibv_qp_ex *qp = ex_of(*state);
	const struct svt_send_wqe *wqe;
	char long_data[65] = {};

	ibv_wr_start(qp);
	ibv_wr_rdma_write(qp, 1, 2);
	ibv_wr_set_inline_data_list(qp, 3, list);
	assert_int_equal(ibv_wr_complete(qp), 0);
	wqe = fake_take_send();
	assert_int_equal(wqe->flags, SVT_SEND_INLINE);
	assert_int_equal(wqe->inline_length, 7);
	assert_memory_equal(wqe->sge, "abcdefg", 7);

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, long_data, sizeof(long_data));
	expect_refused(qp, EINVAL);
	ibv_wr_start(qp);
	ibv_wr_rdma_read(qp, 1, 2);
	ibv_wr_set_inline_data(qp, long_data, 1);
	expect_refused(qp, EINVAL);
}

static void send_batch(struct ibv_qp_ex *qp, int count)
{
	ibv_wr_start(qp);
	while (count--)
		ibv_wr_send(qp);
}

static void a_batch_is_posted_whole_or_not(void **state)
{
	struct bench *bench = *state;
	struct ibv_qp_ex *qp = ex_of(bench);

	send_batch(qp, 1);
	ibv_wr_abort(qp);
	send_batch(qp, 0);
	expect_refused(qp, 0);
	assert_int_equal(fake.doorbells, 0);

	send_batch(qp, 1);
	ibv_wr_rdma_read(qp, 1, 2);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_send(qp);
	expect_refused(qp, EINVAL);

	send_batch(qp, 5);
	expect_refused(qp, ENOMEM);

	assert_true(fake_sleep(&fake.sq));
	send_batch(qp, 4);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_int_equal(fake_pending(&fake.sq), 4);
	assert_int_equal(fake.doorbells, 1);

	bench->qp->state = IBV_QPS_RESET;
	send_batch(qp, 1);
	assert_int_equal(ibv_wr_complete(qp), EINVAL);
}

static void datagrams_have_an_address(void **state)
{
	const struct svt_send_wqe expected = {
		.opcode = IBV_WR_SEND, .num_sge = 1,
		.ud = { .ah = 100, .remote_qpn = 4, .remote_qkey = 5 },
	};
	struct bench *bench = *state, connected;
	struct ibv_qp_ex *qp = ex_of(bench);
	struct ibv_ah_attr attr = {};
	struct ibv_ah *ah = svt_create_ah(bench->pd, &attr);

	send_batch(qp, 1);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_set_ud_addr(qp, ah, 4, 5);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_memory_equal(fake_take_send(), &expected, sizeof(expected));

	send_batch(qp, 2);
	ibv_wr_set_ud_addr(qp, ah, 4, 5);
	expect_refused(qp, EINVAL);
	send_batch(qp, 1);
	expect_refused(qp, EINVAL);

	assert_true(bench_open(&connected, IBV_QPT_RC));
	send_batch(ex_of(&connected), 1);
	ibv_wr_set_ud_addr(ex_of(&connected), ah, 4, 5);
	expect_refused(ex_of(&connected), EINVAL);
	bench_close(&connected);
	svt_destroy_ah(ah);
}

static void windows_of_type_2_are_bound(void **state)
{
	struct ibv_mr mr = { .lkey = 33 };
	const struct ibv_mw_bind_info info = { .mr = &mr, .addr = 1, .length = 2 };
	const struct svt_send_wqe expected = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = { .addr = 1, .length = 2, .mr_lkey = 33, .mw_rkey = 0x123456ff,
			     .new_rkey = 0x12345601 },
	};
	struct bench *bench = *state;
	struct ibv_qp_ex *qp = ex_of(bench);
	struct ibv_mw *mw1 = svt_alloc_mw(bench->pd, IBV_MW_TYPE_1);
	struct ibv_mw *mw2 = svt_alloc_mw(bench->pd, IBV_MW_TYPE_2);

	ibv_wr_start(qp);
	ibv_wr_bind_mw(qp, mw1, 0x12345601, &info);
	expect_refused(qp, EINVAL);
	ibv_wr_start(qp);
	ibv_wr_bind_mw(qp, mw2, 0x12345601, &info);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_memory_equal(fake_take_send(), &expected, sizeof(expected));
	svt_dealloc_mw(mw1);
	svt_dealloc_mw(mw2);
}

static void what_was_not_asked_for_is_not_there(void **state)
{
	struct bench *bench = *state;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
		.pd = bench->pd,
		.send_cq = bench->cq,
		.recv_cq = bench->cq,
	};
	struct ibv_qp *qp;

	assert_non_null(ibv_qp_to_qp_ex(bench->qp));
	assert_null(svt_create_qp_ex(fake_context(), &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.send_ops_flags = 0;
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	qp = svt_create_qp_ex(fake_context(), &attr);
	assert_non_null(qp);
	assert_null(ibv_qp_to_qp_ex(qp));
	svt_destroy_qp(qp);
}

static void an_initiator_names_the_srq_of_its_peer(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .qp_type.xrc.remote_srqn = 0x1000000 };
	struct bench *bench = *state;
	struct ibv_qp_ex *qp = ex_of(bench);
	struct ibv_send_wr *bad;

	assert_int_equal(svt_post_send(bench->qp, &wr, &bad), EINVAL);
	wr.qp_type.xrc.remote_srqn = 0xabcdef;
	assert_int_equal(svt_post_send(bench->qp, &wr, &bad), 0);
	assert_int_equal(fake_take_send()->srq_num, 0xabcdef);

	ibv_wr_start(qp);
	ibv_wr_rdma_write(qp, 1, 2);
	ibv_wr_set_xrc_srqn(qp, 17);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_local_inv(qp, 13);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_int_equal(fake_take_send()->srq_num, 17);
	assert_int_equal(fake_take_send()->srq_num, 0);

	send_batch(qp, 1);
	ibv_wr_set_sge(qp, 1, 2, 3);
	expect_refused(qp, EINVAL);
	send_batch(qp, 1);
	ibv_wr_set_xrc_srqn(qp, 0x1000000);
	expect_refused(qp, EINVAL);
}

const struct CMUnitTest tests[] = {
	RC_TEST("wr_api: operations arrive", operations_arrive),
	RC_TEST("wr_api: an atomic write has its value inline",
		an_atomic_write_has_its_value_inline),
#ifdef SVT_HAVE_WR_FLUSH
	RC_TEST("wr_api: a flush names what it flushes", a_flush_names_what_it_flushes),
	RC_TEST("wr_api: a flush too long is refused", a_flush_too_long_is_refused),
#endif
	BENCH_TEST("wr_api: UC has no atomic write", uc_has_no_atomic_write, IBV_QPT_UC),
	RC_TEST("wr_api: inline lists are joined", inline_lists_are_joined),
	BENCH_TEST("wr_api: a batch is posted whole or not", a_batch_is_posted_whole_or_not,
		   IBV_QPT_UC),
	BENCH_TEST("wr_api: datagrams have an address", datagrams_have_an_address, IBV_QPT_UD),
	RC_TEST("wr_api: windows of type 2 are bound", windows_of_type_2_are_bound),
	BENCH_TEST("wr_api: what was not asked for is not there",
		   what_was_not_asked_for_is_not_there, IBV_QPT_UD),
	BENCH_TEST("wr: an initiator names the SRQ of its peer",
		   an_initiator_names_the_srq_of_its_peer, IBV_QPT_XRC_SEND),
};

const size_t test_count = ARRAY_SIZE(tests);
