/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_SIDE_H
#define RINGS_SIDE_H

#include "arena.h"
#include "object.h"
#include "odd.h"

enum lane_kind {
	LANE_RC,
	LANE_RC_SRQ,
	LANE_UC,
	LANE_UD,
	LANES,
};

/*
 * A QP with queues of its own, so that what is broken is broken for it alone, connected to the
 * same lane of the other side.
 */
struct lane {
	struct cq send_cq, recv_cq;
	struct srq srq;		/* of LANE_RC_SRQ */
	struct qp qp;
	u32 sent;		/* work requests, ever; the count names the next one */
	u32 received;
	bool open;
};

/* Keys and handles that belong to somebody else */
struct foreign {
	u64 addr;
	u32 length;
	u32 lkey;
	u32 rkey;
	u32 ah;
	u32 qp_handle;
	u32 ud_qpn;
	u64 secret;		/* a word that its memory is full of, and no other */
};

/* What the attacker has on one device */
struct side {
	struct device dev;
	struct arena arena;
	struct mr work, fixed;
	struct mr other;	/* of another PD */
	struct mr freed;	/* is not registered any more */
	struct mw window[2];	/* of type 1 and 2 */
	struct ah ah;		/* of the other side */
	struct ah other_ah;	/* of another PD */
	struct ah freed_ah;
	struct lane lanes[LANES];
	struct qp_caps caps;
	u32 pd, other_pd;
	int channel;		/* for completion events of all CQs */
	u32 cq_entries;
	u32 qkey;
	int flush_access;	/* the right to flush, where the kernel has it */
	bool patient;		/* its QPs do not give up soon */
};

#define RECV_LENGTH	(8192 + 40)
#define SEND_LENGTH	8192

/* All return 0 or a negative errno */
int side_open(struct side *side, const char *device, u32 number, const struct qp_caps *caps,
	      u32 cq_entries, u64 salt);
int side_meet(struct side *side, const struct side *far);
void side_close(struct side *side);
int lane_open(struct side *side, enum lane_kind kind);
void lane_close(struct side *side, enum lane_kind kind);
/* Opens what is not open, and brings both ends to RTS with receives posted */
int lane_connect(struct side *sides, enum lane_kind kind);

struct ring *lane_recv_ring(struct lane *lane);
u32 lane_recv_sge(const struct lane *lane);

#endif
