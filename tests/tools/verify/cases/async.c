// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous events of QPs.
 */
#include <string.h>

#include "async.h"
#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

/* The first packet to a QP in RTR. */
static void run_comm_est(struct test *t)
{
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, t->c->arg ? IBV_QPT_UC : IBV_QPT_RC);
	l = link_create(t, &o);
	link_exchange(l);
	link_init(l);
	link_rtr(l);
	if (t->client) {
		link_rts(l);
		test_sync(t);
		link_send(l, 1, NULL, 0);
	} else {
		link_recv(l, 1, NULL, 0);
		test_sync(t);
		async_expect(t, IBV_EVENT_COMM_EST, l->qp);
	}
	cq_expect(t, l->scq, 1, IBV_WC_SUCCESS, NULL);
	if (!t->client)
		link_rts(l);
}

/* A QP on an SRQ that has ended takes no more requests from it. */
static void run_last_wqe(struct test *t)
{
	struct ibv_srq *srq = res_srq(t, 16, 1);
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	o.srq = srq;
	l = link_open(t, &o);
	link_recv(l, 1, NULL, 0);
	link_to_state(l, IBV_QPS_ERR);
	async_expect(t, IBV_EVENT_QP_LAST_WQE_REACHED, l->qp);
	cq_quiet(t, l->rcq);
}

/*
 * The responder learns of a request that it has refused: no access, or, for a READ to a QP
 * that has no room for one, no such request.
 */
static void run_refused(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct remote r, mine = { .addr = (uintptr_t)b->p, .rkey = b->mr[0]->rkey };
	struct ibv_sge sge = buf_sge(b, 1024, 8);
	const bool access = !t->c->arg;
	struct ibv_send_wr wr;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	if (!t->client && !access)
		o.path.rd_atomic = 0;
	l = link_open(t, &o);
	test_exchange(t, &mine, &r, sizeof(mine));
	if (t->client) {
		wr = wr_rdma(IBV_WR_RDMA_READ, 1, &sge, r.addr, access ? ~r.rkey : r.rkey);
		link_post(l, &wr);
		cq_expect(t, l->scq, 1, access ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_INV_REQ_ERR,
			  NULL);
	} else {
		async_expect(t, access ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR, l->qp);
		link_expect_state(l, IBV_QPS_ERR);
	}
}

const struct suite_case async_cases[] = {
	{ "ev_comm_est", run_comm_est, "COMM_EST on RC", NULL },
	{ "ev_comm_est_uc", run_comm_est, "COMM_EST on UC", ARG_YES },
	{ "ev_last_wqe", run_last_wqe, "QP_LAST_WQE_REACHED", NULL },
	{ "ev_access_err", run_refused, "QP_ACCESS_ERR at the responder", NULL },
	{ "ev_req_err", run_refused, "QP_REQ_ERR at the responder", ARG_YES },
	{ }
};
