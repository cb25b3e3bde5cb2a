// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Atomic operations: the values that they return, what they leave in memory, and that they are
 * atomic towards each other and, where the device says so, towards the CPU.
 */
#include <endian.h>
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define WORDS		8
#define STEPS		64
#define ADDS		512
#define TARGET_AT	4096
#define BUF_SIZE	12288

static void need_atomics(struct test *t)
{
	if (t->dev->attr.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		test_skip(t, "the device has no atomics");
}

static u64 *word_at(struct buf *b, u32 i)
{
	return (u64 *)(b->p + TARGET_AT) + i;
}

static void share_target(struct test *t, struct buf *b, struct remote *r)
{
	struct remote mine = {
		.addr = (uintptr_t)word_at(b, 0),
		.rkey = b->mr[0]->rkey,
	};

	test_exchange(t, &mine, r, sizeof(mine));
}

/* Step @i on word @w, whose value is @old: the request, and the value afterwards. */
static u64 make_step(struct test *t, u32 i, u64 old, struct ibv_send_wr *wr)
{
	u64 rnd = test_rnd(t, i);

	if (t->c->arg) {
		wr->wr.atomic.compare_add = i % 5 ? rnd : (u64)-1;
		return old + wr->wr.atomic.compare_add;
	}
	wr->wr.atomic.compare_add = i % 3 ? old : old ^ (1ull << (rnd % 64));
	wr->wr.atomic.swap = rnd;
	return i % 3 ? rnd : old;
}

/* One at a time, against a model of the memory. */
static void run_values(struct test *t)
{
	enum ibv_wr_opcode opcode = t->c->arg ? IBV_WR_ATOMIC_FETCH_AND_ADD :
						IBV_WR_ATOMIC_CMP_AND_SWP;
	u64 model[WORDS], old, got;
	struct remote r;
	struct link *l;
	struct buf *b;
	u32 i;

	need_atomics(t);
	b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	l = link_open_rc(t);
	for (i = 0; i < WORDS; i++)
		*word_at(b, i) = model[i] = test_rnd(t, 1000 + i);
	share_target(t, b, &r);
	for (i = 0; i < STEPS; i++) {
		struct ibv_sge sge = buf_sge(b, 8 * i, 8);
		struct ibv_send_wr wr = wr_rdma(opcode, i, &sge, r.addr + i % WORDS * 8, r.rkey);

		old = model[i % WORDS];
		model[i % WORDS] = make_step(t, i, old, &wr);
		if (!t->client)
			continue;
		link_post(l, &wr);
		cq_expect_ok(t, l->scq, i, t->c->arg ? IBV_WC_FETCH_ADD : IBV_WC_COMP_SWAP);
		memcpy(&got, b->p + 8 * i, 8);
		if (got != old)
			test_fail(t, "step %u returned %#llx, expected %#llx", i,
				  (unsigned long long)got, (unsigned long long)old);
		guard_check(t, b->p + 8 * (i + 1), 64, "after the result");
	}
	test_sync(t);
	if (!t->client) {
		if (memcmp(word_at(b, 0), model, sizeof(model)))
			test_fail(t, "the words are not what the operations leave");
		guard_check(t, b->p, TARGET_AT, "before the words");
		guard_check(t, b->p + TARGET_AT + sizeof(model),
			    BUF_SIZE - TARGET_AT - sizeof(model), "after the words");
	}
}

/* The eight bytes of the result go to two SGEs. */
static void run_split(struct test *t)
{
	struct ibv_sge sge[2];
	struct link_opts o;
	struct remote r;
	struct link *l;
	struct buf *b;
	u64 got;

	need_atomics(t);
	b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	link_defaults(t, &o, IBV_QPT_RC);
	o.cap.max_send_sge = 2;
	l = link_open(t, &o);
	*word_at(b, 0) = t->key;
	share_target(t, b, &r);
	if (!t->client)
		return;
	sge[0] = buf_sge(b, 1, 3);
	sge[1] = buf_sge(b, 100, 5);
	struct ibv_send_wr wr = wr_rdma(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, sge, r.addr, r.rkey);

	wr.num_sge = 2;
	wr.wr.atomic.compare_add = 1;
	link_post(l, &wr);
	cq_expect_ok(t, l->scq, 1, IBV_WC_FETCH_ADD);
	memcpy(&got, b->p + 1, 3);
	memcpy((u8 *)&got + 3, b->p + 100, 5);
	if (got != t->key)
		test_fail(t, "the parts make %#llx", (unsigned long long)got);
	guard_check(t, b->p + 4, 96, "between the parts");
}

struct adder {
	struct link *l;
	u32 posted, done;
};

static void add_some(struct adder *a, struct buf *b, u32 slot, const struct remote *r)
{
	while (a->posted < ADDS && a->posted - a->done < 16) {
		struct ibv_sge sge = buf_sge(b, 8 * (slot * 16 + a->posted % 16), 8);
		struct ibv_send_wr wr = wr_rdma(IBV_WR_ATOMIC_FETCH_AND_ADD, a->posted, &sge,
						r->addr, r->rkey);

		wr.wr.atomic.compare_add = 1;
		link_post(a->l, &wr);
		a->posted++;
	}
}

/* Every value is returned exactly once, and rises on each QP. */
static void take_some(struct test *t, struct adder *a, struct buf *b, u32 slot, u8 *seen,
		      u64 *last)
{
	struct ibv_wc wc;
	u64 got;

	if (a->done == ADDS || !cq_poll(t, a->l->scq, &wc, 1))
		return;
	wc_check(t, &wc, a->done, IBV_WC_SUCCESS);
	memcpy(&got, b->p + 8 * (slot * 16 + a->done % 16), 8);
	if (got >= 2 * ADDS || seen[got]++)
		test_fail(t, "value %#llx was returned twice", (unsigned long long)got);
	if (a->done && got <= *last)
		test_fail(t, "value %#llx came after %#llx", (unsigned long long)got,
			  (unsigned long long)*last);
	*last = got;
	a->done++;
}

static void run_two_qps(struct test *t)
{
	struct adder a[2] = { 0 };
	u64 last[2], limit;
	struct remote r;
	struct buf *b;
	u8 *seen;
	u32 i;

	need_atomics(t);
	b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	for (i = 0; i < 2; i++)
		a[i].l = link_open_rc(t);
	*word_at(b, 0) = 0;
	share_target(t, b, &r);
	seen = res_alloc(t, 2 * ADDS);
	limit = clock_limit(3 * LIMIT_EVENT_MS);
	while (t->client && (a[0].done < ADDS || a[1].done < ADDS)) {
		for (i = 0; i < 2; i++) {
			add_some(&a[i], b, i, &r);
			take_some(t, &a[i], b, i, seen, &last[i]);
		}
		if (clock_passed(limit))
			test_fail(t, "no completion in time");
	}
	test_sync(t);
	if (!t->client && *word_at(b, 0) != 2 * ADDS)
		test_fail(t, "the word is %llu, expected %u", (unsigned long long)*word_at(b, 0),
			  2 * ADDS);
}

/* The owner of the word adds to it by the CPU meanwhile. */
static void run_cpu(struct test *t)
{
	struct adder a = { 0 };
	struct ibv_wc wc;
	struct remote r;
	struct buf *b;
	u64 adds = 0, total;

	need_atomics(t);
	if (t->dev->attr.orig_attr.atomic_cap != IBV_ATOMIC_GLOB)
		test_skip(t, "the device's atomics do not include the CPU");
	b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	a.l = link_open_rc(t);
	*word_at(b, 0) = 0;
	share_target(t, b, &r);
	while (t->client && a.done < ADDS) {
		add_some(&a, b, 0, &r);
		cq_next(t, a.l->scq, &wc);
		wc_check(t, &wc, a.done++, IBV_WC_SUCCESS);
	}
	while (!t->client && !oob_pending(t->run->oob)) {
		__atomic_fetch_add(word_at(b, 0), 1ull << 32, __ATOMIC_SEQ_CST);
		adds++;
	}
	test_sync(t);
	if (t->client)
		return;
	total = *word_at(b, 0);
	if (total != (adds << 32) + ADDS)
		test_fail(t, "the word is %#llx after %llu and %u additions",
			  (unsigned long long)total, (unsigned long long)adds, ADDS);
}

const struct suite_case atomic_cases[] = {
	{ "rc_cas", run_values, "CMP_AND_SWP against a model", NULL },
	{ "rc_fadd", run_values, "FETCH_AND_ADD against a model", ARG_YES },
	{ "rc_atomic_sge", run_split, "an atomic's result in two SGEs", NULL },
	{ "rc_atomic_two_qps", run_two_qps, "two QPs adding to one word", NULL },
	{ "rc_atomic_cpu", run_cpu, "a QP and the CPU adding to one word", NULL },
	{ }
};
