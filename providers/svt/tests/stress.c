// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads at both ends of the rings: nothing is lost, reordered or torn, and no wake-up is missed.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "fake.h"

#define REQUESTS	200000
#define POSTERS		2

/* The pretended kernel looks that often in vain before it goes to sleep */
#define PATIENCE	20

static sem_t doorbell;

static void wake(void)
{
	sem_post(&doorbell);
}

/* What a request with this wr_id carries, in each byte */
static uint8_t mark(uint64_t wr_id)
{
	return (uint8_t)(wr_id * 37 + (wr_id >> 32));
}

static void complete(const struct svt_send_wqe *wqe)
{
	const uint8_t *data = (const uint8_t *)wqe->sge;
	struct svt_cqe cqe = {
		.wr_id = wqe->wr_id,
		.byte_len = wqe->inline_length,
		.qp_num = 17,
		.status = IBV_WC_SUCCESS,
	};
	uint32_t i;

	for (i = 0; i < wqe->inline_length; i++)
		if (data[i] != mark(wqe->wr_id))
			cqe.status = IBV_WC_LOC_LEN_ERR;
	while (fake.cq.index - atomic_load_explicit(svt_ring_word(&fake.cq.control->consumer),
						    memory_order_acquire) >= fake.cq.info.entries)
		sched_yield();
	fake_complete(&fake.cq, &cqe);
}

static void *kernel(void *count)
{
	uint64_t left = *(uint64_t *)count;
	const struct svt_send_wqe *wqe;
	int patience = PATIENCE;

	while (left) {
		wqe = fake_take(&fake.sq);
		if (wqe) {
			complete(wqe);
			left--;
			patience = PATIENCE;
		} else if (patience--) {
			sched_yield();
		} else {
			if (fake_sleep(&fake.sq)) {
				sem_wait(&doorbell);
				fake_awake(&fake.sq);
			}
			patience = PATIENCE;
		}
	}
	fake_take(&fake.sq);
	return NULL;
}

struct poster {
	pthread_t thread;
	struct bench *bench;
	uint64_t number;
	bool batches;
	int err;
};

static int post_one(struct poster *poster, uint64_t wr_id)
{
	uint8_t data[64];
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = wr_id % sizeof(data) };
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_send_wr *bad_wr;

	memset(data, mark(wr_id), sizeof(data));
	return svt_post_send(poster->bench->qp, &wr, &bad_wr);
}

static int post_batch(struct poster *poster, uint64_t wr_id)
{
	struct ibv_qp_ex *qp = &to_svt_qp(poster->bench->qp)->verbs.qp_ex;
	uint8_t data[8];

	memset(data, mark(wr_id), sizeof(data));
	ibv_wr_start(qp);
	qp->wr_id = wr_id;
	qp->wr_flags = 0;
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, data, sizeof(data));
	return ibv_wr_complete(qp);
}

static void *post_all(void *argument)
{
	struct poster *poster = argument;
	uint64_t i;

	for (i = 0; i < REQUESTS; i++) {
		uint64_t wr_id = poster->number << 32 | i;
		int err;

		do {
			err = poster->batches ? post_batch(poster, wr_id) :
						post_one(poster, wr_id);
			if (err == ENOMEM)
				sched_yield();
		} while (err == ENOMEM);
		if (err)
			poster->err = err;
	}
	return NULL;
}

/* All requests of each poster, in its order; returns what went wrong, if anything */
static const char *poll_all(struct bench *bench, unsigned int posters)
{
	uint64_t next[POSTERS] = {};
	uint64_t left = (uint64_t)posters * REQUESTS;
	const char *wrong = NULL;
	struct ibv_wc wc[16];
	int i, count;

	while (left) {
		count = svt_poll_cq(bench->cq, 16, wc);
		if (!count)
			sched_yield();
		for (i = 0; i < count; i++, left--) {
			uint64_t poster = wc[i].wr_id >> 32;

			if (wc[i].status != IBV_WC_SUCCESS)
				wrong = "torn";
			if (poster >= posters || (uint32_t)wc[i].wr_id != next[poster]++)
				wrong = "lost or reordered";
		}
	}
	return wrong;
}

static void run(unsigned int posters, bool batches)
{
	const struct ibv_qp_cap cap = { .max_send_wr = 1000, .max_send_sge = 1,
					.max_inline_data = 64 };
	uint64_t count = (uint64_t)posters * REQUESTS;
	struct poster poster[POSTERS] = {};
	pthread_t kernel_thread;
	struct bench bench;
	const char *wrong;
	unsigned int i;

	assert_true(bench_open_with(&bench, svt_alloc_pd(fake_context()), IBV_QPT_RC, cap, 64));
	assert_int_equal(sem_init(&doorbell, 0, 0), 0);
	fake.on_doorbell = wake;
	assert_int_equal(pthread_create(&kernel_thread, NULL, kernel, &count), 0);
	for (i = 0; i < posters; i++) {
		poster[i].bench = &bench;
		poster[i].number = i;
		poster[i].batches = batches;
		assert_int_equal(pthread_create(&poster[i].thread, NULL, post_all, &poster[i]), 0);
	}
	wrong = poll_all(&bench, posters);
	for (i = 0; i < posters; i++) {
		pthread_join(poster[i].thread, NULL);
		assert_int_equal(poster[i].err, 0);
	}
	pthread_join(kernel_thread, NULL);
	if (wrong)
		fail_msg("%s", wrong);
	assert_in_range(fake.doorbells, 0, count);
	sem_destroy(&doorbell);
	bench_close(&bench);
}

static void one_poster(void **state)
{
	run(1, false);
}

static void two_posters(void **state)
{
	run(2, false);
}

static void two_posters_of_batches(void **state)
{
	run(2, true);
}

const struct CMUnitTest tests[] = {
	{ "stress: one thread posts", one_poster, fake_setup, NULL, NULL },
	{ "stress: two threads post", two_posters, fake_setup, NULL, NULL },
	{ "stress: two threads post by ibv_wr_*", two_posters_of_batches, fake_setup, NULL, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
