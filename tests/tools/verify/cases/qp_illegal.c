// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Transitions and attributes that ibv_modify_qp() must refuse (IBTA 11.2.5.2); the QP stays
 * as it was, which is proven by using it afterwards.
 */
#include <errno.h>
#include <string.h>

#include "link.h"
#include "res.h"
#include "tables.h"

static void refuse(struct link *l, struct ibv_qp_attr *a, int mask, const char *what)
{
	enum ibv_qp_state before = link_state(l);
	int ret = ibv_modify_qp(l->qp, a, mask);

	if (ret != EINVAL)
		test_fail(l->t, "%s: %s", what, ret ? strerror(ret) : "accepted");
	if (l->qp->state != before)
		test_fail(l->t, "%s: the library's copy of the state has changed", what);
	link_expect_state(l, before);
}

static void refuse_state(struct link *l, enum ibv_qp_state to, const char *what)
{
	struct ibv_qp_attr a = { .qp_state = to };

	refuse(l, &a, IBV_QP_STATE, what);
}

/* The filled-in attributes of a transition, to be spoilt. */
struct transition {
	struct ibv_qp_attr a;
	int mask;
};

static struct transition good_init(struct link *l)
{
	struct transition x;

	x.mask = qpattr_init(&x.a, l->o.type, &l->path);
	return x;
}

static struct transition good_rtr(struct link *l)
{
	struct transition x;

	x.mask = qpattr_rtr(&x.a, l->o.type, &l->path);
	return x;
}

static struct transition good_rts(struct link *l)
{
	struct transition x;

	x.mask = qpattr_rts(&x.a, l->o.type, &l->path);
	return x;
}

static void from_reset(struct link *l)
{
	struct transition x = good_rtr(l);

	refuse(l, &x.a, x.mask, "RESET to RTR");
	x = good_rts(l);
	refuse(l, &x.a, x.mask, "RESET to RTS");
	refuse_state(l, IBV_QPS_SQD, "RESET to SQD");
	refuse_state(l, IBV_QPS_SQE, "RESET to SQE");
	x = good_init(l);
	refuse(l, &x.a, x.mask & ~IBV_QP_PORT, "INIT without a port");
	refuse(l, &x.a, x.mask & ~IBV_QP_PKEY_INDEX, "INIT without a P_Key index");
	x.a.path_mtu = IBV_MTU_1024;
	refuse(l, &x.a, x.mask | IBV_QP_PATH_MTU, "INIT with a path MTU");
	x = good_init(l);
	x.a.port_num = 77;
	refuse(l, &x.a, x.mask, "INIT with port 77");
	x.a.port_num = 0;
	refuse(l, &x.a, x.mask, "INIT with port 0");
	x = good_init(l);
	x.a.pkey_index = 60000;
	refuse(l, &x.a, x.mask, "INIT with P_Key index 60000");
	x = good_init(l);
	x.a.qp_state = 42;
	refuse(l, &x.a, x.mask, "a state of 42");
}

static void from_init(struct link *l)
{
	const struct ibv_device_attr *d = &l->t->dev->attr.orig_attr;
	struct transition x = good_rts(l);

	refuse(l, &x.a, x.mask, "INIT to RTS");
	refuse_state(l, IBV_QPS_SQD, "INIT to SQD");
	x = good_rtr(l);
	refuse(l, &x.a, x.mask & ~IBV_QP_AV, "RTR without an address");
	refuse(l, &x.a, x.mask & ~IBV_QP_DEST_QPN, "RTR without a QP number");
	refuse(l, &x.a, x.mask & ~IBV_QP_RQ_PSN, "RTR without a PSN");
	x.a.path_mtu = 0;
	refuse(l, &x.a, x.mask, "RTR with path MTU 0");
	x.a.path_mtu = IBV_MTU_4096 + 1;
	refuse(l, &x.a, x.mask, "RTR with a path MTU of 8192");
	x = good_rtr(l);
	x.a.sq_psn = 1;
	refuse(l, &x.a, x.mask | IBV_QP_SQ_PSN, "RTR with a send PSN");
	if (l->o.type == IBV_QPT_RC) {
		x = good_rtr(l);
		x.a.max_dest_rd_atomic = 255;
		if (d->max_qp_rd_atom < 255)
			refuse(l, &x.a, x.mask, "RTR with max_dest_rd_atomic 255");
		x = good_rtr(l);
		refuse(l, &x.a, x.mask & ~IBV_QP_MIN_RNR_TIMER, "RTR without an RNR timer");
	} else {
		x = good_rtr(l);
		refuse(l, &x.a, x.mask | IBV_QP_MIN_RNR_TIMER, "UC to RTR with an RNR timer");
	}
}

static void from_rtr(struct link *l)
{
	const struct ibv_device_attr *d = &l->t->dev->attr.orig_attr;
	struct transition x = good_init(l);

	refuse(l, &x.a, x.mask, "RTR to INIT");
	refuse_state(l, IBV_QPS_SQD, "RTR to SQD");
	x = good_rts(l);
	refuse(l, &x.a, x.mask & ~IBV_QP_SQ_PSN, "RTS without a PSN");
	x.a.dest_qp_num = 1;
	refuse(l, &x.a, x.mask | IBV_QP_DEST_QPN, "RTS with a QP number");
	x = good_rts(l);
	if (l->o.type == IBV_QPT_RC) {
		refuse(l, &x.a, x.mask & ~IBV_QP_TIMEOUT, "RTS without a timeout");
		refuse(l, &x.a, x.mask & ~IBV_QP_RETRY_CNT, "RTS without a retry count");
		refuse(l, &x.a, x.mask & ~IBV_QP_RNR_RETRY, "RTS without an RNR retry count");
		x.a.max_rd_atomic = 255;
		if (d->max_qp_init_rd_atom < 255)
			refuse(l, &x.a, x.mask, "RTS with max_rd_atomic 255");
	} else {
		refuse(l, &x.a, x.mask | IBV_QP_TIMEOUT, "UC to RTS with a timeout");
	}
}

static void from_rts(struct link *l)
{
	struct transition x = good_init(l);

	refuse(l, &x.a, x.mask, "RTS to INIT");
	x = good_rtr(l);
	refuse(l, &x.a, x.mask, "RTS to RTR");
	refuse_state(l, IBV_QPS_SQE, "RTS to SQE");
	x.a.cur_qp_state = IBV_QPS_SQD;
	x.a.qp_state = IBV_QPS_RTS;
	refuse(l, &x.a, IBV_QP_STATE | IBV_QP_CUR_STATE, "RTS with a current state of SQD");
}

static void from_error(struct link *l)
{
	struct transition x = good_init(l);

	link_to_state(l, IBV_QPS_ERR);
	refuse(l, &x.a, x.mask, "ERR to INIT");
	x = good_rts(l);
	refuse(l, &x.a, x.mask, "ERR to RTS");
	refuse_state(l, IBV_QPS_SQD, "ERR to SQD");
	link_to_state(l, IBV_QPS_RESET);
}

static void run_connected(struct test *t)
{
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, t->c->arg ? IBV_QPT_UC : IBV_QPT_RC);
	l = link_create(t, &o);
	link_exchange(l);
	from_reset(l);
	link_init(l);
	from_init(l);
	link_rtr(l);
	from_rtr(l);
	link_rts(l);
	from_rts(l);
	if (!t->client)
		link_recv(l, 1, NULL, 0);
	test_sync(t);
	if (t->client)
		link_send(l, 1, NULL, 0);
	cq_expect(t, l->scq, 1, IBV_WC_SUCCESS, NULL);
	test_sync(t);
	from_error(l);
}

static void run_ud(struct test *t)
{
	struct transition x;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_UD);
	l = link_create(t, &o);
	x = good_init(l);
	refuse(l, &x.a, x.mask & ~IBV_QP_QKEY, "UD to INIT without a Q_Key");
	refuse(l, &x.a, x.mask | IBV_QP_ACCESS_FLAGS, "UD to INIT with access flags");
	link_init(l);
	x = good_rtr(l);
	x.a.path_mtu = IBV_MTU_1024;
	refuse(l, &x.a, x.mask | IBV_QP_PATH_MTU, "UD to RTR with a path MTU");
	link_rtr(l);
	x = good_rts(l);
	refuse(l, &x.a, x.mask & ~IBV_QP_SQ_PSN, "UD to RTS without a PSN");
	link_rts(l);
}

const struct suite_case qp_illegal_cases[] = {
	{ "qp_illegal_rc", run_connected, "RC: transitions that must be refused", NULL },
	{ "qp_illegal_uc", run_connected, "UC: transitions that must be refused", ARG_YES },
	{ "qp_illegal_ud", run_ud, "UD: transitions that must be refused", NULL },
	{ }
};
