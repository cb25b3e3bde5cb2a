// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting receives to a QP and to an SRQ, and resizing the latter.
 */
#include <errno.h>
#include <string.h>

#include "fake.h"
#include "test.h"

static struct ibv_sge sges[3] = {
	{ .addr = 0x1000, .length = 10, .lkey = 1 },
	{ .addr = 0x2000, .length = 20, .lkey = 2 },
};

static void requests_arrive(void)
{
	struct ibv_recv_wr wrs[2] = {
		{ .wr_id = 7, .next = &wrs[1], .sg_list = sges, .num_sge = 2 },
		{ .wr_id = 8 },
	};
	struct ibv_recv_wr *bad_wr = NULL;
	const struct svt_recv_wqe *wqe;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	bench.qp->state = IBV_QPS_INIT;
	EXPECT(!svt_post_recv(bench.qp, wrs, &bad_wr) && !bad_wr && !fake.doorbells);
	wqe = fake_take(&fake.rq);
	EXPECT(wqe && wqe->wr_id == 7 && wqe->num_sge == 2 && !wqe->reserved);
	EXPECT(!memcmp(wqe->sge, sges, 2 * sizeof(sges[0])));
	wqe = fake_take(&fake.rq);
	EXPECT(wqe && wqe->wr_id == 8 && !wqe->num_sge);
	bench_close(&bench);
}

static void bad_ones_are_refused(void)
{
	struct ibv_recv_wr wr = { .sg_list = sges, .num_sge = 3 };
	struct ibv_recv_wr *bad_wr = NULL;
	struct bench bench;
	int i;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	EXPECT(svt_post_recv(bench.qp, &wr, &bad_wr) == EINVAL && bad_wr == &wr);
	wr.num_sge = -1;
	EXPECT(svt_post_recv(bench.qp, &wr, &bad_wr) == EINVAL);
	wr.num_sge = 1;
	for (i = 0; i < 4; i++)
		EXPECT(!svt_post_recv(bench.qp, &wr, &bad_wr));
	EXPECT(svt_post_recv(bench.qp, &wr, &bad_wr) == ENOMEM);
	bench.qp->state = IBV_QPS_RESET;
	EXPECT(svt_post_recv(bench.qp, &wr, &bad_wr) == EINVAL);
	bench_close(&bench);
}

static void a_qp_in_error_is_woken(void)
{
	struct ibv_recv_wr wr = {};
	struct ibv_recv_wr *bad_wr = NULL;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	EXPECT(fake_sleep(&fake.rq));
	EXPECT(!svt_post_recv(bench.qp, &wr, &bad_wr) && fake.doorbells == 1);
	fake.doorbell_errno = EIO;
	EXPECT(svt_post_recv(bench.qp, &wr, &bad_wr) == EIO && bad_wr == &wr);
	bench_close(&bench);
}

static struct ibv_srq *make_srq(struct ibv_pd *pd, uint32_t max_wr)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = max_wr, .max_sge = 2 } };

	return svt_create_srq(pd, &attr);
}

static void a_shared_queue_grows_and_shrinks(void)
{
	struct ibv_srq_attr attr = { .max_wr = 8, .srq_limit = 1 };
	struct ibv_recv_wr wr = { .sg_list = sges, .num_sge = 2 };
	struct ibv_pd *pd = svt_alloc_pd(fake_context());
	const struct svt_recv_wqe *wqe;
	struct ibv_recv_wr *bad_wr;
	struct ibv_srq *srq;
	uint64_t i;

	srq = make_srq(pd, 4);
	EXPECT(srq);
	for (wr.wr_id = 0; wr.wr_id < 4; wr.wr_id++)
		EXPECT(!svt_post_srq_recv(srq, &wr, &bad_wr));
	EXPECT(svt_post_srq_recv(srq, &wr, &bad_wr) == ENOMEM && bad_wr == &wr);
	wqe = fake_take(&fake.srq);
	EXPECT(wqe && wqe->wr_id == 0);

	EXPECT(!svt_modify_srq(srq, &attr, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT));
	for (; wr.wr_id < 9; wr.wr_id++)
		EXPECT(!svt_post_srq_recv(srq, &wr, &bad_wr));
	EXPECT(svt_post_srq_recv(srq, &wr, &bad_wr) == ENOMEM);

	attr.max_wr = 4;
	EXPECT(svt_modify_srq(srq, &attr, IBV_SRQ_MAX_WR) == EINVAL);
	for (i = 1; i < 9; i++) {
		wqe = fake_take(&fake.srq);
		EXPECT(wqe && wqe->wr_id == i && wqe->sge[1].lkey == 2);
	}
	EXPECT(!fake_take(&fake.srq));
	EXPECT(!svt_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	for (i = 0; i < 4; i++)
		EXPECT(!svt_post_srq_recv(srq, &wr, &bad_wr));
	EXPECT(svt_post_srq_recv(srq, &wr, &bad_wr) == ENOMEM);
	EXPECT(svt_modify_srq(srq, &attr, 1 << 7) == EINVAL);
	svt_destroy_srq(srq);
	svt_dealloc_pd(pd);
}

static void a_shared_queue_without_memory_is_mapped_later(void)
{
	struct ibv_srq_attr attr = { .max_wr = 8 };
	struct ibv_pd *pd = svt_alloc_pd(fake_context());
	struct ibv_recv_wr wr = {}, *bad_wr;
	const struct svt_recv_wqe *wqe;
	struct ibv_srq *srq;
	uint64_t i;

	srq = make_srq(pd, 4);
	EXPECT(srq && !svt_post_srq_recv(srq, &wr, &bad_wr));
	fake.no_mappings = 2;
	EXPECT(!svt_modify_srq(srq, &attr, IBV_SRQ_MAX_WR));
	EXPECT(svt_post_srq_recv(srq, &wr, &bad_wr) == ENOMEM && bad_wr == &wr);
	for (wr.wr_id = 1; wr.wr_id < 8; wr.wr_id++)
		EXPECT(!svt_post_srq_recv(srq, &wr, &bad_wr));
	EXPECT(svt_post_srq_recv(srq, &wr, &bad_wr) == ENOMEM);
	for (i = 0; i < 8; i++) {
		wqe = fake_take(&fake.srq);
		EXPECT(wqe && wqe->wr_id == i);
	}
	svt_destroy_srq(srq);
	svt_dealloc_pd(pd);
}

static void a_ring_that_is_lost_counts_as_full(void)
{
	struct ibv_srq_attr attr = { .max_wr = 8 };
	struct ibv_pd *pd = svt_alloc_pd(fake_context());
	struct ibv_recv_wr wr = {}, *bad_wr;
	struct ibv_srq *srq;

	srq = make_srq(pd, 4);
	EXPECT(srq);
	fake.break_info = true;
	EXPECT(svt_modify_srq(srq, &attr, IBV_SRQ_MAX_WR) == EPROTO);
	EXPECT(svt_post_srq_recv(srq, &wr, &bad_wr) == ENOMEM);
	svt_destroy_srq(srq);
	svt_dealloc_pd(pd);
}

static void a_qp_with_a_shared_queue_has_none(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap.max_send_wr = 1 };
	struct ibv_recv_wr wr = {}, *bad_wr;
	struct bench bench;
	struct ibv_qp *qp;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	attr.srq = make_srq(bench.pd, 4);
	attr.send_cq = bench.cq;
	attr.recv_cq = bench.cq;
	EXPECT(attr.srq);
	qp = svt_create_qp(bench.pd, &attr);
	EXPECT(qp);
	qp->state = IBV_QPS_RTS;
	EXPECT(svt_post_recv(qp, &wr, &bad_wr) == EINVAL);
	svt_destroy_qp(qp);
	svt_destroy_srq(attr.srq);
	bench_close(&bench);
}

static void an_xrc_srq_has_a_number_and_others_have_none(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 4, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD,
		.srq_type = IBV_SRQT_XRC,
	};
	struct bench bench;
	struct ibv_srq *srq;
	uint32_t number;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	attr.pd = bench.pd;
	EXPECT(!svt_create_srq_ex(fake_context(), &attr) && errno == EINVAL);
	attr.comp_mask |= IBV_SRQ_INIT_ATTR_CQ;
	attr.cq = bench.cq;
	srq = svt_create_srq_ex(fake_context(), &attr);
	EXPECT(srq && !svt_get_srq_num(srq, &number) && number == 0x654321);
	svt_destroy_srq(srq);
	srq = make_srq(bench.pd, 4);
	EXPECT(srq && svt_get_srq_num(srq, &number) == EOPNOTSUPP);
	svt_destroy_srq(srq);
	bench_close(&bench);
}

static void an_opened_target_takes_no_receives(void)
{
	struct ibv_qp_open_attr attr = { .qp_num = 5, .qp_type = IBV_QPT_RC };
	struct ibv_recv_wr wr = {}, *bad_wr;
	struct ibv_send_wr send = {}, *bad_send;
	struct ibv_qp *qp;

	EXPECT(!svt_open_qp(fake_context(), &attr) && errno == EOPNOTSUPP);
	attr.qp_type = IBV_QPT_XRC_RECV;
	qp = svt_open_qp(fake_context(), &attr);
	EXPECT(qp && qp->qp_num == 5);
	qp->state = IBV_QPS_RTS;
	EXPECT(svt_post_recv(qp, &wr, &bad_wr) == EINVAL);
	EXPECT(svt_post_send(qp, &send, &bad_send) == EINVAL);
	EXPECT(!svt_destroy_qp(qp));
}

static void thread_domains_take_the_locks_away(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_qp_cap cap = { .max_send_wr = 1 };
	struct ibv_pd *pd = svt_alloc_pd(fake_context());
	struct bench bench;
	struct ibv_srq *srq;

	attr.pd = pd;
	attr.td = svt_alloc_td(fake_context(), &td_attr);
	EXPECT(pd && attr.td);
	EXPECT(bench_open_with(&bench, svt_alloc_parent_domain(fake_context(), &attr), IBV_QPT_RC,
			       cap, 4));
	EXPECT(bench.pd->handle == pd->handle);
	EXPECT(!to_svt_qp(bench.qp)->send.lock.needed && !to_svt_qp(bench.qp)->recv.lock.needed);
	EXPECT(to_svt_cq(bench.cq)->lock.needed);
	srq = make_srq(bench.pd, 4);
	EXPECT(srq && !to_svt_srq(srq)->queue.lock.needed);
	svt_destroy_srq(srq);

	EXPECT(svt_dealloc_pd(pd) == EBUSY && svt_dealloc_td(attr.td) == EBUSY);
	bench_close(&bench);
	EXPECT(!svt_dealloc_pd(pd) && !svt_dealloc_td(attr.td));

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	EXPECT(to_svt_qp(bench.qp)->send.lock.needed && to_svt_qp(bench.qp)->recv.lock.needed);
	bench_close(&bench);
}

const struct test recv_tests[] = {
	{ "recv: requests arrive", requests_arrive },
	{ "recv: bad ones are refused", bad_ones_are_refused },
	{ "recv: a QP in error is woken", a_qp_in_error_is_woken },
	{ "recv: a shared queue grows and shrinks", a_shared_queue_grows_and_shrinks },
	{ "recv: a shared queue without memory is mapped later",
	  a_shared_queue_without_memory_is_mapped_later },
	{ "recv: a ring that is lost counts as full", a_ring_that_is_lost_counts_as_full },
	{ "recv: a QP with a shared queue has none", a_qp_with_a_shared_queue_has_none },
	{ "recv: thread domains take the locks away", thread_domains_take_the_locks_away },
	{ "recv: an XRC SRQ has a number and others have none",
	  an_xrc_srq_has_a_number_and_others_have_none },
	{ "recv: an opened target takes no receives", an_opened_target_takes_no_receives },
	{}
};
