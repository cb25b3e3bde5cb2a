// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The CRC of any bytes that come in any pieces, copied or not, by the vector unit and without it,
 * is that of the bytes in one piece. Without AVX and PCLMULQDQ the second half of this is missing.
 */
#include <linux/crc32.h>
#include <string.h>

#include "crc.h"
#include "fuzz.h"

/* Longer than two turns of the longest loop */
#define MOST	1300

/* What the input decides: how many bytes, how they are aligned, where they are cut */
struct choices {
	u16 length;
	u8 align_from;
	u8 align_to;
	u8 head;
	u8 cuts[4];
	u8 copied;		/* bit by bit: which of the pieces */
};

struct buffers {
	u8 from[MOST + 64];
	u8 to[MOST + 64];
};

static void fill(u8 *to, size_t length, const u8 *data, size_t size)
{
	size_t i;

	for (i = 0; i < length; i++)
		to[i] = data[i % size] + i / size;
}

static u32 in_pieces(const struct choices *choices, bool vector, u8 *to, const u8 *from, u32 length)
{
	u32 at = ROCE_CRC_BLOCK + choices->head % 64, piece, i;
	struct roce_crc crc;

	at = at < length ? at : length;
	memcpy(to, from, at);
	roce_crc_begin(&crc, vector, from, at);
	for (i = 0; at < length; i++, at += piece) {
		piece = i < sizeof(choices->cuts) ? choices->cuts[i] * 8 + i : length;
		piece = piece < length - at ? piece : length - at;
		if (choices->copied >> i % 8 & 1) {
			roce_crc_copy(&crc, to + at, from + at, piece);
			continue;
		}
		memcpy(to + at, from + at, piece);
		roce_crc_update(&crc, from + at, piece);
	}
	return roce_crc_end(&crc);
}

static u32 in_two(const struct choices *choices, bool vector, u8 *to, const u8 *from, u32 length)
{
	u32 head = ROCE_CRC_BLOCK + choices->head % 64;

	head = head < length ? head : length;
	if (!(choices->copied & 1))
		return roce_crc_whole(vector, from, head, NULL, from + head, length - head);
	memset(to, 0, length);
	memcpy(to, from, head);
	return roce_crc_whole(vector, from, head, to + head, from + head, length - head);
}

static void check(const struct choices *choices, bool vector, struct buffers *b, u32 length)
{
	u8 *from = b->from + choices->align_from % 32, *to = b->to + choices->align_to % 32;
	u32 crc = crc32_le(~0U, from, length);

	memset(b->to, 0, sizeof(b->to));
	must(in_pieces(choices, vector, to, from, length) == crc);
	must(!memcmp(to, from, length));
	must(in_two(choices, vector, to, from, length) == crc);
	must(!memcmp(to, from, length));
	must(to[length] == 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct buffers buffers;
	struct choices choices;
	bool vector;
	u32 length;

	if (size <= sizeof(choices))
		return 0;
	memcpy(&choices, data, sizeof(choices));
	length = ROCE_CRC_BLOCK + choices.length % (MOST - ROCE_CRC_BLOCK);
	fill(buffers.from, sizeof(buffers.from), data + sizeof(choices), size - sizeof(choices));
	check(&choices, false, &buffers, length);
	vector = roce_crc_enter();
	if (vector)
		check(&choices, true, &buffers, length);
	roce_crc_leave(vector);
	return 0;
}
