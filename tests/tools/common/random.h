/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TOOLS_RANDOM_H
#define TOOLS_RANDOM_H

#include "types.h"

/* splitmix64: as good as its seed, and the same on every machine. No lock: one for each thread. */
struct random {
	u64 state;
};

/* The seed of a run that was given none: SVT_SEED, else by chance. Exits when it is no number. */
u64 random_seed(void);
/* Another sequence for each @index of a @seed. */
void random_start(struct random *r, u64 seed, u64 index);
u64 random_u64(struct random *r);
u32 random_u32(struct random *r);
/* 0 to @limit - 1; 0 when @limit is 0. */
u32 random_below(struct random *r, u32 limit);
/* @low to @high. */
u32 random_within(struct random *r, u32 low, u32 high);
/* True @percent times in a hundred. */
bool random_chance(struct random *r, u32 percent);
/* True once in @n times. */
bool random_one_in(struct random *r, u32 n);
void random_fill(struct random *r, void *at, size_t bytes);
/* What a sequence gives in state @x: a hash of it. */
u64 random_hash(u64 x);

#endif
