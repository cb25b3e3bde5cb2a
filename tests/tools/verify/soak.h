/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_SOAK_H
#define VERIFY_SOAK_H

#include "flow.h"

#define SOAK_QPS	3
#define SOAK_REQUESTS	24	/* of a QP and a direction in a round */
#define SOAK_SETS	2
#define SOAK_WINDOWS	2

/*
 * Rounds of requests of all kinds on several RC QPs, both ways at once.  Windows that are bound in
 * one round are written through and taken away by the peer in the next.
 */
struct soak_opts {
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
	enum ibv_wc_status failure;	/* what may end a QP; IBV_WC_SUCCESS: nothing */
	bool one_way;			/* requests of the client only */
	bool starve;			/* receive requests come by soak_feed() */
};

struct soak_link {
	struct link *l;
	struct plan *out_plan, *in_plan;
	struct buf *out_buf, *in_buf;
	struct flow out, in;
	struct remote remote;
	struct ibv_mw *mw[SOAK_SETS][SOAK_WINDOWS];
	u32 keys[SOAK_SETS][SOAK_WINDOWS];	/* of the peer's windows */
	u32 sure;		/* requests of the peer that it knows to be done */
	u64 started, ended;	/* in us: before the first request, when one had failed */
};

struct soak {
	struct test *t;
	struct soak_opts o;
	struct cq *cq;
	u32 round;
	u64 operations;		/* verified, of both sides */
	bool bound;		/* the last round bound windows */
	bool fed;
	bool failed;		/* a QP of this side in this round */
	bool peer_failed;
	struct soak_link link[SOAK_QPS];
};

struct soak *soak_open(struct test *t, const struct soak_opts *o);
/* A round in its parts: requests are on their way; receive requests; all is over, and verified. */
void soak_start(struct soak *s);
void soak_feed(struct soak *s);
void soak_finish(struct soak *s);
void soak_round(struct soak *s);
/* All QPs by RESET to RTS again, with other attributes; new windows. */
void soak_again(struct soak *s, const struct soak_opts *o);

/* The requests of a round, as both sides make them. */
struct soak_windows {
	const u32 *reach;	/* keys of the responder's windows, NULL: none is bound */
	struct ibv_mw **bind;	/* windows of the requester to bind, NULL at the responder */
	struct buf *over;	/* what they are bound to */
};

void soak_plan(struct plan *p, u64 tag, const struct soak_windows *w);

#endif
