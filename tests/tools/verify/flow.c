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
#include "random.h"
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

const struct op op_send_inv = {
	.name = "SEND_WITH_INV", .wr = IBV_WR_SEND_WITH_INV, .wc = IBV_WC_SEND,
	.uses_recv = true, .recv_wc = IBV_WC_RECV, .inv = true,
};

const struct op op_cas = {
	.name = "CMP_AND_SWP", .wr = IBV_WR_ATOMIC_CMP_AND_SWP, .wc = IBV_WC_COMP_SWAP,
	.rdma = true, .pulls = true, .atomic = true,
};

const struct op op_fadd = {
	.name = "FETCH_AND_ADD", .wr = IBV_WR_ATOMIC_FETCH_AND_ADD, .wc = IBV_WC_FETCH_ADD,
	.rdma = true, .pulls = true, .atomic = true,
};

const struct op op_bind = {
	.name = "BIND_MW", .wr = IBV_WR_BIND_MW, .wc = IBV_WC_BIND_MW, .binds = true,
};

void plan_restart(struct plan *p, u64 tag)
{
	p->num = 0;
	p->recvs = 0;
	p->local_size = 0;
	p->remote_size = 0;
	p->key = test_rnd(p->t, 0x10000 + tag);
}

struct plan *plan_new(struct test *t, u32 max, u64 tag)
{
	struct plan *p = res_alloc(t, sizeof(*p));

	p->t = t;
	p->max = max;
	p->x = res_alloc(t, max * sizeof(*p->x));
	plan_restart(p, tag);
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
	x->key = random_hash(p->key ^ random_hash(p->num + 1));
	p->local_size += vec_slot_size(x->local_off, x->len, x->local_sge);
	p->remote_size += vec_slot_size(x->remote_off, remote_len(x), x->remote_sge);
	p->recvs += x->op->uses_recv;
	p->num++;
}

static __be32 imm_of(const struct xfer *x)
{
	return htobe32((u32)(x->key >> 16));
}

/* What an atomic finds is the pattern of the message, what it leaves is that of this key. */
static u64 key_after(const struct xfer *x)
{
	return random_hash(x->key ^ 0xa70a);
}

static u64 word_of(u64 key)
{
	u64 word;

	pattern_fill(&word, sizeof(word), key, 0);
	return word;
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

static void make_buf(struct flow *f, size_t size)
{
	if (!f->buf)
		f->buf = buf_new(f->l->t, size + 1, ACCESS_ALL);
	else if (f->buf->size < size)
		test_fail(f->l->t, "the buffer is too short for the plan");
	else
		memset(f->buf->p, GUARD_BYTE, size);
}

/* Our memory for a direction: all guard, but the sources of data. */
void flow_prepare(struct flow *f, bool requester)
{
	struct plan *p = f->plan;
	struct vec v;
	u32 i;

	check_plan(f);
	make_buf(f, requester ? p->local_size : p->remote_size);
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

void flow_post_recvs(struct flow *f)
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

static void aim_bind(const struct xfer *x, struct ibv_send_wr *wr)
{
	wr->bind_mw.mw = x->mw;
	wr->bind_mw.rkey = ibv_inc_rkey(x->mw->rkey);
	wr->bind_mw.bind_info.mr = x->window->mr[0];
	wr->bind_mw.bind_info.addr = (uintptr_t)x->window->p;
	wr->bind_mw.bind_info.length = x->window->size;
	wr->bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	x->mw->rkey = wr->bind_mw.rkey;
}

/* What the request does to what is not named in its list. */
static void aim(const struct flow *f, const struct xfer *x, struct ibv_send_wr *wr)
{
	u64 addr = f->remote.addr + x->remote_at + SLOT_GUARD + x->remote_off;
	u32 rkey = x->rkey ? x->rkey : f->remote.rkey;

	if (x->op->imm)
		wr->imm_data = imm_of(x);
	if (x->op->inv)
		wr->invalidate_rkey = x->rkey;
	if (x->op->binds)
		aim_bind(x, wr);
	if (x->op->atomic) {
		bool swaps = x->op == &op_cas;
		u64 before = word_of(x->key), after = word_of(key_after(x));

		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = swaps ? before : after - before;
		wr->wr.atomic.swap = after;
	} else if (x->op->rdma) {
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
	}
}

void flow_post(struct flow *f)
{
	const struct xfer *x = &f->plan->x[f->posted];
	struct ibv_send_wr wr;
	struct vec v;
	u32 i;

	if (f->plan->roam)
		roam_to(f->plan->roam, f->posted);
	local_vec(f, x, &v);
	wr = wr_make(x->op->wr, f->posted, v.sge, v.nsge);
	aim(f, x, &wr);
	if (x->unsignalled)
		wr.send_flags &= ~IBV_SEND_SIGNALED;
	if (x->fence)
		wr.send_flags |= IBV_SEND_FENCE;
	if (x->inlined)
		wr.send_flags |= IBV_SEND_INLINE;
	for (i = 0; x->inlined && i < v.nsge; i++)
		v.sge[i].lkey = LKEY_INVALID;
	link_post(f->l, &wr);
	if (x->inlined)
		vec_wipe(&v);
	f->posted++;
}

/* The request that a completion is of: the next, or behind unsignalled ones that are done too. */
static u32 request_of(const struct flow *f, const struct ibv_wc *wc)
{
	u32 i = f->completed;

	if (wc->status == IBV_WC_SUCCESS)
		while (i < f->posted && f->plan->x[i].unsignalled)
			i++;
	else if (!f->failed)
		while (i < f->posted && f->plan->x[i].unsignalled && i != wc->wr_id)
			i++;
	if (i == f->posted)
		test_fail(f->l->t, "a completion for nothing: wr_id %#llx",
			  (unsigned long long)wc->wr_id);
	return i;
}

static void request_failed(struct flow *f, const struct ibv_wc *wc)
{
	u32 i = request_of(f, wc);

	wc_check(f->l->t, wc, i, f->failed ? IBV_WC_WR_FLUSH_ERR : f->failure);
	if (wc->qp_num != f->l->qp->qp_num)
		test_fail(f->l->t, "a completion of QP %#x", wc->qp_num);
	if (!f->failed)
		f->done = i;
	f->failed = true;
	f->completed = i + 1;
}

static void request_done(struct flow *f, const struct ibv_wc *wc)
{
	struct test *t = f->l->t;
	u32 i = request_of(f, wc);
	char text[96];

	if (f->failed)
		test_fail(t, "%s (wr_id %u): `%s' behind one that failed",
			  describe(&f->plan->x[i], text), i, ibv_wc_status_str(wc->status));
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

/* What stands in a completion instead of data */
static void check_extra(struct flow *f, const struct xfer *x, const struct ibv_wc *wc)
{
	struct test *t = f->l->t;
	char text[96];

	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != x->op->imm ||
	    (x->op->imm && wc->imm_data != imm_of(x)))
		test_fail(t, "%s: received with flags %#x, immediate %#x", describe(x, text),
			  wc->wc_flags, be32toh(wc->imm_data));
	if (!!(wc->wc_flags & IBV_WC_WITH_INV) != x->op->inv ||
	    (x->op->inv && wc->invalidated_rkey != x->rkey))
		test_fail(t, "%s: received with flags %#x, invalidated_rkey %#x, expected %#x",
			  describe(x, text), wc->wc_flags, wc->invalidated_rkey, x->rkey);
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
	check_extra(f, x, wc);
	f->received++;
	f->next_recv++;
	f->reached = f->next_recv;
}

/* The QP failed: the receive requests that are left come back. */
static void recv_flushed(struct flow *f, const struct ibv_wc *wc)
{
	wc_check(f->l->t, wc, ID_RECV | f->next_recv, IBV_WC_WR_FLUSH_ERR);
	f->flushed++;
	f->next_recv++;
}

static u32 skip_to_recv(const struct flow *f, u32 i)
{
	while (i < f->plan->num && !f->plan->x[i].op->uses_recv)
		i++;
	return i;
}

static void recv_completed(struct flow *out, struct flow *in, const struct ibv_wc *wc)
{
	if (in->plan)
		in->next_recv = skip_to_recv(in, in->next_recv);
	if (!in->plan || in->next_recv == in->plan->num)
		test_fail(out->l->t, "a receive completion for nothing: %s",
			  ibv_wc_status_str(wc->status));
	if (out->failed && (in->flushed || wc->status != IBV_WC_SUCCESS))
		recv_flushed(in, wc);
	else
		recv_done(in, wc);
}

void flow_complete(struct flow *out, struct flow *in, const struct ibv_wc *wc)
{
	if (wc->wr_id & ID_RECV)
		recv_completed(out, in, wc);
	else if (!out->plan)
		test_fail(out->l->t, "a completion for nothing");
	else if (wc->status != IBV_WC_SUCCESS && out->failure)
		request_failed(out, wc);
	else
		request_done(out, wc);
}

/* Every plan ends with a signalled request, so that all of them are seen to be done. */
bool flow_requests_open(const struct flow *f)
{
	return f->plan && f->completed < f->plan->num;
}

bool flow_recvs_open(const struct flow *f)
{
	return f->plan && f->received + f->flushed < f->plan->recvs;
}

bool flow_may_post(const struct flow *f)
{
	return f->plan && f->posted < f->plan->num &&
	       f->posted - f->completed < f->l->cap.max_send_wr;
}

static void progress(struct link *l, struct flow *out, struct flow *in)
{
	struct ibv_wc wc;

	while (flow_requests_open(out) || flow_recvs_open(in)) {
		while (flow_may_post(out))
			flow_post(out);
		cq_next(l->t, flow_requests_open(out) ? l->scq : l->rcq, &wc);
		flow_complete(out, in, &wc);
	}
}

/* A request that may or may not have been executed, or in part. */
static void check_perhaps(struct flow *f, const struct xfer *x, const struct vec *v, bool requester)
{
	struct test *t = f->l->t;
	char text[96];
	u64 word;

	if (requester || !x->op->atomic) {
		vec_check_some(t, v, x->len, x->key, describe(x, text));
		return;
	}
	memcpy(&word, (void *)(uintptr_t)v->sge[0].addr, sizeof(word));
	vec_check(t, v, x->len, word == word_of(x->key) ? x->key : key_after(x),
		  describe(x, text));
}

static void check_sure(struct flow *f, const struct xfer *x, const struct vec *v, bool requester)
{
	u64 key = !requester && x->op->atomic ? key_after(x) : x->key;
	char text[96];

	vec_check(f->l->t, v, x->len, key, describe(x, text));
}

void flow_check(struct flow *f, bool requester, u32 sure)
{
	struct vec v;
	u32 i;

	for (i = 0; i < f->plan->num; i++) {
		const struct xfer *x = &f->plan->x[i];

		if (x->op->binds || (x->op->pulls != requester && !x->op->atomic))
			continue;
		if (requester)
			local_vec(f, x, &v);
		else
			remote_vec(f, x, &v);
		if (i < sure)
			check_sure(f, x, &v, requester);
		else
			check_perhaps(f, x, &v, requester);
	}
}

void flow_locate(const struct flow *f, struct remote *r)
{
	memset(r, 0, sizeof(*r));
	if (!f->buf)
		return;
	r->addr = (uintptr_t)f->buf->p;
	r->len = f->buf->size;
	r->rkey = f->buf->mr[0]->rkey;
}

/* Each side tells where the memory is that the other's requests go to. */
static void exchange_remote(struct flow *out, const struct flow *in)
{
	struct remote mine;

	flow_locate(in, &mine);
	test_exchange(out->l->t, &mine, &out->remote, sizeof(mine));
}

void flow_run(struct link *l, struct plan *out_plan, struct plan *in_plan)
{
	struct flow out = { .l = l, .plan = out_plan };
	struct flow in = { .l = l, .plan = in_plan };

	if (l->scq != l->rcq && out_plan && in_plan)
		test_fail(l->t, "flows both ways take one CQ");
	if (out_plan)
		flow_prepare(&out, true);
	if (in_plan) {
		flow_prepare(&in, false);
		flow_post_recvs(&in);
	}
	exchange_remote(&out, &in);
	progress(l, &out, &in);
	test_sync(l->t);
	if (out_plan)
		flow_check(&out, true, out_plan->num);
	if (in_plan)
		flow_check(&in, false, in_plan->num);
}

void flow_one_way(struct link *l, struct plan *plan, bool from_client)
{
	if (from_client == l->t->client)
		flow_run(l, plan, NULL);
	else
		flow_run(l, NULL, plan);
}
