/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt_roce takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_CRC32_H
#define FUZZ_LINUX_CRC32_H

#include <linux/types.h>

static inline u32 crc32_le(u32 crc, const u8 *from, size_t length)
{
	/* The polynomial's multiples by each half of a byte */
	static const u32 halves[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};

	while (length--) {
		crc ^= *from++;
		crc = crc >> 4 ^ halves[crc & 15];
		crc = crc >> 4 ^ halves[crc & 15];
	}
	return crc;
}

#endif
