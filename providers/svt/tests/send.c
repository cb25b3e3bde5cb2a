// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send() and ibv_bind_mw(): what stands in the ring, what is refused, when the doorbell
 * rings.
 */
#include <errno.h>

#include "../ah.h"
#include "../mw.h"
#include "fake.h"

#define WR_ID	0x1122334455667788

static struct ibv_sge sges[3] = {
	{ .addr = 0x1000, .length = 10, .lkey = 1 },
	{ .addr = 0x2000, .length = 20, .lkey = 2 },
	{ .addr = 0x3000, .length = 30, .lkey = 3 },
};

static struct ibv_send_wr make_wr(enum ibv_wr_opcode opcode)
{
	return (struct ibv_send_wr){
		.wr_id = WR_ID,
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

	assert_int_equal(!!err, !!bad_wr);
	return err;
}

/* Posts @wr, and the kernel finds @expected and the entries of @wr */
static void expect_sent(struct bench *bench, struct ibv_send_wr *wr,
			const struct svt_send_wqe *expected)
{
	const struct svt_send_wqe *wqe;

	assert_int_equal(post(bench, wr), 0);
	wqe = fake_take_send();
	assert_memory_equal(wqe, expected, sizeof(*wqe));
	assert_memory_equal(wqe->sge, wr->sg_list, expected->num_sge * sizeof(sges[0]));
}

static void every_field_arrives(void **state)
{
	const struct svt_send_wqe write = {
		.wr_id = WR_ID, .opcode = IBV_WR_RDMA_WRITE_WITH_IMM, .num_sge = 2,
		.flags = SVT_SEND_SIGNALED | SVT_SEND_FENCE, .imm_data = 0x01020304,
		.rdma = { .remote_addr = 0xabcdef012345, .rkey = 77 },
	};
	const struct svt_send_wqe swap = {
		.wr_id = WR_ID, .opcode = IBV_WR_ATOMIC_CMP_AND_SWP, .num_sge = 1,
		.flags = SVT_SEND_SIGNALED | SVT_SEND_FENCE,
		.atomic = { .remote_addr = 8, .compare_add = 9, .swap = 10, .rkey = 11 },
	};
	const struct svt_send_wqe send = {
		.wr_id = WR_ID, .opcode = IBV_WR_SEND_WITH_INV, .num_sge = 2,
		.flags = SVT_SEND_SIGNALED | SVT_SEND_FENCE, .invalidate_rkey = 12,
	};
	struct ibv_send_wr wr = make_wr(IBV_WR_RDMA_WRITE_WITH_IMM);

	wr.imm_data = 0x01020304;
	wr.wr.rdma.remote_addr = 0xabcdef012345;
	wr.wr.rdma.rkey = 77;
	expect_sent(*state, &wr, &write);

	wr = make_wr(IBV_WR_ATOMIC_CMP_AND_SWP);
	wr.num_sge = 1;
	wr.wr.atomic.remote_addr = 8;
	wr.wr.atomic.compare_add = 9;
	wr.wr.atomic.swap = 10;
	wr.wr.atomic.rkey = 11;
	expect_sent(*state, &wr, &swap);

	wr = make_wr(IBV_WR_SEND_WITH_INV);
	wr.invalidate_rkey = 12;
	expect_sent(*state, &wr, &send);
}

static void datagrams_have_an_address(void **state)
{
	const struct svt_send_wqe expected = {
		.wr_id = WR_ID, .opcode = IBV_WR_SEND, .num_sge = 2,
		.flags = SVT_SEND_SIGNALED | SVT_SEND_FENCE,
		.ud = { .ah = 100, .remote_qpn = 5, .remote_qkey = 6 },
	};
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_ah_attr attr = {};
	struct bench *bench = *state;

	assert_int_equal(post(bench, &wr), EINVAL);
	wr.wr.ud.ah = svt_create_ah(bench->pd, &attr);
	wr.wr.ud.remote_qpn = 5;
	wr.wr.ud.remote_qkey = 6;
	expect_sent(bench, &wr, &expected);
	svt_destroy_ah(wr.wr.ud.ah);
}

/* The kernel is awake, so that posting does not ring */
static void handles_go_behind_what_names_them(void **state)
{
	const struct ibv_qp_cap cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 2,
					.max_recv_sge = 2 };
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_ah_attr attr = {};
	struct bench *other = *state;
	struct bench bench;

	assert_true(bench_open_with(&bench, other->pd, IBV_QPT_UD, cap, 8));
	fake_awake(&fake.sq);
	wr.wr.ud.ah = svt_create_ah(bench.pd, &attr);
	assert_int_equal(post(&bench, &wr), 0);
	assert_int_equal(fake.doorbells, 0);
	svt_destroy_ah(wr.wr.ud.ah);
	assert_int_equal(fake.doorbells, 1);
	assert_int_equal(fake.doorbell.header.attrs[0].data, bench.qp->handle);

	/* With nothing left to do there is no call */
	fake_take_send();
	assert_null(fake_take(&fake.sq));
	svt_destroy_ah(svt_create_ah(bench.pd, &attr));
	assert_int_equal(fake.doorbells, 1);

	assert_int_equal(svt_destroy_qp(bench.qp), 0);
	svt_destroy_ah(svt_create_ah(bench.pd, &attr));
	assert_int_equal(fake.doorbells, 1);
	svt_destroy_cq(bench.cq);
}

static void inline_data_is_copied(void **state)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	char first[40], second[40];
	struct ibv_sge list[2] = {
		{ .addr = (uintptr_t)first, .length = 40 },
		{ .addr = (uintptr_t)second, .length = 24 },
	};
	const struct svt_send_wqe *wqe;

	memset(first, 'a', sizeof(first));
	memset(second, 'b', sizeof(second));
	wr.sg_list = list;
	wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(post(*state, &wr), 0);
	wqe = fake_take_send();
	assert_int_equal(wqe->inline_length, 64);
	assert_int_equal(wqe->num_sge, 0);
	assert_memory_equal(wqe->sge, first, 40);
	assert_memory_equal((char *)wqe->sge + 40, second, 24);

	list[1].length = 25;
	assert_int_equal(post(*state, &wr), EINVAL);
	list[1].length = UINT32_MAX;
	assert_int_equal(post(*state, &wr), EINVAL);
	wr = make_wr(IBV_WR_RDMA_READ);
	wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(post(*state, &wr), EINVAL);
}

static void what_the_type_has_not_is_refused(void **state)
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
		{ IBV_QPT_RC, IBV_WR_FLUSH },
		{ IBV_QPT_RC, (enum ibv_wr_opcode)40 },
		{ IBV_QPT_RC, (enum ibv_wr_opcode)-1 },
	};
	struct ibv_send_wr wr;
	struct bench bench;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_true(bench_open(&bench, refused[i].type));
		wr = make_wr(refused[i].opcode);
		assert_int_equal(post(&bench, &wr), EINVAL);
		assert_int_equal(fake_pending(&fake.sq), 0);
		bench_close(&bench);
	}
	assert_false(bench_open(&bench, IBV_QPT_DRIVER));
	assert_int_equal(errno, EOPNOTSUPP);
	bench_close(&bench);
}

static void frames_have_no_address_but_checksums(void **state)
{
	const struct svt_send_wqe expected = {
		.wr_id = WR_ID, .opcode = IBV_WR_SEND, .num_sge = 2,
		.flags = SVT_SEND_SIGNALED | SVT_SEND_IP_CSUM,
	};
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);

	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM;
	expect_sent(*state, &wr, &expected);
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	assert_int_equal(post(*state, &wr), EINVAL);
}

static void bad_lists_and_flags_are_refused(void **state)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);

	wr.num_sge = 3;
	assert_int_equal(post(*state, &wr), EINVAL);
	wr.num_sge = -1;
	assert_int_equal(post(*state, &wr), EINVAL);
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_IP_CSUM;
	assert_int_equal(post(*state, &wr), EINVAL);
	wr.send_flags = 0;
	wr.num_sge = 0;
	wr.sg_list = NULL;
	assert_int_equal(post(*state, &wr), 0);
}

static void only_some_states_send(void **state)
{
	const struct {
		enum ibv_qp_state state;
		int err;
	} states[] = {
		{ IBV_QPS_RESET, EINVAL }, { IBV_QPS_INIT, EINVAL }, { IBV_QPS_RTR, EINVAL },
		{ IBV_QPS_RTS, 0 }, { IBV_QPS_SQD, 0 }, { IBV_QPS_SQE, 0 }, { IBV_QPS_ERR, 0 },
		{ IBV_QPS_UNKNOWN, EINVAL },
	};
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct bench *bench = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		bench->qp->state = states[i].state;
		assert_int_equal(post(bench, &wr), states[i].err);
	}
}

static void a_full_queue_says_so(void **state)
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
	assert_true(bench_open_with(&bench, svt_alloc_pd(fake_context()), IBV_QPT_RC, cap, 8));
	assert_int_equal(post(&bench, wrs), 0);
	assert_int_equal(svt_post_send(bench.qp, wrs, &bad_wr), ENOMEM);
	assert_ptr_equal(bad_wr, &wrs[2]);
	assert_int_equal(fake_pending(&fake.sq), 5);
	/* An element is free only when the kernel says that it is */
	fake_take_send();
	assert_int_equal(post(&bench, &wrs[2]), ENOMEM);
	fake_take_send();
	assert_int_equal(post(&bench, &wrs[2]), 0);
	assert_int_equal(post(&bench, &wrs[2]), ENOMEM);
	for (i = 0; i < 4; i++)
		fake_take_send();
	assert_null(fake_take(&fake.sq));
	bench_close(&bench);

	cap.max_send_wr = 0;
	assert_true(bench_open_with(&bench, svt_alloc_pd(fake_context()), IBV_QPT_RC, cap, 8));
	assert_int_equal(post(&bench, &wrs[2]), ENOMEM);
	bench_close(&bench);
}

static void what_stands_before_a_bad_one_is_posted(void **state)
{
	struct ibv_send_wr wrs[3] = { make_wr(IBV_WR_SEND), make_wr(IBV_WR_SEND),
				      make_wr(IBV_WR_SEND) };
	struct ibv_send_wr *bad_wr = NULL;
	struct bench *bench = *state;

	assert_true(fake_sleep(&fake.sq));
	wrs[0].next = &wrs[1];
	wrs[1].next = &wrs[2];
	wrs[1].num_sge = 3;
	assert_int_equal(svt_post_send(bench->qp, wrs, &bad_wr), EINVAL);
	assert_ptr_equal(bad_wr, &wrs[1]);
	assert_int_equal(fake_pending(&fake.sq), 1);
	assert_int_equal(fake.doorbells, 1);
}

static void indices_wrap(void **state)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct bench *bench = *state;

	fake.sq.index = UINT32_MAX - 5;
	fake.sq.control->producer = fake.sq.index;
	fake.sq.control->consumer = fake.sq.index;
	svt_ring_adopt(&to_svt_qp(bench->qp)->send.ring);
	for (wr.wr_id = 0; wr.wr_id < 10; wr.wr_id++) {
		assert_int_equal(post(bench, &wr), 0);
		assert_int_equal(fake_take_send()->wr_id, wr.wr_id);
	}
}

static void the_doorbell_rings_only_for_a_sleeper(void **state)
{
	const struct ib_uverbs_ioctl_hdr *header = &fake.doorbell.header;
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct bench *bench = *state;

	assert_int_equal(post(bench, &wr), 0);
	assert_int_equal(fake.doorbells, 0);
	assert_false(fake_sleep(&fake.sq));
	fake_take_send();
	assert_null(fake_take(&fake.sq));
	assert_true(fake_sleep(&fake.sq));
	assert_int_equal(post(bench, &wr), 0);
	assert_int_equal(fake.doorbells, 1);
	assert_int_equal(header->driver_id, SVT_DRIVER_ID);
	assert_int_equal(header->object_id, UVERBS_OBJECT_QP);
	assert_int_equal(header->method_id, SVT_METHOD_QP_DOORBELL);
	assert_int_equal(header->num_attrs, 1);
	assert_int_equal(header->length, sizeof(*header) + sizeof(header->attrs[0]));
	assert_int_equal(header->attrs[0].attr_id, SVT_ATTR_DOORBELL_QP);
	assert_int_equal(header->attrs[0].data, bench->qp->handle);
	assert_int_equal(header->attrs[0].len, 0);
}

static void a_device_that_is_gone_is_reported(void **state)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);

	assert_true(fake_sleep(&fake.sq));
	fake.doorbell_errno = EIO;
	assert_int_equal(post(*state, &wr), EIO);
}

static void windows_change_their_key(void **state)
{
	struct ibv_mr mr = { .lkey = 33 };
	struct ibv_mw_bind bind = {
		.wr_id = WR_ID,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = &mr, .addr = 0x1000, .length = 16, .mw_access_flags = 2 },
	};
	struct svt_send_wqe expected = {
		.wr_id = WR_ID, .opcode = IBV_WR_BIND_MW, .flags = SVT_SEND_SIGNALED,
		.bind_mw = { .addr = 0x1000, .length = 16, .mr_lkey = 33, .access = 2,
			     .mw_rkey = 0x123456ff, .new_rkey = 0x12345600 },
	};
	struct ibv_send_wr wr = make_wr(IBV_WR_BIND_MW);
	struct bench *bench = *state;
	struct ibv_mw *mw1 = svt_alloc_mw(bench->pd, IBV_MW_TYPE_1);
	struct ibv_mw *mw2 = svt_alloc_mw(bench->pd, IBV_MW_TYPE_2);

	assert_int_equal(svt_bind_mw(bench->qp, mw1, &bind), 0);
	assert_int_equal(mw1->rkey, 0x12345600);
	assert_memory_equal(fake_take_send(), &expected, sizeof(expected));

	bind.bind_info.mr = NULL;
	assert_int_equal(svt_bind_mw(bench->qp, mw1, &bind), EINVAL);
	assert_int_equal(mw1->rkey, 0x12345600);
	bind.bind_info.length = 0;
	assert_int_equal(svt_bind_mw(bench->qp, mw1, &bind), 0);
	assert_int_equal(mw1->rkey, 0x12345601);
	fake_take_send();

	wr.send_flags = IBV_SEND_SIGNALED;
	wr.bind_mw.mw = mw1;
	wr.bind_mw.rkey = 0x12345642;
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){ .mr = &mr, .length = 1 };
	assert_int_equal(post(bench, &wr), EINVAL);
	wr.bind_mw.mw = mw2;
	expected.bind_mw.addr = 0;
	expected.bind_mw.length = 1;
	expected.bind_mw.access = 0;
	expected.bind_mw.new_rkey = 0x12345642;
	expect_sent(bench, &wr, &expected);
	assert_int_equal(mw2->rkey, 0x12345642);
	svt_dealloc_mw(mw1);
	svt_dealloc_mw(mw2);
}

/* Both queues take four requests */
static void fill(struct bench *bench)
{
	struct ibv_send_wr wr = make_wr(IBV_WR_SEND);
	struct ibv_recv_wr recv = {}, *bad_recv;
	int i;

	for (i = 0; i < 4; i++) {
		assert_int_equal(post(bench, &wr), 0);
		assert_int_equal(svt_post_recv(bench->qp, &recv, &bad_recv), 0);
	}
	assert_int_equal(post(bench, &wr), ENOMEM);
	assert_int_equal(svt_post_recv(bench->qp, &recv, &bad_recv), ENOMEM);
}

static void reset_starts_anew(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	const struct svt_cqe cqe = { .wr_id = 1, .qp_num = 17 };
	const struct svt_cqe other = { .wr_id = 2, .qp_num = 18 };
	struct bench *bench = *state;
	struct ibv_wc wc[4];

	fill(bench);
	fake_complete(&fake.cq, &cqe);
	fake_complete(&fake.cq, &other);
	assert_int_equal(svt_modify_qp(bench->qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(fake_pending(&fake.sq), 0);
	assert_int_equal(fake_pending(&fake.rq), 0);
	assert_int_equal(svt_poll_cq(bench->cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 2);
	fill(bench);
	assert_int_equal(fake_pending(&fake.sq), 4);
	assert_int_equal(fake_pending(&fake.rq), 4);
}

static void nonsense_from_the_kernel_is_not_mapped(void **state)
{
	struct bench bench;

	fake.break_info = true;
	assert_false(bench_open(&bench, IBV_QPT_RC));
	assert_int_equal(errno, EPROTO);
	bench_close(&bench);
}

const struct CMUnitTest tests[] = {
	RC_TEST("send: every field arrives", every_field_arrives),
	BENCH_TEST("send: datagrams have an address", datagrams_have_an_address, IBV_QPT_UD),
	BENCH_TEST("send: handles go behind what names them", handles_go_behind_what_names_them,
		   IBV_QPT_UD),
	BENCH_TEST("send: frames have no address, but checksums",
		   frames_have_no_address_but_checksums, IBV_QPT_RAW_PACKET),
	RC_TEST("send: inline data is copied", inline_data_is_copied),
	{ "send: what the type has not is refused", what_the_type_has_not_is_refused,
	  fake_setup, NULL, NULL },
	RC_TEST("send: bad lists and flags are refused", bad_lists_and_flags_are_refused),
	RC_TEST("send: only some states send", only_some_states_send),
	{ "send: a full queue says so", a_full_queue_says_so, fake_setup, NULL, NULL },
	RC_TEST("send: what stands before a bad one is posted",
		what_stands_before_a_bad_one_is_posted),
	RC_TEST("send: indices wrap", indices_wrap),
	RC_TEST("send: the doorbell rings only for a sleeper",
		the_doorbell_rings_only_for_a_sleeper),
	RC_TEST("send: a device that is gone is reported", a_device_that_is_gone_is_reported),
	RC_TEST("send: windows change their key", windows_change_their_key),
	RC_TEST("send: reset starts anew", reset_starts_anew),
	{ "send: nonsense from the kernel is not mapped", nonsense_from_the_kernel_is_not_mapped,
	  fake_setup, NULL, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
