// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting receives to a QP and to an SRQ, and resizing the latter.
 */
#include <errno.h>

#include "fake.h"

static struct ibv_sge sges[3] = {
	{ .addr = 0x1000, .length = 10, .lkey = 1 },
	{ .addr = 0x2000, .length = 20, .lkey = 2 },
};

static int post(struct ibv_qp *qp, struct ibv_recv_wr *wr)
{
	struct ibv_recv_wr *bad_wr = NULL;
	int err = svt_post_recv(qp, wr, &bad_wr);

	if (err)
		assert_ptr_equal(bad_wr, wr);
	return err;
}

static int post_srq(struct ibv_srq *srq, struct ibv_recv_wr *wr)
{
	struct ibv_recv_wr *bad_wr = NULL;
	int err = svt_post_srq_recv(srq, wr, &bad_wr);

	if (err)
		assert_ptr_equal(bad_wr, wr);
	return err;
}

static void requests_arrive(void **state)
{
	const struct svt_recv_wqe expected = { .wr_id = 7, .num_sge = 2 };
	const struct svt_recv_wqe empty = { .wr_id = 8 };
	struct ibv_recv_wr wrs[2] = {
		{ .wr_id = 7, .next = &wrs[1], .sg_list = sges, .num_sge = 2 },
		{ .wr_id = 8 },
	};
	const struct svt_recv_wqe *wqe;
	struct bench *bench = *state;

	bench->qp->state = IBV_QPS_INIT;
	assert_int_equal(post(bench->qp, wrs), 0);
	assert_int_equal(fake.doorbells, 0);
	wqe = fake_take_recv(&fake.rq);
	assert_memory_equal(wqe, &expected, sizeof(expected));
	assert_memory_equal(wqe->sge, sges, 2 * sizeof(sges[0]));
	assert_memory_equal(fake_take_recv(&fake.rq), &empty, sizeof(empty));
}

static void bad_ones_are_refused(void **state)
{
	struct ibv_recv_wr wr = { .sg_list = sges, .num_sge = 3 };
	struct bench *bench = *state;
	int i;

	assert_int_equal(post(bench->qp, &wr), EINVAL);
	wr.num_sge = -1;
	assert_int_equal(post(bench->qp, &wr), EINVAL);
	wr.num_sge = 1;
	for (i = 0; i < 4; i++)
		assert_int_equal(post(bench->qp, &wr), 0);
	assert_int_equal(post(bench->qp, &wr), ENOMEM);
	bench->qp->state = IBV_QPS_RESET;
	assert_int_equal(post(bench->qp, &wr), EINVAL);
}

static void a_qp_in_error_is_woken(void **state)
{
	struct bench *bench = *state;
	struct ibv_recv_wr wr = {};

	assert_true(fake_sleep(&fake.rq));
	assert_int_equal(post(bench->qp, &wr), 0);
	assert_int_equal(fake.doorbells, 1);
	fake.doorbell_errno = EIO;
	assert_int_equal(post(bench->qp, &wr), EIO);
}

static struct ibv_srq *make_srq(struct ibv_pd *pd)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4, .max_sge = 2 } };
	struct ibv_srq *srq = svt_create_srq(pd, &attr);

	assert_non_null(srq);
	return srq;
}

static int srq_setup(void **state)
{
	fake_setup(state);
	*state = make_srq(svt_alloc_pd(fake_context()));
	return 0;
}

static int srq_teardown(void **state)
{
	struct ibv_srq *srq = *state;
	struct ibv_pd *pd = srq->pd;

	return svt_destroy_srq(srq) || svt_dealloc_pd(pd);
}

/* The queue takes requests up to number @end, and no more */
static void fill(struct ibv_srq *srq, struct ibv_recv_wr *wr, uint64_t end)
{
	for (; wr->wr_id < end; wr->wr_id++)
		assert_int_equal(post_srq(srq, wr), 0);
	assert_int_equal(post_srq(srq, wr), ENOMEM);
}

/* The kernel finds requests from number @first up to @end, and no more */
static void drain(uint64_t first, uint64_t end)
{
	for (; first < end; first++)
		assert_int_equal(fake_take_recv(&fake.srq)->wr_id, first);
	assert_null(fake_take(&fake.srq));
}

static void a_shared_queue_grows_and_shrinks(void **state)
{
	struct ibv_srq_attr attr = { .max_wr = 8, .srq_limit = 1 };
	struct ibv_recv_wr wr = { .sg_list = sges, .num_sge = 2 };
	const struct svt_recv_wqe *wqe;

	fill(*state, &wr, 4);
	wqe = fake_take_recv(&fake.srq);
	assert_int_equal(wqe->wr_id, 0);

	assert_int_equal(svt_modify_srq(*state, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT), 0);
	fill(*state, &wr, 9);

	attr.max_wr = 4;
	assert_int_equal(svt_modify_srq(*state, &attr, IBV_SRQ_MAX_WR), EINVAL);
	wqe = fake_take_recv(&fake.srq);
	assert_int_equal(wqe->wr_id, 1);
	assert_memory_equal(wqe->sge, sges, 2 * sizeof(sges[0]));
	drain(2, 9);
	assert_int_equal(svt_modify_srq(*state, &attr, IBV_SRQ_MAX_WR), 0);
	fill(*state, &wr, 13);
	assert_int_equal(svt_modify_srq(*state, &attr, 1 << 7), EINVAL);
}

static void a_shared_queue_without_memory_is_mapped_later(void **state)
{
	struct ibv_srq_attr attr = { .max_wr = 8 };
	struct ibv_recv_wr wr = {};

	assert_int_equal(post_srq(*state, &wr), 0);
	fake.no_mappings = 2;
	assert_int_equal(svt_modify_srq(*state, &attr, IBV_SRQ_MAX_WR), 0);
	assert_int_equal(post_srq(*state, &wr), ENOMEM);
	wr.wr_id = 1;
	fill(*state, &wr, 8);
	drain(0, 8);
}

static void a_ring_that_is_lost_counts_as_full(void **state)
{
	struct ibv_srq_attr attr = { .max_wr = 8 };
	struct ibv_recv_wr wr = {};

	fake.break_info = true;
	assert_int_equal(svt_modify_srq(*state, &attr, IBV_SRQ_MAX_WR), EPROTO);
	assert_int_equal(post_srq(*state, &wr), ENOMEM);
}

static void a_qp_with_a_shared_queue_has_none(void **state)
{
	struct bench *bench = *state;
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap.max_send_wr = 1,
		.srq = make_srq(bench->pd),
		.send_cq = bench->cq,
		.recv_cq = bench->cq,
	};
	struct ibv_qp *qp = svt_create_qp(bench->pd, &attr);
	struct ibv_recv_wr wr = {};

	assert_non_null(qp);
	qp->state = IBV_QPS_RTS;
	assert_int_equal(post(qp, &wr), EINVAL);
	svt_destroy_qp(qp);
	svt_destroy_srq(attr.srq);
}

static void an_xrc_srq_has_a_number_and_others_have_none(void **state)
{
	struct bench *bench = *state;
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD,
		.srq_type = IBV_SRQT_XRC,
		.pd = bench->pd,
		.cq = bench->cq,
	};
	struct ibv_srq *srq;
	uint32_t number;

	assert_null(svt_create_srq_ex(fake_context(), &attr));
	assert_int_equal(errno, EINVAL);
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_CQ;
	srq = svt_create_srq_ex(fake_context(), &attr);
	assert_non_null(srq);
	assert_int_equal(svt_get_srq_num(srq, &number), 0);
	assert_int_equal(number, 0x654321);
	svt_destroy_srq(srq);
	srq = make_srq(bench->pd);
	assert_int_equal(svt_get_srq_num(srq, &number), EOPNOTSUPP);
	svt_destroy_srq(srq);
}

static void an_opened_target_takes_no_receives(void **state)
{
	struct ibv_qp_open_attr attr = { .qp_num = 5, .qp_type = IBV_QPT_RC };
	struct ibv_send_wr send = {}, *bad_send;
	struct ibv_recv_wr wr = {};
	struct ibv_qp *qp;

	assert_null(svt_open_qp(fake_context(), &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.qp_type = IBV_QPT_XRC_RECV;
	qp = svt_open_qp(fake_context(), &attr);
	assert_non_null(qp);
	assert_int_equal(qp->qp_num, 5);
	qp->state = IBV_QPS_RTS;
	assert_int_equal(post(qp, &wr), EINVAL);
	assert_int_equal(svt_post_send(qp, &send, &bad_send), EINVAL);
	assert_int_equal(svt_destroy_qp(qp), 0);
}

static void thread_domains_take_the_locks_away(void **state)
{
	const struct ibv_qp_cap cap = { .max_send_wr = 1 };
	struct bench *locked = *state;
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {
		.pd = locked->pd,
		.td = svt_alloc_td(fake_context(), &td_attr),
	};
	struct bench bench;
	struct ibv_srq *srq;

	assert_true(to_svt_qp(locked->qp)->send.lock.needed);
	assert_true(to_svt_qp(locked->qp)->recv.lock.needed);
	assert_true(bench_open_with(&bench, svt_alloc_parent_domain(fake_context(), &attr),
				    IBV_QPT_RC, cap, 4));
	assert_int_equal(bench.pd->handle, locked->pd->handle);
	assert_false(to_svt_qp(bench.qp)->send.lock.needed);
	assert_false(to_svt_qp(bench.qp)->recv.lock.needed);
	assert_true(to_svt_cq(bench.cq)->lock.needed);
	srq = make_srq(bench.pd);
	assert_false(to_svt_srq(srq)->queue.lock.needed);
	svt_destroy_srq(srq);

	assert_int_equal(svt_dealloc_pd(locked->pd), EBUSY);
	assert_int_equal(svt_dealloc_td(attr.td), EBUSY);
	bench_close(&bench);
	assert_int_equal(svt_dealloc_td(attr.td), 0);
}

const struct CMUnitTest tests[] = {
	RC_TEST("recv: requests arrive", requests_arrive),
	RC_TEST("recv: bad ones are refused", bad_ones_are_refused),
	RC_TEST("recv: a QP in error is woken", a_qp_in_error_is_woken),
	{ "recv: a shared queue grows and shrinks", a_shared_queue_grows_and_shrinks,
	  srq_setup, srq_teardown, NULL },
	{ "recv: a shared queue without memory is mapped later",
	  a_shared_queue_without_memory_is_mapped_later, srq_setup, srq_teardown, NULL },
	{ "recv: a ring that is lost counts as full", a_ring_that_is_lost_counts_as_full,
	  srq_setup, srq_teardown, NULL },
	RC_TEST("recv: a QP with a shared queue has none", a_qp_with_a_shared_queue_has_none),
	RC_TEST("recv: thread domains take the locks away", thread_domains_take_the_locks_away),
	RC_TEST("recv: an XRC SRQ has a number and others have none",
		an_xrc_srq_has_a_number_and_others_have_none),
	{ "recv: an opened target takes no receives", an_opened_target_takes_no_receives,
	  fake_setup, NULL, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
