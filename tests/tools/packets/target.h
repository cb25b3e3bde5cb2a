/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_TARGET_H
#define PACKETS_TARGET_H

#include <infiniband/verbs.h>

#include "packet.h"

struct scene;

enum target_flag {
	TARGET_SRQ		= 1 << 0,
	TARGET_NO_RECEIVE	= 1 << 1,
	TARGET_SENDS		= 1 << 2,	/* has sends and writes that wait for an answer */
	TARGET_READS		= 1 << 3,
	TARGET_ATOMICS		= 1 << 4,
	TARGET_WINDOW		= 1 << 5,	/* has a memory window */
	TARGET_MULTICAST	= 1 << 6,
	TARGET_BYSTANDER	= 1 << 7,	/* of another peer: nothing may happen to it */
	TARGET_GSI		= 1 << 8,	/* QP 1, which is the kernel's */
};

#define TARGET_WAITS	(TARGET_SENDS | TARGET_READS | TARGET_ATOMICS)

/* A type of QP in a state, in which it is put again whenever it is found in another. */
struct target_kind {
	const char *name;
	enum ibv_qp_type type;
	enum ibv_qp_state state;
	u32 flags;
	u32 weight;	/* how often it is attacked */
};

/* A request of the victim that waits for an answer. */
struct request {
	enum ibv_wr_opcode opcode;
	u32 length;
	u32 psn;
	u32 packets;
};

#define TARGET_RECEIVES	6
#define TARGET_REQUESTS	4

struct target {
	const struct target_kind *kind;
	bool ipv6;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_xrcd *xrcd;
	u32 srq_number;		/* XRC */
	struct ibv_ah *ah;	/* UD */
	struct ibv_mw *window;
	bool window_gone;	/* was invalidated by a packet */
	u32 index;
	u32 qpn;
	u32 qkey;
	u32 peer_qpn;
	u32 mtu;
	u32 builds;
	/* Now */
	enum ibv_qp_state state;
	u32 epsn;		/* that it expects of its peer */
	u32 next_psn;		/* of its own */
	u32 first_psn;		/* that it expected when it was made */
	u32 receives;
	struct request requests[TARGET_REQUESTS];
	u32 request_count;
};

/* What came of the packets, by the completions of the targets. */
struct tally {
	u64 received;
	u64 answered;
	u64 refused;		/* receives and requests that ended in error */
	u64 rebuilt;
	u64 events;
};

/* Acknowledges what it gets, and expects a repeat of what is lost */
static inline bool target_reliable(const struct target *t)
{
	return t->kind->type == IBV_QPT_RC || t->kind->type == IBV_QPT_XRC_RECV;
}

extern const struct target_kind target_kinds[];
u32 target_kind_count(void);

/* All end the program with a line on stderr when a verb fails that has no reason to. */
void target_open(struct scene *s, struct target *t, const struct target_kind *kind, bool ipv6);
void target_close(struct scene *s, struct target *t);
/*
 * Look at its state and completions, put it back into the state that it is to have, with receives
 * and requests posted. False when a state changed that no packet may change.
 */
bool target_refresh(struct scene *s, struct target *t);
/* The first of these only. */
void target_look(struct scene *s, struct target *t);
bool target_unharmed(struct scene *s, struct target *t);

#endif
