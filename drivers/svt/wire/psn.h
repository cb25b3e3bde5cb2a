/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packet sequence numbers: 24 bits, compared within half of the circle (IBTA 9.7.1).
 */
#ifndef SVT_WIRE_PSN_H
#define SVT_WIRE_PSN_H

#include <linux/types.h>

#define SVT_PSN_MASK	0xffffffU

static inline u32 svt_psn(u32 value)
{
	return value & SVT_PSN_MASK;
}

/* A negative number converted to u32 goes back */
static inline u32 svt_psn_add(u32 psn, u32 count)
{
	return svt_psn(psn + count);
}

/* -2^23 to 2^23 - 1, negative when @a is behind; the upper 8 bits of both are ignored */
static inline s32 svt_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

#endif
