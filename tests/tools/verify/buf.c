// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Registered memory with patterns and guards: what proves that exactly the bytes of a message
 * arrived, where they belong, and nothing else changed.
 */
#include <string.h>

#include "buf.h"
#include "random.h"
#include "res.h"

#define GAP_MAX		16
#define TAIL_GUARD	64

struct buf *buf_new_in(struct test *t, struct ibv_pd *pd, size_t size, int access)
{
	struct buf *b = res_alloc(t, sizeof(*b));
	int i;

	b->size = size;
	b->p = res_map(t, size);
	memset(b->p, GUARD_BYTE, size);
	for (i = 0; i < 2; i++)
		b->mr[i] = res_mr(t, pd, b->p, size, access);
	return b;
}

struct buf *buf_new(struct test *t, size_t size, int access)
{
	return buf_new_in(t, t->pd, size, access);
}

struct ibv_sge buf_sge(const struct buf *b, size_t at, u32 len)
{
	struct ibv_sge sge = { (uintptr_t)b->p + at, len, b->mr[0]->lkey };

	return sge;
}

static u64 pattern_word(u64 key, size_t pos)
{
	return random_hash(key + pos / 8);
}

static u8 pattern_byte(u64 key, size_t pos)
{
	return pattern_word(key, pos) >> (8 * (pos % 8));
}

/* Whole words can be handled at once: positions are then multiples of 8. */
static bool whole_word(size_t pos, size_t left)
{
	return !(pos % 8) && left >= 8;
}

void pattern_fill(void *p, size_t len, u64 key, size_t pos)
{
	u8 *to = p;
	u64 word;
	size_t i;

	for (i = 0; i < len;) {
		if (whole_word(pos + i, len - i)) {
			word = pattern_word(key, pos + i);
			memcpy(to + i, &word, 8);
			i += 8;
		} else {
			to[i] = pattern_byte(key, pos + i);
			i++;
		}
	}
}

s64 pattern_find(const void *p, size_t len, u64 key, size_t pos)
{
	const u8 *from = p;
	size_t i = 0;
	u64 word;

	while (i < len) {
		if (whole_word(pos + i, len - i)) {
			word = pattern_word(key, pos + i);
			if (!memcmp(from + i, &word, 8)) {
				i += 8;
				continue;
			}
		}
		if (from[i] != pattern_byte(key, pos + i))
			return i;
		i++;
	}
	return -1;
}

static s64 guard_find(const u8 *p, size_t len)
{
	size_t i;

	if (!len || (p[0] == GUARD_BYTE && !memcmp(p, p + 1, len - 1)))
		return -1;
	for (i = 0; p[i] == GUARD_BYTE; i++)
		;
	return i;
}

void pattern_check(struct test *t, const void *p, size_t len, u64 key, const char *what)
{
	s64 at = pattern_find(p, len, key, 0);

	if (at >= 0)
		test_fail(t, "%s: byte %lld of %zu is wrong", what, (long long)at, len);
}

void guard_check(struct test *t, const void *p, size_t len, const char *what)
{
	s64 at = guard_find(p, len);

	if (at >= 0)
		test_fail(t, "%s: byte %lld of %zu was overwritten", what, (long long)at, len);
}

size_t vec_slot_size(u32 off, u32 len, u32 nsge)
{
	size_t body = (size_t)off + len + (size_t)nsge * GAP_MAX + TAIL_GUARD;

	return SLOT_GUARD + (body + SLOT_GUARD - 1) / SLOT_GUARD * SLOT_GUARD;
}

/* An odd length that leaves at least a byte for each of the other pieces. */
static u32 piece_len(u32 left, u32 pieces, u64 rnd)
{
	u32 share = left / pieces;

	return pieces == 1 ? left : 1 + 2 * (u32)(rnd % ((share + 1) / 2));
}

void vec_build(struct vec *v, const struct buf *b, size_t at, u32 off, u32 len, u32 nsge, u64 key)
{
	u64 addr = (uintptr_t)b->p + at + SLOT_GUARD + off;
	u32 i, piece, left = len;
	u64 rnd;

	v->slot = b->p + at;
	v->slot_size = vec_slot_size(off, len, nsge);
	v->nsge = min_u32(nsge, len);
	for (i = 0; i < v->nsge; i++) {
		rnd = random_hash(key ^ random_hash(i + 1));
		piece = piece_len(left, v->nsge - i, rnd >> 8);
		v->sge[i].addr = addr;
		v->sge[i].length = piece;
		v->sge[i].lkey = b->mr[i % 2]->lkey;
		addr += piece + 1 + rnd % GAP_MAX;
		left -= piece;
	}
}

static u8 *sge_mem(const struct ibv_sge *sge)
{
	return (u8 *)(uintptr_t)sge->addr;
}

void vec_wipe(const struct vec *v)
{
	memset(v->slot, GUARD_BYTE, v->slot_size);
}

void vec_fill(const struct vec *v, u64 key)
{
	size_t pos = 0;
	u32 i;

	for (i = 0; i < v->nsge; i++) {
		pattern_fill(sge_mem(&v->sge[i]), v->sge[i].length, key, pos);
		pos += v->sge[i].length;
	}
}

void vec_check(struct test *t, const struct vec *v, u32 len, u64 key, const char *what)
{
	const u8 *from = v->slot;
	size_t pos = 0;
	u32 i, part;
	s64 at;

	for (i = 0; i < v->nsge; i++) {
		const u8 *p = sge_mem(&v->sge[i]);

		guard_check(t, from, p - from, what);
		part = (u32)min_u64(v->sge[i].length, len - pos);
		at = pattern_find(p, part, key, pos);
		if (at >= 0)
			test_fail(t, "%s: byte %zu of %u is wrong (SGE %u of %u)", what,
				  pos + (size_t)at, len, i, v->nsge);
		pos += part;
		from = p + part;
	}
	guard_check(t, from, v->slot + v->slot_size - from, what);
}

void vec_check_some(struct test *t, const struct vec *v, u32 len, u64 key, const char *what)
{
	size_t pos = 0;
	s64 at = -1;
	u32 i, part;

	for (i = 0; i < v->nsge && at < 0; i++) {
		part = (u32)min_u64(v->sge[i].length, len - pos);
		at = pattern_find(sge_mem(&v->sge[i]), part, key, pos);
		pos += at < 0 ? part : (size_t)at;
	}
	vec_check(t, v, pos, key, what);
}
