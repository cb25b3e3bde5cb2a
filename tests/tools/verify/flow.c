// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Runs plans of messages over a link and proves every byte.
 *
 * Order of events: receives are posted and memory is prepared, the sides meet, requests run,
 * the sides meet again, memory is checked.  Completions of requests and of receives must come
 * in the order of posting, each queue for itself.
 */
#include <stdio.h>
#include <string.h>

#include "flow.h"
#include "res.h"

#define ID_RECV		0x8000000000000000ull
#define LKEY_INVALID	0xdeadbeef

const struct op op_send = {
	.name = "SEND", .wr = IBV_WR_SEND, .wc = IBV_WC_SEND,
	.uses_recv = true, .recv_wc = IBV_WC_RECV,
};

const struct op op_send_imm = {
	.name = "SEND_WITH_IMM", .wr = IBV_WR_SEND_WITH_IMM, .wc = IBV_WC_SEND,
	.uses_recv = true, .recv_wc = IBV_WC_RECV, .imm = true,
};

const struct op op_write = {
	.name = "WRITE", .wr = IBV_WR_RDMA_WRITE, .wc = IBV_WC_RDMA_WRITE, .rdma = true,
};

const struct op op_write_imm = {
	.name = "WRITE_WITH_IMM", .wr = IBV_WR_RDMA_WRITE_WITH_IMM, .wc = IBV_WC_RDMA_WRITE,
	.uses_recv = true, .recv_wc = IBV_WC_RECV_RDMA_WITH_IMM, .imm = true, .rdma = true,
};

const struct op op_read = {
	.name = "READ", .wr = IBV_WR_RDMA_READ, .wc = IBV_WC_RDMA_READ, .rdma = true,
	.pulls = true,
};

/* One direction in progress. */
struct flow {
	struct link *l;
	struct plan *plan;
	struct buf *buf;
	struct remote remote;
	u32 posted, completed;	/* requests, at the requester */
	u32 received, next_recv; /* at the responder: how many, and the message awaited */
};

struct plan *plan_new(struct test *t, u32 max, u64 tag)
{
	struct plan *p = res_alloc(t, sizeof(*p));

	p->t = t;
	p->max = max;
	p->key = test_rnd(t, 0x10000 + tag);
	p->x = res_alloc(t, max * sizeof(*p->x));
	return p;
}

/* The bytes of the receive request, or of the remote memory. */
static u32 remote_len(const struct xfer *x)
{
	return x->len + x->slack;
}

void plan_add(struct plan *p, const struct xfer *template)
{
	struct xfer *x = &p->x[p->num];

	if (p->num == p->max)
		test_fail(p->t, "the plan is full");
	*x = *template;
	if (!x->local_sge)
		x->local_sge = 1;
	if (!x->remote_sge)
		x->remote_sge = 1;
	x->local_at = p->local_size;
	x->remote_at = p->remote_size;
	x->key = mix64(p->key ^ mix64(p->num + 1));
	p->local_size += vec_slot_size(x->local_off, x->len, x->local_sge);
	p->remote_size += vec_slot_size(x->remote_off, remote_len(x), x->remote_sge);
	p->recvs += x->op->uses_recv;
	p->num++;
}

static __be32 imm_of(const struct xfer *x)
{
	return htobe32((u32)(x->key >> 16));
}

static const char *describe(const struct xfer *x, char text[96])
{
	snprintf(text, 96, "%s of %u bytes, offset %u to %u%s", x->op->name, x->len,
		 x->op->pulls ? x->remote_off : x->local_off,
		 x->op->pulls ? x->local_off : x->remote_off, x->inlined ? ", inline" : "");
	return text;
}

static void local_vec(const struct flow *f, const struct xfer *x, struct vec *v)
{
	vec_build(v, f->buf, x->local_at, x->local_off, x->len, x->local_sge, x->key);
}

static void remote_vec(const struct flow *f, const struct xfer *x, struct vec *v)
{
	vec_build(v, f->buf, x->remote_at, x->remote_off, remote_len(x), x->remote_sge,
		  ~x->key);
}

static void check_plan(const struct flow *f)
{
	const struct ibv_qp_cap *cap = &f->l->cap;
	u32 i;

	if (f->plan->recvs > cap->max_recv_wr)
		test_fail(f->l->t, "the receive queue is too short for the plan");
	for (i = 0; i < f->plan->num; i++)
		if (f->plan->x[i].local_sge > cap->max_send_sge ||
		    f->plan->x[i].remote_sge > cap->max_recv_sge)
			test_fail(f->l->t, "the QP has too few SGEs for the plan");
}

/* Our memory for a direction: all guard, but the sources of data. */
static void prepare(struct flow *f, bool requester)
{
	struct plan *p = f->plan;
	struct vec v;
	u32 i;

	check_plan(f);
	f->buf = buf_new(f->l->t, (requester ? p->local_size : p->remote_size) + 1, ACCESS_ALL);
	for (i = 0; i < p->num; i++) {
		if (p->x[i].op->pulls == requester)
			continue;
		if (requester)
			local_vec(f, &p->x[i], &v);
		else
			remote_vec(f, &p->x[i], &v);
		vec_fill(&v, p->x[i].key);
	}
}

static void post_recvs(struct flow *f)
{
	struct vec v;
	u32 i;

	for (i = 0; i < f->plan->num; i++) {
		if (!f->plan->x[i].op->uses_recv)
			continue;
		v.nsge = 0;
		if (!f->plan->x[i].op->rdma)
			remote_vec(f, &f->plan->x[i], &v);
		link_recv(f->l, ID_RECV | i, v.sge, v.nsge);
	}
}

static void post_next(struct flow *f)
{
	const struct xfer *x = &f->plan->x[f->posted];
	struct ibv_send_wr wr;
	struct vec v;
	u32 i;

	if (f->plan->roam)
		roam_to(f->plan->roam, f->posted);
	local_vec(f, x, &v);
	wr = wr_make(x->op->wr, f->posted, v.sge, v.nsge);
	wr.imm_data = imm_of(x);
	if (x->unsignalled)
		wr.send_flags &= ~IBV_SEND_SIGNALED;
	if (x->fence)
		wr.send_flags |= IBV_SEND_FENCE;
	if (x->inlined)
		wr.send_flags |= IBV_SEND_INLINE;
	for (i = 0; x->inlined && i < v.nsge; i++)
		v.sge[i].lkey = LKEY_INVALID;
	if (x->op->rdma) {
		wr.wr.rdma.remote_addr = f->remote.addr + x->remote_at + SLOT_GUARD +
					 x->remote_off;
		wr.wr.rdma.rkey = f->remote.rkey;
	}
	link_post(f->l, &wr);
	if (x->inlined)
		vec_wipe(&v);
	f->posted++;
}

/* An unsignalled request is complete when a later one is. */
static void request_done(struct flow *f, const struct ibv_wc *wc)
{
	struct test *t = f->l->t;
	char text[96];
	u32 i;

	for (i = f->completed; i < f->posted && f->plan->x[i].unsignalled; i++)
		;
	if (i == f->posted)
		test_fail(t, "a completion for nothing: wr_id %#llx",
			  (unsigned long long)wc->wr_id);
	if (wc->status != IBV_WC_SUCCESS)
		test_fail(t, "%s (wr_id %u): %s of wr_id %#llx", describe(&f->plan->x[i], text), i,
			  ibv_wc_status_str(wc->status), (unsigned long long)wc->wr_id);
	wc_check(t, wc, i, IBV_WC_SUCCESS);
	if (wc->opcode != f->plan->x[i].op->wc || wc->qp_num != f->l->qp->qp_num)
		test_fail(t, "%s: completion with opcode %d, QP %#x",
			  describe(&f->plan->x[i], text), wc->opcode, wc->qp_num);
	if (f->plan->x[i].op->pulls && wc->byte_len != f->plan->x[i].len)
		test_fail(t, "%s: byte_len %u", describe(&f->plan->x[i], text), wc->byte_len);
	f->completed = i + 1;
}

static void recv_done(struct flow *f, const struct ibv_wc *wc)
{
	const struct xfer *x = &f->plan->x[f->next_recv];
	struct test *t = f->l->t;
	char text[96];

	wc_check(t, wc, ID_RECV | f->next_recv, IBV_WC_SUCCESS);
	if (wc->opcode != x->op->recv_wc || wc->qp_num != f->l->qp->qp_num)
		test_fail(t, "%s: received with opcode %d, QP %#x", describe(x, text),
			  wc->opcode, wc->qp_num);
	if (wc->byte_len != x->len)
		test_fail(t, "%s: received with byte_len %u", describe(x, text), wc->byte_len);
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != x->op->imm ||
	    (x->op->imm && wc->imm_data != imm_of(x)))
		test_fail(t, "%s: received with flags %#x, immediate %#x", describe(x, text),
			  wc->wc_flags, be32toh(wc->imm_data));
	f->received++;
	f->next_recv++;
}

static void skip_to_recv(struct flow *f)
{
	while (f->next_recv < f->plan->num && !f->plan->x[f->next_recv].op->uses_recv)
		f->next_recv++;
}

static void dispatch(struct flow *out, struct flow *in, const struct ibv_wc *wc)
{
	if (wc->wr_id & ID_RECV) {
		if (in->plan)
			skip_to_recv(in);
		if (!in->plan || in->next_recv == in->plan->num)
			test_fail(in->l->t, "a receive completion for nothing: %s",
				  ibv_wc_status_str(wc->status));
		recv_done(in, wc);
	} else {
		if (!out->plan)
			test_fail(out->l->t, "a completion for nothing");
		request_done(out, wc);
	}
}

/* Every plan ends with a signalled request, so that all of them are seen to be done. */
static bool requests_open(const struct flow *f)
{
	return f->plan && f->completed < f->plan->num;
}

static bool recvs_open(const struct flow *f)
{
	return f->plan && f->received < f->plan->recvs;
}

static void progress(struct link *l, struct flow *out, struct flow *in)
{
	struct ibv_wc wc;

	while (requests_open(out) || recvs_open(in)) {
		while (out->plan && out->posted < out->plan->num &&
		       out->posted - out->completed < l->cap.max_send_wr)
			post_next(out);
		cq_next(l->t, requests_open(out) ? l->scq : l->rcq, &wc);
		dispatch(out, in, &wc);
	}
}

static void check_memory(struct flow *f, bool requester)
{
	char text[96];
	struct vec v;
	u32 i;

	for (i = 0; i < f->plan->num; i++) {
		const struct xfer *x = &f->plan->x[i];

		if (x->op->pulls != requester)
			continue;
		if (requester)
			local_vec(f, x, &v);
		else
			remote_vec(f, x, &v);
		vec_check(f->l->t, &v, x->len, x->key, describe(x, text));
	}
}

/* Each side tells where the memory is that the other's requests go to. */
static void exchange_remote(struct flow *out, const struct flow *in)
{
	struct remote mine = { 0 };

	if (in->buf) {
		mine.addr = (uintptr_t)in->buf->p;
		mine.len = in->buf->size;
		mine.rkey = in->buf->mr[0]->rkey;
	}
	test_exchange(out->l->t, &mine, &out->remote, sizeof(mine));
}

void flow_run(struct link *l, struct plan *out_plan, struct plan *in_plan)
{
	struct flow out = { .l = l, .plan = out_plan };
	struct flow in = { .l = l, .plan = in_plan };

	if (l->scq != l->rcq && out_plan && in_plan)
		test_fail(l->t, "flows both ways take one CQ");
	if (out_plan)
		prepare(&out, true);
	if (in_plan) {
		prepare(&in, false);
		post_recvs(&in);
	}
	exchange_remote(&out, &in);
	progress(l, &out, &in);
	test_sync(l->t);
	if (out_plan)
		check_memory(&out, true);
	if (in_plan)
		check_memory(&in, false);
}

void flow_one_way(struct link *l, struct plan *plan, bool from_client)
{
	if (from_client == l->t->client)
		flow_run(l, plan, NULL);
	else
		flow_run(l, NULL, plan);
}
