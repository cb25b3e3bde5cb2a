// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * device-test DEVICE GID_INDEX [PATTERN]: what provider and kernel have to do together, on a
 * device of svt that sends to itself. PATTERN, with * and ?, selects tests by their names. Results
 * are TAP.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <infiniband/verbs.h>

#include "test.h"

#define BUFFER		8192
#define HALF		(BUFFER / 2)
#define PATIENCE_S	10

static const char *device_name;
static int gid_index;

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static uint8_t *buffer;

/* Two QPs that are connected to each other */
struct pair {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp[2];
};

static void to_rts(struct ibv_qp *qp, uint32_t peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer,
		.max_dest_rd_atomic = 4,
		.max_rd_atomic = 4,
		.min_rnr_timer = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = gid_index, .hop_limit = 64 } },
	};
	static const int masks[] = {
		IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		IBV_QP_MAX_QP_RD_ATOMIC,
	};
	size_t i;

	assert_int_equal(ibv_query_gid(context, 1, gid_index, &attr.ah_attr.grh.dgid), 0);
	for (i = 0; i < ARRAY_SIZE(masks); i++, attr.qp_state++)
		assert_int_equal(ibv_modify_qp(qp, &attr, IBV_QP_STATE | masks[i]), 0);
}

static void connect_pair(struct pair *pair)
{
	to_rts(pair->qp[0], pair->qp[1]->qp_num);
	to_rts(pair->qp[1], pair->qp[0]->qp_num);
}

/* On the CQ, and the SRQ if there is one */
static void create_qps(struct pair *pair, struct ibv_pd *domain)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = pair->cq,
		.recv_cq = pair->cq,
		.srq = pair->srq,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 2,
			 .max_recv_sge = 2, .max_inline_data = 64 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = domain,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_BIND_MW |
				  IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_RDMA_READ,
	};

	pair->qp[0] = ibv_create_qp_ex(context, &attr);
	pair->qp[1] = ibv_create_qp_ex(context, &attr);
	assert_non_null(pair->qp[0]);
	assert_non_null(pair->qp[1]);
	connect_pair(pair);
}

static void open_pair(struct pair *pair, struct ibv_pd *domain)
{
	pair->channel = ibv_create_comp_channel(context);
	assert_non_null(pair->channel);
	pair->cq = ibv_create_cq(context, 64, NULL, pair->channel, 0);
	assert_non_null(pair->cq);
	create_qps(pair, domain);
	memset(buffer, 0, BUFFER);
}

static void close_pair(struct pair *pair)
{
	assert_int_equal(ibv_destroy_qp(pair->qp[0]), 0);
	assert_int_equal(ibv_destroy_qp(pair->qp[1]), 0);
	if (pair->srq)
		assert_int_equal(ibv_destroy_srq(pair->srq), 0);
	assert_int_equal(ibv_destroy_cq(pair->cq), 0);
	if (pair->channel)
		assert_int_equal(ibv_destroy_comp_channel(pair->channel), 0);
}

/* The state of most tests is a pair */
static int pair_setup(void **state)
{
	static struct pair pair;

	memset(&pair, 0, sizeof(pair));
	*state = &pair;
	open_pair(&pair, pd);
	return 0;
}

static int pair_teardown(void **state)
{
	close_pair(*state);
	return 0;
}

/* Waits for @count completions */
static void wait_for(struct pair *pair, int count, struct ibv_wc *wc)
{
	time_t end = time(NULL) + PATIENCE_S;
	int got = 0;

	while (got < count && time(NULL) < end)
		got += ibv_poll_cq(pair->cq, count - got, wc + got);
	assert_int_equal(got, count);
}

/* The next completions are of requests that succeeded */
static void expect_success(struct pair *pair, int count)
{
	struct ibv_wc wc[16];

	wait_for(pair, count, wc);
	while (count--)
		assert_int_equal(wc[count].status, IBV_WC_SUCCESS);
}

static int post(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint64_t wr_id, uint32_t rkey,
		uint32_t length)
{
	struct ibv_sge sge = { .addr = (uintptr_t)buffer, .length = length, .lkey = mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)buffer + HALF, .rkey = rkey },
	};
	struct ibv_send_wr *bad_wr;

	return ibv_post_send(qp, &wr, &bad_wr);
}

static struct ibv_recv_wr recv_wr(struct ibv_sge *sge, uint64_t wr_id)
{
	*sge = (struct ibv_sge){ .addr = (uintptr_t)buffer + HALF, .length = HALF,
				 .lkey = mr->lkey };
	return (struct ibv_recv_wr){ .wr_id = wr_id, .sg_list = sge, .num_sge = 1 };
}

static int post_recv(struct ibv_qp *qp, uint64_t wr_id)
{
	struct ibv_recv_wr *bad_wr;
	struct ibv_sge sge;
	struct ibv_recv_wr wr = recv_wr(&sge, wr_id);

	return ibv_post_recv(qp, &wr, &bad_wr);
}

static int post_srq(struct ibv_srq *srq, uint64_t wr_id)
{
	struct ibv_recv_wr *bad_wr;
	struct ibv_sge sge;
	struct ibv_recv_wr wr = recv_wr(&sge, wr_id);

	return ibv_post_srq_recv(srq, &wr, &bad_wr);
}

static void batches_are_carried_out(void **state)
{
	static const enum ibv_wc_opcode opcodes[] = { IBV_WC_RDMA_WRITE, IBV_WC_FETCH_ADD,
						      IBV_WC_RDMA_READ };
	const uint64_t expected[] = { 40, 42 };
	struct pair *pair = *state;
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(pair->qp[0]);
	uint64_t number = 40;
	struct ibv_wc wc[3];
	int i;

	assert_non_null(qp);
	ibv_wr_start(qp);
	qp->wr_id = 0;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, mr->rkey, (uintptr_t)buffer + HALF);
	ibv_wr_set_inline_data(qp, &number, sizeof(number));
	qp->wr_id = 1;
	ibv_wr_atomic_fetch_add(qp, mr->rkey, (uintptr_t)buffer + HALF, 2);
	ibv_wr_set_sge(qp, mr->lkey, (uintptr_t)buffer, 8);
	qp->wr_id = 2;
	qp->wr_flags |= IBV_SEND_FENCE;
	ibv_wr_rdma_read(qp, mr->rkey, (uintptr_t)buffer + HALF);
	ibv_wr_set_sge(qp, mr->lkey, (uintptr_t)buffer + 8, 8);
	assert_int_equal(ibv_wr_complete(qp), 0);
	wait_for(pair, 3, wc);
	for (i = 0; i < 3; i++) {
		assert_int_equal(wc[i].wr_id, i);
		assert_int_equal(wc[i].status, IBV_WC_SUCCESS);
		assert_int_equal(wc[i].opcode, opcodes[i]);
	}
	assert_memory_equal(buffer, expected, sizeof(expected));
}

static void reset_and_use_again(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct pair *pair = *state;
	struct ibv_wc wc[16];
	int round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5 + round; i++) {
			assert_int_equal(post_recv(pair->qp[1], i), 0);
			assert_int_equal(post(pair->qp[0], IBV_WR_SEND, i, 0, 100), 0);
		}
		wait_for(pair, 2 * i - 3, wc);
		/* Something is posted that nobody will ever use, and completions may be pending */
		for (i = 0; i < 3; i++)
			assert_int_equal(post_recv(pair->qp[1], i), 0);
		assert_int_equal(ibv_modify_qp(pair->qp[0], &attr, IBV_QP_STATE), 0);
		assert_int_equal(ibv_modify_qp(pair->qp[1], &attr, IBV_QP_STATE), 0);
		assert_int_equal(ibv_poll_cq(pair->cq, 16, wc), 0);
		assert_int_equal(post(pair->qp[0], IBV_WR_SEND, 0, 0, 1), EINVAL);
		assert_int_equal(post_recv(pair->qp[1], 0), EINVAL);
		connect_pair(pair);
	}
	for (i = 0; i < 16; i++)
		assert_int_equal(post_recv(pair->qp[1], i), 0);
	assert_int_equal(post_recv(pair->qp[1], i), ENOMEM);
	assert_int_equal(post(pair->qp[0], IBV_WR_SEND, 7, 0, 100), 0);
	expect_success(pair, 2);
}

static void expect_flushed(struct pair *pair, uint64_t wr_id)
{
	struct ibv_wc wc;

	wait_for(pair, 1, &wc);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
}

static void what_is_posted_in_error_is_flushed(void **state)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct pair *pair = *state;
	int i;

	assert_int_equal(post_recv(pair->qp[0], 5), 0);
	assert_int_equal(ibv_modify_qp(pair->qp[0], &attr, IBV_QP_STATE), 0);
	expect_flushed(pair, 5);
	for (i = 0; i < 40; i++) {
		assert_int_equal(post_recv(pair->qp[0], i), 0);
		expect_flushed(pair, i);
		assert_int_equal(post(pair->qp[0], IBV_WR_SEND, i, 0, 1), 0);
		expect_flushed(pair, i);
	}
}

/* The status of a write with this key */
static enum ibv_wc_status try_write(struct pair *pair, uint32_t rkey)
{
	struct ibv_wc wc;

	assert_int_equal(post(pair->qp[0], IBV_WR_RDMA_WRITE, 1, rkey, 8), 0);
	wait_for(pair, 1, &wc);
	return wc.status;
}

static void run_send(struct pair *pair, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad_wr;

	assert_int_equal(ibv_post_send(pair->qp[1], wr, &bad_wr), 0);
	expect_success(pair, 1);
}

/* The application counts the key up in a copy of its own, as other providers make it do */
static void a_window_of_type_2_is_bound_again_and_again(void **state)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct pair *pair = *state;
	uint32_t rkey;
	int i;

	assert_non_null(mw);
	rkey = mw->rkey;
	for (i = 0; i < 300; i++) {
		struct ibv_send_wr bind = {
			.opcode = IBV_WR_BIND_MW,
			.send_flags = IBV_SEND_SIGNALED,
			.bind_mw = { .mw = mw, .rkey = ibv_inc_rkey(rkey), .bind_info = {
				.mr = mr, .addr = (uintptr_t)buffer + HALF, .length = 8,
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE } },
		};
		struct ibv_send_wr invalidate = { .opcode = IBV_WR_LOCAL_INV,
						  .send_flags = IBV_SEND_SIGNALED,
						  .invalidate_rkey = bind.bind_mw.rkey };

		rkey = bind.bind_mw.rkey;
		run_send(pair, &bind);
		assert_int_equal(try_write(pair, rkey), IBV_WC_SUCCESS);
		run_send(pair, &invalidate);
	}
	assert_int_equal(try_write(pair, rkey), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void a_window_of_type_1_is_bound_again_and_again(void **state)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = mr, .addr = (uintptr_t)buffer + HALF, .length = 8,
			       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	struct pair *pair = *state;
	uint32_t before = 0;
	struct ibv_wc wc;
	int i;

	assert_non_null(mw);
	for (i = 0; i < 300; i++) {
		before = mw->rkey;
		assert_int_equal(ibv_bind_mw(pair->qp[1], mw, &bind), 0);
		wait_for(pair, 1, &wc);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_BIND_MW);
		assert_int_not_equal(mw->rkey, before);
		assert_int_equal(try_write(pair, mw->rkey), IBV_WC_SUCCESS);
	}
	assert_int_equal(try_write(pair, before), IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void expect_event(struct pair *pair)
{
	struct pollfd event = { .events = POLLIN, .fd = pair->channel->fd };
	struct ibv_cq *cq;
	void *cq_context;

	assert_int_equal(poll(&event, 1, PATIENCE_S * 1000), 1);
	assert_int_equal(ibv_get_cq_event(pair->channel, &cq, &cq_context), 0);
	ibv_ack_cq_events(cq, 1);
	assert_ptr_equal(cq, pair->cq);
}

static void a_cq_is_resized_while_it_is_used(void **state)
{
	static const int sizes[] = { 200, 40, 64, 1000, 16 };
	struct pair *pair = *state;
	struct ibv_wc wc[10];
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < 10; k++)
			assert_int_equal(post(pair->qp[0], IBV_WR_RDMA_WRITE, k, mr->rkey, 64), 0);
		wait_for(pair, 5, wc);
		assert_int_equal(ibv_resize_cq(pair->cq, sizes[i]), 0);
		assert_in_range(pair->cq->cqe, sizes[i], INT_MAX);
		wait_for(pair, 5, wc + 5);
		for (k = 0; k < 10; k++) {
			assert_int_equal(wc[k].wr_id, k);
			assert_int_equal(wc[k].status, IBV_WC_SUCCESS);
		}
		/* A request for an event goes with it */
		assert_int_equal(ibv_req_notify_cq(pair->cq, 0), 0);
		assert_int_equal(ibv_resize_cq(pair->cq, sizes[i] + 5), 0);
		assert_int_equal(post(pair->qp[0], IBV_WR_RDMA_WRITE, k, mr->rkey, 64), 0);
		expect_event(pair);
		expect_success(pair, 1);
	}
	assert_int_equal(ibv_resize_cq(pair->cq, 0), EINVAL);
}

static void an_srq_is_resized_while_it_is_used(void **state)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 10, .max_sge = 1 } };
	static const uint32_t sizes[] = { 100, 20, 1000, 12 };
	struct pair pair = { .srq = ibv_create_srq(pd, &init) };
	uint64_t posted = 0, received = 0;
	struct ibv_srq_attr attr = {};
	struct ibv_wc wc[2];
	size_t i;
	int k;

	assert_non_null(pair.srq);
	open_pair(&pair, pd);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < 10; k++)
			assert_int_equal(post_srq(pair.srq, posted++), 0);
		attr.max_wr = 5;
		assert_int_not_equal(ibv_modify_srq(pair.srq, &attr, IBV_SRQ_MAX_WR), 0);
		attr.max_wr = sizes[i];
		assert_int_equal(ibv_modify_srq(pair.srq, &attr, IBV_SRQ_MAX_WR), 0);
		assert_int_equal(ibv_query_srq(pair.srq, &attr), 0);
		assert_in_range(attr.max_wr, sizes[i], UINT32_MAX);
		for (k = 0; k < 10; k++) {
			assert_int_equal(post(pair.qp[0], IBV_WR_SEND, 1 << 20, 0, 64), 0);
			wait_for(&pair, 2, wc);
			assert_int_equal(wc[0].status, IBV_WC_SUCCESS);
			assert_int_equal(wc[1].status, IBV_WC_SUCCESS);
			assert_true(wc[0].wr_id == received || wc[1].wr_id == received);
			received++;
		}
	}
	for (k = 0; k < 12; k++)
		assert_int_equal(post_srq(pair.srq, posted++), 0);
	assert_int_equal(post_srq(pair.srq, posted), ENOMEM);
	close_pair(&pair);
}

static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * UINT64_C(1000000000) + t->tv_nsec;
}

static void completions_have_their_time(void **state)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct ibv_values_ex first = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(context, &attr);
	struct ibv_poll_cq_attr poll_attr = {};
	struct ibv_values_ex last = first;
	struct timespec wall;
	struct pair pair = {};

	assert_non_null(cq);
	pair.cq = ibv_cq_ex_to_cq(cq);
	create_qps(&pair, pd);
	assert_int_equal(ibv_query_rt_values_ex(context, &first), 0);
	assert_int_equal(post(pair.qp[0], IBV_WR_RDMA_WRITE, 1, mr->rkey, 64), 0);
	while (ibv_start_poll(cq, &poll_attr) == ENOENT)
		;
	assert_int_equal(ibv_query_rt_values_ex(context, &last), 0);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &wall), 0);
	assert_int_equal(cq->wr_id, 1);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	assert_int_equal(ibv_wc_read_qp_num(cq), pair.qp[0]->qp_num);
	assert_in_range(ibv_wc_read_completion_ts(cq), ns_of(&first.raw_clock) + 1,
			ns_of(&last.raw_clock) - 1);
	assert_in_range(ibv_wc_read_completion_wallclock_ns(cq),
			ns_of(&wall) - PATIENCE_S * 1000000000ULL + 1, ns_of(&wall));
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	close_pair(&pair);
}

static void a_thread_domain_works_alike(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = { .pd = pd,
						    .td = ibv_alloc_td(context, &td_attr) };
	struct pair pair = {};
	struct ibv_pd *domain;
	int i;

	assert_non_null(attr.td);
	domain = ibv_alloc_parent_domain(context, &attr);
	assert_non_null(domain);
	open_pair(&pair, domain);
	for (i = 0; i < 100; i++) {
		assert_int_equal(post_recv(pair.qp[1], i), 0);
		assert_int_equal(post(pair.qp[0], IBV_WR_SEND, i, 0, 1000), 0);
		expect_success(&pair, 2);
	}
	assert_int_equal(ibv_dealloc_td(attr.td), EBUSY);
	close_pair(&pair);
	assert_int_equal(ibv_dealloc_pd(domain), 0);
	assert_int_equal(ibv_dealloc_td(attr.td), 0);
}

static struct ibv_context *open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *found = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), device_name))
			found = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return found;
}

static int open_all(void **state)
{
	context = open_device();
	if (!context)
		fail_msg("can not open %s", device_name);
	pd = ibv_alloc_pd(context);
	assert_non_null(pd);
	assert_int_equal(posix_memalign((void **)&buffer, 4096, BUFFER), 0);
	mr = ibv_reg_mr(pd, buffer, BUFFER, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
					    IBV_ACCESS_MW_BIND);
	assert_non_null(mr);
	return 0;
}

const struct CMUnitTest tests[] = {
	{ "device: batches are carried out", batches_are_carried_out,
	  pair_setup, pair_teardown, NULL },
	{ "device: reset and use again", reset_and_use_again, pair_setup, pair_teardown, NULL },
	{ "device: what is posted in error is flushed", what_is_posted_in_error_is_flushed,
	  pair_setup, pair_teardown, NULL },
	{ "device: a window of type 2 is bound again and again",
	  a_window_of_type_2_is_bound_again_and_again, pair_setup, pair_teardown, NULL },
	{ "device: a window of type 1 is bound again and again",
	  a_window_of_type_1_is_bound_again_and_again, pair_setup, pair_teardown, NULL },
	{ "device: a CQ is resized while it is used", a_cq_is_resized_while_it_is_used,
	  pair_setup, pair_teardown, NULL },
	{ "device: an SRQ is resized while it is used", an_srq_is_resized_while_it_is_used,
	  NULL, NULL, NULL },
	{ "device: completions have their time", completions_have_their_time, NULL, NULL, NULL },
	{ "device: a thread domain works alike", a_thread_domain_works_alike, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: device-test DEVICE GID_INDEX [PATTERN]\n");
		return 2;
	}
	device_name = argv[1];
	gid_index = atoi(argv[2]);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	cmocka_set_test_filter(argv[3]);
	return cmocka_run_group_tests_name("device", tests, open_all, NULL);
}
