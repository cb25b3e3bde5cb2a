// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a copy costs on this processor, alone and with the ICRC, and the ICRC alone: what a count of
 * instructions does not tell. The CRC is the driver's (crc.c, crc_vector.c), in packets of 4096
 * bytes.
 *
 * Each figure is the least of many rounds, for others use this machine as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/crc32.h>

#include "crc.h"

#define PACKET		4096
#define HEAD		48	/* local route header, IPv4, UDP, BTH */
#define ROUNDS		200
#define ROUND_BYTES	(1 << 21)
#define COLD_BYTES	(1UL << 28)
/* Where both ends of a copy have the same place in a page some processors take them for one */
#define APART		1088

enum work {
	COPY,
	COPY_ICRC,
	ICRC,
	WORKS
};

static u8 head[HEAD];
static u32 sum;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static void packet(enum work work, bool vector, u8 *to, const u8 *from, u32 length)
{
	if (work == COPY)
		memcpy(to, from, length);
	else
		sum += roce_crc_whole(vector, head, HEAD, work == ICRC ? NULL : to, from, length);
	/* Nobody reads the copy, but it has to be made */
	__asm__ volatile("" : : "r" (to) : "memory");
}

static void message(enum work work, bool vector, u8 *to, const u8 *from, u32 length)
{
	u32 at, piece;

	for (at = 0; at < length; at += piece) {
		piece = length - at < PACKET ? length - at : PACKET;
		packet(work, vector, to + at, from + at, piece);
	}
}

/* Nanoseconds for a message; each is @step bytes behind the one before in @room bytes */
static double measure(enum work work, bool vector, u8 *to, u8 *from, u32 length, size_t step,
		      size_t room)
{
	u32 count = ROUND_BYTES / length, round, i;
	double least = 1e18, start, each;
	size_t at = 0;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		for (i = 0; i < count; i++) {
			message(work, vector, to + at, from + at, length);
			at += step;
			if (at + length > room)
				at = 0;
		}
		each = (now_ns() - start) / count;
		if (each < least)
			least = each;
	}
	return least;
}

static void line(const char *where, bool vector, u8 *to, u8 *from, u32 length, size_t step,
		 size_t room)
{
	double found[WORKS];
	enum work work;

	for (work = COPY; work < WORKS; work++)
		found[work] = measure(work, vector, to, from, length, step, room);
	printf("%6u  %-6s  %9.0f  %14.0f  %9.0f\n", length, where, found[COPY], found[COPY_ICRC],
	       found[ICRC]);
}

int main(void)
{
	static const u32 lengths[] = { 4096, 65536 };
	u8 *from = malloc(COLD_BYTES), *room = malloc(COLD_BYTES + APART), *to = room + APART;
	bool vector = roce_crc_enter();
	u32 i;

	if (!from || !room)
		return 1;
	memset(from, 0x5a, COLD_BYTES);
	memset(to, 0, COLD_BYTES);
	if (roce_crc_whole(vector, head, HEAD, to, from, PACKET) !=
	    crc32_le(crc32_le(~0U, head, HEAD), from, PACKET) || memcmp(to, from, PACKET)) {
		fputs("the CRC or the copy is wrong\n", stderr);
		return 1;
	}
	printf("CRC by %s\n", vector ? "PCLMULQDQ" : "tables");
	puts(" bytes  memory    copy, ns  copy+ICRC, ns   ICRC, ns");
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		line("cached", vector, to, from, lengths[i], 0, COLD_BYTES);
		line("cold", vector, to, from, lengths[i], lengths[i], COLD_BYTES);
	}
	roce_crc_leave(vector);
	free(from);
	free(room);
	return 0;
}
