// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs and their way to RTS.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "link.h"
#include "res.h"
#include "wrapi.h"

void link_defaults(struct test *t, struct link_opts *o, enum ibv_qp_type type)
{
	const struct ibv_device_attr *a = &t->dev->attr.orig_attr;

	memset(o, 0, sizeof(*o));
	o->type = type;
	o->cap.max_send_wr = 64;
	o->cap.max_recv_wr = 128;
	o->cap.max_send_sge = 1;
	o->cap.max_recv_sge = 1;
	qpattr_defaults(&o->path);
	o->path.mtu = t->run->mtu;
	o->path.sgid_index = t->dev->gid_index;
	o->path.sq_psn = test_rnd(t, 77 + t->client) & 0xffffff;
	o->path.rd_atomic = min_u32(o->path.rd_atomic, a->max_qp_rd_atom);
}

static struct ibv_qp *create_plain(struct test *t, struct link *l, struct ibv_qp_init_attr *a)
{
	struct ibv_qp *qp = ibv_create_qp(t->pd, a);

	l->granted = a->cap;
	return qp;
}

static struct ibv_qp *create_extended(struct test *t, struct link *l, struct ibv_qp_init_attr *a)
{
	struct ibv_qp_init_attr_ex ax = {
		.qp_context = a->qp_context,
		.send_cq = a->send_cq,
		.recv_cq = a->recv_cq,
		.srq = a->srq,
		.cap = a->cap,
		.qp_type = a->qp_type,
		.sq_sig_all = a->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = t->pd,
		.send_ops_flags = wrapi_ops(a->qp_type) | l->o.more_ops,
	};
	struct ibv_qp *qp = ibv_create_qp_ex(t->dev->ctx, &ax);

	if (!qp && errno == EOPNOTSUPP)
		test_skip(t, "no ibv_wr_* interface");
	if (qp) {
		l->granted = ax.cap;
		l->qpx = ibv_qp_to_qp_ex(qp);
		l->post = wrapi_post;
	}
	return qp;
}

static int post_plain(struct link *l, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	return ibv_post_send(l->qp, wr, bad);
}

static void check_cap(struct test *t, const struct ibv_qp_cap *got, const struct ibv_qp_cap *want)
{
	if (got->max_send_wr < want->max_send_wr || got->max_recv_wr < want->max_recv_wr ||
	    got->max_send_sge < want->max_send_sge || got->max_recv_sge < want->max_recv_sge ||
	    got->max_inline_data < want->max_inline_data)
		test_fail(t, "the QP has less than was asked for");
}

/* The caller's sizes rule, not the larger ones granted; what inline data may be is learnt. */
static void settle_cap(struct test *t, struct link *l, const struct link_opts *o)
{
	struct ibv_qp_cap want = o->cap;

	if (o->srq) {
		want.max_recv_wr = 0;
		want.max_recv_sge = 0;
	}
	check_cap(t, &l->granted, &want);
	l->cap = o->cap;
	l->cap.max_inline_data = l->granted.max_inline_data;
}

struct link *link_create(struct test *t, const struct link_opts *o)
{
	struct link *l = res_alloc(t, sizeof(*l));
	struct ibv_qp_init_attr attr = {
		.qp_context = l,
		.srq = o->srq,
		.cap = o->cap,
		.qp_type = o->type,
		.sq_sig_all = o->sig_all,
	};

	l->t = t;
	l->o = *o;
	l->path = o->path;
	l->post = post_plain;
	l->scq = o->scq ? o->scq : cq_new(t, o->cap.max_send_wr + o->cap.max_recv_wr + 1);
	l->rcq = o->rcq ? o->rcq : l->scq;
	attr.send_cq = l->scq->ibv;
	attr.recv_cq = l->rcq->ibv;
	l->qp = o->extended ? create_extended(t, l, &attr) : create_plain(t, l, &attr);
	if (!l->qp)
		test_fail(t, "ibv_create_qp: %s", strerror(errno));
	res_add_qp(t, l->qp);
	settle_cap(t, l, o);
	return l;
}

void link_modify(struct link *l, struct ibv_qp_attr *attr, int mask, const char *what)
{
	int ret = ibv_modify_qp(l->qp, attr, mask);

	if (ret)
		test_fail(l->t, "ibv_modify_qp to %s: %s", what, strerror(ret));
}

void link_exchange(struct link *l)
{
	struct qp_addr mine = {
		.qpn = l->qp->qp_num,
		.psn = l->path.sq_psn,
		.gid = l->t->dev->gid,
	};

	test_exchange(l->t, &mine, &l->path.peer, sizeof(mine));
}

void link_init(struct link *l)
{
	struct ibv_qp_attr attr;
	int mask = qpattr_init(&attr, l->o.type, &l->path);

	link_modify(l, &attr, mask, "INIT");
}

void link_rtr(struct link *l)
{
	struct ibv_qp_attr attr;
	int mask = qpattr_rtr(&attr, l->o.type, &l->path);

	link_modify(l, &attr, mask, "RTR");
}

void link_rts(struct link *l)
{
	struct ibv_qp_attr attr;
	int mask = qpattr_rts(&attr, l->o.type, &l->path);

	link_modify(l, &attr, mask, "RTS");
}

void link_connect(struct link *l)
{
	link_exchange(l);
	link_init(l);
	link_rtr(l);
	link_rts(l);
	test_sync(l->t);
}

struct link *link_open(struct test *t, const struct link_opts *o)
{
	struct link *l = link_create(t, o);

	link_connect(l);
	return l;
}

struct link *link_open_rc(struct test *t)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	return link_open(t, &o);
}

void link_to_state(struct link *l, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	link_modify(l, &attr, IBV_QP_STATE, state == IBV_QPS_ERR ? "ERR" : "another state");
}

enum ibv_qp_state link_state(struct link *l)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	ret = ibv_query_qp(l->qp, &attr, IBV_QP_STATE, &init);
	if (ret)
		test_fail(l->t, "ibv_query_qp: %s", strerror(ret));
	return attr.qp_state;
}

/* rxe of Linux 7 may tell of an error before a thread of its has moved the QP */
static bool moves_late(const struct link *l)
{
	return !strncmp(ibv_get_device_name(l->qp->context->device), "rxe", 3);
}

void link_expect_state(struct link *l, enum ibv_qp_state state)
{
	enum ibv_qp_state now = link_state(l);
	int looks;

	for (looks = 0; now != state && looks < 100 && moves_late(l); looks++) {
		usleep(10000);
		now = link_state(l);
	}
	if (now != state)
		test_fail(l->t, "the QP is in state %d, expected %d", now, state);
}

int link_destroy(struct link *l)
{
	return res_drop(l->t, l->qp);
}

void link_post(struct link *l, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int ret = l->post(l, wr, &bad);

	if (ret)
		test_fail(l->t, "post of opcode %d refused: %s", wr->opcode, strerror(ret));
}

void link_send(struct link *l, u64 wr_id, struct ibv_sge *sge, int nsge)
{
	struct ibv_send_wr wr = wr_make(IBV_WR_SEND, wr_id, sge, nsge);

	link_post(l, &wr);
}

void link_recv(struct link *l, u64 wr_id, struct ibv_sge *sge, int nsge)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = nsge };
	struct ibv_recv_wr *bad = NULL;
	int ret;

	if (l->o.srq)
		ret = ibv_post_srq_recv(l->o.srq, &wr, &bad);
	else
		ret = ibv_post_recv(l->qp, &wr, &bad);
	if (ret)
		test_fail(l->t, "post of a receive refused: %s", strerror(ret));
}

struct ibv_send_wr wr_make(enum ibv_wr_opcode opcode, u64 wr_id, struct ibv_sge *sge, int nsge)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = sge,
		.num_sge = nsge,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};

	return wr;
}

struct ibv_send_wr wr_rdma(enum ibv_wr_opcode opcode, u64 wr_id, struct ibv_sge *sge, u64 addr,
			   u32 rkey)
{
	struct ibv_send_wr wr = wr_make(opcode, wr_id, sge, sge ? 1 : 0);

	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = addr;
		wr.wr.atomic.rkey = rkey;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = rkey;
	}
	return wr;
}
