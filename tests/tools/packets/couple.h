/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_COUPLE_H
#define PACKETS_COUPLE_H

#include "scene.h"

#define COUPLE_OUT	4

/* One end of a couple. */
struct end {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
	u32 sends;		/* that are not completed */
	u32 receives;
};

/* A QP of the peer and one of the victim, that talk to each other and may be broken. */
struct couple {
	enum ibv_qp_type type;
	bool ipv6;
	struct end ends[2];	/* the peer's, the victim's */
	struct ibv_mr *mr;	/* the peer's memory */
	u8 *memory;
	u32 idle;		/* turns in which nothing was completed */
	u64 completed;
	u64 failed;
	u64 rebuilt;
};

void couple_open(struct scene *s, struct couple *c, enum ibv_qp_type type, bool ipv6);
void couple_close(struct couple *c);
/* Both post what there is room for; if one of them is broken, both begin anew. */
void couple_turn(struct scene *s, struct couple *c, struct random *r);
/* Of the victim: its number, and the PSN that it expects. */
u32 couple_qpn(const struct couple *c);
u32 couple_psn(const struct couple *c);

#endif
