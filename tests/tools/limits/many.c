// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Many RC QPs, half of them on each of two devices. QP i of one is connected to QP i of the other;
 * both send one message, of which each byte is looked at.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "completion.h"
#include "dev.h"
#include "limits.h"
#include "qpattr.h"

/* A message: its QP's index, so often */
#define WORDS		16
#define LENGTH		(WORDS * sizeof(u32))
/* Messages under way at a time */
#define LOT		256
/* Kernel memory of a QP beside its rings, on average */
#define MOST_BYTES	8192
#define LIMIT_MS	60000

struct side {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp **qps;
	u32 (*sent)[WORDS];	/* of each QP, and then: */
	u32 (*received)[WORDS];
};

static int open_side(struct side *s, const char *device, u32 count)
{
	if (dev_open(&s->dev, device, -1))
		return -1;
	s->qps = calloc(count, sizeof(*s->qps));
	s->sent = calloc(2 * count, LENGTH);
	if (!s->qps || !s->sent)
		return complain("buffers", ENOMEM);
	s->received = s->sent + count;
	s->pd = ibv_alloc_pd(s->dev.ctx);
	s->cq = ibv_create_cq(s->dev.ctx, 2 * LOT, NULL, NULL, 0);
	if (!s->pd || !s->cq)
		return complain("PD and CQ", errno);
	s->mr = ibv_reg_mr(s->pd, s->sent, 2 * count * LENGTH, IBV_ACCESS_LOCAL_WRITE);
	return s->mr ? 0 : complain("ibv_reg_mr", errno);
}

static int create_qps(struct side *s, u32 count)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .send_cq = s->cq, .recv_cq = s->cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	u32 i;

	for (i = 0; i < count; i++) {
		struct ibv_qp_init_attr attr = init;

		s->qps[i] = ibv_create_qp(s->pd, &attr);
		if (!s->qps[i])
			return complain("ibv_create_qp", errno);
	}
	return 0;
}

static int connect_qps(struct side *s, struct side *peer, u32 count)
{
	u32 i;
	int err;

	for (i = 0; i < count; i++) {
		err = qpattr_connect(s->qps[i], s->dev.gid_index, &peer->dev.gid,
				     peer->qps[i]->qp_num);
		if (err)
			return complain("to RTS", err);
	}
	return 0;
}

static int post(struct side *s, u32 i, bool send)
{
	struct ibv_sge sge = {
		(uintptr_t)(send ? s->sent[i] : s->received[i]), LENGTH, s->mr->lkey
	};
	struct ibv_recv_wr recv = { .wr_id = i, .sg_list = &sge, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND
	}, *bad;
	u32 word;
	int err;

	if (send)
		for (word = 0; word < WORDS; word++)
			s->sent[i][word] = i + 1;
	err = send ? ibv_post_send(s->qps[i], &wr, &bad) :
		     ibv_post_recv(s->qps[i], &recv, &bad_recv);
	return err ? complain(send ? "ibv_post_send" : "ibv_post_recv", err) : 0;
}

static int exchange(struct side sides[2], u32 from, u32 to)
{
	u32 i, k;

	for (i = from; i < to; i++)
		for (k = 0; k < 2; k++)
			if (post(&sides[k], i, false))
				return -1;
	for (i = from; i < to; i++)
		for (k = 0; k < 2; k++)
			if (post(&sides[k], i, true))
				return -1;
	for (k = 0; k < 2; k++)
		if (completion_reap(sides[k].cq, 2 * (to - from), LIMIT_MS))
			return -1;
	return 0;
}

static int exchange_all(struct side sides[2], u32 count)
{
	u32 i, word;

	for (i = 0; i < count; i += LOT)
		if (exchange(sides, i, min_u32(i + LOT, count)))
			return -1;
	for (i = 0; i < count; i++)
		for (word = 0; word < WORDS; word++)
			if (sides[0].received[i][word] != i + 1 ||
			    sides[1].received[i][word] != i + 1)
				return complain("contents of a message", EBADMSG);
	return 0;
}

static int destroy_qps(struct side *s, u32 count)
{
	u32 i;
	int err;

	for (i = 0; i < count; i++) {
		err = ibv_destroy_qp(s->qps[i]);
		if (err)
			return complain("ibv_destroy_qp", err);
	}
	return 0;
}

static void judge(const struct memory *before, const struct memory *with,
		  const struct memory *after, u32 count)
{
	s64 rings = with->rings - before->rings;
	s64 beside = with->kernel - before->kernel - rings;
	s64 left = after->kernel - before->kernel;

	suite_note("%u connected QPs: %lld bytes of kernel memory each, and %lld of rings", count,
		   (long long)beside / count, (long long)rings / count);
	suite_note("left behind by each: %lld bytes", (long long)left / count);
	CHECK(beside / count <= MOST_BYTES, "a QP takes more than %d bytes", MOST_BYTES);
	/* Slabs that are not full any more stay for a while */
	CHECK(left <= beside / 4, "that is too much");
}

static int come_and_go(struct side sides[2], u32 count, struct memory *with)
{
	u32 k;

	for (k = 0; k < 2; k++)
		if (create_qps(&sides[k], count))
			return -1;
	for (k = 0; k < 2; k++)
		if (connect_qps(&sides[k], &sides[!k], count))
			return -1;
	if (exchange_all(sides, count) || memory_read(with))
		return -1;
	return destroy_qps(&sides[0], count) ?: destroy_qps(&sides[1], count);
}

static void qps(struct test *t)
{
	static struct side sides[2];
	struct memory before, with, after;
	u32 half = t->count / 2;

	if (!t->devices[1])
		SKIP("only with a second device");
	if (open_side(&sides[0], t->devices[0], half) ||
	    open_side(&sides[1], t->devices[1], half) || memory_read(&before) ||
	    come_and_go(sides, half, &with) || memory_read(&after))
		return;
	judge(&before, &with, &after, 2 * half);
}

const struct suite_case many_cases[] = {
	{ "qps", qps, "so many connected QPs work, and take at most 8 KiB each" },
	{ }
};
