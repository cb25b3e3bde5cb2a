// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a round of a soak consists of: always as many requests of each kind, in an order, of sizes
 * and with flags that the seed decides.
 */
#include <string.h>

#include "random.h"
#include "soak.h"

#define INLINE_MAX	64

/* A WRITE that reaches its target through a window */
static const struct op op_window_write;

static const struct op *const mixture[SOAK_REQUESTS] = {
	&op_send, &op_send, &op_send, &op_send_imm, &op_send_imm,
	&op_send_inv, &op_send_inv, &op_bind, &op_bind,
	&op_write, &op_write, &op_write, &op_write_imm, &op_write_imm,
	&op_window_write, &op_window_write, &op_window_write,
	&op_read, &op_read, &op_read,
	&op_cas, &op_cas, &op_fadd, &op_fadd,
};

static void shuffle(struct test *t, u64 tag, const struct op **ops)
{
	const struct op *op;
	u32 i, j;

	memcpy(ops, mixture, sizeof(mixture));
	for (i = SOAK_REQUESTS - 1; i > 0; i--) {
		j = test_rnd(t, (tag << 8) + i) % (i + 1);
		op = ops[i];
		ops[i] = ops[j];
		ops[j] = op;
	}
}

/* Many short ones, some of a packet or two, a few long ones. */
static u32 pick_len(u64 rnd)
{
	static const u32 most[] = { 100, 100, 100, 5000, 5000, 5000, 20000, 40000 };

	return (rnd >> 8) % most[rnd % ARRAY_SIZE(most)];
}

static void shape(struct xfer *x, u64 rnd)
{
	if (x->op->binds)
		return;
	x->local_off = rnd >> 32 & 63;
	x->local_sge = 1 + (rnd >> 40) % 3;
	if (x->op->atomic) {
		x->len = 8;
		x->remote_off = rnd >> 44 & 56;
		return;
	}
	x->len = pick_len(rnd);
	x->remote_off = rnd >> 44 & 63;
	x->inlined = !x->op->pulls && x->len <= INLINE_MAX && rnd >> 62;
	if (!x->op->rdma) {
		x->remote_sge = 1 + (rnd >> 50) % 3;
		x->slack = (rnd >> 54) % 64;
	}
}

/* Windows are taken away in their order, and written through before that. */
static void choose_window(struct xfer *x, const struct soak_windows *w, u32 *taken, u32 *bound)
{
	bool left = w->reach && *taken < SOAK_WINDOWS;

	if (x->op == &op_window_write) {
		x->op = &op_write;
		x->rkey = left ? w->reach[*taken] : 0;
	} else if (x->op->inv) {
		x->op = left ? &op_send_inv : &op_send;
		x->rkey = left ? w->reach[(*taken)++] : 0;
	} else if (x->op->binds && w->bind) {
		x->mw = w->bind[(*bound)++];
		x->window = w->over;
	}
}

void soak_plan(struct plan *p, u64 tag, const struct soak_windows *w)
{
	const struct op *ops[SOAK_REQUESTS];
	u32 i, taken = 0, bound = 0;

	plan_restart(p, tag);
	shuffle(p->t, tag, ops);
	for (i = 0; i < SOAK_REQUESTS; i++) {
		u64 rnd = test_rnd(p->t, (tag << 8) + 0x80 + i);
		struct xfer x = {
			.op = ops[i],
			.fence = !(rnd >> 58 & 7),
			.unsignalled = rnd >> 61 & 1 && i % 8 != 7,
		};

		choose_window(&x, w, &taken, &bound);
		shape(&x, random_hash(rnd));
		plan_add(p, &x);
	}
}
