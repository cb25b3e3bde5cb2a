/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ERRNOS_H
#define ERRNOS_H

#include <infiniband/verbs.h>

#include "dev.h"

/* Objects that exist before a case, and have to be as they were after it. */
struct world {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_pd *other_pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;	/* everything of @buf is allowed */
	u8 *buf;		/* WORLD_BYTES, of whole pages */
	u8 *read_only;		/* a page */
	u8 *hole;		/* where nothing is mapped, behind a page of memory */
	struct ibv_qp *rc;	/* in RTS, connected to itself */
	struct ibv_qp *ud;	/* in RTS */
	struct ibv_qp *fresh;	/* RC, in RESET */
	struct ibv_qp *init;	/* RC, in INIT */
	struct ibv_qp *rtr;	/* RC, in RTR */
	struct ibv_ah *ah;
};

#define WORLD_BYTES	(1 << 16)
#define WORLD_WR	4
#define WORLD_SGE	2
#define WORLD_INLINE	64
/* For a completion, which comes soon */
#define LIMIT_MS	10000

/* How an argument of a call that is right is made wrong. */
enum change {
	AS_IT_IS,
	SET,			/* to @value */
	FLIP,			/* the bits of @value */
	ABOVE,			/* one more than the u32 at @value of ibv_device_attr */
};

struct spoil {
	enum change change;
	u16 at, size;		/* in the arguments of the call */
	u64 value;
};

/*
 * A call with one argument made wrong, and the errno that has to come of it; with none made wrong
 * @expected is 0.  @call fills in its arguments, spoils them, makes the call, undoes what it did,
 * and returns its errno.
 */
struct errno_case {
	const char *name;
	int (*call)(const struct world *w, const struct errno_case *c);
	int expected;
	struct spoil spoil;
};

#define FIELD(type, member)	offsetof(type, member), sizeof(((type *)NULL)->member)
#define IS(type, member, v)	{ SET, FIELD(type, member), (u64)(v) }
#define FLIPPED(type, member, v) { FLIP, FIELD(type, member), (u64)(v) }
#define BEYOND(type, member, limit) \
	{ ABOVE, FIELD(type, member), offsetof(struct ibv_device_attr, limit) }

void spoil(const struct world *w, const struct errno_case *c, void *arguments);

/* 0, or -1 with a line on stderr */
int world_open(struct world *w, const char *device);
struct ibv_qp *world_qp(const struct world *w, enum ibv_qp_type type);
/* The attributes by which @w->rc went to @state, and their mask */
int world_attr(const struct world *w, enum ibv_qp_state state, struct ibv_qp_attr *attr);

/* Each ends with an empty row. */
extern const struct errno_case memory_cases[];
extern const struct errno_case queue_cases[];
extern const struct errno_case qp_cases[];
extern const struct errno_case modify_cases[];
extern const struct errno_case address_cases[];
extern const struct errno_case post_cases[];
extern const struct errno_case domain_cases[];
extern const struct errno_case xrc_cases[];

#endif
