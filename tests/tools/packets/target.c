// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The attacked QPs: one of each type in each state, and how each gets there and back.
 *
 * The attacker is the peer that they were told of, so that its packets get as deep as their
 * contents let them. PSNs are from the seed, some near the end of their circle.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "post.h"
#include "qpattr.h"
#include "scene.h"
#include "suite.h"

#define CQ_ENTRIES	64
#define QKEY		0x2b3c4d5e

const struct target_kind target_kinds[] = {
	{ "rc reset", IBV_QPT_RC, IBV_QPS_RESET, 0, 1 },
	{ "rc init", IBV_QPT_RC, IBV_QPS_INIT, 0, 1 },
	{ "rc rtr", IBV_QPT_RC, IBV_QPS_RTR, 0, 4 },
	{ "rc rts", IBV_QPT_RC, IBV_QPS_RTS, 0, 12 },
	{ "rc srq", IBV_QPT_RC, IBV_QPS_RTS, TARGET_SRQ, 6 },
	{ "rc not ready", IBV_QPT_RC, IBV_QPS_RTS, TARGET_NO_RECEIVE, 3 },
	{ "rc window", IBV_QPT_RC, IBV_QPS_RTS, TARGET_WINDOW, 4 },
	{ "rc sends", IBV_QPT_RC, IBV_QPS_RTS, TARGET_SENDS, 5 },
	{ "rc reads", IBV_QPT_RC, IBV_QPS_RTS, TARGET_READS, 8 },
	{ "rc atomics", IBV_QPT_RC, IBV_QPS_RTS, TARGET_ATOMICS, 4 },
	{ "rc mixed", IBV_QPT_RC, IBV_QPS_RTS, TARGET_WAITS, 8 },
	{ "rc sqd", IBV_QPT_RC, IBV_QPS_SQD, TARGET_WAITS, 4 },
	{ "rc err", IBV_QPT_RC, IBV_QPS_ERR, 0, 1 },
	{ "rc bystander", IBV_QPT_RC, IBV_QPS_RTS, TARGET_BYSTANDER, 6 },
	{ "uc reset", IBV_QPT_UC, IBV_QPS_RESET, 0, 1 },
	{ "uc init", IBV_QPT_UC, IBV_QPS_INIT, 0, 1 },
	{ "uc rtr", IBV_QPT_UC, IBV_QPS_RTR, 0, 2 },
	{ "uc rts", IBV_QPT_UC, IBV_QPS_RTS, 0, 8 },
	{ "uc not ready", IBV_QPT_UC, IBV_QPS_RTS, TARGET_NO_RECEIVE, 2 },
	{ "uc sqd", IBV_QPT_UC, IBV_QPS_SQD, 0, 2 },
	{ "uc sqe", IBV_QPT_UC, IBV_QPS_SQE, 0, 2 },
	{ "uc err", IBV_QPT_UC, IBV_QPS_ERR, 0, 1 },
	{ "uc bystander", IBV_QPT_UC, IBV_QPS_RTS, TARGET_BYSTANDER, 4 },
	{ "ud reset", IBV_QPT_UD, IBV_QPS_RESET, 0, 1 },
	{ "ud init", IBV_QPT_UD, IBV_QPS_INIT, 0, 1 },
	{ "ud rtr", IBV_QPT_UD, IBV_QPS_RTR, 0, 2 },
	{ "ud rts", IBV_QPT_UD, IBV_QPS_RTS, 0, 6 },
	{ "ud srq", IBV_QPT_UD, IBV_QPS_RTS, TARGET_SRQ, 3 },
	{ "ud not ready", IBV_QPT_UD, IBV_QPS_RTS, TARGET_NO_RECEIVE, 2 },
	{ "ud sqd", IBV_QPT_UD, IBV_QPS_SQD, 0, 2 },
	{ "ud sqe", IBV_QPT_UD, IBV_QPS_SQE, 0, 2 },
	{ "ud err", IBV_QPT_UD, IBV_QPS_ERR, 0, 1 },
	{ "ud multicast", IBV_QPT_UD, IBV_QPS_RTS, TARGET_MULTICAST, 3 },
	{ "ud bystander", IBV_QPT_UD, IBV_QPS_RTS, TARGET_BYSTANDER, 3 },
	{ "xrc rtr", IBV_QPT_XRC_RECV, IBV_QPS_RTR, TARGET_SRQ, 6 },
	{ "xrc not ready", IBV_QPT_XRC_RECV, IBV_QPS_RTR, TARGET_SRQ | TARGET_NO_RECEIVE, 2 },
	{ "xrc rts", IBV_QPT_XRC_RECV, IBV_QPS_RTS, TARGET_SRQ, 3 },
	{ "xrc err", IBV_QPT_XRC_RECV, IBV_QPS_ERR, TARGET_SRQ, 1 },
	{ "gsi", IBV_QPT_UD, IBV_QPS_RTS, TARGET_GSI, 3 },
};

u32 target_kind_count(void)
{
	return ARRAY_SIZE(target_kinds);
}

static const struct ends *ends_of(const struct scene *s, const struct target *t)
{
	return &s->ends[t->ipv6];
}

static void fill_path(struct scene *s, struct target *t, struct qp_path *p)
{
	const struct ends *e = ends_of(s, t);
	struct random r;

	random_start(&r, s->options->seed, (u64)t->index << 32 | 1u << 31 | t->builds);
	qpattr_defaults(p);
	p->peer.gid = t->kind->flags & TARGET_BYSTANDER ? e->peer : e->attacker;
	p->peer.qpn = t->peer_qpn;
	p->peer.psn = random_chance(&r, 25) ? PSN_MASK - random_below(&r, 4) :
					      random_u32(&r) & PSN_MASK;
	p->sq_psn = random_chance(&r, 25) ? PSN_MASK - random_below(&r, 4) :
					    random_u32(&r) & PSN_MASK;
	p->mtu = dev_mtu_enum(t->mtu);
	p->qkey = t->qkey;
	p->sgid_index = e->index;
	/* Nobody answers for long: it must not give up */
	p->timeout = 0;
	p->min_rnr_timer = 1;
}

/* False when a packet broke it meanwhile */
static bool change(struct target *t, struct ibv_qp_attr *attr, int mask)
{
	enum ibv_qp_state wanted = attr->qp_state;
	int ret = ibv_modify_qp(t->qp, attr, mask);
	struct ibv_qp_init_attr init;

	if (!ret)
		return true;
	if (ibv_query_qp(t->qp, attr, IBV_QP_STATE, &init) || attr->qp_state != IBV_QPS_ERR)
		die("%s: cannot get it to state %d: %s", t->kind->name, wanted, strerror(ret));
	return false;
}

static bool enter(struct target *t, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return change(t, &attr, IBV_QP_STATE);
}

static bool connect(struct scene *s, struct target *t)
{
	struct ibv_qp_attr attr;
	struct qp_path path;
	int mask;

	fill_path(s, t, &path);
	t->first_psn = path.peer.psn;
	t->next_psn = path.sq_psn;
	mask = qpattr_init(&attr, t->kind->type, &path);
	if (!change(t, &attr, mask))
		return false;
	if (t->kind->state == IBV_QPS_INIT)
		return true;
	mask = qpattr_rtr(&attr, t->kind->type, &path);
	if (!change(t, &attr, mask))
		return false;
	if (t->kind->state == IBV_QPS_RTR)
		return true;
	mask = qpattr_rts(&attr, t->kind->type, &path);
	return change(t, &attr, mask);
}

/* From whatever state. If it is broken on the way, it is built anew the next time. */
static void build(struct scene *s, struct target *t)
{
	enter(t, IBV_QPS_RESET);
	post_forget(t);
	t->builds++;
	if (t->kind->state == IBV_QPS_RESET || !connect(s, t))
		return;
	post_receives(s, t);
	if (t->kind->flags & TARGET_WINDOW)
		post_window(s, t);
	post_requests(s, t);
	if (t->kind->state == IBV_QPS_SQD || t->kind->state == IBV_QPS_ERR)
		enter(t, t->kind->state);
	else if (t->kind->state == IBV_QPS_SQE)
		post_failing(s, t);
}

/* SRQ, domain and QP of an XRC target; its CQ is that of the SRQ */
static void create_xrc(struct scene *s, struct target *t, struct ibv_pd *pd)
{
	struct ibv_xrcd_init_attr domain = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex shared = {
		.attr = { .max_wr = TARGET_RECEIVES, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = pd,
		.cq = t->cq,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
	};

	t->xrcd = ibv_open_xrcd(s->dev.ctx, &domain);
	shared.xrcd = t->xrcd;
	attr.xrcd = t->xrcd;
	t->srq = t->xrcd ? ibv_create_srq_ex(s->dev.ctx, &shared) : NULL;
	t->qp = t->srq ? ibv_create_qp_ex(s->dev.ctx, &attr) : NULL;
	if (!t->qp || ibv_get_srq_num(t->srq, &t->srq_number))
		die("%s: cannot create it: %s", t->kind->name, strerror(errno));
	t->qpn = t->qp->qp_num;
}

static void create_queues(struct target *t, struct ibv_pd *pd)
{
	struct ibv_srq_init_attr shared = {
		.attr = { .max_wr = TARGET_RECEIVES, .max_sge = 2 },
	};
	struct ibv_qp_init_attr attr = {
		.qp_type = t->kind->type,
		.cap = {
			.max_send_wr = 2 * TARGET_REQUESTS,
			.max_recv_wr = TARGET_RECEIVES,
			.max_send_sge = 2,
			.max_recv_sge = 2,
		},
		.sq_sig_all = 1,
	};

	if (t->kind->flags & TARGET_SRQ)
		t->srq = ibv_create_srq(pd, &shared);
	attr.send_cq = t->cq;
	attr.recv_cq = t->cq;
	attr.srq = t->srq;
	t->qp = ibv_create_qp(pd, &attr);
	if (!t->qp || (t->kind->flags & TARGET_SRQ && !t->srq))
		die("%s: cannot create it: %s", t->kind->name, strerror(errno));
	t->qpn = t->qp->qp_num;
}

static void create_address(struct scene *s, struct target *t, struct ibv_pd *pd)
{
	const struct ends *e = ends_of(s, t);
	struct ibv_ah_attr attr;

	qpattr_ah(&attr, &e->attacker, e->index, 64);
	t->ah = ibv_create_ah(pd, &attr);
	if (!t->ah)
		die("%s: cannot create an address handle: %s", t->kind->name, strerror(errno));
	if (t->kind->flags & TARGET_MULTICAST && ibv_attach_mcast(t->qp, &e->group, 0))
		die("%s: cannot join a group: %s", t->kind->name, strerror(errno));
}

void target_open(struct scene *s, struct target *t, const struct target_kind *kind, bool ipv6)
{
	bool apart = kind->flags & TARGET_BYSTANDER;
	struct ibv_pd *pd = apart ? s->other_pd : s->pd;

	t->kind = kind;
	t->ipv6 = ipv6;
	t->mtu = ipv6 ? 256 : 1024;
	t->peer_qpn = 0x100000 + t->index;
	t->qkey = apart ? ~QKEY : QKEY;
	if (kind->flags & TARGET_GSI) {
		t->qpn = 1;
		t->qkey = GSI_QKEY;
		t->state = kind->state;
		return;
	}
	t->cq = ibv_create_cq(s->dev.ctx, CQ_ENTRIES, NULL, NULL, 0);
	if (!t->cq)
		die("%s: cannot create a CQ: %s", kind->name, strerror(errno));
	if (kind->type == IBV_QPT_XRC_RECV)
		create_xrc(s, t, pd);
	else
		create_queues(t, pd);
	if (kind->type == IBV_QPT_UD)
		create_address(s, t, pd);
	build(s, t);
	target_look(s, t);
}

void target_close(struct scene *s, struct target *t)
{
	const struct ends *e = ends_of(s, t);
	int ret = 0;

	if (t->kind->flags & TARGET_MULTICAST)
		ret = ibv_detach_mcast(t->qp, &e->group, 0);
	if (t->qp)
		ret |= ibv_destroy_qp(t->qp);
	if (t->window)
		ret |= ibv_dealloc_mw(t->window);
	if (t->ah)
		ret |= ibv_destroy_ah(t->ah);
	if (t->srq)
		ret |= ibv_destroy_srq(t->srq);
	if (t->xrcd)
		ret |= ibv_close_xrcd(t->xrcd);
	if (t->cq)
		ret |= ibv_destroy_cq(t->cq);
	if (ret)
		die("%s: cannot destroy it", t->kind->name);
}

void target_look(struct scene *s, struct target *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!t->qp)
		return;
	if (ibv_query_qp(t->qp, &attr, IBV_QP_STATE | IBV_QP_RQ_PSN | IBV_QP_SQ_PSN, &init))
		die("%s: cannot query it: %s", t->kind->name, strerror(errno));
	t->state = attr.qp_state;
	t->epsn = attr.rq_psn;
	post_poll(s, t);
}

/* Where no packet is taken none changes anything */
static bool is_deaf(enum ibv_qp_state state)
{
	return state == IBV_QPS_RESET || state == IBV_QPS_INIT || state == IBV_QPS_ERR;
}

/* In SQD nothing more is sent */
static bool is_spent(const struct target *t)
{
	return t->state == IBV_QPS_SQD && t->kind->flags & TARGET_WAITS && !t->request_count;
}

bool target_refresh(struct scene *s, struct target *t)
{
	if (!t->qp)
		return true;
	target_look(s, t);
	if (t->state != t->kind->state && is_deaf(t->kind->state)) {
		suite_fail("%s: in state %d", t->kind->name, t->state);
		return false;
	}
	if (t->state != t->kind->state || is_spent(t)) {
		build(s, t);
		s->tally.rebuilt++;
		target_look(s, t);
	}
	if (t->state == IBV_QPS_RESET || t->state == IBV_QPS_ERR)
		return true;
	post_receives(s, t);
	if (t->window_gone)
		post_window(s, t);
	if (t->state == IBV_QPS_RTS)
		post_requests(s, t);
	return true;
}

bool target_unharmed(struct scene *s, struct target *t)
{
	u32 before = t->receives;

	target_look(s, t);
	if (t->state == IBV_QPS_RTS && t->receives == before &&
	    (t->kind->type == IBV_QPT_UD || t->epsn == t->first_psn))
		return true;
	suite_fail("%s: state %d, %u of %u receives, PSN %#x instead of %#x", t->kind->name,
		   t->state, t->receives, before, t->epsn, t->first_psn);
	return false;
}
