/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_CQ_H
#define VERIFY_CQ_H

#include "test.h"

struct cq {
	struct ibv_cq *ibv;
	struct ibv_comp_channel *chan;	/* or NULL */
	bool sleeps;			/* completions are waited for in the channel */
	bool armed;
};

/* Sleeps in a channel when the session runs with -e. */
struct cq *cq_new(struct test *t, u32 cqe);
/* Has a channel, which is the test's to use, and is polled. */
struct cq *cq_new_with_channel(struct test *t, u32 cqe);
/* A CQ made by other means, polled. */
struct cq *cq_wrap(struct test *t, struct ibv_cq *ibv);

/* The number of completions taken, at most @n; fails the test on an error of the poll. */
u32 cq_poll(struct test *t, struct cq *cq, struct ibv_wc *wc, u32 n);
/* One completion, within the time limit. */
void cq_next(struct test *t, struct cq *cq, struct ibv_wc *wc);
/* One completion, unless @limit passes. */
bool cq_until(struct test *t, struct cq *cq, struct ibv_wc *wc, u64 limit);
/* One for a message that takes long. */
void cq_next_slow(struct test *t, struct cq *cq, struct ibv_wc *wc);
/* One completion, if there is one within a short while. */
bool cq_try(struct test *t, struct cq *cq, struct ibv_wc *wc);
/* The next completion is that of @wr_id with @status. */
void cq_expect(struct test *t, struct cq *cq, u64 wr_id, enum ibv_wc_status status,
	       struct ibv_wc *wc);
void cq_expect_ok(struct test *t, struct cq *cq, u64 wr_id, enum ibv_wc_opcode opcode);
/* No completion for a while. */
void cq_quiet(struct test *t, struct cq *cq);
void wc_check(struct test *t, const struct ibv_wc *wc, u64 wr_id, enum ibv_wc_status status);

/* Channel: arm; an event within @ms (taken and acknowledged); an event must come, or must not. */
void cq_arm(struct test *t, struct cq *cq, bool solicited);
bool cq_event(struct test *t, struct cq *cq, u32 ms);
void cq_expect_event(struct test *t, struct cq *cq);
void cq_no_event(struct test *t, struct cq *cq);

#endif
