// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of the attacker, and what of it must not change.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"

/* Where no kernel puts anything. User-Mode Linux has half a TB */
#define ARENA_AT	0x2000000000ULL
#define ARENA_STEP	0x0100000000ULL
#define ARENA_LENGTH	(WORK_LENGTH + OTHER_LENGTH + FIXED_LENGTH + FREED_LENGTH + 5 * PAGE)
#define SANDBOX_AT	0x3000000000ULL
#define SCRATCH_AT	0x3100000000ULL
#define READ_ONLY_AT	0x3200000000ULL
#define HOLE_AT		0x3300000000ULL

static u8 *map_at(u64 address, u32 bytes, int prot)
{
	void *at = mmap((void *)address, bytes, prot,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static u64 pattern_word(const u8 *at, u64 salt)
{
	u64 z = (salt ^ (uintptr_t)at) * 0x9e3779b97f4a7c15ULL;

	return z ^ z >> 29;
}

void pattern_fill(u8 *at, u32 bytes, u64 salt)
{
	u32 i;

	for (i = 0; i < bytes; i += sizeof(u64))
		*(u64 *)(at + i) = pattern_word(at + i, salt);
}

const u8 *pattern_damage(const u8 *at, u32 bytes, u64 salt)
{
	u32 i;

	for (i = 0; i < bytes; i += sizeof(u64))
		if (*(const u64 *)(at + i) != pattern_word(at + i, salt))
			return at + i;
	return NULL;
}

int arena_map(struct arena *a, u32 number, u64 salt)
{
	a->base = map_at(ARENA_AT + number * ARENA_STEP, ARENA_LENGTH, PROT_READ | PROT_WRITE);
	if (!a->base)
		return -errno;
	a->work = a->base + PAGE;
	a->other = a->work + WORK_LENGTH + PAGE;
	a->fixed = a->other + OTHER_LENGTH + PAGE;
	a->freed = a->fixed + FIXED_LENGTH + PAGE;
	a->salt = salt;
	pattern_fill(a->base, ARENA_LENGTH, salt);
	return 0;
}

void arena_unmap(struct arena *a)
{
	if (a->base)
		munmap(a->base, ARENA_LENGTH);
	a->base = NULL;
}

/* A command may move the other region into the work's domain: what is there may change */
const u8 *arena_damage(const struct arena *a)
{
	const u8 *behind_other = a->other + OTHER_LENGTH;
	const u8 *found = pattern_damage(a->base, PAGE, a->salt);

	if (!found)
		found = pattern_damage(a->work + WORK_LENGTH, PAGE, a->salt);
	return found ? found : pattern_damage(behind_other, a->base + ARENA_LENGTH - behind_other,
					      a->salt);
}

int sandbox_map(struct sandbox *s)
{
	s->memory = map_at(SANDBOX_AT, SANDBOX_LENGTH, PROT_READ | PROT_WRITE);
	s->scratch = map_at(SCRATCH_AT, SCRATCH_LENGTH, PROT_READ | PROT_WRITE);
	s->read_only = map_at(READ_ONLY_AT, PAGE, PROT_READ);
	s->hole = (u8 *)HOLE_AT;
	return s->memory && s->scratch && s->read_only ? 0 : -ENOMEM;
}

void sandbox_unmap(struct sandbox *s)
{
	munmap(s->memory, SANDBOX_LENGTH);
	munmap(s->scratch, SCRATCH_LENGTH);
	munmap(s->read_only, PAGE);
}
