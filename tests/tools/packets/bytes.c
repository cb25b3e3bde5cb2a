// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers in network order.
 */
#include "frame.h"

u16 get_16(const u8 *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

u32 get_24(const u8 *bytes)
{
	return bytes[0] << 16 | bytes[1] << 8 | bytes[2];
}

u32 get_32(const u8 *bytes)
{
	return (u32)get_16(bytes) << 16 | get_16(bytes + 2);
}

u64 get_64(const u8 *bytes)
{
	return (u64)get_32(bytes) << 32 | get_32(bytes + 4);
}

u8 *put_16(u8 *bytes, u16 value)
{
	*bytes++ = value >> 8;
	*bytes++ = value;
	return bytes;
}

u8 *put_32(u8 *bytes, u32 value)
{
	return put_16(put_16(bytes, value >> 16), value);
}

u8 *put_64(u8 *bytes, u64 value)
{
	return put_32(put_32(bytes, value >> 32), value);
}
