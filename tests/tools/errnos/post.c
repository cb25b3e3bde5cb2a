// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests that are refused when they are posted (ibv_post_send(3), ibv_post_recv(3)): the bad
 * one is pointed to, and nothing of it is in the queue.
 */
#include <errno.h>

#include "completion.h"
#include "errnos.h"

struct post_send {
	struct ibv_send_wr wr;
	struct ibv_sge sge;
};

struct post_recv {
	struct ibv_recv_wr wr;
	struct ibv_sge sge[WORLD_SGE + 1];
};

#define PORTION	16

/* Refused, or ENOTRECOVERABLE when another request is called bad */
static int send(const struct world *w, const struct errno_case *c, struct ibv_qp *qp,
		unsigned int flags)
{
	struct post_send p = {
		.wr = { .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = flags },
		.sge = { (uintptr_t)w->buf, PORTION, w->mr->lkey },
	};
	struct ibv_send_wr *bad = NULL;
	int err;

	p.wr.sg_list = &p.sge;
	if (qp->qp_type == IBV_QPT_UD) {
		p.wr.wr.ud.ah = w->ah;
		p.wr.wr.ud.remote_qpn = w->ud->qp_num;
	}
	spoil(w, c, &p);
	err = ibv_post_send(qp, &p.wr, &bad);
	return err && bad != &p.wr ? ENOTRECOVERABLE : err;
}

static int send_rc(const struct world *w, const struct errno_case *c)
{
	return send(w, c, w->rc, 0);
}

static int send_ud(const struct world *w, const struct errno_case *c)
{
	return send(w, c, w->ud, 0);
}

static int send_in_reset(const struct world *w, const struct errno_case *c)
{
	return send(w, c, w->fresh, 0);
}

static int send_in_init(const struct world *w, const struct errno_case *c)
{
	return send(w, c, w->init, 0);
}

static int send_in_rtr(const struct world *w, const struct errno_case *c)
{
	return send(w, c, w->rtr, 0);
}

static int send_inline(const struct world *w, const struct errno_case *c)
{
	return send(w, c, w->ud, IBV_SEND_INLINE);
}

/* With a receive for it, as the QP is connected to itself. Both succeed, in any order */
static int send_and_receive(const struct world *w, const struct errno_case *c)
{
	struct ibv_recv_wr wr = { .wr_id = 1 }, *bad;
	struct ibv_sge sge = { (uintptr_t)w->buf + PORTION, PORTION, w->mr->lkey };
	struct ibv_wc wc;
	u32 i, received = 0;
	int err;

	wr.sg_list = &sge;
	wr.num_sge = 1;
	err = ibv_post_recv(w->rc, &wr, &bad) ?: send(w, c, w->rc, IBV_SEND_SIGNALED);
	for (i = 0; !err && i < 2; i++) {
		err = completion_next(w->cq, &wc, LIMIT_MS) ?: wc.status ? ENOTRECOVERABLE : 0;
		if (!err && wc.wr_id == 1 && wc.byte_len == PORTION)
			received++;
	}
	return !err && received != 1 ? ENOTRECOVERABLE : err;
}

static int recv_to(const struct world *w, const struct errno_case *c, struct ibv_qp *qp)
{
	struct post_recv p = { .sge[0] = { (uintptr_t)w->buf, PORTION, w->mr->lkey } };
	struct ibv_recv_wr *bad = NULL;
	int err;

	p.wr.sg_list = p.sge;
	p.wr.num_sge = 1;
	spoil(w, c, &p);
	err = ibv_post_recv(qp, &p.wr, &bad);
	return err && bad != &p.wr ? ENOTRECOVERABLE : err;
}

static int recv_in_reset(const struct world *w, const struct errno_case *c)
{
	return recv_to(w, c, w->fresh);
}

/* The receives of a QP go when the QP does */
static struct ibv_qp *new_in_init(const struct world *w)
{
	struct ibv_qp *qp = world_qp(w, IBV_QPT_RC);
	struct ibv_qp_attr attr;
	int mask = world_attr(w, IBV_QPS_INIT, &attr);

	if (!qp || !ibv_modify_qp(qp, &attr, mask))
		return qp;
	ibv_destroy_qp(qp);
	return NULL;
}

static int recv_rc(const struct world *w, const struct errno_case *c)
{
	struct ibv_qp *qp = new_in_init(w);
	int err;

	if (!qp)
		return errno;
	err = recv_to(w, c, qp);
	return ibv_destroy_qp(qp) ?: err;
}

static int recv_when_full(const struct world *w, const struct errno_case *c)
{
	struct ibv_recv_wr wr = { }, *bad = NULL;
	struct ibv_qp *qp = new_in_init(w);
	u32 posted;
	int err = 0;

	(void)c;
	if (!qp)
		return errno;
	for (posted = 0; !err && posted < 1 << 16; posted++)
		err = ibv_post_recv(qp, &wr, &bad);
	if (posted <= WORLD_WR)
		err = ENOTRECOVERABLE;
	return ibv_destroy_qp(qp) ?: err;
}

static int srq_recv(const struct world *w, const struct errno_case *c)
{
	struct post_recv p = { .sge[0] = { (uintptr_t)w->buf, PORTION, w->mr->lkey } };
	struct ibv_srq_init_attr init = { .attr = { .max_wr = WORLD_WR, .max_sge = WORLD_SGE } };
	struct ibv_srq *srq = ibv_create_srq(w->pd, &init);
	struct ibv_recv_wr *bad = NULL;
	int err;

	if (!srq)
		return errno;
	p.wr.sg_list = p.sge;
	p.wr.num_sge = 1;
	spoil(w, c, &p);
	err = ibv_post_srq_recv(srq, &p.wr, &bad);
	if (err && bad != &p.wr)
		err = ENOTRECOVERABLE;
	return ibv_destroy_srq(srq) ?: err;
}

static int srq_recv_when_full(const struct world *w, const struct errno_case *c)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = WORLD_WR, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(w->pd, &init);
	struct ibv_recv_wr wr = { }, *bad = NULL;
	u32 posted;
	int err = 0;

	(void)c;
	if (!srq)
		return errno;
	for (posted = 0; !err && posted < 1 << 16; posted++)
		err = ibv_post_srq_recv(srq, &wr, &bad);
	if (posted <= WORLD_WR)
		err = ENOTRECOVERABLE;
	return ibv_destroy_srq(srq) ?: err;
}

const struct errno_case post_cases[] = {
	{ "post_send in RESET", send_in_reset, EINVAL, { } },
	{ "post_send in INIT", send_in_init, EINVAL, { } },
	{ "post_send in RTR", send_in_rtr, EINVAL, { } },
	{ "post_send", send_and_receive, 0, { } },
	{ "post_send, UD", send_ud, 0, { } },
	{ "post_send of an opcode that nobody knows", send_rc, EINVAL,
	  IS(struct post_send, wr.opcode, 99) },
	{ "post_send of an opcode below all", send_rc, EINVAL,
	  IS(struct post_send, wr.opcode, -1) },
	{ "post_send with too many entries", send_rc, EINVAL,
	  IS(struct post_send, wr.num_sge, WORLD_SGE + 1) },
	{ "post_send with less than no entries", send_rc, EINVAL,
	  IS(struct post_send, wr.num_sge, -1) },
	{ "post_send with a flag that nobody knows", send_rc, EINVAL,
	  IS(struct post_send, wr.send_flags, 1 << 30) },
	{ "post_send inline, UD", send_inline, 0, { } },
	{ "post_send with more inline than there is room for", send_inline, EINVAL,
	  IS(struct post_send, sge.length, WORLD_INLINE * 32) },
	{ "post_send of WRITE, UD", send_ud, EINVAL,
	  IS(struct post_send, wr.opcode, IBV_WR_RDMA_WRITE) },
	{ "post_send without an address handle, UD", send_ud, EINVAL,
	  IS(struct post_send, wr.wr.ud.ah, 0) },
	{ "post_recv", recv_rc, 0, { } },
	{ "post_recv in RESET", recv_in_reset, EINVAL, { } },
	{ "post_recv with too many entries", recv_rc, EINVAL,
	  IS(struct post_recv, wr.num_sge, WORLD_SGE + 1) },
	{ "post_recv with less than no entries", recv_rc, EINVAL,
	  IS(struct post_recv, wr.num_sge, -1) },
	{ "post_recv to a full queue", recv_when_full, ENOMEM, { } },
	{ "post_srq_recv", srq_recv, 0, { } },
	{ "post_srq_recv with too many entries", srq_recv, EINVAL,
	  IS(struct post_recv, wr.num_sge, WORLD_SGE + 1) },
	{ "post_srq_recv with less than no entries", srq_recv, EINVAL,
	  IS(struct post_recv, wr.num_sge, -1) },
	{ "post_srq_recv to a full queue", srq_recv_when_full, ENOMEM, { } },
	{ }
};
