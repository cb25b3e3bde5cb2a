// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Random numbers that a seed repeats, and the seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "number.h"
#include "random.h"

#define GOLDEN	0x9e3779b97f4a7c15ULL

u64 random_seed(void)
{
	const char *text = getenv("SVT_SEED");
	u64 given;
	u32 seed;

	if (text && *text) {
		if (number_parse(text, UINT64_MAX, &given))
			return given;
		fprintf(stderr, "SVT_SEED is '%s': set it to a number below 2^64\n", text);
		exit(2);
	}
	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
		perror("no seed by chance, set SVT_SEED: getrandom");
		exit(2);
	}
	return seed;
}

static u64 mix(u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

u64 random_hash(u64 x)
{
	return mix(x + GOLDEN);
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

bool random_one_in(struct random *r, u32 n)
{
	return !random_below(r, n);
}

void random_fill(struct random *r, void *at, size_t bytes)
{
	u8 *p = at;
	u64 word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), p += sizeof(word)) {
		word = random_u64(r);
		memcpy(p, &word, sizeof(word));
	}
	word = random_u64(r);
	memcpy(p, &word, bytes);
}
