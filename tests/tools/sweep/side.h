/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SWEEP_SIDE_H
#define SWEEP_SIDE_H

#include "dev.h"
#include "qpattr.h"

#define SIDE_BUFFER	(1U << 16)
#define SIDE_DEPTH	64

/*
 * One end of the wire: a device and what traffic needs there.  Functions return 0 or an errno, but
 * where it says otherwise.
 */
struct side {
	struct dev dev;
	u32 index;		/* as netlink has it */
	int gid_index_v6;
	union ibv_gid gid_v6;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	u8 *buffer;		/* SIDE_BUFFER bytes, all of @mr */
	struct ibv_qp *qp;	/* of the step under way, or NULL */
};

/* Return: 0, or -1 with a line on stderr. */
int side_open(struct side *s, const char *name);
void side_close(struct side *s);

/* @srq: or NULL */
void side_qp_attr(struct side *s, struct ibv_qp_init_attr *attr, enum ibv_qp_type type,
		  struct ibv_srq *srq);
int side_qp_create(struct side *s, enum ibv_qp_type type);
int side_qp_destroy(struct side *s);

/* The attributes that connect the QP of @s to that of @peer, which may be the same. */
void side_path(const struct side *s, const struct side *peer, struct qp_path *path);

/* To RTS, whatever the QP is at. */
int side_connect(struct side *s, const struct side *peer);
int side_modify(struct side *s, enum ibv_qp_state state, const struct qp_path *path);

/* @wr_id is what the completion is to say.  EIO: it failed, or it is of something else. */
int side_post(struct side *s, struct ibv_send_wr *wr, u64 wr_id);
int side_post_recv(struct side *s, u64 wr_id, u32 offset, u32 length);
int side_wait(struct side *s, u64 wr_id);
int side_wait_any(struct side *s, struct ibv_wc *wc);
int side_wait_status(struct side *s, u64 wr_id, enum ibv_wc_status *status);

void side_fill(struct side *s, u32 length, u32 seed);
bool side_holds(const struct side *s, u32 offset, u32 length, u32 seed);

#endif
