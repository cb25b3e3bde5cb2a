/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt_roce takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_CRC32_H
#define FUZZ_LINUX_CRC32_H

#include <linux/types.h>

static inline u32 crc32_le(u32 crc, const u8 *from, size_t length)
{
	u32 bit;

	while (length--) {
		crc ^= *from++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

#endif
