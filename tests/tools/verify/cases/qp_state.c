// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The QP state machine: what was set is read back, SQD, RESET and use again.
 */
#include <errno.h>
#include <string.h>

#include "async.h"
#include "flow.h"
#include "res.h"
#include "tables.h"

#define SQD_SENDS	8

static void query(struct link *l, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init)
{
	int mask = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
		   IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT |
		   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN |
		   IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN |
		   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CAP | IBV_QP_DEST_QPN;
	int ret;

	memset(a, 0xff, sizeof(*a));
	memset(init, 0xff, sizeof(*init));
	ret = ibv_query_qp(l->qp, a, mask, init);
	if (ret)
		test_fail(l->t, "ibv_query_qp: %s", strerror(ret));
}

static void same(struct test *t, const char *name, u64 got, u64 want)
{
	if (got != want)
		test_fail(t, "ibv_query_qp: %s is %#llx, was set to %#llx", name,
			  (unsigned long long)got, (unsigned long long)want);
}

static void check_common(struct link *l, const struct ibv_qp_attr *a,
			 const struct ibv_qp_init_attr *init, enum ibv_qp_state state)
{
	struct test *t = l->t;

	same(t, "qp_state", a->qp_state, state);
	same(t, "cur_qp_state", a->cur_qp_state, state);
	same(t, "port_num", a->port_num, DEV_PORT);
	same(t, "pkey_index", a->pkey_index, 0);
	same(t, "cap.max_send_wr", a->cap.max_send_wr, l->granted.max_send_wr);
	same(t, "cap.max_recv_wr", a->cap.max_recv_wr, l->granted.max_recv_wr);
	same(t, "cap.max_send_sge", a->cap.max_send_sge, l->granted.max_send_sge);
	same(t, "cap.max_recv_sge", a->cap.max_recv_sge, l->granted.max_recv_sge);
	same(t, "cap.max_inline_data", a->cap.max_inline_data, l->granted.max_inline_data);
	same(t, "qp_type", init->qp_type, l->o.type);
	same(t, "sq_sig_all", init->sq_sig_all, l->o.sig_all);
	same(t, "send_cq", (uintptr_t)init->send_cq, (uintptr_t)l->scq->ibv);
	same(t, "recv_cq", (uintptr_t)init->recv_cq, (uintptr_t)l->rcq->ibv);
	same(t, "srq", (uintptr_t)init->srq, 0);
	same(t, "qp_context", (uintptr_t)init->qp_context, (uintptr_t)l);
	same(t, "init cap.max_send_wr", init->cap.max_send_wr, l->granted.max_send_wr);
}

/* Not the hop limit: for unicast the kernel's RDMA core takes it from the route. */
static void check_path(struct link *l, const struct ibv_qp_attr *a)
{
	const struct ibv_global_route *grh = &a->ah_attr.grh;
	const struct qp_path *p = &l->path;
	struct test *t = l->t;

	same(t, "qp_access_flags", a->qp_access_flags & ~IBV_ACCESS_LOCAL_WRITE,
	     p->access & ~IBV_ACCESS_LOCAL_WRITE);
	same(t, "path_mtu", a->path_mtu, p->mtu);
	same(t, "dest_qp_num", a->dest_qp_num, p->peer.qpn);
	same(t, "rq_psn", a->rq_psn, p->peer.psn);
	same(t, "sq_psn", a->sq_psn, p->sq_psn);
	same(t, "ah_attr.is_global", a->ah_attr.is_global, 1);
	same(t, "ah_attr.port_num", a->ah_attr.port_num, DEV_PORT);
	same(t, "grh.sgid_index", grh->sgid_index, p->sgid_index);
	if (memcmp(&grh->dgid, &p->peer.gid, sizeof(grh->dgid)))
		test_fail(t, "ibv_query_qp: grh.dgid is not what was set");
}

static void run_query_rc(struct test *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	o.sig_all = true;
	o.cap.max_send_sge = 3;
	o.path.access = IBV_ACCESS_REMOTE_READ;
	o.path.timeout = 13;
	o.path.retry_cnt = 5;
	o.path.rnr_retry = 6;
	o.path.min_rnr_timer = 17;
	l = link_create(t, &o);
	query(l, &a, &init);
	same(t, "qp_state", a.qp_state, IBV_QPS_RESET);
	link_exchange(l);
	link_init(l);
	query(l, &a, &init);
	check_common(l, &a, &init, IBV_QPS_INIT);
	link_rtr(l);
	query(l, &a, &init);
	check_common(l, &a, &init, IBV_QPS_RTR);
	link_rts(l);
	query(l, &a, &init);
	check_common(l, &a, &init, IBV_QPS_RTS);
	check_path(l, &a);
	same(t, "timeout", a.timeout, 13);
	same(t, "retry_cnt", a.retry_cnt, 5);
	same(t, "rnr_retry", a.rnr_retry, 6);
	same(t, "min_rnr_timer", a.min_rnr_timer, 17);
	same(t, "max_rd_atomic", a.max_rd_atomic, l->path.rd_atomic);
	same(t, "max_dest_rd_atomic", a.max_dest_rd_atomic, l->path.rd_atomic);
	same(t, "sq_draining", a.sq_draining, 0);
	link_to_state(l, IBV_QPS_ERR);
	query(l, &a, &init);
	check_common(l, &a, &init, IBV_QPS_ERR);
}

static void run_query_uc(struct test *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_UC);
	o.path.access = IBV_ACCESS_REMOTE_WRITE;
	l = link_open(t, &o);
	query(l, &a, &init);
	check_common(l, &a, &init, IBV_QPS_RTS);
	check_path(l, &a);
}

static void run_query_ud(struct test *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_UD);
	o.path.qkey = 0x1ee7;
	l = link_open(t, &o);
	query(l, &a, &init);
	check_common(l, &a, &init, IBV_QPS_RTS);
	same(t, "qkey", a.qkey, 0x1ee7);
	same(t, "sq_psn", a.sq_psn, l->path.sq_psn);
	/* RTS to RTS may change it */
	a.qp_state = IBV_QPS_RTS;
	a.qkey = 0x1ee8;
	link_modify(l, &a, IBV_QP_STATE | IBV_QP_QKEY, "RTS with another Q_Key");
	query(l, &a, &init);
	same(t, "qkey", a.qkey, 0x1ee8);
}

static void to_sqd(struct link *l)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	link_modify(l, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY, "SQD");
}

/*
 * SQD lets begun requests end and begins no other (IBTA 10.3.1.5); the event says when.  What
 * is posted meanwhile waits for RTS.
 */
static void sqd_client(struct link *l, struct buf *b)
{
	struct ibv_sge sge = buf_sge(b, 0, 30000);
	struct ibv_qp_init_attr init;
	struct test *t = l->t;
	struct ibv_qp_attr a;
	struct ibv_wc wc;
	u32 i, done = 0;

	for (i = 0; i < SQD_SENDS; i++)
		link_send(l, i, &sge, 1);
	to_sqd(l);
	async_expect(t, IBV_EVENT_SQ_DRAINED, l->qp);
	query(l, &a, &init);
	same(t, "qp_state", a.qp_state, IBV_QPS_SQD);
	same(t, "sq_draining", a.sq_draining, 0);
	while (cq_poll(t, l->scq, &wc, 1))
		wc_check(t, &wc, done++, IBV_WC_SUCCESS);
	link_send(l, i++, &sge, 1);
	link_send(l, i++, &sge, 1);
	cq_quiet(t, l->scq);
	link_to_state(l, IBV_QPS_RTS);
	for (; done < i; done++)
		cq_expect_ok(t, l->scq, done, IBV_WC_SEND);
}

static void run_sqd(struct test *t)
{
	struct buf *b = buf_new(t, 32768, ACCESS_ALL);
	struct ibv_sge sge = buf_sge(b, 0, 30000);
	struct link *l = link_open_rc(t);
	u32 i;

	for (i = 0; !t->client && i < SQD_SENDS + 2; i++)
		link_recv(l, i, &sge, 1);
	test_sync(t);
	if (t->client)
		sqd_client(l, b);
	for (i = 0; !t->client && i < SQD_SENDS + 2; i++)
		cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
}

static struct plan *small_plan(struct test *t, u32 tag)
{
	static const struct op *const ops[] = { &op_send, &op_write, &op_read, &op_send_imm };
	struct plan *p = plan_new(t, 16, tag);
	u32 i;

	for (i = 0; i < 16; i++)
		plan_add(p, &(struct xfer) {
			.op = ops[i % ARRAY_SIZE(ops)],
			.len = test_rnd(t, tag * 100 + i) % 6000,
		});
	return p;
}

/* In SQD the path's attributes may be changed; an idle queue is drained at once. */
static void run_sqd_modify(struct test *t)
{
	struct link *l = link_open_rc(t);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	to_sqd(l);
	async_expect(t, IBV_EVENT_SQ_DRAINED, l->qp);
	memset(&a, 0, sizeof(a));
	a.qp_state = IBV_QPS_SQD;
	a.timeout = 15;
	a.retry_cnt = 3;
	a.min_rnr_timer = 9;
	link_modify(l, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		    IBV_QP_MIN_RNR_TIMER, "SQD with other attributes");
	link_to_state(l, IBV_QPS_RTS);
	query(l, &a, &init);
	same(t, "timeout", a.timeout, 15);
	same(t, "retry_cnt", a.retry_cnt, 3);
	same(t, "min_rnr_timer", a.min_rnr_timer, 9);
	test_sync(t);
	flow_one_way(l, small_plan(t, 0), true);
}

/* One QP used twenty times, from RTS or from ERR, each time with other PSNs. */
static void run_reuse(struct test *t)
{
	struct link *l = link_open_rc(t);
	u32 i;

	for (i = 0; i < 20; i++) {
		flow_one_way(l, small_plan(t, i), i % 2);
		test_sync(t);
		if (i % 3 == 2)
			link_to_state(l, IBV_QPS_ERR);
		link_to_state(l, IBV_QPS_RESET);
		link_expect_state(l, IBV_QPS_RESET);
		l->path.sq_psn = test_rnd(t, i + 500 * t->client) & 0xffffff;
		link_connect(l);
	}
}

static void refuse(struct test *t, const struct ibv_qp_cap *cap, const char *what)
{
	struct cq *cq = cq_new(t, 16);
	struct ibv_qp_init_attr a = {
		.send_cq = cq->ibv,
		.recv_cq = cq->ibv,
		.cap = *cap,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(t->pd, &a);

	if (qp) {
		ibv_destroy_qp(qp);
		test_fail(t, "a QP with %s can be created", what);
	}
	if (errno != EINVAL && errno != ENOMEM)
		test_fail(t, "a QP with %s: %s", what, strerror(errno));
}

static void run_caps(struct test *t)
{
	const struct ibv_device_attr *d = &t->dev->attr.orig_attr;
	struct ibv_qp_cap cap = { 1, 1, 1, 1, 0 };

	cap.max_send_wr = d->max_qp_wr + 1;
	refuse(t, &cap, "a send queue longer than max_qp_wr");
	cap.max_send_wr = 1;
	cap.max_recv_wr = d->max_qp_wr + 1;
	refuse(t, &cap, "a receive queue longer than max_qp_wr");
	cap.max_recv_wr = 1;
	cap.max_send_sge = d->max_sge + 1;
	refuse(t, &cap, "more send SGEs than max_sge");
	cap.max_send_sge = 1;
	cap.max_recv_sge = d->max_sge + 1;
	refuse(t, &cap, "more receive SGEs than max_sge");
	cap.max_recv_sge = 1;
	cap.max_inline_data = 1 << 20;
	refuse(t, &cap, "a megabyte of inline data");
}

/* A QP without a receive queue and one without a send queue. */
static void run_no_queue(struct test *t)
{
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	if (t->client) {
		o.cap.max_recv_wr = 0;
		o.cap.max_recv_sge = 0;
	} else {
		o.cap.max_send_wr = 0;
		o.cap.max_send_sge = 0;
	}
	l = link_open(t, &o);
	if (!t->client)
		link_recv(l, 1, NULL, 0);
	test_sync(t);
	if (t->client)
		link_send(l, 1, NULL, 0);
	cq_expect(t, l->scq, 1, IBV_WC_SUCCESS, NULL);
}

const struct suite_case qp_state_cases[] = {
	{ "qp_query_rc", run_query_rc, "RC: what was set is read back", NULL },
	{ "qp_query_uc", run_query_uc, "UC: what was set is read back", NULL },
	{ "qp_query_ud", run_query_ud, "UD: what was set is read back", NULL },
	{ "qp_sqd", run_sqd, "SQD: drained event, posts wait", NULL },
	{ "qp_sqd_modify", run_sqd_modify, "SQD: attributes can be changed", NULL },
	{ "qp_reuse", run_reuse, "RESET and use again", NULL },
	{ "qp_caps", run_caps, "more than the device has is refused", NULL },
	{ "qp_no_queue", run_no_queue, "queues of length 0", NULL },
	{ }
};
