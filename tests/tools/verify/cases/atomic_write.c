// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ATOMIC WRITE: the values get where they belong, at once and in order, and nowhere else.
 */
#include <string.h>

#include "buf.h"
#include "flush.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define WORDS		8
#define STEPS		64
#define ROUNDS		512
#define TARGET_AT	4096
#define BUF_SIZE	12288

enum how {
	BY_SGE,
	BY_INLINE,
	BY_CALL,	/* ibv_wr_atomic_write() */
};

static struct link *open_link(struct test *t)
{
	struct link_opts o;

	if (!(t->dev->attr.device_cap_flags_ex & DEVICE_ATOMIC_WRITE))
		test_skip(t, "the device has no ATOMIC WRITE");
	link_defaults(t, &o, IBV_QPT_RC);
	if ((enum how)t->c->arg == BY_CALL) {
		o.extended = true;
		o.more_ops = IBV_QP_EX_WITH_ATOMIC_WRITE;
	}
	if ((enum how)t->c->arg == BY_INLINE)
		o.cap.max_inline_data = 8;
	return link_open(t, &o);
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

static void write_word(struct test *t, struct link *l, struct ibv_sge *sge, u64 wr_id, u64 addr,
		       u32 rkey)
{
	struct ibv_send_wr wr = wr_rdma(IBV_WR_ATOMIC_WRITE, wr_id, sge, addr, rkey);

	if ((enum how)t->c->arg == BY_INLINE)
		wr.send_flags |= IBV_SEND_INLINE;
	link_post(l, &wr);
}

/* Against a model of the memory */
static void run_values(struct test *t)
{
	struct buf *b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	struct link *l = open_link(t);
	u64 model[WORDS] = { 0 }, value;
	struct remote r;
	u32 i;

	memset(word_at(b, 0), 0, sizeof(model));
	share_target(t, b, &r);
	for (i = 0; i < STEPS; i++) {
		struct ibv_sge sge = buf_sge(b, 8 * (i % WORDS), 8);
		u32 word = test_rnd(t, i) % WORDS;

		value = test_rnd(t, 1000 + i);
		model[word] = value;
		if (!t->client)
			continue;
		memcpy(b->p + 8 * (i % WORDS), &value, 8);
		write_word(t, l, &sge, i, r.addr + 8 * word, r.rkey);
		cq_expect_ok(t, l->scq, i, IBV_WC_ATOMIC_WRITE);
	}
	test_sync(t);
	if (t->client)
		return;
	if (memcmp(word_at(b, 0), model, sizeof(model)))
		test_fail(t, "the words are not what was written");
	guard_check(t, b->p, TARGET_AT, "before the words");
	guard_check(t, b->p + TARGET_AT + sizeof(model), BUF_SIZE - TARGET_AT - sizeof(model),
		    "after the words");
}

static void write_rounds(struct test *t, struct link *l, struct buf *b, const struct remote *r)
{
	u32 posted = 0, done = 0;
	struct ibv_wc wc;

	while (done < ROUNDS) {
		while (posted < ROUNDS && posted - done < 16) {
			struct ibv_sge sge = buf_sge(b, 8 * (posted % 16), 8);
			u64 value = (u64)(posted + 1) << 32 | (posted + 1);

			memcpy(b->p + 8 * (posted % 16), &value, 8);
			write_word(t, l, &sge, posted, r->addr, r->rkey);
			posted++;
		}
		cq_next(t, l->scq, &wc);
		wc_check(t, &wc, done++, IBV_WC_SUCCESS);
	}
}

/* Each value has two halves that are equal: its reader never sees halves of two, or an older one */
static void run_whole(struct test *t)
{
	struct buf *b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	struct link *l = open_link(t);
	u64 value, last = 0;
	struct remote r;

	*word_at(b, 0) = 0;
	share_target(t, b, &r);
	if (t->client)
		write_rounds(t, l, b, &r);
	while (!t->client && !oob_pending(t->run->oob)) {
		value = __atomic_load_n(word_at(b, 0), __ATOMIC_ACQUIRE);
		if (value >> 32 != (value & UINT32_MAX) || value < last)
			test_fail(t, "the word was %#llx, and then %#llx",
				  (unsigned long long)last, (unsigned long long)value);
		last = value;
	}
	test_sync(t);
	if (!t->client && (*word_at(b, 0) & UINT32_MAX) != ROUNDS)
		test_fail(t, "the word is %#llx in the end",
			  (unsigned long long)*word_at(b, 0));
}

/* The peer refuses an address that is not a multiple of 8 */
static void run_unaligned(struct test *t)
{
	struct buf *b = buf_new(t, BUF_SIZE, ACCESS_ALL);
	struct link *l = open_link(t);
	struct ibv_sge sge = buf_sge(b, 0, 8);
	struct remote r;
	struct ibv_wc wc;

	share_target(t, b, &r);
	if (t->client) {
		write_word(t, l, &sge, 1, r.addr + 4, r.rkey);
		cq_next(t, l->scq, &wc);
		wc_check(t, &wc, 1, IBV_WC_REM_INV_REQ_ERR);
		link_expect_state(l, IBV_QPS_ERR);
	}
	test_sync(t);
	if (!t->client)
		guard_check(t, b->p, BUF_SIZE, "anywhere");
}

const struct suite_case atomic_write_cases[] = {
	{ "rc_atomic_write", run_values, "ATOMIC WRITE against a model", NULL },
	{ "rc_atomic_write_inline", run_values, "the same, its value inline",
	  (void *)BY_INLINE },
	{ "wr_atomic_write", run_values, "the same by ibv_wr_atomic_write", (void *)BY_CALL },
	{ "wr_atomic_write_whole", run_whole, "a reader never sees half of a value",
	  (void *)BY_CALL },
	{ "rc_atomic_write_unaligned", run_unaligned, "ATOMIC WRITE to an odd address", NULL },
	{ }
};
