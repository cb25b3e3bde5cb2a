// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Inline data: every size that the QP takes, from memory that is not registered (the key is
 * wrong on purpose) and that is overwritten as soon as the post returns.
 */
#include <errno.h>
#include <string.h>

#include "flow.h"
#include "res.h"
#include "tables.h"

#define INLINE_WISH	512
#define INLINE_SGES	4
#define CHUNK		64

/* The largest power of two that QP creation accepts; what it then grants may be more. */
static u32 inline_wish(struct test *t, enum ibv_qp_type type)
{
	struct cq *cq = cq_new(t, 1);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq->ibv,
		.recv_cq = cq->ibv,
		.qp_type = type,
	};
	struct ibv_qp *qp;
	u32 wish;

	for (wish = INLINE_WISH; wish; wish /= 2) {
		attr.cap = (struct ibv_qp_cap) { 1, 1, 1, 1, wish };
		qp = ibv_create_qp(t->pd, &attr);
		if (qp) {
			ibv_destroy_qp(qp);
			return wish;
		}
	}
	test_skip(t, "no inline data");
}

static struct plan *inline_plan(struct test *t, const struct op *op, u32 first, u32 last)
{
	struct plan *p = plan_new(t, CHUNK + 1, first);
	u32 len;

	for (len = first; len < first + CHUNK && len <= last; len++) {
		struct xfer x = {
			.op = op,
			.len = len,
			.local_sge = 1 + len % INLINE_SGES,
			.local_off = len % 3,
			.remote_off = len % 7,
			.inlined = true,
		};

		plan_add(p, &x);
	}
	return p;
}

static void run_inline(struct test *t, enum ibv_qp_type type, bool extended)
{
	const struct op *op = t->c->arg;
	struct link_opts o;
	struct plan *p;
	struct link *l;
	u32 len, max;

	link_defaults(t, &o, type);
	o.extended = extended;
	o.cap.max_send_sge = INLINE_SGES;
	o.cap.max_inline_data = inline_wish(t, type);
	l = link_open(t, &o);
	test_exchange(t, &l->cap.max_inline_data, &max, sizeof(max));
	max = min_u32(max, l->cap.max_inline_data);
	for (len = 0; len <= max; len += CHUNK) {
		p = inline_plan(t, op, len, max);
		if (type == IBV_QPT_UC && !op->uses_recv)
			plan_add(p, &(struct xfer) { .op = &op_send });
		flow_one_way(l, p, len / CHUNK % 2 == 0);
	}
}

static void run_rc(struct test *t)
{
	run_inline(t, IBV_QPT_RC, false);
}

static void run_rc_wrapi(struct test *t)
{
	run_inline(t, IBV_QPT_RC, true);
}

static void run_uc(struct test *t)
{
	if (t->run->lossy)
		test_skip(t, "the wire loses packets");
	run_inline(t, IBV_QPT_UC, false);
}

const struct suite_case inline_cases[] = {
	{ "rc_inline_send", run_rc, "inline SEND of every size", &op_send },
	{ "rc_inline_send_imm", run_rc, "inline SEND_WITH_IMM of every size", &op_send_imm },
	{ "rc_inline_write", run_rc, "inline WRITE of every size", &op_write },
	{ "rc_inline_write_imm", run_rc, "inline WRITE_WITH_IMM of every size", &op_write_imm },
	{ "wr_inline_send", run_rc_wrapi, "ibv_wr_set_inline_data(_list), SEND", &op_send },
	{ "wr_inline_write", run_rc_wrapi, "ibv_wr_set_inline_data(_list), WRITE", &op_write },
	{ "uc_inline_send", run_uc, "inline SEND of every size on UC", &op_send },
	{ "uc_inline_write", run_uc, "inline WRITE of every size on UC", &op_write },
	{ }
};
