/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt/wire takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_UNALIGNED_H
#define FUZZ_LINUX_UNALIGNED_H

#include <endian.h>
#include <linux/types.h>
#include <string.h>

#define get_unaligned(from) ({						\
	__typeof__(*(from) + 0) value_;					\
									\
	memcpy(&value_, (from), sizeof(value_));			\
	value_;								\
})

#define put_unaligned(value, to) do {					\
	__typeof__(*(to)) value_ = (value);				\
									\
	memcpy((to), &value_, sizeof(value_));				\
} while (0)

static inline u16 get_unaligned_be16(const void *from)
{
	u16 value;

	memcpy(&value, from, sizeof(value));
	return be16toh(value);
}

static inline u32 get_unaligned_be32(const void *from)
{
	return be32toh(get_unaligned((const u32 *)from));
}

static inline u64 get_unaligned_be64(const void *from)
{
	return be64toh(get_unaligned((const u64 *)from));
}

static inline void put_unaligned_be16(u16 value, void *to)
{
	put_unaligned(htobe16(value), (u16 *)to);
}

static inline void put_unaligned_be32(u32 value, void *to)
{
	put_unaligned(htobe32(value), (u32 *)to);
}

static inline void put_unaligned_be64(u64 value, void *to)
{
	put_unaligned(htobe64(value), (u64 *)to);
}

#endif
