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
	bool rdma;		/* names remote memory */
	bool pulls;		/* the data runs from the peer to the requester */
};

extern const struct op op_send, op_send_imm, op_write, op_write_imm, op_read;

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
void plan_add(struct plan *p, const struct xfer *template);

/*
 * Runs the requests of @out towards the peer and, at the same time, answers those of @in;
 * either may be NULL, the peer has them the other way round.  All data, guards and completions
 * are checked.  The link must be idle, and is left idle.
 */
void flow_run(struct link *l, struct plan *out, struct plan *in);

/* @plan as the requests of the client, or of the server. */
void flow_one_way(struct link *l, struct plan *plan, bool from_client);

#endif
