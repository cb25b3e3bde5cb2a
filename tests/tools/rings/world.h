/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_WORLD_H
#define RINGS_WORLD_H

#include "sentinel.h"
#include "side.h"

/* What a command can name */
enum object_kind {
	OBJECT_NONE,
	OBJECT_PD,
	OBJECT_CQ,
	OBJECT_QP,
	OBJECT_SRQ,
	OBJECT_MR,
	OBJECT_MW,
	OBJECT_AH,
	OBJECT_DM,
	OBJECT_KINDS,
};

#define POOL_SIZE	12

/* Handles of objects that the fuzzers made, and perhaps destroyed again; the oldest is forgotten */
struct pool {
	u32 handles[POOL_SIZE];
	u32 count;
};

/* In memory shared by all rounds */
struct tally {
	u64 operations;
	u64 requests, receives, indices, commands, ioctls, mappings, changes, processes;
	u64 accepted;		/* commands and ioctls that the kernel took */
	u64 completions;	/* without error */
	u64 errors;		/* completions with an error */
	u64 flips;
	u32 failures;
	bool leaving;		/* the process of this round means to die */
};

#define LEDGER_SIZE	4096

/*
 * How requests may complete, to tell success that must not be from success that may.  A name that
 * is not noted is of a sound request.
 */
struct ledger {
	struct {
		u32 name;
		u8 due;		/* DUE_ANY, or the status of a request with a fault */
		bool noted;
	} notes[LEDGER_SIZE];
	u32 next;		/* the first name that has not completed */
};

#define DUE_ANY		0xff

/*
 * All that one round of the attack has: it is made from a seed, lives in a process of its own, and
 * ends with it.  In a tame round requests are wrong but indices are right, so that completions
 * can be checked; in a wild one anything goes.
 */
struct world {
	struct side sides[2];
	struct sandbox sandbox;
	struct foreign foreign;
	struct ledger sent[2][LANES], received[2][LANES];
	struct pool pools[2][OBJECT_KINDS];
	struct tally *tally;
	u64 seed;
	u32 round;
	bool wild;
};

/* What can be done, and how often: returns the number of operations */
struct attack {
	const char *name;
	u32 tame, wild;		/* weights */
	u32 (*run)(struct world *w, struct random *r);
};

extern const struct attack attacks[];
extern const u32 attack_count;

u32 attack_send(struct world *w, struct random *r);
u32 attack_receive(struct world *w, struct random *r);
u32 attack_index(struct world *w, struct random *r);
u32 attack_state(struct world *w, struct random *r);
u32 attack_keys(struct world *w, struct random *r);
u32 attack_groups(struct world *w, struct random *r);
u32 attack_resize(struct world *w, struct random *r);
u32 attack_events(struct world *w, struct random *r);
u32 attack_command(struct world *w, struct random *r);
u32 attack_ioctl(struct world *w, struct random *r);
u32 attack_mapping(struct world *w, struct random *r);
u32 attack_doorbell(struct world *w, struct random *r);
u32 attack_process(struct world *w, struct random *r);

/* Every command and method once with every length that a part of it may have */
void sweep_commands(struct world *w, struct random *r);
void sweep_methods(struct world *w, struct random *r);

/* 0 or a negative errno */
int world_open(struct world *w, const char *const *devices);
/* Counts as failures what must not have changed */
void world_check(struct world *w);
void world_close(struct world *w);

/* Polls all that is there, and checks it in a tame round */
void world_poll(struct world *w);
void ledger_note(struct ledger *l, u32 name, u8 due);
/* Brings a lane that is not in RTS back there, with new queues where the old ones are broken */
void world_repair(struct world *w, struct random *r, enum lane_kind kind);
void world_fail(struct world *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

u32 world_handle(struct world *w, struct random *r, u32 side, enum object_kind kind);
void world_made(struct world *w, u32 side, enum object_kind kind, u32 handle);

#endif
