/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What drivers/svt/wire takes from the kernel's header of this name.
 */
#ifndef FUZZ_LINUX_UNALIGNED_H
#define FUZZ_LINUX_UNALIGNED_H

#include <endian.h>
#include <linux/types.h>

/* As a lone member of a packed structure, a value may be at any address */
#define UNALIGNED(type, at) (((struct { type value; } __attribute__((packed)) *)(at))->value)

#define get_unaligned(from)	UNALIGNED(__typeof__(*(from)), from)
#define put_unaligned(what, to)	(UNALIGNED(__typeof__(*(to)), to) = (what))

static inline u16 get_unaligned_be16(const void *from)
{
	return be16toh(UNALIGNED(u16, from));
}

static inline u32 get_unaligned_be32(const void *from)
{
	return be32toh(UNALIGNED(u32, from));
}

static inline u64 get_unaligned_be64(const void *from)
{
	return be64toh(UNALIGNED(u64, from));
}

static inline void put_unaligned_be16(u16 value, void *to)
{
	UNALIGNED(u16, to) = htobe16(value);
}

static inline void put_unaligned_be32(u32 value, void *to)
{
	UNALIGNED(u32, to) = htobe32(value);
}

static inline void put_unaligned_be64(u64 value, void *to)
{
	UNALIGNED(u64, to) = htobe64(value);
}

#endif
