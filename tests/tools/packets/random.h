/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_RANDOM_H
#define PACKETS_RANDOM_H

#include "types.h"

/* splitmix64: as good as its seed, and the same on every machine. */
struct random {
	u64 state;
};

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
void random_fill(struct random *r, u8 *bytes, u32 length);

#endif
