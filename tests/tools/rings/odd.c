// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers and bits that are likely to be taken amiss.
 */
#include "odd.h"

u64 random_odd(struct random *r)
{
	switch (random_below(r, 5)) {
	case 0:
		return random_below(r, 40);
	case 1:
		return (1ULL << random_below(r, 64)) + random_below(r, 3) - 1;
	case 2:
		return -(u64)random_below(r, 40);
	case 3:
		return -random_below(r, 40);
	default:
		return random_u64(r);
	}
}

void random_flip(struct random *r, void *at, size_t bytes)
{
	u8 *p = at;

	if (bytes)
		__atomic_fetch_xor(&p[random_below(r, bytes)], 1 + random_below(r, 255),
				   __ATOMIC_RELAXED);
}
