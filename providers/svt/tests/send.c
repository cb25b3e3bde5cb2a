// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send() and ibv_bind_mw(): what stands in the ring, what is refused, when the doorbell
 * rings.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../mw.h"
#include "../ah.h"
#include "fake.h"
#include "test.h"

static struct ibv_sge sges[3] = {
	{ .addr = 0x1000, .length = 10, .lkey = 1 },
	{ .addr = 0x2000, .length = 20, .lkey = 2 },
	{ .addr = 0x3000, .length = 30, .lkey = 3 },
};

static struct ibv_send_wr make_wr(enum ibv_wr_opcode opcode)
{
	return (struct ibv_send_wr){
		.wr_id = 0x1122334455667788,
		.sg_list = sges,
		.num_sge = 2,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE,
	};
}

static int post(struct bench *bench, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad_wr = NULL;
	int err = svt_post_send(bench->qp, wr, &bad_wr);

	if (!!err != !!bad_wr)
		abort();
	return err;
}

static void every_field_arrives(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_RDMA_WRITE_WITH_IMM);
	const struct svt_send_wqe *wqe;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	wr.imm_data = 0x01020304;
	wr.wr.rdma.remote_addr = 0xabcdef012345;
	wr.wr.rdma.rkey = 77;
	EXPECT(!post(&bench, &wr));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe);
	EXPECT(wqe->wr_id == wr.wr_id && wqe->opcode == IBV_WR_RDMA_WRITE_WITH_IMM);
	EXPECT(wqe->flags == (SVT_SEND_SIGNALED | SVT_SEND_FENCE) && wqe->num_sge == 2);
	EXPECT(wqe->imm_data == 0x01020304 && !wqe->inline_length && !wqe->srq_num);
	EXPECT(wqe->rdma.remote_addr == 0xabcdef012345 && wqe->rdma.rkey == 77);
	EXPECT(!memcmp(wqe->sge, sges, 2 * sizeof(sges[0])));

	wr = make_wr(IBV_WR_ATOMIC_CMP_AND_SWP);
	wr.num_sge = 1;
	wr.wr.atomic.remote_addr = 8;
	wr.wr.atomic.compare_add = 9;
	wr.wr.atomic.swap = 10;
	wr.wr.atomic.rkey = 11;
	EXPECT(!post(&bench, &wr));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->atomic.remote_addr == 8 && wqe->atomic.compare_add == 9);
	EXPECT(wqe->atomic.swap == 10 && wqe->atomic.rkey == 11 && wqe->num_sge == 1);

	wr = make_wr(IBV_WR_SEND_WITH_INV);
	wr.invalidate_rkey = 12;
	EXPECT(!post(&bench, &wr));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->invalidate_rkey == 12 && !wqe->rdma.remote_addr);
	bench_close(&bench);
}

static void datagrams_have_an_address(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_ah_attr attr = {};
	const struct svt_send_wqe *wqe;
	struct bench bench;
	struct ibv_ah *ah;

	EXPECT(bench_open(&bench, IBV_QPT_UD));
	EXPECT(post(&bench, &wr) == EINVAL);
	ah = svt_create_ah(bench.pd, &attr);
	EXPECT(ah);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 5;
	wr.wr.ud.remote_qkey = 6;
	EXPECT(!post(&bench, &wr));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->ud.ah == 100 && wqe->ud.remote_qpn == 5 && wqe->ud.remote_qkey == 6);
	svt_destroy_ah(ah);
	bench_close(&bench);
}

/* The kernel is awake, so that posting does not ring */
static void handles_go_behind_what_names_them(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_ah_attr attr = {};
	struct bench bench, other;
	struct ibv_ah *ah;

	EXPECT(bench_open(&other, IBV_QPT_UD));
	EXPECT(bench_open_with(&bench, other.pd, IBV_QPT_UD, (struct ibv_qp_cap){
		.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 2, .max_recv_sge = 2 }, 8));
	fake_awake(&fake.sq);
	ah = svt_create_ah(bench.pd, &attr);
	EXPECT(ah);
	wr.wr.ud.ah = ah;
	EXPECT(!post(&bench, &wr));
	fake.doorbells = 0;
	svt_destroy_ah(ah);
	EXPECT(fake.doorbells == 1);
	EXPECT(fake.doorbell.header.attrs[0].data == bench.qp->handle);

	/* With nothing left to do there is no call */
	EXPECT(fake_take(&fake.sq) && !fake_take(&fake.sq));
	ah = svt_create_ah(bench.pd, &attr);
	EXPECT(ah);
	svt_destroy_ah(ah);
	EXPECT(fake.doorbells == 1);

	EXPECT(!svt_destroy_qp(bench.qp));
	ah = svt_create_ah(other.pd, &attr);
	EXPECT(ah);
	svt_destroy_ah(ah);
	EXPECT(fake.doorbells == 1);
	svt_destroy_cq(bench.cq);
	bench_close(&other);
}

static void inline_data_is_copied(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	char first[40], second[40];
	struct ibv_sge list[2] = {
		{ .addr = (uintptr_t)first, .length = 40 },
		{ .addr = (uintptr_t)second, .length = 24 },
	};
	const struct svt_send_wqe *wqe;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	memset(first, 'a', sizeof(first));
	memset(second, 'b', sizeof(second));
	wr.sg_list = list;
	wr.send_flags = IBV_SEND_INLINE;
	EXPECT(!post(&bench, &wr));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->inline_length == 64 && !wqe->num_sge);
	EXPECT(!memcmp(wqe->sge, first, 40) && !memcmp((char *)wqe->sge + 40, second, 24));

	list[1].length = 25;
	EXPECT(post(&bench, &wr) == EINVAL);
	list[1].length = UINT32_MAX;
	EXPECT(post(&bench, &wr) == EINVAL);
	wr = make_wr(IBV_WR_RDMA_READ);
	wr.send_flags = IBV_SEND_INLINE;
	EXPECT(post(&bench, &wr) == EINVAL);
	bench_close(&bench);
}

static void what_the_type_has_not_is_refused(void)
{
	const struct {
		enum ibv_qp_type type;
		enum ibv_wr_opcode opcode;
	} refused[] = {
		{ IBV_QPT_UC, IBV_WR_RDMA_READ },
		{ IBV_QPT_UC, IBV_WR_SEND_WITH_INV },
		{ IBV_QPT_UC, IBV_WR_ATOMIC_FETCH_AND_ADD },
		{ IBV_QPT_UD, IBV_WR_RDMA_WRITE },
		{ IBV_QPT_UD, IBV_WR_LOCAL_INV },
		{ IBV_QPT_RC, IBV_WR_TSO },
		{ IBV_QPT_RC, (enum ibv_wr_opcode)40 },
		{ IBV_QPT_RC, (enum ibv_wr_opcode)-1 },
	};
	struct ibv_send_wr wr;
	struct bench bench;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT(bench_open(&bench, refused[i].type));
		wr = make_wr(refused[i].opcode);
		EXPECT(post(&bench, &wr) == EINVAL);
		EXPECT(!fake_pending(&fake.sq));
		bench_close(&bench);
	}
	EXPECT(!bench_open(&bench, IBV_QPT_DRIVER) && errno == EOPNOTSUPP);
	bench_close(&bench);
}

static void frames_have_no_address_but_checksums(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	const struct svt_send_wqe *wqe;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RAW_PACKET));
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM;
	EXPECT(!post(&bench, &wr));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->flags == (SVT_SEND_SIGNALED | SVT_SEND_IP_CSUM));
	EXPECT(wqe && wqe->num_sge == 2 && !wqe->ud.ah);
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	EXPECT(post(&bench, &wr) == EINVAL);
	bench_close(&bench);
}

static void bad_lists_and_flags_are_refused(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	wr.num_sge = 3;
	EXPECT(post(&bench, &wr) == EINVAL);
	wr.num_sge = -1;
	EXPECT(post(&bench, &wr) == EINVAL);
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_IP_CSUM;
	EXPECT(post(&bench, &wr) == EINVAL);
	wr.send_flags = 0;
	wr.num_sge = 0;
	wr.sg_list = NULL;
	EXPECT(!post(&bench, &wr));
	bench_close(&bench);
}

static void only_some_states_send(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	const struct {
		enum ibv_qp_state state;
		int err;
	} states[] = {
		{ IBV_QPS_RESET, EINVAL }, { IBV_QPS_INIT, EINVAL }, { IBV_QPS_RTR, EINVAL },
		{ IBV_QPS_RTS, 0 }, { IBV_QPS_SQD, 0 }, { IBV_QPS_SQE, 0 }, { IBV_QPS_ERR, 0 },
		{ IBV_QPS_UNKNOWN, EINVAL },
	};
	struct bench bench;
	size_t i;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		bench.qp->state = states[i].state;
		EXPECT(post(&bench, &wr) == states[i].err);
	}
	bench_close(&bench);
}

static void a_full_queue_says_so(void)
{
	struct ibv_send_wr wrs[3] = { make_wr(IBV_WR_SEND), make_wr(IBV_WR_SEND),
				      make_wr(IBV_WR_SEND) };
	struct ibv_qp_cap cap = { .max_send_wr = 5, .max_send_sge = 2 };
	struct ibv_send_wr *bad_wr = NULL;
	struct bench bench;
	int i;

	wrs[0].next = &wrs[1];
	wrs[1].next = &wrs[2];
	/* 5 are allowed though the ring has 8 */
	EXPECT(bench_open_with(&bench, svt_alloc_pd(fake_context()), IBV_QPT_RC, cap, 8));
	EXPECT(!post(&bench, wrs));
	EXPECT(svt_post_send(bench.qp, wrs, &bad_wr) == ENOMEM && bad_wr == &wrs[2]);
	EXPECT(fake_pending(&fake.sq) == 5);
	EXPECT(post(&bench, &wrs[2]) == ENOMEM);
	/* An element is free only when the kernel says that it is */
	EXPECT(fake_take(&fake.sq));
	EXPECT(post(&bench, &wrs[2]) == ENOMEM);
	EXPECT(fake_take(&fake.sq));
	EXPECT(!post(&bench, &wrs[2]));
	EXPECT(post(&bench, &wrs[2]) == ENOMEM);
	for (i = 0; i < 4; i++)
		EXPECT(fake_take(&fake.sq));
	EXPECT(!fake_take(&fake.sq));
	bench_close(&bench);

	cap.max_send_wr = 0;
	EXPECT(bench_open_with(&bench, svt_alloc_pd(fake_context()), IBV_QPT_RC, cap, 8));
	EXPECT(post(&bench, &wrs[2]) == ENOMEM);
	bench_close(&bench);
}

static void what_stands_before_a_bad_one_is_posted(void)
{
	struct ibv_send_wr wrs[3] = { make_wr(IBV_WR_SEND), make_wr(IBV_WR_SEND),
				      make_wr(IBV_WR_SEND) };
	struct ibv_send_wr *bad_wr = NULL;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	EXPECT(fake_sleep(&fake.sq));
	wrs[0].next = &wrs[1];
	wrs[1].next = &wrs[2];
	wrs[1].num_sge = 3;
	EXPECT(svt_post_send(bench.qp, wrs, &bad_wr) == EINVAL && bad_wr == &wrs[1]);
	EXPECT(fake_pending(&fake.sq) == 1 && fake.doorbells == 1);
	bench_close(&bench);
}

static void indices_wrap(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct bench bench;
	uint32_t i;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	fake.sq.index = UINT32_MAX - 5;
	fake.sq.control->producer = fake.sq.index;
	fake.sq.control->consumer = fake.sq.index;
	svt_ring_adopt(&to_svt_qp(bench.qp)->send.ring);
	for (i = 0; i < 10; i++) {
		const struct svt_send_wqe *wqe;

		wr.wr_id = i;
		EXPECT(!post(&bench, &wr));
		wqe = fake_take(&fake.sq);
		EXPECT(wqe && wqe->wr_id == i);
	}
	bench_close(&bench);
}

static void the_doorbell_rings_only_for_a_sleeper(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	EXPECT(!post(&bench, &wr));
	EXPECT(!fake.doorbells);
	EXPECT(!fake_sleep(&fake.sq));
	EXPECT(fake_take(&fake.sq) && !fake_take(&fake.sq));
	EXPECT(fake_sleep(&fake.sq));
	EXPECT(!post(&bench, &wr));
	EXPECT(fake.doorbells == 1);
	EXPECT(fake.doorbell.header.driver_id == SVT_DRIVER_ID);
	EXPECT(fake.doorbell.header.object_id == UVERBS_OBJECT_QP);
	EXPECT(fake.doorbell.header.method_id == SVT_METHOD_QP_DOORBELL);
	EXPECT(fake.doorbell.header.num_attrs == 1);
	EXPECT(fake.doorbell.header.length == sizeof(struct ib_uverbs_ioctl_hdr) +
					      sizeof(struct ib_uverbs_attr));
	EXPECT(fake.doorbell.header.attrs[0].attr_id == SVT_ATTR_DOORBELL_QP);
	EXPECT(fake.doorbell.header.attrs[0].data == bench.qp->handle);
	EXPECT(!fake.doorbell.header.attrs[0].len);
	bench_close(&bench);
}

static void a_device_that_is_gone_is_reported(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_send_wr *bad_wr = NULL;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	EXPECT(fake_sleep(&fake.sq));
	fake.doorbell_errno = EIO;
	EXPECT(svt_post_send(bench.qp, &wr, &bad_wr) == EIO && bad_wr == &wr);
	bench_close(&bench);
}

static void windows_change_their_key(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_BIND_MW);
	struct ibv_mr mr = { .lkey = 33 };
	struct ibv_mw_bind bind = {
		.wr_id = 44,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = &mr, .addr = 0x1000, .length = 16, .mw_access_flags = 2 },
	};
	const struct svt_send_wqe *wqe;
	struct ibv_mw *mw1, *mw2;
	struct bench bench;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	mw1 = svt_alloc_mw(bench.pd, IBV_MW_TYPE_1);
	mw2 = svt_alloc_mw(bench.pd, IBV_MW_TYPE_2);
	EXPECT(mw1 && mw2);
	EXPECT(!svt_bind_mw(bench.qp, mw1, &bind));
	EXPECT(mw1->rkey == 0x12345600);
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->opcode == IBV_WR_BIND_MW && wqe->wr_id == 44 && !wqe->num_sge);
	EXPECT(wqe->bind_mw.mw_rkey == 0x123456ff && wqe->bind_mw.new_rkey == 0x12345600);
	EXPECT(wqe->bind_mw.mr_lkey == 33 && wqe->bind_mw.addr == 0x1000);
	EXPECT(wqe->bind_mw.length == 16 && wqe->bind_mw.access == 2);

	bind.bind_info.mr = NULL;
	EXPECT(svt_bind_mw(bench.qp, mw1, &bind) == EINVAL && mw1->rkey == 0x12345600);
	bind.bind_info.length = 0;
	EXPECT(!svt_bind_mw(bench.qp, mw1, &bind) && mw1->rkey == 0x12345601);

	wr.bind_mw.mw = mw1;
	wr.bind_mw.rkey = 0x12345642;
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ .mr = &mr, .length = 1 };
	EXPECT(post(&bench, &wr) == EINVAL);
	wr.bind_mw.mw = mw2;
	EXPECT(!post(&bench, &wr) && mw2->rkey == 0x12345642);
	EXPECT(fake_take(&fake.sq));
	wqe = fake_take(&fake.sq);
	EXPECT(wqe && wqe->bind_mw.mw_rkey == 0x123456ff && wqe->bind_mw.new_rkey == 0x12345642);
	svt_dealloc_mw(mw1);
	svt_dealloc_mw(mw2);
	bench_close(&bench);
}

static void reset_starts_anew(void)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	const struct svt_cqe cqe = { .wr_id = 1, .qp_num = 17 };
	const struct svt_cqe other = { .wr_id = 2, .qp_num = 18 };
	struct ibv_recv_wr recv = {}, *bad_recv;
	struct ibv_wc wc[4];
	struct bench bench;
	int i;

	EXPECT(bench_open(&bench, IBV_QPT_RC));
	for (i = 0; i < 4; i++)
		EXPECT(!post(&bench, &wr) && !svt_post_recv(bench.qp, &recv, &bad_recv));
	EXPECT(post(&bench, &wr) == ENOMEM);
	EXPECT(svt_post_recv(bench.qp, &recv, &bad_recv) == ENOMEM);
	fake_complete(&fake.cq, &cqe);
	fake_complete(&fake.cq, &other);
	EXPECT(!svt_modify_qp(bench.qp, &attr, IBV_QP_STATE));
	EXPECT(!fake_pending(&fake.sq) && !fake_pending(&fake.rq));
	EXPECT(svt_poll_cq(bench.cq, 4, wc) == 1 && wc[0].wr_id == 2);
	for (i = 0; i < 4; i++)
		EXPECT(!post(&bench, &wr) && !svt_post_recv(bench.qp, &recv, &bad_recv));
	EXPECT(fake_pending(&fake.sq) == 4 && fake_pending(&fake.rq) == 4);
	bench_close(&bench);
}

static void nonsense_from_the_kernel_is_not_mapped(void)
{
	struct bench bench;

	fake.break_info = true;
	EXPECT(!bench_open(&bench, IBV_QPT_RC) && errno == EPROTO);
	bench_close(&bench);
}

const struct test send_tests[] = {
	{ "send: every field arrives", every_field_arrives },
	{ "send: datagrams have an address", datagrams_have_an_address },
	{ "send: handles go behind what names them", handles_go_behind_what_names_them },
	{ "send: frames have no address, but checksums", frames_have_no_address_but_checksums },
	{ "send: inline data is copied", inline_data_is_copied },
	{ "send: what the type has not is refused", what_the_type_has_not_is_refused },
	{ "send: bad lists and flags are refused", bad_lists_and_flags_are_refused },
	{ "send: only some states send", only_some_states_send },
	{ "send: a full queue says so", a_full_queue_says_so },
	{ "send: what stands before a bad one is posted", what_stands_before_a_bad_one_is_posted },
	{ "send: indices wrap", indices_wrap },
	{ "send: the doorbell rings only for a sleeper", the_doorbell_rings_only_for_a_sleeper },
	{ "send: a device that is gone is reported", a_device_that_is_gone_is_reported },
	{ "send: windows change their key", windows_change_their_key },
	{ "send: reset starts anew", reset_starts_anew },
	{ "send: nonsense from the kernel is not mapped", nonsense_from_the_kernel_is_not_mapped },
	{}
};
