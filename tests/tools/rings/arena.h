/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_ARENA_H
#define RINGS_ARENA_H

#include "types.h"

#define PAGE		4096u
#define WORK_LENGTH	(64 * PAGE)
#define OTHER_LENGTH	(2 * PAGE)
#define FIXED_LENGTH	(4 * PAGE)
#define FREED_LENGTH	(2 * PAGE)
#define SANDBOX_LENGTH	(64 * PAGE)
#define SCRATCH_LENGTH	(4 * PAGE)

/*
 * Memory of one side, at an address that no flip of a byte of another one leads to.  Between the
 * parts lies memory that nobody may touch.
 */
struct arena {
	u8 *base;
	u8 *work;		/* registered for everything */
	u8 *other;		/* likewise, in another protection domain */
	u8 *fixed;		/* registered for reading only: its contents never change */
	u8 *freed;		/* was registered once */
	u64 salt;		/* of the pattern in all that must not change */
};

/* @number: 0 or 1.  Return 0 or a negative errno. */
int arena_map(struct arena *a, u32 number, u64 salt);
void arena_unmap(struct arena *a);
/* The first byte that changed and should not have, or NULL */
const u8 *arena_damage(const struct arena *a);

/*
 * Memory for anything: commands of the fuzzers register the sandbox, build what they pass in
 * scratch, whose end is the end of what is mapped, and hand out read-only memory.
 */
struct sandbox {
	u8 *memory;
	u8 *scratch;
	u8 *read_only;
	u8 *hole;		/* not mapped */
};

int sandbox_map(struct sandbox *s);
void sandbox_unmap(struct sandbox *s);

void pattern_fill(u8 *at, u32 bytes, u64 salt);
const u8 *pattern_damage(const u8 *at, u32 bytes, u64 salt);

#endif
