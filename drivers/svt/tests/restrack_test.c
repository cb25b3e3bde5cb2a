// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What shows and queries a QP while it is destroyed, as an ib_core may that lacks
 * rdma_restrack_begin_del(). Its rings are so large that freeing them takes long enough for a
 * reader to run.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/rwsem.h>
#include <net/netlink.h>

#include "tests/fake.h"
#include "verbs/verbs.h"

#define ROUNDS	40

/**
 * struct shown_qp - a QP and who looks at it
 * @test: whose it is
 * @life: held for write while the QP is made, for read while it is looked at
 * @qp: QP
 * @made: it was, and may be destroyed by now
 * @looks: how often it looked
 */
struct shown_qp {
	struct kunit *test;
	struct rw_semaphore life;
	struct svt_qp qp;
	bool made;
	unsigned int looks;
};

static void look(struct shown_qp *shown)
{
	struct sk_buff *msg = nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr = {};

	if (!msg)
		return;
	KUNIT_EXPECT_EQ(shown->test, svt_fill_res_qp_entry(msg, &shown->qp.ibqp), 0);
	KUNIT_EXPECT_EQ(shown->test, svt_query_qp(&shown->qp.ibqp, &attr, 0, &init), 0);
	nlmsg_free(msg);
	shown->looks++;
}

static int looker(void *data)
{
	struct shown_qp *shown = data;

	while (!kthread_should_stop()) {
		down_read(&shown->life);
		if (shown->made)
			look(shown);
		up_read(&shown->life);
		cond_resched();
	}
	return 0;
}

/* Return: 0 or svt_create_qp()'s */
static int make(struct shown_qp *shown, struct svt_fake *fake, struct svt_qp *other)
{
	struct ib_qp_init_attr init = {
		.send_cq = &other->send_cq->ibcq,
		.recv_cq = &other->recv_cq->ibcq,
		.qp_type = IB_QPT_RC,
		.port_num = 1,
		.cap = {
			.max_send_wr = 1,
			.max_send_sge = 1,
			.max_recv_wr = SVT_MAX_QP_WR,
			.max_recv_sge = SVT_MAX_SGE,
		},
	};
	int ret;

	down_write(&shown->life);
	memset(&shown->qp, 0, sizeof(shown->qp));
	shown->qp.ibqp.device = &fake->dev.ibdev;
	shown->qp.ibqp.pd = &fake->pd;
	shown->qp.ibqp.qp_type = IB_QPT_RC;
	ret = svt_create_qp(&shown->qp.ibqp, &init, NULL);
	shown->made = !ret;
	up_write(&shown->life);
	KUNIT_EXPECT_EQ(shown->test, ret, 0);
	return ret;
}

static void a_qp_is_shown_while_it_is_destroyed(struct kunit *test)
{
	struct shown_qp *shown = kunit_kzalloc(test, sizeof(*shown), GFP_KERNEL);
	struct svt_fake *fake = test->priv;
	struct svt_qp *other = svt_fake_qp(fake, &SVT_FAKE_RC);
	struct task_struct *thread;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, shown);
	shown->test = test;
	init_rwsem(&shown->life);
	thread = kthread_run(looker, shown, "svt_looker");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	for (i = 0; i < ROUNDS && !make(shown, fake, other); i++)
		KUNIT_EXPECT_EQ(test, svt_destroy_qp(&shown->qp.ibqp, NULL), 0);
	kthread_stop(thread);
	KUNIT_EXPECT_GT(test, shown->looks, 0);
}

static int restrack_init(struct kunit *test)
{
	test->priv = svt_fake_create(test);
	return 0;
}

static void restrack_exit(struct kunit *test)
{
	svt_fake_destroy(test->priv);
}

static struct kunit_case restrack_cases[] = {
	KUNIT_CASE(a_qp_is_shown_while_it_is_destroyed),
	{}
};

static struct kunit_suite restrack_suite = {
	.name = "svt-restrack",
	.init = restrack_init,
	.exit = restrack_exit,
	.test_cases = restrack_cases,
};

kunit_test_suite(restrack_suite);
