// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Extended CQs: the polling calls, the fields, completion timestamps.
 */
#include <endian.h>
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "res.h"
#include "tables.h"
#include "udlink.h"

#define MESSAGES	50

static struct ibv_cq_ex *create(struct test *t, u64 wc_flags, u32 flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 256,
		.wc_flags = wc_flags,
		.comp_mask = flags ? IBV_CQ_INIT_ATTR_MASK_FLAGS : 0,
		.flags = flags,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(t->dev->ctx, &attr);

	if (!cq && (errno == EOPNOTSUPP || errno == EINVAL))
		test_skip(t, "no extended CQ with wc_flags %#llx, flags %#x: %s",
			  (unsigned long long)wc_flags, flags, strerror(errno));
	if (!cq)
		test_fail(t, "ibv_create_cq_ex: %s", strerror(errno));
	res_add_cq(t, ibv_cq_ex_to_cq(cq));
	return cq;
}

/* Both queues of the link complete into @cq. */
static struct link *open_on(struct test *t, struct ibv_cq_ex *cq)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_wrap(t, ibv_cq_ex_to_cq(cq));
	return link_open(t, &o);
}

/* Begins a poll at the next completion. */
static void start_poll(struct test *t, struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = { 0 };
	u64 limit = clock_limit(LIMIT_EVENT_MS);
	int ret;

	for (;;) {
		ret = ibv_start_poll(cq, &attr);
		if (!ret)
			return;
		if (ret != ENOENT)
			test_fail(t, "ibv_start_poll: %s", strerror(ret));
		if (clock_passed(limit))
			test_fail(t, "no completion in time");
		test_poll_peer(t);
		sched_yield();
	}
}

/* Goes on to the next completion, in the same poll or in a new one. */
static void next_poll(struct test *t, struct ibv_cq_ex *cq)
{
	int ret = ibv_next_poll(cq);

	if (!ret)
		return;
	if (ret != ENOENT)
		test_fail(t, "ibv_next_poll: %s", strerror(ret));
	ibv_end_poll(cq);
	start_poll(t, cq);
}

static void send_imms(struct link *l, struct buf *b)
{
	u32 i;

	for (i = 0; i < MESSAGES; i++) {
		struct ibv_sge sge = buf_sge(b, 0, i);
		struct ibv_send_wr wr = wr_make(IBV_WR_SEND_WITH_IMM, i, &sge, 1);

		wr.imm_data = htobe32(5000 + i);
		link_post(l, &wr);
	}
}

static void post_recvs(struct link *l, struct buf *b)
{
	struct ibv_sge sge = buf_sge(b, 0, 64);
	u32 i;

	for (i = 0; i < MESSAGES; i++)
		link_recv(l, i, &sge, 1);
}

static void read_fields(struct test *t, struct link *l, struct ibv_cq_ex *cq, u32 i)
{
	unsigned int flags = ibv_wc_read_wc_flags(cq);

	if (cq->wr_id != i || cq->status != IBV_WC_SUCCESS)
		test_fail(t, "completion of %#llx with `%s', expected %u",
			  (unsigned long long)cq->wr_id, ibv_wc_status_str(cq->status), i);
	if (ibv_wc_read_qp_num(cq) != l->qp->qp_num)
		test_fail(t, "qp_num is %#x", ibv_wc_read_qp_num(cq));
	if (t->client) {
		if (ibv_wc_read_opcode(cq) != IBV_WC_SEND)
			test_fail(t, "opcode is %d", ibv_wc_read_opcode(cq));
		return;
	}
	if (ibv_wc_read_opcode(cq) != IBV_WC_RECV || !(flags & IBV_WC_WITH_IMM))
		test_fail(t, "opcode is %d, flags %#x", ibv_wc_read_opcode(cq), flags);
	if (ibv_wc_read_byte_len(cq) != i || ibv_wc_read_imm_data(cq) != htobe32(5000 + i))
		test_fail(t, "byte_len is %u, immediate %#x", ibv_wc_read_byte_len(cq),
			  be32toh(ibv_wc_read_imm_data(cq)));
}

static void run_fields(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	u32 flags = t->c->arg ? IBV_CREATE_CQ_ATTR_SINGLE_THREADED : 0;
	struct ibv_cq_ex *cq = create(t, IBV_WC_STANDARD_FLAGS, flags);
	struct link *l = open_on(t, cq);
	u32 i;

	if (!t->client)
		post_recvs(l, b);
	test_sync(t);
	if (t->client)
		send_imms(l, b);
	for (i = 0; i < MESSAGES; i++) {
		if (i % 10)
			next_poll(t, cq);
		else
			start_poll(t, cq);
		read_fields(t, l, cq, i);
		if (i % 10 == 9)
			ibv_end_poll(cq);
	}
}

/* ibv_poll_cq() works on an extended CQ. */
static void run_plain(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct link *l = open_on(t, create(t, IBV_WC_STANDARD_FLAGS, 0));
	u32 i;

	if (!t->client)
		post_recvs(l, b);
	test_sync(t);
	if (t->client)
		send_imms(l, b);
	for (i = 0; i < MESSAGES; i++)
		cq_expect(t, l->scq, i, IBV_WC_SUCCESS, NULL);
}

/* Time does not run backwards, nor does it stand still over the whole run. */
static void run_timestamp(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	u64 mask = t->dev->attr.completion_timestamp_mask;
	u64 stamp, first = 0, last = 0;
	struct ibv_cq_ex *cq;
	struct link *l;
	u32 i;

	if (!mask)
		test_skip(t, "the device has no completion timestamps");
	cq = create(t, IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, 0);
	l = open_on(t, cq);
	if (!t->client)
		post_recvs(l, b);
	test_sync(t);
	if (t->client)
		send_imms(l, b);
	for (i = 0; i < MESSAGES; i++) {
		start_poll(t, cq);
		read_fields(t, l, cq, i);
		stamp = ibv_wc_read_completion_ts(cq);
		ibv_end_poll(cq);
		if (stamp & ~mask)
			test_fail(t, "timestamp %#llx is beyond the mask %#llx",
				  (unsigned long long)stamp, (unsigned long long)mask);
		if (i && ((stamp - last) & mask) > mask / 2)
			test_fail(t, "timestamp %#llx after %#llx", (unsigned long long)stamp,
				  (unsigned long long)last);
		last = stamp;
		first = i ? first : stamp;
	}
	if (last == first)
		test_fail(t, "the timestamps of %u completions are equal", MESSAGES);
}

/* The last send completion and the first flushed one. */
static void run_error(struct test *t)
{
	struct ibv_cq_ex *cq = create(t, IBV_WC_STANDARD_FLAGS, 0);
	struct link *l = open_on(t, cq);

	link_recv(l, 1, NULL, 0);
	link_recv(l, 2, NULL, 0);
	link_to_state(l, IBV_QPS_ERR);
	start_poll(t, cq);
	if (cq->wr_id != 1 || cq->status != IBV_WC_WR_FLUSH_ERR)
		test_fail(t, "completion of %#llx with `%s'", (unsigned long long)cq->wr_id,
			  ibv_wc_status_str(cq->status));
	next_poll(t, cq);
	if (cq->wr_id != 2 || cq->status != IBV_WC_WR_FLUSH_ERR)
		test_fail(t, "completion of %#llx with `%s'", (unsigned long long)cq->wr_id,
			  ibv_wc_status_str(cq->status));
	ibv_end_poll(cq);
}

/* On UD: the source QP and the GRH. */
static void run_ud(struct test *t)
{
	struct ibv_cq_ex *cq = create(t, IBV_WC_STANDARD_FLAGS, 0);
	struct link_opts o;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ud *u;

	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
	ud_defaults(t, &o);
	o.scq = cq_wrap(t, ibv_cq_ex_to_cq(cq));
	u = ud_open(t, &o, 2);
	ud_recv(u, 0, 0, 100);
	test_sync(t);
	if (t->client) {
		wr = ud_wr(u, 1, &sge, 100);
		link_post(u->l, &wr);
	}
	start_poll(t, cq);
	if (cq->status != IBV_WC_SUCCESS || cq->wr_id != t->client)
		test_fail(t, "completion of %#llx with `%s'", (unsigned long long)cq->wr_id,
			  ibv_wc_status_str(cq->status));
	if (!t->client && (ibv_wc_read_src_qp(cq) != u->l->path.peer.qpn ||
			   !(ibv_wc_read_wc_flags(cq) & IBV_WC_GRH) ||
			   ibv_wc_read_byte_len(cq) != 140))
		test_fail(t, "src_qp %#x, flags %#x, byte_len %u", ibv_wc_read_src_qp(cq),
			  ibv_wc_read_wc_flags(cq), ibv_wc_read_byte_len(cq));
	ibv_end_poll(cq);
}

const struct suite_case cq_ex_cases[] = {
	{ "cq_ex_fields", run_fields, "ibv_start_poll, ibv_next_poll and the fields", NULL },
	{ "cq_ex_single", run_fields, "the same, IBV_CREATE_CQ_ATTR_SINGLE_THREADED", ARG_YES },
	{ "cq_ex_plain", run_plain, "ibv_poll_cq on an extended CQ", NULL },
	{ "cq_ex_timestamp", run_timestamp, "completion timestamps are monotonic", NULL },
	{ "cq_ex_error", run_error, "flushed requests", NULL },
	{ "cq_ex_ud", run_ud, "source QP and GRH flag", NULL },
	{ }
};
