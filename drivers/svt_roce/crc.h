/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROCE_CRC_H
#define ROCE_CRC_H

#include "crc_vector.h"

/* The vector unit folds whole blocks into an equivalent one; else crc is of all bytes so far */
struct roce_crc {
	u8 folded[ROCE_CRC_BLOCK] __aligned(ROCE_CRC_BLOCK);
	u8 block[ROCE_CRC_BLOCK] __aligned(ROCE_CRC_BLOCK);
	unsigned int fill; /* bytes in block, which is not full yet */
	u32 crc;
	bool vector;
};

bool roce_crc_enter(void);
void roce_crc_leave(bool vector);
void roce_crc_begin(struct roce_crc *crc, bool vector, const u8 *head, unsigned int length);
void roce_crc_update(struct roce_crc *crc, const u8 *from, unsigned int length);
void roce_crc_copy(struct roce_crc *crc, u8 *to, const u8 *from, unsigned int length);
u32 roce_crc_end(const struct roce_crc *crc);
u32 roce_crc_whole(bool vector, const u8 *head, unsigned int head_length, u8 *to, const u8 *from,
		   unsigned int length);

#endif
