/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_LIMITS_H
#define TOOLS_LIMITS_H

#include "dev.h"
#include "suite.h"
#include "types.h"

/* What the kernel has in use, in bytes. */
struct memory {
	s64 kernel;	/* all that is neither free nor a cache nor a process's */
	s64 rings;	/* mapped by this process from a verbs device: part of it */
};

/* Return: 0, or -1 as of complain(). */
int memory_read(struct memory *m);

struct test {
	const struct suite_case *c;
	const char *devices[2];	/* the second may be NULL */
	u32 count;		/* of QPs, or other objects */
	bool refused;		/* -r */
};

/* What objects are made of, and what they need. @depth: of queues; 0: 1 */
struct world {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	u8 page[4096];
	u32 depth;
};

/* Return: 0, or -1 as of complain(). It goes with the process. */
int world_open(struct world *w, const char *device);

/* A kind of objects. @make returns NULL, with errno, when it is refused */
struct kind {
	void *(*make)(struct world *w);
	int (*drop)(void *object);
};

extern const struct kind kind_pd, kind_ah, kind_cq, kind_largest_cq, kind_srq, kind_qp, kind_mr,
	kind_odp, kind_mw, kind_dm, kind_xrcd, kind_group;

extern const struct suite_case many_cases[];
extern const struct suite_case depth_cases[];
extern const struct suite_case fill_cases[];
extern const struct suite_case advice_cases[];

#endif
