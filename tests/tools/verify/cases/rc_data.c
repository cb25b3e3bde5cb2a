// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * RC data: every operation over sizes, offsets and scatter lists, in both directions.
 */
#include "flow.h"
#include "sizes.h"
#include "tables.h"

#define MIX_MESSAGES	96

static void run_sizes(struct test *t)
{
	const struct op *op = t->c->arg;
	struct link *l = link_open_rc(t);
	int dir;

	for (dir = 0; dir < 2; dir++)
		flow_one_way(l, sizes_plan(t, op, dir), !dir);
}

/* As many SGEs as the device gives, at most those that a struct vec holds. */
static u32 sge_max(struct test *t)
{
	return min_u32(BUF_SGES, t->dev->attr.orig_attr.max_sge);
}

static u32 common_sge_max(struct test *t)
{
	u32 mine = sge_max(t), theirs;

	test_exchange(t, &mine, &theirs, sizeof(mine));
	return min_u32(mine, theirs);
}

/* The receive side of a SEND takes another number of pieces than the request. */
static void add_split(struct plan *p, const struct op *op, u32 len, u32 nsge, u32 max)
{
	struct xfer x = {
		.op = op,
		.len = len,
		.local_off = nsge % 3,
		.remote_off = nsge % 5,
		.local_sge = nsge,
		.remote_sge = op->rdma ? 1 : max + 1 - nsge,
	};

	plan_add(p, &x);
}

static void run_sge(struct test *t)
{
	static const u32 lens[] = { 65, 4097, 3 * 4096 + 1, 65536 + 7 };
	const struct op *op = t->c->arg;
	u32 max = common_sge_max(t), nsge;
	struct link_opts o;
	struct plan *p;
	struct link *l;
	int dir;
	size_t i;

	link_defaults(t, &o, IBV_QPT_RC);
	o.cap.max_send_sge = max;
	o.cap.max_recv_sge = max;
	l = link_open(t, &o);
	for (dir = 0; dir < 2; dir++) {
		p = plan_new(t, max * ARRAY_SIZE(lens), dir);
		for (nsge = 1; nsge <= max; nsge++)
			for (i = 0; i < ARRAY_SIZE(lens); i++)
				add_split(p, op, lens[i], nsge, max);
		flow_one_way(l, p, !dir);
	}
}

/* The receive request is longer than the message: byte_len is the message's. */
static void run_slack(struct test *t)
{
	struct link *l = link_open_rc(t);
	struct plan *p = plan_new(t, 8, 0);
	u32 i;

	for (i = 0; i < 8; i++) {
		struct xfer x = {
			.op = i % 2 ? &op_send_imm : &op_send,
			.len = i * 700,
			.slack = 1 + i * 333,
		};

		plan_add(p, &x);
	}
	flow_one_way(l, p, true);
}

static struct plan *mix_plan(struct test *t, u64 tag)
{
	static const struct op *const ops[] = {
		&op_send, &op_send_imm, &op_write, &op_write_imm, &op_read,
	};
	struct plan *p = plan_new(t, MIX_MESSAGES, tag);
	u32 i;

	for (i = 0; i < MIX_MESSAGES; i++) {
		u64 rnd = test_rnd(t, (tag << 20) + i);
		struct xfer x = {
			.op = ops[rnd % ARRAY_SIZE(ops)],
			.len = (rnd >> 8) % (rnd & 0x80 ? 200 : 20000),
			.local_off = (rnd >> 32) % 64,
			.remote_off = (rnd >> 40) % 64,
			.unsignalled = (rnd >> 48) % 4 && i % 8 != 7,
		};

		plan_add(p, &x);
	}
	return p;
}

/* Random operations both ways at once. */
static void run_mix(struct test *t)
{
	struct link *l = link_open_rc(t);
	u32 round;

	for (round = 0; round < 3; round++) {
		struct plan *client = mix_plan(t, 2 * round);
		struct plan *server = mix_plan(t, 2 * round + 1);

		flow_run(l, t->client ? client : server, t->client ? server : client);
	}
}

/* Four QPs, all operations, their requests interleaved by the engine as it likes. */
static void run_many(struct test *t)
{
	struct link *l[4];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(l); i++)
		l[i] = link_open_rc(t);
	for (i = 0; i < ARRAY_SIZE(l); i++)
		flow_one_way(l[i], mix_plan(t, i), i % 2);
}

/* A message of no bytes needs no valid key and no memory. */
static void run_zero(struct test *t)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
	};
	struct link *l = link_open_rc(t);
	size_t i;

	if (!t->client)
		link_recv(l, 99, NULL, 0);
	test_sync(t);
	if (!t->client) {
		cq_expect_ok(t, l->rcq, 99, IBV_WC_RECV);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		struct ibv_send_wr wr = wr_rdma(ops[i], i, NULL, 0, 0);

		link_post(l, &wr);
		cq_expect(t, l->scq, i, IBV_WC_SUCCESS, NULL);
	}
}

/* A scatter list may hold pieces of no bytes. */
static void run_zero_sge(struct test *t)
{
	struct buf *b = buf_new(t, 4096, ACCESS_ALL);
	struct ibv_sge sge[3] = { buf_sge(b, 0, 100), buf_sge(b, 512, 0), buf_sge(b, 1024, 50) };
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	o.cap.max_send_sge = 3;
	o.cap.max_recv_sge = 3;
	l = link_open(t, &o);
	if (t->client) {
		pattern_fill(b->p, 100, t->key, 0);
		pattern_fill(b->p + 1024, 50, t->key + 1, 0);
	} else {
		link_recv(l, 1, sge, 3);
	}
	test_sync(t);
	if (t->client)
		link_send(l, 1, sge, 3);
	cq_expect(t, l->scq, 1, IBV_WC_SUCCESS, NULL);
	if (!t->client) {
		pattern_check(t, b->p, 100, t->key, "first piece");
		guard_check(t, b->p + 100, 1024 - 100, "between the pieces");
		pattern_check(t, b->p + 1024, 50, t->key + 1, "last piece");
		guard_check(t, b->p + 1074, 4096 - 1074, "after the last piece");
	}
}

const struct suite_case rc_data_cases[] = {
	{ "rc_send", run_sizes, "SEND, all sizes and offsets", &op_send },
	{ "rc_send_imm", run_sizes, "SEND_WITH_IMM, all sizes and offsets", &op_send_imm },
	{ "rc_write", run_sizes, "WRITE, all sizes and offsets", &op_write },
	{ "rc_write_imm", run_sizes, "WRITE_WITH_IMM, all sizes and offsets", &op_write_imm },
	{ "rc_read", run_sizes, "READ, all sizes and offsets", &op_read },
	{ "rc_send_sge", run_sge, "SEND, 1 to all SGEs at both ends", &op_send },
	{ "rc_write_sge", run_sge, "WRITE, 1 to all SGEs", &op_write },
	{ "rc_read_sge", run_sge, "READ, 1 to all SGEs", &op_read },
	{ "rc_recv_slack", run_slack, "receive requests longer than the message", NULL },
	{ "rc_mix", run_mix, "random operations both ways at once", NULL },
	{ "rc_many_qps", run_many, "four QPs between the same two sides", NULL },
	{ "rc_zero", run_zero, "no bytes: keys and addresses do not matter", NULL },
	{ "rc_zero_sge", run_zero_sge, "an SGE of no bytes between two others", NULL },
	{ }
};
