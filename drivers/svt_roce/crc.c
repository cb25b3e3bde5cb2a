// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The CRC32 of Ethernet, without its inversions, over bytes that come in pieces. The vector unit is
 * many times faster than the kernel's library, but takes whole blocks only (crc_vector.c); the
 * library adds what is left. All state is the caller's.
 */
#include <linux/crc32.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "crc.h"

/*
 * BH off until roce_crc_leave(). Do not allocate, free or lock in between: each may sleep on a
 * real-time kernel, and preemption is off. Return: @vector of the functions below.
 */
bool roce_crc_enter(void)
{
	return roce_vector_enter();
}

void roce_crc_leave(bool vector)
{
	if (vector)
		roce_vector_leave();
}

/* The register starts with ones. @length: at least ROCE_CRC_BLOCK */
void roce_crc_begin(struct roce_crc *crc, bool vector, const u8 *head, unsigned int length)
{
	unsigned int i;

	crc->vector = vector;
	crc->fill = 0;
	if (!vector) {
		crc->crc = crc32_le(~0U, head, length);
		return;
	}
	/* The ones of the register are added to the first four bytes */
	memcpy(crc->folded, head, ROCE_CRC_BLOCK);
	for (i = 0; i < 4; i++)
		crc->folded[i] ^= 0xff;
	roce_crc_update(crc, head + ROCE_CRC_BLOCK, length - ROCE_CRC_BLOCK);
}

/* Return: how many bytes at @from went into the block that was begun */
static unsigned int fill_block(struct roce_crc *crc, const u8 *from, unsigned int length)
{
	unsigned int part = min_t(unsigned int, length, ROCE_CRC_BLOCK - crc->fill);

	memcpy(crc->block + crc->fill, from, part);
	crc->fill += part;
	if (crc->fill == ROCE_CRC_BLOCK) {
		roce_vector_fold(crc->folded, crc->block, 1);
		crc->fill = 0;
	}
	return part;
}

void roce_crc_update(struct roce_crc *crc, const u8 *from, unsigned int length)
{
	unsigned int part;

	if (!crc->vector) {
		crc->crc = crc32_le(crc->crc, from, length);
		return;
	}
	if (crc->fill) {
		part = fill_block(crc, from, length);
		from += part;
		length -= part;
	}
	part = round_down(length, ROCE_CRC_BLOCK);
	if (part)
		roce_vector_fold(crc->folded, from, part / ROCE_CRC_BLOCK);
	if (part < length)
		fill_block(crc, from + part, length - part);
}

/* The bytes may change at @from meanwhile: the CRC is of those written to @to */
void roce_crc_copy(struct roce_crc *crc, u8 *to, const u8 *from, unsigned int length)
{
	unsigned int part;

	if (!crc->vector) {
		memcpy(to, from, length);
		crc->crc = crc32_le(crc->crc, to, length);
		return;
	}
	if (crc->fill) {
		part = min_t(unsigned int, length, ROCE_CRC_BLOCK - crc->fill);
		memcpy(to, from, part);
		fill_block(crc, to, part);
		to += part;
		from += part;
		length -= part;
	}
	part = round_down(length, ROCE_CRC_BLOCK);
	if (part)
		roce_vector_fold_copy(crc->folded, to, from, part / ROCE_CRC_BLOCK);
	if (part < length) {
		memcpy(to + part, from + part, length - part);
		fill_block(crc, to + part, length - part);
	}
}

/* Return: the register, not inverted */
u32 roce_crc_end(const struct roce_crc *crc)
{
	u32 folded;

	if (!crc->vector)
		return crc->crc;
	folded = roce_vector_reduce(crc->folded);
	return crc->fill ? crc32_le(folded, crc->block, crc->fill) : folded;
}

/* @head_length: at least ROCE_CRC_BLOCK; @to: as roce_crc_copy(), or NULL. Return: not inverted */
u32 roce_crc_whole(bool vector, const u8 *head, unsigned int head_length, u8 *to, const u8 *from,
		   unsigned int length)
{
	struct roce_crc crc;

	if (vector && !(head_length % ROCE_CRC_BLOCK) && !(length % ROCE_CRC_BLOCK))
		return roce_vector_crc(head, head_length / ROCE_CRC_BLOCK, to, from,
				       length / ROCE_CRC_BLOCK);
	roce_crc_begin(&crc, vector, head, head_length);
	if (to)
		roce_crc_copy(&crc, to, from, length);
	else
		roce_crc_update(&crc, from, length);
	return roce_crc_end(&crc);
}
