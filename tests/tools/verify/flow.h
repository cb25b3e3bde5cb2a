/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_FLOW_H
#define VERIFY_FLOW_H

#include "buf.h"
#include "link.h"
#include "roam.h"

/* What one operation does; the data tests are tables over these. */
struct op {
	const char *name;
	enum ibv_wr_opcode wr;
	enum ibv_wc_opcode wc;
	enum ibv_wc_opcode recv_wc;
	bool uses_recv;
	bool imm;
	bool inv;		/* takes a window of the peer's away */
	bool rdma;		/* names remote memory */
	bool pulls;		/* the data runs from the peer to the requester */
	bool atomic;		/* of 8 bytes: pulls, and leaves others behind */
	bool binds;		/* a window of the requester's own; no data */
};

extern const struct op op_send, op_send_imm, op_send_inv, op_write, op_write_imm, op_read;
extern const struct op op_cas, op_fadd, op_bind;

/*
 * One message.  It has a slot at the requester and one at the responder; which of them is the
 * source depends on the operation.
 */
struct xfer {
	const struct op *op;
	u32 len;
	u32 local_off, remote_off;
	u32 local_sge, remote_sge;	/* remote: of the receive request */
	u32 slack;			/* the receive request is longer by so much */
	bool inlined;
	bool fence;
	bool unsignalled;
	u32 rkey;		/* of a window, to take away or to reach for; 0: none */
	struct ibv_mw *mw;	/* to bind to all of @window */
	struct buf *window;

	/* filled in by plan_add() */
	size_t local_at, remote_at;
	u64 key;
};

/* The messages of one direction.  Both sides build the same plan. */
struct plan {
	struct test *t;
	u32 num, max, recvs;
	size_t local_size, remote_size;
	u64 key;
	struct roam *roam;	/* not NULL: each request is posted on another CPU than the last */
	struct xfer *x;
};

struct plan *plan_new(struct test *t, u32 max, u64 tag);
/* The same plan, empty. */
void plan_restart(struct plan *p, u64 tag);
void plan_add(struct plan *p, const struct xfer *template);

/*
 * Runs the requests of @out towards the peer and, at the same time, answers those of @in;
 * either may be NULL, the peer has them the other way round.  All data, guards and completions
 * are checked.  The link must be idle, and is left idle.
 */
void flow_run(struct link *l, struct plan *out, struct plan *in);

/* @plan as the requests of the client, or of the server. */
void flow_one_way(struct link *l, struct plan *plan, bool from_client);

/*
 * One direction in progress, for those who run several at a time.  A flow with @failure set may
 * fail, by @failure of the oldest request and by flushing of all behind it.
 */
struct flow {
	struct link *l;
	struct plan *plan;
	struct buf *buf;	/* NULL: as large as the plan needs it */
	struct remote remote;
	u32 posted, completed;	/* requests, at the requester */
	u32 received, next_recv; /* at the responder: how many, and the message awaited */
	u32 reached;		/* behind the last message received */
	enum ibv_wc_status failure;
	bool failed;
	u32 done;		/* at the requester that failed: requests before the one that did */
	u32 flushed;		/* at the responder: receive requests */
};

/* The memory and the receive requests of one side; where the peer finds its memory. */
void flow_prepare(struct flow *f, bool requester);
void flow_post_recvs(struct flow *f);
void flow_locate(const struct flow *f, struct remote *r);
/* The next request; whether one may be posted; whether all are done. */
void flow_post(struct flow *f);
bool flow_may_post(const struct flow *f);
bool flow_requests_open(const struct flow *f);
bool flow_recvs_open(const struct flow *f);
/* A completion of the QP, whose requests are @out and whose receive requests are @in. */
void flow_complete(struct flow *out, struct flow *in, const struct ibv_wc *wc);
/*
 * All memory of one side.  What the first @sure requests do is done; of the others any part from
 * the start may be, nothing outside of their targets, and an atomic as a whole or not at all.
 */
void flow_check(struct flow *f, bool requester, u32 sure);

#endif
