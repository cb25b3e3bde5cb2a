/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef RINGS_RNG_H
#define RINGS_RNG_H

#include "types.h"

/*
 * Numbers from a seed.  Each step of an attack has a generator of its own, so that what one step
 * draws does not depend on how the kernel answered to the steps before.
 */
struct rng {
	u64 state;
};

/* A generator for part @part of what @seed stands for */
struct rng rng_make(u64 seed, u64 part);
u64 rng_next(struct rng *r);
/* 0 to @limit - 1; 0 when @limit is 0 */
u32 rng_below(struct rng *r, u32 limit);
bool rng_one_in(struct rng *r, u32 n);
/* Small, near a power of two, near the end, or anything */
u64 rng_odd(struct rng *r);
void rng_fill(struct rng *r, void *to, size_t bytes);
/* Flips 1 to 8 bits of one byte */
void rng_flip(struct rng *r, void *at, size_t bytes);

#endif
