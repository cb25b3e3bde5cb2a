/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef STORM_RNG_H
#define STORM_RNG_H

#include "types.h"

/* Random numbers that a seed repeats (splitmix64). One for each thread: no lock. */
struct rng {
	u64 state;
};

static inline u64 rng_next(struct rng *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Streams of one seed have nothing in common */
static inline void rng_init(struct rng *r, u64 seed, u64 stream)
{
	r->state = seed;
	r->state = rng_next(r) + stream;
	r->state = rng_next(r);
}

/* 0 to @n - 1 */
static inline u32 rng_below(struct rng *r, u32 n)
{
	return (rng_next(r) >> 32) * n >> 32;
}

static inline bool rng_percent(struct rng *r, u32 percent)
{
	return rng_below(r, 100) < percent;
}

#endif
