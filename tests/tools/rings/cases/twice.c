// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A thread changes requests while the kernel reads them, between what is allowed and what would
 * write or read beyond an element: each is taken as the one or the other. A second look at the ring
 * behind the check would be seen by KASAN, or as a message of another length.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "case.h"

#define LENGTH	16
/* So many times the amount until something was raced with: two threads may rarely run at once */
#define PATIENCE	40

struct changer {
	pthread_t thread;
	const struct ring *ring;
	u32 rounds;		/* of changes, so far */
	bool stop;
};

/* From sound to wrong and back, one field at a time */
static void change(struct svt_send_wqe *wqe, u32 i)
{
	const u8 num_sge = i & 1 ? 255 : 1, opcode = i & 8 ? 255 : IB_UVERBS_WR_SEND;
	const u16 flags = SVT_SEND_SIGNALED | (i & 2 ? SVT_SEND_INLINE : 0);
	const u32 length = i & 4 ? UINT32_MAX : LENGTH;

	__atomic_store_n(&wqe->num_sge, num_sge, __ATOMIC_RELAXED);
	__atomic_store_n(&wqe->opcode, opcode, __ATOMIC_RELAXED);
	__atomic_store_n(&wqe->inline_length, length, __ATOMIC_RELAXED);
	__atomic_store_n(&wqe->flags, flags, __ATOMIC_RELAXED);
}

/* The element that is posted next, or was posted last */
static void *change_all(void *arg)
{
	struct changer *c = arg;
	u32 i;

	for (i = 0; !__atomic_load_n(&c->stop, __ATOMIC_RELAXED); i++) {
		u32 index = __atomic_load_n(&c->ring->index, __ATOMIC_RELAXED);

		change(ring_element(c->ring, index - (i >> 4 & 1)), i);
		__atomic_store_n(&c->rounds, i, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Until it is running: with little time to run in, it may be a while */
static void await_change(const struct changer *c)
{
	u32 rounds = __atomic_load_n(&c->rounds, __ATOMIC_RELAXED);

	while (__atomic_load_n(&c->rounds, __ATOMIC_RELAXED) == rounds)
		sched_yield();
}

/* Returns whether the request was taken as a sound one */
static bool one_request(struct draft *d)
{
	struct svt_cqe cqe;

	draft_plain(d, IB_UVERBS_WR_SEND, LENGTH);
	/* Written over what the thread has half changed, it may go out as an inline one */
	d->wqe.inline_length = LENGTH;
	draft_post(d);
	post_flush(d->near, d->lane, true);
	if (!poll_wait(&d->lane->send_cq, &cqe, 20000)) {
		FAIL("no completion");
		return false;
	}
	CHECK(!cqe.status || cqe.status == IBV_WC_LOC_QP_OP_ERR, "a request ends with %s",
	      ibv_wc_status_str(cqe.status));
	if (cqe.status)
		return false;
	if (!poll_wait(&d->far_lane->recv_cq, &cqe, 20000))
		FAIL("nothing arrived");
	else
		CHECK(!cqe.status && cqe.byte_len == LENGTH, "%u bytes arrived, %s",
		      cqe.byte_len, ibv_wc_status_str(cqe.status));
	post_receives(d->far, LANE_RC, 1);
	return true;
}

void case_read_twice(struct test *st)
{
	struct changer c = { .ring = &st->sides[0].lanes[LANE_RC].qp.sq };
	struct draft d;
	u32 i, taken = 0, most = st->amount * PATIENCE;
	bool raced = false;

	draft_begin(&d, &st->rng, st->sides, 0, LANE_RC, NULL);
	CHECK(!pthread_create(&c.thread, NULL, change_all, &c), "no thread");
	for (i = 0; i < (raced ? st->amount : most) && !suite_failures(); i++) {
		await_change(&c);
		if (one_request(&d))
			taken++;
		else
			reconnect(st, LANE_RC);
		raced = taken && taken <= i;
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
	pthread_join(c.thread, NULL);
	CHECK(raced, "%u of %u requests were taken: nothing was raced with", taken, i);
	reconnect(st, LANE_RC);
	check_lane(st, LANE_RC);
}
