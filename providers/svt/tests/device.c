// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * device-test DEVICE GID_INDEX: what provider and kernel have to do together, on a device of svt
 * that sends to itself. Prints a line for each test and "N passed, N failed" last.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static int to_rts(struct ibv_qp *qp, uint32_t peer)
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
	int err;

	if (ibv_query_gid(context, 1, gid_index, &attr.ah_attr.grh.dgid))
		return EINVAL;
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				       IBV_QP_ACCESS_FLAGS);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTR;
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTS;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
					IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
					IBV_QP_MAX_QP_RD_ATOMIC);
}

static bool connect_pair(struct pair *pair)
{
	return !to_rts(pair->qp[0], pair->qp[1]->qp_num) &&
	       !to_rts(pair->qp[1], pair->qp[0]->qp_num);
}

static struct ibv_qp *create_qp(struct pair *pair, struct ibv_pd *domain)
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

	return ibv_create_qp_ex(context, &attr);
}

static bool open_pair_in(struct pair *pair, struct ibv_pd *domain)
{
	pair->channel = ibv_create_comp_channel(context);
	pair->cq = ibv_create_cq(context, 64, NULL, pair->channel, 0);
	if (!pair->channel || !pair->cq)
		return false;
	pair->qp[0] = create_qp(pair, domain);
	pair->qp[1] = create_qp(pair, domain);
	memset(buffer, 0, BUFFER);
	return pair->qp[0] && pair->qp[1] && connect_pair(pair);
}

static bool open_pair(struct pair *pair)
{
	return open_pair_in(pair, pd);
}

static void close_pair(struct pair *pair)
{
	if (ibv_destroy_qp(pair->qp[0]) || ibv_destroy_qp(pair->qp[1]) ||
	    (pair->srq && ibv_destroy_srq(pair->srq)) || ibv_destroy_cq(pair->cq) ||
	    ibv_destroy_comp_channel(pair->channel))
		test_leave(__FILE__, __LINE__, "everything can be destroyed");
}

/* Waits for @count completions */
static bool wait_for(struct pair *pair, int count, struct ibv_wc *wc)
{
	time_t end = time(NULL) + PATIENCE_S;
	int got = 0;

	while (got < count && time(NULL) < end)
		got += ibv_poll_cq(pair->cq, count - got, wc + got);
	return got == count;
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

static void batches_are_carried_out(void)
{
	struct pair pair = {};
	struct ibv_qp_ex *qp;
	struct ibv_wc wc[3];
	uint64_t number = 40;

	EXPECT(open_pair(&pair));
	qp = ibv_qp_to_qp_ex(pair.qp[0]);
	EXPECT(qp);
	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, mr->rkey, (uintptr_t)buffer + HALF);
	ibv_wr_set_inline_data(qp, &number, sizeof(number));
	qp->wr_id = 2;
	ibv_wr_atomic_fetch_add(qp, mr->rkey, (uintptr_t)buffer + HALF, 2);
	ibv_wr_set_sge(qp, mr->lkey, (uintptr_t)buffer, 8);
	qp->wr_id = 3;
	qp->wr_flags |= IBV_SEND_FENCE;
	ibv_wr_rdma_read(qp, mr->rkey, (uintptr_t)buffer + HALF);
	ibv_wr_set_sge(qp, mr->lkey, (uintptr_t)buffer + 8, 8);
	EXPECT(!ibv_wr_complete(qp));
	EXPECT(wait_for(&pair, 3, wc));
	EXPECT(wc[0].wr_id == 1 && wc[1].wr_id == 2 && wc[2].wr_id == 3);
	EXPECT(!wc[0].status && !wc[1].status && !wc[2].status);
	EXPECT(wc[0].opcode == IBV_WC_RDMA_WRITE && wc[1].opcode == IBV_WC_FETCH_ADD);
	EXPECT(((uint64_t *)buffer)[0] == 40 && ((uint64_t *)buffer)[1] == 42);
	close_pair(&pair);
}

static void reset_and_use_again(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct pair pair = {};
	struct ibv_wc wc[16];
	int round, i;

	EXPECT(open_pair(&pair));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5 + round; i++)
			EXPECT(!post_recv(pair.qp[1], i) &&
			       !post(pair.qp[0], IBV_WR_SEND, i, 0, 100));
		EXPECT(wait_for(&pair, 2 * i - 3, wc));
		/* Something is posted that nobody will ever use, and completions may be pending */
		for (i = 0; i < 3; i++)
			EXPECT(!post_recv(pair.qp[1], i));
		EXPECT(!ibv_modify_qp(pair.qp[0], &attr, IBV_QP_STATE));
		EXPECT(!ibv_modify_qp(pair.qp[1], &attr, IBV_QP_STATE));
		EXPECT(!ibv_poll_cq(pair.cq, 16, wc));
		EXPECT(post(pair.qp[0], IBV_WR_SEND, 0, 0, 1) == EINVAL);
		EXPECT(post_recv(pair.qp[1], 0) == EINVAL);
		EXPECT(connect_pair(&pair));
	}
	for (i = 0; i < 16; i++)
		EXPECT(!post_recv(pair.qp[1], i));
	EXPECT(post_recv(pair.qp[1], i) == ENOMEM);
	EXPECT(!post(pair.qp[0], IBV_WR_SEND, 7, 0, 100) && wait_for(&pair, 2, wc));
	EXPECT(!wc[0].status && !wc[1].status);
	close_pair(&pair);
}

static void what_is_posted_in_error_is_flushed(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct pair pair = {};
	struct ibv_wc wc[2];
	int i;

	EXPECT(open_pair(&pair));
	EXPECT(!post_recv(pair.qp[0], 5));
	EXPECT(!ibv_modify_qp(pair.qp[0], &attr, IBV_QP_STATE));
	EXPECT(wait_for(&pair, 1, wc) && wc[0].wr_id == 5 && wc[0].status == IBV_WC_WR_FLUSH_ERR);
	for (i = 0; i < 40; i++) {
		EXPECT(!post_recv(pair.qp[0], i) && wait_for(&pair, 1, wc));
		EXPECT(wc[0].wr_id == (uint64_t)i && wc[0].status == IBV_WC_WR_FLUSH_ERR);
		EXPECT(!post(pair.qp[0], IBV_WR_SEND, i, 0, 1) && wait_for(&pair, 1, wc));
		EXPECT(wc[0].wr_id == (uint64_t)i && wc[0].status == IBV_WC_WR_FLUSH_ERR);
	}
	close_pair(&pair);
}

static bool is_writable(struct pair *pair, uint32_t rkey)
{
	struct ibv_wc wc = {};

	return !post(pair->qp[0], IBV_WR_RDMA_WRITE, 1, rkey, 8) && wait_for(pair, 1, &wc) &&
	       !wc.status;
}

static bool run_send(struct pair *pair, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad_wr;
	struct ibv_wc wc = {};

	return !ibv_post_send(pair->qp[1], wr, &bad_wr) && wait_for(pair, 1, &wc) && !wc.status;
}

/* The application counts the key up in a copy of its own, as other providers make it do */
static void a_window_of_type_2_is_bound_again_and_again(void)
{
	const struct ibv_mw_bind_info info = { .mr = mr, .addr = (uintptr_t)buffer + HALF,
					       .length = 8,
					       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct pair pair = {};
	struct ibv_mw *mw;
	uint32_t rkey;
	int i;

	EXPECT(open_pair(&pair));
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	EXPECT(mw);
	rkey = mw->rkey;
	for (i = 0; i < 300; i++) {
		struct ibv_send_wr bind = { .opcode = IBV_WR_BIND_MW,
					    .send_flags = IBV_SEND_SIGNALED };
		struct ibv_send_wr invalidate = { .opcode = IBV_WR_LOCAL_INV,
						  .send_flags = IBV_SEND_SIGNALED };

		rkey = ibv_inc_rkey(rkey);
		bind.bind_mw.mw = mw;
		bind.bind_mw.rkey = rkey;
		bind.bind_mw.bind_info = info;
		EXPECT(run_send(&pair, &bind) && is_writable(&pair, rkey));
		invalidate.invalidate_rkey = rkey;
		EXPECT(run_send(&pair, &invalidate));
	}
	EXPECT(!is_writable(&pair, rkey));
	EXPECT(!ibv_dealloc_mw(mw));
	close_pair(&pair);
}

static void a_window_of_type_1_is_bound_again_and_again(void)
{
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = mr, .addr = (uintptr_t)buffer + HALF, .length = 8,
			       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};
	struct pair pair = {};
	uint32_t before = 0;
	struct ibv_wc wc;
	struct ibv_mw *mw;
	int i;

	EXPECT(open_pair(&pair));
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	EXPECT(mw);
	for (i = 0; i < 300; i++) {
		before = mw->rkey;
		EXPECT(!ibv_bind_mw(pair.qp[1], mw, &bind) && wait_for(&pair, 1, &wc));
		EXPECT(!wc.status && wc.opcode == IBV_WC_BIND_MW && mw->rkey != before);
		EXPECT(is_writable(&pair, mw->rkey));
	}
	EXPECT(!is_writable(&pair, before));
	EXPECT(!ibv_dealloc_mw(mw));
	close_pair(&pair);
}

static void a_cq_is_resized_while_it_is_used(void)
{
	static const int sizes[] = { 200, 40, 64, 1000, 16 };
	struct pollfd event = { .events = POLLIN };
	struct pair pair = {};
	struct ibv_wc wc[10];
	struct ibv_cq *cq;
	void *cq_context;
	size_t i;
	int k;

	EXPECT(open_pair(&pair));
	event.fd = pair.channel->fd;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < 10; k++)
			EXPECT(!post(pair.qp[0], IBV_WR_RDMA_WRITE, k, mr->rkey, 64));
		EXPECT(wait_for(&pair, 5, wc));
		EXPECT(!ibv_resize_cq(pair.cq, sizes[i]) && pair.cq->cqe >= sizes[i]);
		EXPECT(wait_for(&pair, 5, wc + 5));
		for (k = 0; k < 10; k++)
			EXPECT(wc[k].wr_id == (uint64_t)k && !wc[k].status);
		/* A request for an event goes with it */
		EXPECT(!ibv_req_notify_cq(pair.cq, 0));
		EXPECT(!ibv_resize_cq(pair.cq, sizes[i] + 5));
		EXPECT(!post(pair.qp[0], IBV_WR_RDMA_WRITE, k, mr->rkey, 64));
		EXPECT(poll(&event, 1, PATIENCE_S * 1000) == 1);
		EXPECT(!ibv_get_cq_event(pair.channel, &cq, &cq_context) && cq == pair.cq);
		ibv_ack_cq_events(cq, 1);
		EXPECT(wait_for(&pair, 1, wc));
	}
	EXPECT(ibv_resize_cq(pair.cq, 0) == EINVAL);
	close_pair(&pair);
}

static void an_srq_is_resized_while_it_is_used(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 10, .max_sge = 1 } };
	static const uint32_t sizes[] = { 100, 20, 1000, 12 };
	struct ibv_srq_attr attr = {};
	uint64_t posted = 0, received = 0;
	struct pair pair = {};
	struct ibv_wc wc[2];
	size_t i;
	int k;

	pair.srq = ibv_create_srq(pd, &init);
	EXPECT(pair.srq && open_pair(&pair));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < 10; k++)
			EXPECT(!post_srq(pair.srq, posted++));
		attr.max_wr = 5;
		EXPECT(ibv_modify_srq(pair.srq, &attr, IBV_SRQ_MAX_WR));
		attr.max_wr = sizes[i];
		EXPECT(!ibv_modify_srq(pair.srq, &attr, IBV_SRQ_MAX_WR));
		EXPECT(!ibv_query_srq(pair.srq, &attr) && attr.max_wr >= sizes[i]);
		for (k = 0; k < 10; k++) {
			EXPECT(!post(pair.qp[0], IBV_WR_SEND, 1 << 20, 0, 64));
			EXPECT(wait_for(&pair, 2, wc) && !wc[0].status && !wc[1].status);
			EXPECT(wc[0].wr_id == received || wc[1].wr_id == received);
			received++;
		}
	}
	for (k = 0; k < 12; k++)
		EXPECT(!post_srq(pair.srq, posted++));
	EXPECT(post_srq(pair.srq, posted) == ENOMEM);
	close_pair(&pair);
}

static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * UINT64_C(1000000000) + t->tv_nsec;
}

static void completions_have_their_time(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 8,
		.wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
	};
	struct ibv_values_ex first = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct ibv_values_ex last = first;
	struct ibv_poll_cq_attr poll_attr = {};
	struct timespec wall;
	struct pair pair = {};
	struct ibv_cq_ex *cq;

	cq = ibv_create_cq_ex(context, &attr);
	EXPECT(cq);
	pair.cq = ibv_cq_ex_to_cq(cq);
	pair.qp[0] = create_qp(&pair, pd);
	pair.qp[1] = create_qp(&pair, pd);
	EXPECT(pair.qp[0] && pair.qp[1] && connect_pair(&pair));
	EXPECT(!ibv_query_rt_values_ex(context, &first));
	EXPECT(!post(pair.qp[0], IBV_WR_RDMA_WRITE, 1, mr->rkey, 64));
	while (ibv_start_poll(cq, &poll_attr) == ENOENT)
		;
	EXPECT(!ibv_query_rt_values_ex(context, &last));
	EXPECT(!clock_gettime(CLOCK_REALTIME, &wall));
	EXPECT(cq->wr_id == 1 && !cq->status && ibv_wc_read_qp_num(cq) == pair.qp[0]->qp_num);
	EXPECT(ibv_wc_read_completion_ts(cq) > ns_of(&first.raw_clock));
	EXPECT(ibv_wc_read_completion_ts(cq) < ns_of(&last.raw_clock));
	EXPECT(ibv_wc_read_completion_wallclock_ns(cq) <= ns_of(&wall));
	EXPECT(ibv_wc_read_completion_wallclock_ns(cq) > ns_of(&wall) - PATIENCE_S * 1000000000ULL);
	EXPECT(ibv_next_poll(cq) == ENOENT);
	ibv_end_poll(cq);
	EXPECT(!ibv_destroy_qp(pair.qp[0]) && !ibv_destroy_qp(pair.qp[1]) &&
	       !ibv_destroy_cq(pair.cq));
}

static void a_thread_domain_works_alike(void)
{
	struct ibv_parent_domain_init_attr attr = { .pd = pd };
	struct ibv_td_init_attr td_attr = {};
	struct ibv_pd *domain;
	struct pair pair = {};
	struct ibv_wc wc[2];
	int i;

	attr.td = ibv_alloc_td(context, &td_attr);
	EXPECT(attr.td);
	domain = ibv_alloc_parent_domain(context, &attr);
	EXPECT(domain && open_pair_in(&pair, domain));
	for (i = 0; i < 100; i++) {
		EXPECT(!post_recv(pair.qp[1], i) && !post(pair.qp[0], IBV_WR_SEND, i, 0, 1000));
		EXPECT(wait_for(&pair, 2, wc) && !wc[0].status && !wc[1].status);
	}
	EXPECT(ibv_dealloc_td(attr.td) == EBUSY);
	close_pair(&pair);
	EXPECT(!ibv_dealloc_pd(domain) && !ibv_dealloc_td(attr.td));
}

static const struct test tests[] = {
	{ "device: batches are carried out", batches_are_carried_out },
	{ "device: reset and use again", reset_and_use_again },
	{ "device: what is posted in error is flushed", what_is_posted_in_error_is_flushed },
	{ "device: a window of type 2 is bound again and again",
	  a_window_of_type_2_is_bound_again_and_again },
	{ "device: a window of type 1 is bound again and again",
	  a_window_of_type_1_is_bound_again_and_again },
	{ "device: a CQ is resized while it is used", a_cq_is_resized_while_it_is_used },
	{ "device: an SRQ is resized while it is used", an_srq_is_resized_while_it_is_used },
	{ "device: completions have their time", completions_have_their_time },
	{ "device: a thread domain works alike", a_thread_domain_works_alike },
	{}
};

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

static bool open_all(void)
{
	context = open_device();
	if (!context)
		return false;
	pd = ibv_alloc_pd(context);
	if (!pd || posix_memalign((void **)&buffer, 4096, BUFFER))
		return false;
	mr = ibv_reg_mr(pd, buffer, BUFFER, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
					    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
					    IBV_ACCESS_MW_BIND);
	return mr;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: device-test DEVICE GID_INDEX\n");
		return 2;
	}
	device_name = argv[1];
	gid_index = atoi(argv[2]);
	if (!open_all()) {
		fprintf(stderr, "device-test: can not open %s\n", device_name);
		return 2;
	}
	test_run(tests);
	return test_summary();
}
