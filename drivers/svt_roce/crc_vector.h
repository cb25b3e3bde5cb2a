/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Carry-less multiplication by the vector unit. Elsewhere only roce_vector_enter() is called */
#ifndef ROCE_CRC_VECTOR_H
#define ROCE_CRC_VECTOR_H

#include <linux/types.h>

#define ROCE_CRC_BLOCK	16

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
bool roce_vector_enter(void);
void roce_vector_leave(void);
void roce_vector_fold(u8 *folded, const u8 *from, unsigned int blocks);
void roce_vector_fold_copy(u8 *folded, u8 *to, const u8 *from, unsigned int blocks);
u32 roce_vector_reduce(const u8 *folded);
u32 roce_vector_crc(const u8 *head, unsigned int head_blocks, u8 *to, const u8 *from,
		    unsigned int blocks);
#else
static inline bool roce_vector_enter(void)
{
	return false;
}

static inline void roce_vector_leave(void)
{
}

static inline void roce_vector_fold(u8 *folded, const u8 *from, unsigned int blocks)
{
}

static inline void roce_vector_fold_copy(u8 *folded, u8 *to, const u8 *from, unsigned int blocks)
{
}

static inline u32 roce_vector_reduce(const u8 *folded)
{
	return 0;
}

static inline u32 roce_vector_crc(const u8 *head, unsigned int head_blocks, u8 *to,
				  const u8 *from, unsigned int blocks)
{
	return 0;
}
#endif

#endif
