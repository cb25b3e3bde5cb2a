/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_LINK_H
#define VERIFY_LINK_H

#include "cq.h"
#include "qpattr.h"
#include "test.h"

struct link;

typedef int (*link_post_fn)(struct link *l, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

struct link_opts {
	enum ibv_qp_type type;
	struct ibv_qp_cap cap;
	bool sig_all;
	bool extended;		/* with the ibv_wr_* interface, used by link_post() */
	u64 more_ops;		/* IBV_QP_EX_WITH_... on top of those of the QP type */
	struct ibv_srq *srq;
	struct cq *scq;		/* NULL: one of its own, large enough, for both queues */
	struct cq *rcq;		/* NULL: as @scq */
	struct qp_path path;	/* the peer's address is filled in later */
};

/* A QP of ours and its peer's on the other side. */
struct link {
	struct test *t;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct cq *scq;
	struct cq *rcq;
	struct ibv_qp_cap cap;	/* as asked for, inline as granted */
	struct ibv_qp_cap granted;
	struct link_opts o;
	struct qp_path path;
	link_post_fn post;
};

/* Depth 64 and 128, 1 SGE, no inline data. */
void link_defaults(struct test *t, struct link_opts *o, enum ibv_qp_type type);

/* Create in RESET; learn the peer's address; INIT; RTR; RTS.  link_open() does all of it. */
struct link *link_create(struct test *t, const struct link_opts *o);
void link_exchange(struct link *l);
void link_init(struct link *l);
void link_rtr(struct link *l);
void link_rts(struct link *l);
void link_connect(struct link *l);
struct link *link_open(struct test *t, const struct link_opts *o);
struct link *link_open_rc(struct test *t);

void link_modify(struct link *l, struct ibv_qp_attr *attr, int mask, const char *what);
void link_to_state(struct link *l, enum ibv_qp_state state);
enum ibv_qp_state link_state(struct link *l);
void link_expect_state(struct link *l, enum ibv_qp_state state);
int link_destroy(struct link *l);

/* Post one; a failure fails the test. */
void link_post(struct link *l, struct ibv_send_wr *wr);
void link_send(struct link *l, u64 wr_id, struct ibv_sge *sge, int nsge);
void link_recv(struct link *l, u64 wr_id, struct ibv_sge *sge, int nsge);

/* A signalled request for @opcode with the remote address, where it has one. */
struct ibv_send_wr wr_make(enum ibv_wr_opcode opcode, u64 wr_id, struct ibv_sge *sge, int nsge);
struct ibv_send_wr wr_rdma(enum ibv_wr_opcode opcode, u64 wr_id, struct ibv_sge *sge, u64 addr,
			   u32 rkey);

/* A memory region of the peer's. */
struct remote {
	u64 addr;
	u64 len;
	u32 rkey;
	u32 qpn;
};

#endif
