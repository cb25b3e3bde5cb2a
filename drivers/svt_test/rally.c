// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: both ends answer each message from their completion handlers, in whatever context the CQ
 * calls them: posting and polling from there must work, and nothing may wait for somebody who waits
 * for it.
 * Not for UC: handlers post from several CPUs, whose packets may overtake each other, and then one
 * is lost for good.
 */
#include <linux/slab.h>

#include "client.h"

#define KT_RALLIES	400
#define KT_BALLS	4
#define KT_BALL_BYTES	1500

struct kt_rally;

struct kt_player {
	struct kt_rally *rally;
	struct kt_end *end;
	struct ib_cqe received;
	struct ib_cqe sent;
};

/* Each player runs in the handlers of its own CQs; what they share is atomic */
struct kt_rally {
	struct kt_player player[2];
	atomic_t left;
	atomic_t in_play;
	int status;		/* of the first completion that failed */
	struct completion over;
};

static void kt_rally_fail(struct kt_rally *rally, int status)
{
	cmpxchg(&rally->status, 0, status);
	complete(&rally->over);
}

static int kt_rally_recv(struct kt_player *player)
{
	struct ib_sge sge;
	struct ib_recv_wr wr = { .wr_cqe = &player->received, .sg_list = &sge };

	wr.num_sge = kt_sges(player->end, &sge, 0, KT_BALL_BYTES, 1);
	return ib_post_recv(player->end->qp, &wr, NULL);
}

static int kt_rally_send(struct kt_player *player)
{
	struct ib_sge sge;
	struct ib_send_wr wr = {
		.wr_cqe = &player->sent,
		.sg_list = &sge,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	wr.num_sge = kt_sges(player->end, &sge, KT_BALL_BYTES, KT_BALL_BYTES, 1);
	return ib_post_send(player->end->qp, &wr, NULL);
}

static void kt_ball_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kt_player *player = container_of(wc->wr_cqe, struct kt_player, sent);

	if (wc->status != IB_WC_SUCCESS)
		kt_rally_fail(player->rally, wc->status);
}

static void kt_ball_received(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kt_player *player = container_of(wc->wr_cqe, struct kt_player, received);
	struct kt_rally *rally = player->rally;
	int ret;

	if (wc->status != IB_WC_SUCCESS) {
		kt_rally_fail(rally, wc->status);
		return;
	}
	if (atomic_dec_return(&rally->left) < 0) {
		if (atomic_dec_and_test(&rally->in_play))
			complete(&rally->over);
		return;
	}
	ret = kt_rally_recv(player) ?: kt_rally_send(player);
	if (ret)
		kt_rally_fail(rally, ret);
}

static int kt_rally_start(struct kt_rally *rally)
{
	unsigned int i;
	int ret = 0;

	/* A ball may be at either player, and each may have all */
	for (i = 0; i < 4 * KT_BALLS && !ret; i++)
		ret = kt_rally_recv(&rally->player[i % 2]);
	for (i = 0; i < KT_BALLS && !ret; i++)
		ret = kt_rally_send(&rally->player[i % 2]);
	return ret;
}

static int kt_case_rally(struct kt_pair *pair)
{
	struct kt_rally *rally = kzalloc(sizeof(*rally), GFP_KERNEL);
	unsigned int i;
	int ret;

	if (!rally)
		return kt_fail(pair, "no memory");
	pair->private = rally;
	init_completion(&rally->over);
	atomic_set(&rally->left, KT_RALLIES);
	atomic_set(&rally->in_play, KT_BALLS);
	for (i = 0; i < 2; i++)
		rally->player[i] = (struct kt_player){
			.rally = rally,
			.end = &pair->end[i],
			.received.done = kt_ball_received,
			.sent.done = kt_ball_sent,
		};
	ret = kt_rally_start(rally);
	if (ret)
		return kt_fail(pair, "post: %d", ret);
	ret = kt_wait(pair, &rally->over, "the rally");
	if (ret)
		return ret;
	return rally->status ? kt_fail(pair, "status %d", rally->status) : 0;
}

/* As drivers do that have no ib_alloc_cq(): poll, arm, and poll again what came in between */
static void kt_drain(struct ib_cq *cq, void *context)
{
	struct ib_wc wc;

	atomic_inc(context);
	do {
		while (ib_poll_cq(cq, 1, &wc) == 1)
			wc.wr_cqe->done(cq, &wc);
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0);
}

/*
 * The handlers poll the CQ that calls them, on one CPU and on the other, while the waiting thread
 * polls it as well. A CQ that called with its lock held would wait for itself.
 */
static int kt_case_poll(struct kt_pair *pair)
{
	unsigned int i;
	int ret;

	for (i = 0; i < 4; i++) {
		struct ib_cq *cq = pair->end[i / 2].cq[i % 2];

		cq->comp_handler = kt_drain;
		if (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP))
			return kt_fail(pair, "a CQ cannot be armed");
	}
	ret = kt_case_rally(pair);
	for (i = 0; i < 4 && !ret; i++)
		if (!atomic_read(&pair->end[i / 2].cq_events[i % 2]))
			ret = kt_fail(pair, "a handler was never called");
	return ret;
}

const struct kt_case kt_rally_cases[] = {
	{ "rc_post_in_handlers", IB_QPT_RC, KT_EACH_POLL, kt_case_rally },
	{ "rc_poll_in_handlers", IB_QPT_RC, KT_RAW, kt_case_poll },
	{ }
};
