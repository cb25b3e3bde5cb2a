// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_*(): what stands in the ring, and that a batch is posted whole or not at all.
 */
#include <errno.h>
#include <string.h>

#include "../ah.h"
#include "../mw.h"
#include "fake.h"
#include "test.h"

static struct ibv_qp_ex *ex_of(struct bench *bench)
{
	return &to_svt_qp(bench->qp)->verbs.qp_ex;
}

static void operations_arrive(void)
{
	const struct svt_send_wqe *wqe;
	struct ibv_qp_ex *qp;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	qp = ex_of(&bench);
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
	EXPECT(!fake_pending(&fake.sq));
	EXPECT(!ibv_wr_complete(qp));

	EXPECT(fake_pending(&fake.sq) == 4);
	wqe = fake_take(&fake.sq);
	EXPECT(wqe->wr_id == 1 && wqe->opcode == IBV_WR_RDMA_READ);
	EXPECT(wqe->flags == SVT_SEND_SIGNALED && wqe->num_sge == 1);
	EXPECT(wqe->rdma.rkey == 2 && wqe->rdma.remote_addr == 3);
	EXPECT(wqe->sge[0].lkey == 4 && wqe->sge[0].addr == 5 && wqe->sge[0].length == 6);
	wqe = fake_take(&fake.sq);
	EXPECT(wqe->wr_id == 2 && wqe->atomic.rkey == 7 && wqe->atomic.remote_addr == 8);
	EXPECT(wqe->atomic.compare_add == 9 && !wqe->atomic.swap);
	wqe = fake_take(&fake.sq);
	EXPECT(wqe->wr_id == 3 && wqe->imm_data == 12 && !wqe->num_sge);
	wqe = fake_take(&fake.sq);
	EXPECT(wqe->wr_id == 4 && wqe->invalidate_rkey == 13);
	bench_close(&bench);
}

static void an_atomic_write_has_its_value_inline(void)
{
	const uint64_t value = 0x1122334455667788;
	const struct svt_send_wqe *wqe;
	struct ibv_qp_ex *qp;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	qp = ex_of(&bench);
	ibv_wr_start(qp);
	qp->wr_id = 1;
	ibv_wr_atomic_write(qp, 2, 3, &value);
	EXPECT(!ibv_wr_complete(qp));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->wr_id == 1 && wqe->opcode == IBV_WR_ATOMIC_WRITE);
	EXPECT(wqe->rdma.rkey == 2 && wqe->rdma.remote_addr == 3 && !wqe->rdma.reserved);
	EXPECT(wqe->flags == SVT_SEND_INLINE && wqe->inline_length == 8 && !wqe->num_sge);
	EXPECT(!memcmp(wqe->sge, &value, 8));
	bench_close(&bench);
	EXPECT(bench_open(&bench, IBV_QPT_UC));
	qp = ex_of(&bench);
	ibv_wr_start(qp);
	ibv_wr_atomic_write(qp, 2, 3, &value);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	EXPECT(!fake_pending(&fake.sq));
	bench_close(&bench);
}

static void inline_lists_are_joined(void)
{
	const struct ibv_data_buf list[] = { { "abc", 3 }, { "", 0 }, { "defg", 4 } };
	const struct svt_send_wqe *wqe;
	struct ibv_qp_ex *qp;
	struct bench bench;
	char long_data[65] = {};

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	qp = ex_of(&bench);
	ibv_wr_start(qp);
	ibv_wr_rdma_write(qp, 1, 2);
	ibv_wr_set_inline_data_list(qp, 3, list);
	EXPECT(!ibv_wr_complete(qp));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->flags == SVT_SEND_INLINE && wqe->inline_length == 7);
	EXPECT(!memcmp(wqe->sge, "abcdefg", 7));

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, long_data, sizeof(long_data));
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	ibv_wr_start(qp);
	ibv_wr_rdma_read(qp, 1, 2);
	ibv_wr_set_inline_data(qp, long_data, 1);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	EXPECT(!fake_take(&fake.sq));
	bench_close(&bench);
}

static void a_batch_is_posted_whole_or_not(void)
{
	struct ibv_qp_ex *qp;
	struct bench bench;
	int i;

	EXPECT(bench_open(&bench, IBV_QPT_UC));
	qp = ex_of(&bench);
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_abort(qp);
	ibv_wr_start(qp);
	EXPECT(!ibv_wr_complete(qp));
	EXPECT(!fake_pending(&fake.sq) && !fake.doorbells);

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_rdma_read(qp, 1, 2);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_send(qp);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	EXPECT(!fake_pending(&fake.sq));

	ibv_wr_start(qp);
	for (i = 0; i < 5; i++)
		ibv_wr_send(qp);
	EXPECT(ibv_wr_complete(qp) == ENOMEM);
	EXPECT(!fake_pending(&fake.sq));

	EXPECT(fake_sleep(&fake.sq));
	ibv_wr_start(qp);
	for (i = 0; i < 4; i++)
		ibv_wr_send(qp);
	EXPECT(!ibv_wr_complete(qp));
	EXPECT(fake_pending(&fake.sq) == 4 && fake.doorbells == 1);

	bench.qp->state = IBV_QPS_RESET;
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	bench_close(&bench);
}

static void datagrams_have_an_address(void)
{
	struct ibv_ah_attr attr = {};
	const struct svt_send_wqe *wqe;
	struct ibv_qp_ex *qp;
	struct bench bench;
	struct ibv_ah *ah;

	EXPECT(bench_open(&bench, IBV_QPT_UD));
	ah = svt_create_ah(bench.pd, &attr);
	EXPECT(ah);
	qp = ex_of(&bench);
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_set_ud_addr(qp, ah, 4, 5);
	EXPECT(!ibv_wr_complete(qp));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->ud.ah == 100 && wqe->ud.remote_qpn == 4 && wqe->ud.remote_qkey == 5);
	EXPECT(wqe->num_sge == 1);

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_send(qp);
	ibv_wr_set_ud_addr(qp, ah, 4, 5);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	svt_destroy_ah(ah);
	bench_close(&bench);

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	qp = ex_of(&bench);
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_ud_addr(qp, ah, 4, 5);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	bench_close(&bench);
}

static void windows_of_type_2_are_bound(void)
{
	struct ibv_mr mr = { .lkey = 33 };
	const struct ibv_mw_bind_info info = { .mr = &mr, .addr = 1, .length = 2 };
	const struct svt_send_wqe *wqe;
	struct ibv_mw *mw1, *mw2;
	struct ibv_qp_ex *qp;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	qp = ex_of(&bench);
	mw1 = svt_alloc_mw(bench.pd, IBV_MW_TYPE_1);
	mw2 = svt_alloc_mw(bench.pd, IBV_MW_TYPE_2);
	EXPECT(mw1 && mw2);
	ibv_wr_start(qp);
	ibv_wr_bind_mw(qp, mw1, 0x12345601, &info);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	ibv_wr_start(qp);
	ibv_wr_bind_mw(qp, mw2, 0x12345601, &info);
	EXPECT(!ibv_wr_complete(qp));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->bind_mw.mw_rkey == 0x123456ff && wqe->bind_mw.new_rkey == 0x12345601);
	svt_dealloc_mw(mw1);
	svt_dealloc_mw(mw2);
	bench_close(&bench);
}

static void what_was_not_asked_for_is_not_there(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct bench bench;
	struct ibv_qp *qp;

	EXPECT(bench_open(&bench, IBV_QPT_UD));
	EXPECT(ibv_qp_to_qp_ex(bench.qp));
	attr.pd = bench.pd;
	attr.send_cq = bench.cq;
	attr.recv_cq = bench.cq;
	EXPECT(!svt_create_qp_ex(fake_context(), &attr) && errno == EOPNOTSUPP);
	attr.send_ops_flags = 0;
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	qp = svt_create_qp_ex(fake_context(), &attr);
	EXPECT(qp && !ibv_qp_to_qp_ex(qp));
	svt_destroy_qp(qp);
	bench_close(&bench);
}

static void an_initiator_names_the_srq_of_its_peer(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .qp_type.xrc.remote_srqn = 0x1000000 };
	const struct svt_send_wqe *wqe;
	struct ibv_send_wr *bad;
	struct ibv_qp_ex *qp;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_XRC_SEND));
	EXPECT(svt_post_send(bench.qp, &wr, &bad) == EINVAL);
	wr.qp_type.xrc.remote_srqn = 0xabcdef;
	EXPECT(!svt_post_send(bench.qp, &wr, &bad));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->srq_num == 0xabcdef);

	qp = ex_of(&bench);
	ibv_wr_start(qp);
	ibv_wr_rdma_write(qp, 1, 2);
	ibv_wr_set_xrc_srqn(qp, 17);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_local_inv(qp, 13);
	EXPECT(!ibv_wr_complete(qp));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->srq_num == 17);
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && !wqe->srq_num);

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, 1, 2, 3);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_xrc_srqn(qp, 0x1000000);
	EXPECT(ibv_wr_complete(qp) == EINVAL);
	EXPECT(!fake_take(&fake.sq));
	bench_close(&bench);
}

const struct test wr_api_tests[] = {
	{ "wr_api: operations arrive", operations_arrive },
	{ "wr_api: an atomic write has its value inline", an_atomic_write_has_its_value_inline },
	{ "wr_api: inline lists are joined", inline_lists_are_joined },
	{ "wr_api: a batch is posted whole or not", a_batch_is_posted_whole_or_not },
	{ "wr_api: datagrams have an address", datagrams_have_an_address },
	{ "wr_api: windows of type 2 are bound", windows_of_type_2_are_bound },
	{ "wr_api: what was not asked for is not there", what_was_not_asked_for_is_not_there },
	{ "wr: an initiator names the SRQ of its peer", an_initiator_names_the_srq_of_its_peer },
	{}
};
