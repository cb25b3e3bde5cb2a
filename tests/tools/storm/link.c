// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Links: two QPs, each of which may go at any time, with work in its queues, timers armed and
 * packets on their way.
 */
#include <errno.h>
#include <string.h>

#include "qpattr.h"
#include "report.h"
#include "worker.h"

#define QKEY	0x11111111

static struct half *other(struct link *l, u32 side)
{
	return &l->half[!side];
}

static void lock_slots(struct half *h)
{
	pthread_mutex_lock(&h->send->lock);
	if (h->recv != h->send)
		pthread_mutex_lock(&h->recv->lock);
}

static void unlock_slots(struct half *h)
{
	if (h->recv != h->send)
		pthread_mutex_unlock(&h->recv->lock);
	pthread_mutex_unlock(&h->send->lock);
}

/* Nothing that was posted before may complete from now on */
static void start_generation(struct half *h, u32 qpn)
{
	lock_slots(h);
	h->generation++;
	h->qpn = qpn;
	atomic_store(&h->sends, 0);
	atomic_store(&h->recvs, 0);
	unlock_slots(h);
}

static struct ibv_qp *make_qp(struct half *h, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = h->send->cq,
		.recv_cq = h->recv->cq,
		.srq = h->srq ? h->end->srq : NULL,
		.cap = {
			.max_send_wr = QUEUE_DEPTH,
			.max_recv_wr = h->srq ? 0 : QUEUE_DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = h->srq ? 0 : 2,
			.max_inline_data = 128,
		},
		.qp_type = type,
		.sq_sig_all = 1,
	};

	return ibv_create_qp(h->end->pd, &init);
}

void half_open(struct worker *w, struct link *l, u32 side)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD,
	};
	struct half *h = &l->half[side];
	struct end *e = h->end;

	if (!other(l, side)->qp)
		l->type = types[random_below(&w->rng, ARRAY_SIZE(types))];
	h->send = &e->slot[random_below(&w->rng, WORKER_SLOTS)];
	h->recv = &e->slot[random_below(&w->rng, WORKER_SLOTS)];
	h->srq = e->srq && random_chance(&w->rng, 30);
	if (!h->send->cq || !h->recv->cq)
		return;
	h->qp = make_qp(h, l->type);
	if (!h->qp) {
		verb_ok(w, e->host, "ibv_create_qp", errno);
		return;
	}
	h->send->users++;
	h->recv->users++;
	e->srq_users += h->srq;
	start_generation(h, h->qp->qp_num);
	tally(TALLY_QPS);
}

static void drop_ah(struct worker *w, struct half *h)
{
	if (h->ah)
		verb_ok(w, h->end->host, "ibv_destroy_ah", ibv_destroy_ah(h->ah));
	h->ah = NULL;
}

static void group_of(const struct half *h, union ibv_gid *gid)
{
	*gid = (union ibv_gid){ .raw = { [10] = 0xff, [11] = 0xff, [12] = 239, [13] = 7 } };
	gid->raw[15] = 10 + (h->send - h->end->slot);
}

static bool leave_group(struct worker *w, struct half *h)
{
	union ibv_gid gid;

	group_of(h, &gid);
	h->attached = false;
	return verb_ok(w, h->end->host, "ibv_detach_mcast", ibv_detach_mcast(h->qp, &gid, 0));
}

void half_multicast(struct worker *w, struct link *l, u32 side)
{
	struct half *h = &l->half[side];
	union ibv_gid gid;

	if (!h->qp || l->type != IBV_QPT_UD)
		return;
	if (h->attached) {
		leave_group(w, h);
		return;
	}
	group_of(h, &gid);
	h->attached = verb_ok(w, h->end->host, "ibv_attach_mcast",
			      ibv_attach_mcast(h->qp, &gid, 0));
}

/* As it is: its peer may be in the middle of something */
void half_close(struct worker *w, struct link *l, u32 side)
{
	struct half *h = &l->half[side];
	bool late = random_chance(&w->rng, 50);

	if (!h->qp)
		return;
	if (!late)
		drop_ah(w, h);
	if (h->attached && !leave_group(w, h))
		return;
	if (!verb_ok(w, h->end->host, "ibv_destroy_qp", ibv_destroy_qp(h->qp)))
		return;
	start_generation(h, 0);
	h->qp = NULL;
	h->ready = false;
	h->send->users--;
	h->recv->users--;
	h->end->srq_users -= h->srq;
	drop_ah(w, h);
}

/* A QP goes into ERR by itself at any time, and from there to RESET only */
bool half_modify(struct worker *w, struct half *h, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int err = ibv_modify_qp(h->qp, &attr, IBV_QP_STATE);

	if (err == EINVAL && state != IBV_QPS_ERR && state != IBV_QPS_RESET)
		return false;
	return verb_ok(w, h->end->host, "ibv_modify_qp", err);
}

void half_reset(struct worker *w, struct half *h)
{
	if (!half_modify(w, h, IBV_QPS_RESET))
		return;
	h->ready = false;
	start_generation(h, h->qpn);
}

/* Impatient, so that a QP whose peer is gone comes to its end */
static void choose_path(struct worker *w, struct link *l, u32 side, struct qp_path *p)
{
	struct half *h = &l->half[side], *peer = other(l, side);

	qpattr_defaults(p);
	p->peer.qpn = peer->qp ? peer->qp->qp_num : random_below(&w->rng, 1 << 24);
	p->peer.psn = peer->psn;
	p->peer.gid = peer->end->host->dev.gid;
	p->sgid_index = h->end->host->dev.gid_index;
	p->sq_psn = h->psn;
	p->qkey = QKEY;
	p->timeout = 8 + random_below(&w->rng, 6);
	p->retry_cnt = random_below(&w->rng, 8);
	p->rnr_retry = random_below(&w->rng, 8);
	p->min_rnr_timer = 1 + random_below(&w->rng, 16);
	if (l->type != IBV_QPT_RC)
		p->access &= ~(IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
}

void half_replace_ah(struct worker *w, struct link *l, u32 side)
{
	struct half *h = &l->half[side];
	struct ibv_ah_attr attr;

	if (!h->qp || l->type != IBV_QPT_UD)
		return;
	drop_ah(w, h);
	qpattr_ah(&attr, &other(l, side)->end->host->dev.gid, h->end->host->dev.gid_index, 64);
	h->ah = ibv_create_ah(h->end->pd, &attr);
	if (h->ah)
		tally(TALLY_AHS);
	else if (!h->end->host->unsteady)
		verb_ok(w, h->end->host, "ibv_create_ah", errno);
}

void half_connect(struct worker *w, struct link *l, u32 side)
{
	struct half *h = &l->half[side];
	struct ibv_qp_attr attr;
	struct qp_path p;
	int mask, err;

	half_reset(w, h);
	if (w->over)
		return;
	h->psn = random_below(&w->rng, 1 << 24);
	choose_path(w, l, side, &p);
	mask = qpattr_init(&attr, l->type, &p);
	if (!verb_ok(w, h->end->host, "to INIT", ibv_modify_qp(h->qp, &attr, mask)))
		return;
	mask = qpattr_rtr(&attr, l->type, &p);
	err = ibv_modify_qp(h->qp, &attr, mask);
	if (err && h->end->host->unsteady)
		return;
	if (!verb_ok(w, h->end->host, "to RTR", err))
		return;
	mask = qpattr_rts(&attr, l->type, &p);
	err = ibv_modify_qp(h->qp, &attr, mask);
	/* In RTR already a packet may have ended it */
	if (err == EINVAL || !verb_ok(w, h->end->host, "to RTS", err))
		return;
	h->ready = true;
	half_replace_ah(w, l, side);
}

void half_query(struct worker *w, struct half *h)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	verb_ok(w, h->end->host, "ibv_query_qp", ibv_query_qp(h->qp, &attr, IBV_QP_STATE, &init));
}
