// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers that replay: splitmix64.
 */
#include <string.h>

#include "rng.h"

struct rng rng_make(u64 seed, u64 part)
{
	struct rng r = { seed ^ (part + 1) * 0xd6e8feb86659fd93ULL };

	rng_next(&r);
	return r;
}

u64 rng_next(struct rng *r)
{
	u64 z;

	r->state += 0x9e3779b97f4a7c15ULL;
	z = r->state;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

u32 rng_below(struct rng *r, u32 limit)
{
	return (rng_next(r) >> 32) * limit >> 32;
}

bool rng_one_in(struct rng *r, u32 n)
{
	return !rng_below(r, n);
}

u64 rng_odd(struct rng *r)
{
	switch (rng_below(r, 5)) {
	case 0:
		return rng_below(r, 40);
	case 1:
		return (1ULL << rng_below(r, 64)) + rng_below(r, 3) - 1;
	case 2:
		return -(u64)rng_below(r, 40);
	case 3:
		return -rng_below(r, 40);
	default:
		return rng_next(r);
	}
}

void rng_fill(struct rng *r, void *to, size_t bytes)
{
	u8 *p = to;
	u64 word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) {
		word = rng_next(r);
		memcpy(p, &word, sizeof(word));
	}
	word = rng_next(r);
	memcpy(p, &word, bytes);
}

void rng_flip(struct rng *r, void *at, size_t bytes)
{
	u8 *p = at;

	if (bytes)
		__atomic_fetch_xor(&p[rng_below(r, bytes)], 1 + rng_below(r, 255),
				   __ATOMIC_RELAXED);
}
