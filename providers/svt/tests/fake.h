/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A kernel and a libibverbs that live in the test program: rings in a memory file, commands that
 * set them up, and the kernel's ends of them, which a test works by hand or in a thread.
 */
#ifndef SVT_FAKE_H
#define SVT_FAKE_H

#include <rdma/svt-abi.h>

#include "../cq.h"
#include "../pd.h"
#include "../qp.h"
#include "../srq.h"
#include "test.h"

/**
 * struct fake_ring - the kernel's end of a ring
 * @control: mapped a second time, as the provider has a mapping of its own
 * @elements: behind it
 * @info: what the provider was told
 * @index: the kernel's index
 */
struct fake_ring {
	struct svt_ring_control *control;
	uint8_t *elements;
	struct svt_ring_info info;
	uint32_t index;
};

/**
 * struct fake - what the provider did, and what it is to meet next
 * @sq: of the QP that was created last; @rq, @srq, @cq likewise
 * @doorbells: how often the doorbell was rung
 * @doorbell: the last one, when there is no @on_doorbell
 * @doorbell_errno: what it answers
 * @on_doorbell: called for each, by any thread; may be NULL
 * @qp_cap: what create QP answers with, if .max_send_wr is not 0
 * @break_info: make the next ring that is created one that makes no sense
 * @no_mappings: so many of the next calls of mmap() have no memory
 * @dm: what device memory is said to be
 * @qp_ex_shift: bytes by which the library's idea of verbs_qp.comp_mask is off
 */
struct fake {
	struct fake_ring sq;
	struct fake_ring rq;
	struct fake_ring srq;
	struct fake_ring cq;
	atomic_uint doorbells;
	struct svt_ioctl doorbell;
	int doorbell_errno;
	void (*on_doorbell)(void);
	struct ibv_qp_cap qp_cap;
	bool break_info;
	unsigned int no_mappings;
	struct svt_dm_info dm;
	size_t qp_ex_shift;
};

extern struct fake fake;

/* Begins a test: nothing was done yet, and nothing fails */
int fake_setup(void **state);
struct ibv_context *fake_context(void);
/* Commands that succeed and do nothing: the Makefile has their names */
int fake_nothing(void);

/* Kernel's ends */
uint32_t fake_pending(const struct fake_ring *ring);
const void *fake_take(struct fake_ring *ring);
void fake_complete(struct fake_ring *ring, const struct svt_cqe *cqe);
bool fake_sleep(const struct fake_ring *ring);
void fake_awake(const struct fake_ring *ring);

/* The request that the kernel finds next, in the send queue or in @ring: there has to be one */
const struct svt_send_wqe *fake_take_send(void);
const struct svt_recv_wqe *fake_take_recv(struct fake_ring *ring);

/**
 * struct bench - a PD, a CQ and a QP to try things with
 */
struct bench {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

/* With 4 sends of 2 entries or 64 bytes inline, 4 receives of 2 entries, and 8 completions */
bool bench_open(struct bench *bench, enum ibv_qp_type type);
bool bench_open_with(struct bench *bench, struct ibv_pd *pd, enum ibv_qp_type type,
		     struct ibv_qp_cap cap, int cqe);
void bench_close(struct bench *bench);

/* A test whose state is a bench with a QP of that type */
#define BENCH_TEST(test, function, type) { \
	.name = test, \
	.test_func = function, \
	.setup_func = bench_setup, \
	.teardown_func = bench_teardown, \
	.initial_state = (void *)(uintptr_t)(type), \
}

#define RC_TEST(test, function)	BENCH_TEST(test, function, IBV_QPT_RC)

int bench_setup(void **state);
int bench_teardown(void **state);

#endif
