// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What posting refuses at once: full queues, requests that are no requests, wrong states.
 */
#include <errno.h>
#include <string.h>

#include "buf.h"
#include "link.h"
#include "res.h"
#include "tables.h"

#define POSTS_MAX	2000
#define REFILLS		5000

/* The client's SENDs wait, for the server has no receive request: the queue fills up. */
static struct link *open_blocked(struct test *t)
{
	struct link_opts o;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_new(t, 2 * POSTS_MAX);
	return link_open(t, &o);
}

static int try_send(struct link *l, u64 id)
{
	struct ibv_send_wr wr = wr_make(IBV_WR_SEND, id, NULL, 0);
	struct ibv_send_wr *bad = NULL;
	int ret = ibv_post_send(l->qp, &wr, &bad);

	if (ret && bad != &wr)
		test_fail(l->t, "bad_wr does not name the refused request");
	return ret;
}

/* The number of SENDs that fit. */
static u32 fill_sq(struct link *l, u32 first)
{
	u32 num = 0;
	int ret;

	while (num < POSTS_MAX) {
		ret = try_send(l, first + num);
		if (ret == ENOMEM)
			break;
		if (ret)
			test_fail(l->t, "a full queue refuses with %s, not ENOMEM", strerror(ret));
		num++;
	}
	if (num < l->granted.max_send_wr || num == POSTS_MAX)
		test_fail(l->t, "%u requests fit into a queue of %u", num, l->granted.max_send_wr);
	return num;
}

/* Both: the server receives @num empty messages, the client sees them complete in order. */
static void let_through(struct link *l, u32 first, u32 num)
{
	struct test *t = l->t;
	u32 i, posted = 0;

	test_exchange(t, &num, &i, sizeof(num));
	if (t->client) {
		for (i = 0; i < num; i++)
			cq_expect_ok(t, l->scq, first + i, IBV_WC_SEND);
		return;
	}
	num = i;
	for (i = 0; i < num; i++) {
		for (; posted < num && posted - i < l->cap.max_recv_wr; posted++)
			link_recv(l, posted, NULL, 0);
		cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
	}
}

static void run_full_sq(struct test *t)
{
	struct link *l = open_blocked(t);
	u32 round, num = 0, first = 0;

	for (round = 0; round < 3; round++) {
		if (t->client)
			num = fill_sq(l, first);
		let_through(l, first, num);
		first += num;
	}
}

/* Of a list that does not fit, the front is posted and bad_wr names the rest. */
static void run_list(struct test *t)
{
	struct link *l = open_blocked(t);
	struct ibv_send_wr *wr = res_alloc(t, POSTS_MAX * sizeof(*wr)), *bad = NULL;
	u32 i, num = 0;
	int ret;

	for (i = 0; i < POSTS_MAX; i++) {
		wr[i] = wr_make(IBV_WR_SEND, i, NULL, 0);
		wr[i].next = i + 1 < POSTS_MAX ? &wr[i + 1] : NULL;
	}
	if (t->client) {
		ret = ibv_post_send(l->qp, wr, &bad);
		if (ret != ENOMEM || !bad)
			test_fail(t, "a list too long gives %s", strerror(ret));
		num = bad - wr;
		if (num < l->granted.max_send_wr || num >= POSTS_MAX)
			test_fail(t, "bad_wr names request %u", num);
	}
	let_through(l, 0, num);
	if (t->client)
		cq_quiet(t, l->scq);
}

static int try_recv(struct test *t, struct link *l, u64 id)
{
	struct ibv_recv_wr wr = { .wr_id = id }, *bad = NULL;
	int ret = l->o.srq ? ibv_post_srq_recv(l->o.srq, &wr, &bad) :
			     ibv_post_recv(l->qp, &wr, &bad);

	if (ret && bad != &wr)
		test_fail(t, "bad_wr does not name the refused request");
	return ret;
}

/* The server fills its receive queue, or SRQ, the client uses it up, twice. */
static void run_full_rq(struct test *t)
{
	u32 round, i, num, theirs, want = 128;
	struct link_opts o;
	struct link *l;
	int ret;

	link_defaults(t, &o, IBV_QPT_RC);
	o.scq = cq_new(t, 2 * POSTS_MAX);
	if (t->c->arg)
		o.srq = res_srq(t, want, 1);
	l = link_open(t, &o);
	for (round = 0; round < 2; round++) {
		for (num = 0; !t->client && num < POSTS_MAX; num++) {
			ret = try_recv(t, l, num);
			if (ret == ENOMEM)
				break;
			if (ret)
				test_fail(t, "a full queue refuses with %s, not ENOMEM",
					  strerror(ret));
		}
		if (!t->client && (num < want || num == POSTS_MAX))
			test_fail(t, "%u requests fit into a queue of %u", num, want);
		test_exchange(t, &num, &theirs, sizeof(num));
		for (i = 0; t->client && i < theirs; i++) {
			link_send(l, i, NULL, 0);
			cq_expect_ok(t, l->scq, i, IBV_WC_SEND);
		}
		for (i = 0; i < num; i++)
			cq_expect_ok(t, l->rcq, i, IBV_WC_RECV);
	}
}

/* A completion that has been polled has freed its place: the next post finds it. */
static void run_refill(struct test *t)
{
	struct link *l = open_blocked(t);
	u32 posted, done = 0, room = l->granted.max_send_wr;
	int ret;

	for (posted = 0; t->client && posted < REFILLS; posted++) {
		struct ibv_send_wr wr = wr_rdma(IBV_WR_RDMA_WRITE, posted, NULL, 0, 0);
		struct ibv_send_wr *bad;

		if (posted - done == room) {
			cq_expect_ok(t, l->scq, done, IBV_WC_RDMA_WRITE);
			done++;
		}
		ret = ibv_post_send(l->qp, &wr, &bad);
		if (ret)
			test_fail(t, "post %u with %u of %u places in use: %s", posted,
				  posted - done, room, strerror(ret));
	}
	for (; done < posted; done++)
		cq_expect_ok(t, l->scq, done, IBV_WC_RDMA_WRITE);
}

/* After each refusal the QP works as before. */
static void still_works(struct link *l, u64 id)
{
	struct test *t = l->t;

	if (!t->client)
		link_recv(l, id, NULL, 0);
	test_sync(t);
	if (t->client)
		link_send(l, id, NULL, 0);
	cq_expect(t, l->scq, id, IBV_WC_SUCCESS, NULL);
}

static void refuse_send(struct link *l, struct ibv_send_wr *wr, const char *what)
{
	struct ibv_send_wr *bad = NULL;
	int ret = ibv_post_send(l->qp, wr, &bad);

	if (ret != EINVAL)
		test_fail(l->t, "%s: %s", what, ret ? strerror(ret) : "accepted");
	if (bad != wr)
		test_fail(l->t, "%s: bad_wr does not name it", what);
}

static void run_bad_send(struct test *t)
{
	struct link *l = link_open_rc(t);
	u32 num = l->granted.max_send_sge + 1;
	struct buf *b = buf_new(t, 65536, ACCESS_ALL);
	struct ibv_sge *sge = res_alloc(t, num * sizeof(*sge));
	struct ibv_send_wr wr;
	u32 i;

	for (i = 0; i < num; i++)
		sge[i] = buf_sge(b, i, 1);
	wr = wr_make(IBV_WR_SEND, 1, sge, num);
	refuse_send(l, &wr, "one SGE more than max_send_sge");
	still_works(l, 10);
	wr = wr_make(IBV_WR_SEND, 1, sge, -1);
	refuse_send(l, &wr, "num_sge of -1");
	still_works(l, 11);
	wr = wr_make(99, 1, sge, 1);
	refuse_send(l, &wr, "opcode 99");
	still_works(l, 12);
	sge[0].length = l->granted.max_inline_data + 1;
	wr = wr_make(IBV_WR_SEND, 1, sge, 1);
	wr.send_flags |= IBV_SEND_INLINE;
	refuse_send(l, &wr, "inline data longer than max_inline_data");
	still_works(l, 13);
	cq_quiet(t, l->scq);
}

static void run_bad_recv(struct test *t)
{
	struct link *l = link_open_rc(t);
	u32 num = l->granted.max_recv_sge + 1;
	struct ibv_sge *sge = res_alloc(t, num * sizeof(*sge));
	struct ibv_recv_wr wr = { .wr_id = 1, .sg_list = sge, .num_sge = num }, *bad = NULL;
	int ret = ibv_post_recv(l->qp, &wr, &bad);

	if (ret != EINVAL || bad != &wr)
		test_fail(t, "one SGE more than max_recv_sge: %s", ret ? strerror(ret) :
			  "accepted");
	wr.num_sge = -1;
	ret = ibv_post_recv(l->qp, &wr, &bad);
	if (ret != EINVAL)
		test_fail(t, "num_sge of -1: %s", ret ? strerror(ret) : "accepted");
	still_works(l, 10);
}

/* No SEND before RTS, no receive in RESET. */
static void run_state(struct test *t)
{
	struct ibv_recv_wr rwr = { .wr_id = 1 }, *rbad;
	struct link_opts o;
	struct link *l;

	link_defaults(t, &o, IBV_QPT_RC);
	l = link_create(t, &o);
	link_exchange(l);
	if (ibv_post_recv(l->qp, &rwr, &rbad) != EINVAL)
		test_fail(t, "a receive is accepted in RESET");
	if (try_send(l, 1) != EINVAL)
		test_fail(t, "a SEND is accepted in RESET");
	link_init(l);
	if (try_send(l, 1) != EINVAL)
		test_fail(t, "a SEND is accepted in INIT");
	if (ibv_post_recv(l->qp, &rwr, &rbad))
		test_fail(t, "a receive is refused in INIT");
	link_rtr(l);
	if (try_send(l, 1) != EINVAL)
		test_fail(t, "a SEND is accepted in RTR");
	link_rts(l);
	test_sync(t);
	link_send(l, 2, NULL, 0);
	test_sync(t);
	cq_next(t, l->scq, &(struct ibv_wc) { });
	cq_next(t, l->scq, &(struct ibv_wc) { });
	cq_quiet(t, l->scq);
}

const struct suite_case post_cases[] = {
	{ "post_full_sq", run_full_sq, "ENOMEM from a full send queue", NULL },
	{ "post_list", run_list, "bad_wr of a list that does not fit", NULL },
	{ "post_full_rq", run_full_rq, "ENOMEM from a full receive queue", NULL },
	{ "post_full_srq", run_full_rq, "ENOMEM from a full SRQ", ARG_YES },
	{ "post_refill", run_refill, "a polled completion has freed its place", NULL },
	{ "post_bad_send", run_bad_send, "EINVAL for sends that are none", NULL },
	{ "post_bad_recv", run_bad_recv, "EINVAL for receives that are none", NULL },
	{ "post_state", run_state, "EINVAL in a state that does not allow it", NULL },
	{ }
};
