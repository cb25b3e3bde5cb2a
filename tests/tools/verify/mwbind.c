// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: bind, invalidate, reach for.
 */
#include <errno.h>
#include <string.h>

#include "mwbind.h"
#include "res.h"

static void need_windows(struct test *t, enum ibv_mw_type type)
{
	unsigned int flags = t->dev->attr.orig_attr.device_cap_flags;
	unsigned int need = IBV_DEVICE_MEM_WINDOW;

	if (type == IBV_MW_TYPE_2)
		need = IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	if (!(flags & need))
		test_skip(t, "the device has no memory windows of type %d", type);
}

struct mw_stage *mw_open_by(struct test *t, enum ibv_mw_type type, const struct link_opts *o)
{
	struct mw_stage *s = res_alloc(t, sizeof(*s));

	need_windows(t, type);
	s->t = t;
	s->b = buf_new(t, MW_BUF_SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	s->l = link_open(t, o);
	if (!t->client)
		s->mw = res_mw(t, type);
	return s;
}

struct mw_stage *mw_open(struct test *t, enum ibv_mw_type type, bool extended)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.extended = extended;
	if (extended)
		o.more_ops = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV |
			     IBV_QP_EX_WITH_SEND_WITH_INV;
	return mw_open_by(t, type, &o);
}

struct ibv_mw_bind_info mw_range(const struct mw_stage *s, u32 at, u32 len, int access)
{
	struct ibv_mw_bind_info info = {
		.mr = s->b->mr[0],
		.addr = (uintptr_t)s->b->p + at,
		.length = len,
		.mw_access_flags = access,
	};

	return info;
}

static void bind_by_verb(struct mw_stage *s, struct ibv_mw *mw,
			 const struct ibv_mw_bind_info *info)
{
	struct ibv_mw_bind bind = {
		.wr_id = ++s->ids,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = *info,
	};
	int ret = ibv_bind_mw(s->l->qp, mw, &bind);

	if (ret)
		test_fail(s->t, "ibv_bind_mw: %s", strerror(ret));
}

static void bind_by_queue(struct mw_stage *s, struct ibv_mw *mw,
			  const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr wr = wr_make(IBV_WR_BIND_MW, ++s->ids, NULL, 0);

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = *info;
	link_post(s->l, &wr);
	mw->rkey = wr.bind_mw.rkey;
}

static void expect_done(struct mw_stage *s, enum ibv_wc_status status, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	cq_expect(s->t, s->l->scq, s->ids, status, &wc);
	if (status == IBV_WC_SUCCESS && wc.opcode != opcode)
		test_fail(s->t, "completion with opcode %d, expected %d", wc.opcode, opcode);
}

void mw_bind(struct mw_stage *s, struct ibv_mw *mw, const struct ibv_mw_bind_info *info,
	     enum ibv_wc_status status)
{
	if (mw->type == IBV_MW_TYPE_1)
		bind_by_verb(s, mw, info);
	else
		bind_by_queue(s, mw, info);
	expect_done(s, status, IBV_WC_BIND_MW);
}

void mw_local_inv(struct mw_stage *s, u32 rkey, enum ibv_wc_status status)
{
	struct ibv_send_wr wr = wr_make(IBV_WR_LOCAL_INV, ++s->ids, NULL, 0);

	wr.invalidate_rkey = rkey;
	link_post(s->l, &wr);
	expect_done(s, status, IBV_WC_LOCAL_INV);
}

void mw_share(struct mw_stage *s, u64 addr, u32 rkey)
{
	struct remote mine = { .addr = addr, .rkey = rkey };

	test_exchange(s->t, &mine, &s->r, sizeof(mine));
}

void mw_write(struct mw_stage *s, s64 off, u32 len, u32 rkey, enum ibv_wc_status status)
{
	struct ibv_sge sge = buf_sge(s->b, 0, len);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, ++s->ids, &sge, s->r.addr + off, rkey);

	pattern_fill(s->b->p, len, s->t->key + s->ids, 0);
	link_post(s->l, &wr);
	expect_done(s, status, IBV_WC_RDMA_WRITE);
}

void mw_read(struct mw_stage *s, s64 off, u32 len, u32 rkey, enum ibv_wc_status status)
{
	struct ibv_sge sge = buf_sge(s->b, 0, len);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_READ, ++s->ids, &sge, s->r.addr + off, rkey);

	link_post(s->l, &wr);
	expect_done(s, status, IBV_WC_RDMA_READ);
}

void mw_check(struct mw_stage *s, u32 at, u32 len, u64 nth)
{
	pattern_check(s->t, s->b->p + at, len, s->t->key + nth, "window");
	guard_check(s->t, s->b->p, at, "before the window");
	guard_check(s->t, s->b->p + at + len, MW_BUF_SIZE - at - len, "after the window");
}
