/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SWEEP_STEP_H
#define SWEEP_STEP_H

#include "side.h"

struct options {
	const char *dev;
	const char *peer;
	const char *spare;	/* a netdev without a device, for links */
	const char *modules;	/* the directory that they are installed in */
	u64 seed;
	u32 every;		/* of the points of slow steps */
	u32 rounds;		/* of steps with random faults */
	u32 huge;		/* MB of the largest region */
	bool plain;		/* no faults */
};

/* Where all steps work, and what the one under way has made. */
struct bench {
	const struct options *options;
	struct side here;	/* whose verbs are tried */
	struct side there;	/* the other end of the wire */
	struct ibv_device *device;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_dm *dm;
	struct ibv_mw *mw;
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel;
	struct ibv_srq *srq;
	struct ibv_ah *ah;
	u8 *memory;
	size_t mapped;		/* bytes of it */
	size_t length;		/* and those that are registered */
	int fd;
	u32 number;		/* the step's own */
};

/* An error that a call may return instead of ENOMEM. */
struct excuse {
	int err;
	const char *why;
};

enum step_flags {
	STEP_SURE = 1 << 0,	/* must succeed whatever fails */
	STEP_FRESH = 1 << 1,	/* a failed call spoils what was prepared for it */
	STEP_RANDOM = 1 << 2,	/* faults by chance, wherever svt allocates */
	STEP_ALONE = 1 << 3,	/* before any device, and without its counts */
	STEP_NONE = 1 << 4,	/* must not allocate anything */
};

/*
 * One call whose allocations fail one after the other.  All functions return 0 or an errno and may
 * be NULL, but for @call; only @call runs while allocations fail.  @intact looks, after a call that
 * failed, whether all is as before; @check, after one that succeeded, whether it did what it says.
 */
struct step {
	const char *name;
	u32 least;		/* allocations that have to be failed, or the sweep is none */
	u32 thin;		/* slow: one point of so many, times --every; 0: all */
	u32 flags;
	int (*prepare)(struct bench *b);
	int (*call)(struct bench *b);
	int (*intact)(struct bench *b);
	int (*check)(struct bench *b);
	int (*undo)(struct bench *b);
	int (*finish)(struct bench *b);
	const struct excuse *excuses;	/* ended by one without an error */
	const char *only;	/* function of the kernel below which allocations fail */
	const char *but;	/* and one below which they do not */
};

/* One table a subject, in steps/, each ended by a step without a name. */
extern const struct step device_steps[];
extern const struct step mr_steps[];
extern const struct step mw_steps[];
extern const struct step cq_steps[];
extern const struct step srq_steps[];
extern const struct step qp_steps[];
extern const struct step modify_steps[];
extern const struct step ah_steps[];
extern const struct step traffic_steps[];
extern const struct step netdev_steps[];
extern const struct step link_steps[];
extern const struct step module_steps[];

#endif
