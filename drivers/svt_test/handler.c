// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: what may be made and destroyed inside completion handlers. They are called when nothing is
 * locked: address handles go and come in any context, QPs where the context may sleep. See rally.c
 * for polling and posting.
 */
#include <linux/slab.h>

#include "client.h"

#define KT_HANDLES	200
#define KT_UNFINISHED	16
#define KT_POSTS	1000

/* Of one end; used by the handler of its send CQ, which runs once at a time */
struct kt_sender {
	struct kt_end *end;
	struct ib_cqe sent;
	unsigned int left;
	int status;		/* of what failed first */
	struct completion over;
};

static int kt_sender_post(struct kt_sender *sender)
{
	struct kt_end *end = sender->end;
	struct ib_sge sge;
	struct ib_ud_wr ud = {
		.wr = {
			.wr_cqe = &sender->sent,
			.sg_list = &sge,
			.opcode = IB_WR_SEND,
			.send_flags = IB_SEND_SIGNALED,
		},
		.ah = end->ah,
		.remote_qpn = end->peer->qp->qp_num,
		.remote_qkey = KT_QKEY,
	};

	ud.wr.num_sge = kt_sges(end, &sge, 0, 64, 1);
	return ib_post_send(end->qp, &ud.wr, NULL);
}

static int kt_exchange_ah(struct kt_end *end)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_ROCE };
	struct ib_ah *ah;

	rdma_ah_set_port_num(&attr, KT_PORT);
	rdma_ah_set_grh(&attr, &end->peer->gid, 0, end->gid_index, 64, 0);
	ah = rdma_create_ah(end->pd, &attr, 0);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	swap(ah, end->ah);
	rdma_destroy_ah(ah, 0);
	return 0;
}

static void kt_sent(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kt_sender *sender = container_of(wc->wr_cqe, struct kt_sender, sent);

	sender->status = wc->status == IB_WC_SUCCESS ? kt_exchange_ah(sender->end) : wc->status;
	if (!sender->status && --sender->left)
		sender->status = kt_sender_post(sender);
	if (sender->status || !sender->left)
		complete(&sender->over);
}

static int kt_case_exchange_ah(struct kt_pair *pair)
{
	struct kt_sender *sender = kzalloc(sizeof(*sender), GFP_KERNEL);
	int ret;

	if (!sender)
		return kt_fail(pair, "no memory");
	pair->private = sender;
	sender->end = &pair->end[0];
	sender->sent.done = kt_sent;
	sender->left = KT_HANDLES;
	init_completion(&sender->over);
	ret = kt_sender_post(sender);
	if (ret)
		return kt_fail(pair, "post: %d", ret);
	ret = kt_wait(pair, &sender->over, "the last send");
	if (ret)
		return ret;
	return sender->status ? kt_fail(pair, "status %d", sender->status) : 0;
}

/*
 * Who receives the message destroys both QPs, with work in their queues, and while the one that
 * sent it may not have returned from ib_post_send() yet.
 */
struct kt_destroyer {
	struct kt_pair *pair;
	struct ib_cqe received;
	bool begun;
	struct completion over;
};

static void kt_destroy_both(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kt_destroyer *destroyer = container_of(wc->wr_cqe, struct kt_destroyer, received);

	/* Those behind it may be flushed before they are forgotten */
	if (destroyer->begun)
		return;
	destroyer->begun = true;
	kt_destroy_qp(&destroyer->pair->end[1]);
	kt_destroy_qp(&destroyer->pair->end[0]);
	complete(&destroyer->over);
}

static int kt_leave_receives(struct kt_destroyer *destroyer)
{
	struct kt_end *end = &destroyer->pair->end[1];
	struct ib_sge sge;
	struct ib_recv_wr wr = { .wr_cqe = &destroyer->received, .sg_list = &sge };
	unsigned int i;
	int ret = 0;

	wr.num_sge = kt_sges(end, &sge, 0, 5000, 1);
	for (i = 0; i < KT_UNFINISHED && !ret; i++)
		ret = ib_post_recv(end->qp, &wr, NULL);
	return ret ? kt_fail(end->pair, "post of a receive: %d", ret) : 0;
}

static int kt_case_destroy_in_handler(struct kt_pair *pair)
{
	struct kt_destroyer *destroyer = kzalloc(sizeof(*destroyer), GFP_KERNEL);
	struct kt_request request = { .opcode = IB_WR_SEND, .length = 5000 };
	unsigned int i;
	int ret;

	if (!destroyer)
		return kt_fail(pair, "no memory");
	pair->private = destroyer;
	destroyer->pair = pair;
	destroyer->received.done = kt_destroy_both;
	init_completion(&destroyer->over);
	ret = kt_leave_receives(destroyer);
	for (i = 0; i < KT_UNFINISHED && !ret; i++)
		if (!kt_recv(&pair->end[0], 0, 64, 1))
			ret = -EPROTO;
	if (!ret && !kt_send(&pair->end[0], &request))
		ret = -EPROTO;
	return ret ?: kt_wait(pair, &destroyer->over, "the message");
}

/*
 * A client that posts as long as it has buffers, and gets them back in its handler, as cifs does.
 * Once the QP is in ERR it never ends if handlers run within each post, or between any two.
 */
struct kt_buffers {
	struct ib_cqe back;
	atomic_t free;
};

static void kt_give_back(struct ib_cq *cq, struct ib_wc *wc)
{
	atomic_inc(&container_of(wc->wr_cqe, struct kt_buffers, back)->free);
}

static int kt_post_receive(struct kt_end *end, struct ib_cqe *cqe)
{
	struct ib_recv_wr wr = { .wr_cqe = cqe };

	return ib_post_recv(end->qp, &wr, NULL);
}

static int kt_post_write(struct kt_end *end, struct ib_cqe *cqe)
{
	struct ib_rdma_wr wr = {
		.wr.wr_cqe = cqe,
		.wr.opcode = IB_WR_RDMA_WRITE,
		.wr.send_flags = IB_SEND_SIGNALED,
	};

	return ib_post_send(end->qp, &wr.wr, NULL);
}

static int kt_post_all(struct kt_pair *pair, int (*post)(struct kt_end *end, struct ib_cqe *cqe))
{
	struct kt_buffers *buffers = kzalloc(sizeof(*buffers), GFP_KERNEL);
	struct kt_end *end = &pair->end[0];
	unsigned int posted = 0;
	int ret;

	if (!buffers)
		return kt_fail(pair, "no memory");
	pair->private = buffers;
	buffers->back.done = kt_give_back;
	atomic_set(&buffers->free, KT_UNFINISHED);
	ret = kt_modify(end, IB_QPS_ERR);
	while (!ret && atomic_add_unless(&buffers->free, -1, 0)) {
		ret = post(end, &buffers->back);
		/* Whoever gives them back may run after each of the first posts */
		if (!ret && ++posted == KT_POSTS)
			return kt_fail(pair, "%u posts, and buffers are left", posted);
	}
	return ret ? kt_fail(pair, "post: %d", ret) : 0;
}

static int kt_case_post_all_receives(struct kt_pair *pair)
{
	return kt_post_all(pair, kt_post_receive);
}

static int kt_case_post_all_sends(struct kt_pair *pair)
{
	return kt_post_all(pair, kt_post_write);
}

const struct kt_case kt_handler_cases[] = {
	{ "post_all_receives_in_error", IB_QPT_RC, KT_EACH_POLL, kt_case_post_all_receives },
	{ "post_all_sends_in_error", IB_QPT_RC, KT_EACH_POLL, kt_case_post_all_sends },
	{ "ud_exchange_ah_in_handlers", IB_QPT_UD, KT_EACH_POLL, kt_case_exchange_ah },
	{ "destroy_in_handler", IB_QPT_RC, KT_RACE, kt_case_destroy_in_handler },
	{ }
};
