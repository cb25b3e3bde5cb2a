// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers that a seed repeats.
 */
#include <string.h>

#include "random.h"

#define GOLDEN	0x9e3779b97f4a7c15ULL

static u64 mix(u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

void random_start(struct random *r, u64 seed, u64 index)
{
	r->state = mix(seed + GOLDEN) ^ mix(index * GOLDEN + 1);
}

u64 random_u64(struct random *r)
{
	r->state += GOLDEN;
	return mix(r->state);
}

u32 random_u32(struct random *r)
{
	return random_u64(r) >> 32;
}

u32 random_below(struct random *r, u32 limit)
{
	return (u64)random_u32(r) * limit >> 32;
}

u32 random_within(struct random *r, u32 low, u32 high)
{
	return low + random_below(r, high - low + 1);
}

bool random_chance(struct random *r, u32 percent)
{
	return random_below(r, 100) < percent;
}

void random_fill(struct random *r, u8 *bytes, u32 length)
{
	u64 word;

	for (; length >= sizeof(word); length -= sizeof(word)) {
		word = random_u64(r);
		memcpy(bytes, &word, sizeof(word));
		bytes += sizeof(word);
	}
	word = random_u64(r);
	memcpy(bytes, &word, length);
}
